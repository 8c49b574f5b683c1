//! Finds instructions to agents: memory becomes part of prompts, where a model might follow them.
//!
//! Never treats a stated preference as an instruction ("User prefers that agents run cargo fmt"). Phrases that only
//! attacks use count inside quotes, too. A word filter cannot stop every prompt injection, so readers must still treat
//! memory as data.

use super::{GuardFinding, GuardText, Violation};
use crate::text::phrase::{PhrasePatterns, WordToken, matched_text, word_tokens};
use crate::text::prose_mask::{mask_phrases, split_label};

/// Markers that only occur to steer a model; searched in the whole text, including quotes and code.
#[rustfmt::skip]
const PROMPT_MARKERS: &[&str] = &[
    "<|im_start|>", "<|im_end|>", "<|system|>", "<|user|>", "<|assistant|>", "<|endoftext|>", "[inst]", "[/inst]",
    "<<sys>>", "<system>", "</system>", "<system-reminder>", "### instruction", "### system", "<tool_call>",
    "<function_calls>", "begin_of_text",
];
#[rustfmt::skip]
static ATTACK_PHRASES: PhrasePatterns = PhrasePatterns::new(&[
    "ignore|disregard|forget|override|bypass|overlook|discard any|all|the|your|every|my|these|those? of? any|all|the|your? previous|prior|above|earlier|preceding|existing|other|former|safety|system|original instructions|instruction|prompts|prompt|rules|rule|messages|guidelines|guideline|directions|context|commands|constraints|restrictions|training|guardrails|guardrail|safeguards|filters|protections|policies|policy|limits",
    "ignore|disregard|forget the|all|any|your? instructions|prompts|rules|guidelines|messages|directions above|before|so|given",
    "forget|disregard everything|all that|you|above|said|before", "you are|act now|as dan|an? unrestricted",
    "reveal|print|show|repeat|output|leak|expose the|your|all system prompt|memories|instructions",
    "act|acting|behave as an|a|the unrestricted|jailbroken|uncensored|evil",
]);
#[rustfmt::skip]
static HAN_ATTACK_PHRASES: PhrasePatterns = PhrasePatterns::new(&[
    "忽略|无视|忘记|忘掉|抛开|不要理会|别理|不要遵守|不用管|绕过|覆盖|推翻 掉? 你? 之前|以上|上面|前面|先前|所有|此前|一切|原来|原有|现有|系统|全部 的|所有? 的? ..2 指示|指令|提示|规则|要求|命令|设定|限制|约束|规定|内容",
    "忘记|忘掉 之前|以上|上面 说过? 的? 一切|所有|全部", "系统提示词|系统提示 泄露|告诉|打印", "输出|打印|泄露|透露 ..3 系统提示|所有记忆|提示词", "绕过 ..6 安全|限制",
    "不受限制 的 助手|模型|人工智能",
]);
/// Phrases that address the reader, or state what agents have to do.
#[rustfmt::skip]
static AGENT_DIRECTIVES: PhrasePatterns = PhrasePatterns::new(&[
    "you must|should|shall|need|have|will|are|may|can|ought|cannot|mustn't", "from now on", "your ..2 task|job|role|goal|instructions|mission|duty|objective|step|priority|purpose|responsibility is|are",
    "any|every|each|all model|models|agent|agents|assistant|assistants|llm|bot|bots|ai ..4 is|are|must|should|shall|need|needs|has|have|will|may|can to|not|never|always|be|*", "must|should|shall|may|can|cannot not|never|always? be ..4 by agents|assistants|the|any|an|all agent|agents|assistant|model|ai|bot",
    "^under no circumstances|condition", "^at no point|time", "^at all times", "^no need to", "^it would be best|better|good to|if", "^the only|correct|right|proper|expected response|answer|reply|behavior|behaviour ..6 is", "you are|were|will|can|must", "^anyone|whoever ..3 reads|reading|processing|loading",
    "agents|assistants|bots|llms|models|the|every|each agent|assistant|model|bot|llm? ought|may to|not|never|only",
    "new|updated|additional|important instructions|instruction", "^when|if|once asked|prompted|you",
    "assistant|agent|agents|ai|model|models|llm|llms|chatbot|bot|claude|gpt|copilot must|should|shall|need|needs|has|have|are ..2 to|always|never|obey|comply|upload|send|run|execute|reply|respond|answer|use|ignore|follow|push|delete|read|reveal|not|be|treat",
    "agent|agents|ai|assistant|assistants|model|models|chatbot ..4 must|should|shall", "agents|assistants|models ..3 have|need to", "agent|assistant|model ..3 has|needs to", "bots|bot ..3 must|should|shall", "your ..1 persona|identity is", "^regardless|irrespective of *",  "assistants|agents|models are required|expected|ordered|instructed|obliged to", "next|every|each|any reply|response|answer|message has|must|should|needs ..2 contain|include|end|start|be",
    "it is|it's essential|important|vital|mandatory|imperative|crucial|critical that|to", "end of memory|context|document|instructions|prompt", "new task|directive|objective", "make sure|certain to|that|you", "be sure to", "remember to", "do not|never tell|reveal|mention|inform|show|disclose ..2 user|anyone|anybody|users|human",
    "run|execute|perform the|this following|script|command|code|commands|below", "respond|reply|answer only|exclusively|always in|with|using",
    "treat the|this user as", "pretend to|that|you",
]);
/// "agent" and the like as people or products.
static NOT_AGENTS: PhrasePatterns = PhrasePatterns::new(&[
    "user 's agent|model|bot",
    "assistant professor|manager|director",
    "agent of",
    "model railway|train|car",
    "real estate agent|agents",
    "estate|travel|insurance|estate agent|agents",
    "user is ..2 assistant|agent|model",
    "user wants|prefers|likes|asks|asked|expects|wishes|requests|requested",
]);
/// Imperatives at the start of a sentence.
#[rustfmt::skip]
static IMPERATIVES: PhrasePatterns = PhrasePatterns::new(&[
    "^please|kindly *",     "^always|never *", "^do|don't not? *", "^always|never|only *",
    "^stop|cease|refuse|start|begin -ing|to", "^do whatever|exactly|as|what", "^be a|an|as|sure|concise|brief|polite|honest|careful|direct|terse|very|more|less|friendly|proactive|ready|aware", "^refrain|abstain from", "^stick|refer|adhere to", "^go to|ahead", "^look up|for|at", "^let the|user|no|every", "^double|re|cross check|checks|verify|read", "^make|take|get|find|turn|move|pull|push|bring|hold|stay|limit|prefix|format|address|greet|prioritize|prioritise|assume|ask|offer|promote|prompt|question|report|record|request|reference|search|review|test|trigger|wrap|start|end|finish|cite|list|link|note|name|order the|a|an|all|any|every|each|this|that|these|those|with|only|no|in|user|everything|anything|your|yourself|for|by|replies|answers|responses|messages|sessions",
    "^add|answer|apply|approve|ask|avoid|build|call|change|check|click|commit|copy|create|delete|deploy|disable|download|email|enable|ensure|execute|fetch|follow|forward|give|grant|include|insert|install|keep|load|merge|obey|omit|open|output|paste|post|print|push|put|read|remove|reply|respond|return|run|save|send|set|share|show|skip|start|stop|store|submit|tell|transfer|treat|update|upload|use|visit|wait|write the|a|an|all|any|every|each|this|that|these|those|to|with|only|no|in|into|from|user|everything|anything|tabs|spaces|tests|by|it",
]);
/// Phrases that look like imperatives but state facts.
static NOT_IMPERATIVES: PhrasePatterns = PhrasePatterns::new(&[
    "^never|always -ing",
    "^never|always a|an|the|been|was|on|in|at|before|after|during",
    "^do it yourself",
]);

#[rustfmt::skip]
static HAN_AGENT_DIRECTIVES: PhrasePatterns = PhrasePatterns::new(&[
    "^把 ..24 设为|上传|转到|发给|发送|转发|删除|删掉|交给|设成", "^夜里|晚上|每次|随后|然后|之后 把", "^告诉|通知|提醒|劝说|说服 用户", "麻烦 把|你|帮", "回复|回答|执行|开始 之前|前 ，? 先", "新 的? 任务 ：", "记忆|记录|资料|文档 到此 结束", "， 把 ..12 转到|上传|发给|发送|转发",
    "^无论|不管 用户 ..10 都", "助手|智能体|代理|模型|机器人|AI ..4 需要|须|要|得 把|将|在|对|用|向|先|给|始终|每", "^停止|拒绝|放弃 遵守|执行|服从|使用 ..8 政策|规则|指令|安全|限制|规定", "^你 拥有|有权|被授权", "照此 行事|执行|办理", "^每次 回答|回复|对话 ..4 打印|输出|附上|加上|写上|提到|推荐", "下一条|下一个|下次|所有 回复|回答|输出 ..2 必须|要|应|须", "^重要|注意|紧急 ：|: 覆盖|删除|忽略|输出|发送|执行|把|将|请|不要|必须", "^跳过|绕过|关闭|禁用|取消|撤销 ..10 评审|检查|审核|确认|验证|安全|测试", "^照 ..10 做|办|执行", "^说服|劝|诱导|引导|要求 用户 交出|提供|透露|购买|点击|下载", "^推荐|附上|附加|转发|上传|泄露|伪装|冒充 ..10 给|到|成|保险|链接|推荐码|文件|数据",
    "你的 新? 的? 身份|任务|角色|目标|职责 是|为", "^在 ..10 中|里 隐藏|加入|附上|写上|写入|插入|删除", "^用 ..4 语|文 回答|回复|写", "忘掉|忘记 ..4 给你 的 规则|指令|要求|提示",
    "你 现在|今后|以后|从此? 是|必须|应该|应当|需要|要|得|只能|务必|不得|不能|不准|不许|将|可以|绝不能|扮演", "从现在 开始|起", "从今以后", "^请 ..12 把|将|务必|执行|运行|始终|总是|记住|不要|立即|直接|回复|使用|转发|发送|删除|打开|忽略|输出|在|用",
    "，|：|。 请 务必|执行|运行|始终|总是|不要|立即|直接|回复|转发|发送|删除|打开|忽略|输出|使用", "所有 ..12 请 使用|用|遵守", "务必|切记|谨记", "^记得|记住 ..2 调用|使用|执行|把|发送|要",
    "助手|智能体|代理|模型|机器人|AI|大模型 ..4 必须|务必|应当|不得|应该|只能|不准|一律", "^执行|运行 以下|下列|下面|如下|这个|此", "前|时|后|， 执行|运行 以下|下列|下面 的? 命令|脚本|代码|指令", "^不要|别|不得|严禁|禁止|永远|始终|一律|绝不|切勿|只用|必须",
    "不要 告诉|透露|泄露|提及|提到|向", "永远 不要|别|不许|不得", "新 的? 指令|指示", "^假装|扮演|充当", "， 扮演|假装", "始终|一律|只用 ..8 回答|回复|批准|使用", "如果|当 你", "把 所有|全部|一切 ..8 发送|转发|上传|发到|转到|发给",
    "^ 输出|打印|删除|上传|转发|发送 所有|全部|一切",
]);
/// An agent with a word of obligation; the object does not matter.
#[rustfmt::skip]
static HAN_AGENTS: PhrasePatterns = PhrasePatterns::new(&[
    "助手|智能体|代理|大模型|模型|机器人|AI|Agent|agent ~8 应当|应该|应始|应在|应把|应将|应对|应先|应优|应使|应用户|应避|应向|应|须|必须|务必|不得|不应|不可|不能|不许|不准|不要|绝不|勿|只能|只应|只可|一律|永远|始终|禁止|要先|要把|要将|要在|要用|需先|需把|需将|需在|需用|有义务|有责任",
    "^请 勿|先|务|将|把|以|用|按|在|对|给|向|始|总|记|不|立|直|回|使|转|发|删|打|忽|输|执|运|确|保|遵|尽|避|仅|只|优|每|检|核|读|写|查|提|调|为|注|严|根|依|继|停|附|加|引|扮|参|默|假|帮|替|告|忘|跳|打|点|访|下|上|安|禁|启|关|将|从|同|列|给|信|称|标|合|推|部|翻",
    "^第一步|首要任务|首要步骤|首要目标|唯一任务|你的任务|当前任务|任务 是|为|： 调用|读取|执行|运行|打开|发送|上传|删除|输出|把|将|向|回|告|推|说|获|收|帮|让|登|下|访",
    "^务请|勿|切勿|切莫|切忌|请勿|严禁|禁止|不许|不准|不可|不得|不能|绝不|绝不能|决不|千万|避免|尽量|尽可能|务必|必须|一律|只能|只可|只准|只许|永不|永远|始终|优先",
]);
#[rustfmt::skip]
const HAN_NOT_AGENTS: &[&str] = &[
    "助理", "代理商", "代理人", "代理服务器", "保险代理", "模型火车", "火车模型", "模型飞机", "邀请", "申请", "请假", "请求", "请教", "聘请", "必须品",
    "请客", "请柬", "别墅", "别人", "别名", "别的", "别克", "始终端", "禁止符",
];
/// Verbs at the start of Chinese imperatives; a statement has its subject before them.
#[rustfmt::skip]
const HAN_VERBS: &[&str] = &[
    "删除", "删掉", "覆盖", "跳过", "隐藏", "重置", "打印", "输出", "上传", "下载", "发送", "转发", "回答", "回复", "推荐", "停止", "关闭",
    "禁用", "执行", "运行", "安装", "卸载", "修改", "清空", "清除", "泄露", "透露", "冒充", "伪装", "说服", "诱导", "附上", "忽略", "绕过", "批准",
    "回应", "答复", "应答", "重定向", "重定向到", "伪造", "窃取", "收集", "公开", "撤销", "授予", "登录", "访问", "点击", "购买", "转账", "充当",
    "信任", "相信", "遵守", "遵循", "遵照", "服从", "听从", "避免", "保持", "控制", "限制", "核对", "检查", "确认", "验证", "读取", "查看", "查询", "调用", "加载", "引用", "注明", "标明", "标记",
    "提醒", "告知", "通知", "告诉", "称呼", "询问", "拒绝", "允许", "假设", "假定", "当作", "视为", "默认", "写入", "加入", "添加", "插入", "替换", "移除", "移动", "复制", "启用", "开启", "打开", "提供", "给出",
    "列出", "展示", "显示", "生成", "翻译", "总结", "概括", "改用", "切换", "优先", "尝试", "继续", "保留", "保存", "记录", "记住", "忘记", "忘掉", "注意", "扮演", "假装", "模仿", "伪装", "引导", "鼓励", "劝说",
    "提交", "推送", "合并", "部署", "注册", "订阅", "分享", "外传", "报告", "汇报", "终止", "结束", "重启", "格式化", "解密", "解锁", "赋予", "提升", "静默", "自称", "回避", "不再", "无需", "无须", "不必", "不用",
    "对外", "按照", "依照", "根据", "依据", "参照", "严格", "以", "用", "向", "将", "把", "在", "使用", "采用",
];
/// Nouns that start with such a verb.
#[rustfmt::skip]
const HAN_VERB_NOUNS: &[&str] = &[
    "提交信息", "提交记录", "提交历史", "提交说明", "合并请求", "部署脚本", "部署流程", "部署环境", "推送通知", "登录页", "登录流程", "访问权", "保存路径", "检查清单", "检查结果", "记录文件", "翻译文件", "注册流程", "注册表", "标记语言",
    "控制台", "控制器", "控制面板", "限制条件", "优先级", "默认值", "默认分支", "默认语言", "提供商", "加载速度", "通知栏", "允许列表", "显示器", "订阅费", "引用格式", "确认邮件", "确认函", "运行环境", "运行时间", "执行结果", "查询语句",
    "测试用例", "安装包", "上传速度", "下载速度", "回复率", "回答质量", "推荐系统", "推荐算法", "报告格式", "总结报告", "调用链", "调用方",
];
/// Openings that are an imperative only if another verb of [`HAN_VERBS`] follows in the clause.
#[rustfmt::skip]
const HAN_WEAK_VERBS: &[&str] = &[
    "按照", "依照", "根据", "依据", "参照", "严格", "以", "用", "向", "将", "把", "在", "使用", "采用", "对外", "不再", "无需", "无须", "不必", "不用", "优先", "默认", "继续", "尝试", "注意",
];
/// Words that make a verb at the start the subject of a statement: "发送邮件需要 VPN".
#[rustfmt::skip]
const HAN_STATEMENT_WORDS: &[&str] = &[
    "需要", "需经", "需先", "花费", "耗时", "会导致", "会触发", "会使", "会自动", "会被", "会在", "依赖", "失败", "报错", "成功", "可以", "可能", "较慢", "很慢", "较快", "很快", "由", "经过", "必须经", "应经", "仅限", "限于", "是", "占",
    "属于", "位于", "存放", "保存在", "走 ", "收费", "免费",
];
/// Words that may precede the verb at the start of a clause.
#[rustfmt::skip]
const HAN_VERB_PREFIXES: &[&str] = &[
    "", "悄悄", "立即", "立刻", "马上", "直接", "先", "然后", "随后", "每次", "必须", "须", "都", "一律", "全部", "默默", "暗中", "自动", "尽量", "只", "再",
];
/// Characters after such a verb that make it part of a noun: 打印机, 删除键.
#[rustfmt::skip]
const HAN_NOUN_SUFFIXES: &[char] = &[
    '机', '键', '器', '率', '的', '时', '页', '量', '速', '按', '是', '目', '权', '格', '方', '工', '本', '很', '由', '在', '到', '需', '走',
];

/// The verb of an imperative without a subject: "删除…", "悄悄删除…", "无论…，都回答…"; not of a completed action (了, 后).
fn han_imperative(sentence: &str) -> Option<&str> {
    let clear = mask_phrases(sentence, &["最后", "后台", "后端", "后续", "通过"]);
    if ["了", "后", "过"].iter().any(|done| clear.contains(done)) || split_label(sentence).is_some() {
        return None;
    }
    let first = sentence.split('，').next().unwrap_or_default();
    let condition = ["无论", "不论", "不管", "如果", "当", "若", "一旦"].iter().any(|w| sentence.starts_with(w));
    let clauses = if condition || first.ends_with(['时', '前']) { 2 } else { 1 };
    for clause in sentence.split('，').take(clauses).map(str::trim_start) {
        let clause = after_time_phrase(clause);
        let rests = HAN_VERB_PREFIXES.iter().filter_map(|lead| clause.strip_prefix(lead));
        let verb = rests.into_iter().find_map(|rest| opening_verb(rest));
        if verb.is_some() {
            return verb;
        }
    }
    None
}

/// The verb of an imperative at the start of a clause.
fn opening_verb(rest: &str) -> Option<&str> {
    if rest.starts_with("用户") {
        return None;
    }
    let verb = HAN_VERBS.iter().filter(|v| rest.starts_with(**v)).max_by_key(|v| v.len())?;
    let after = &rest[verb.len()..];
    if after.is_empty() || after.starts_with(HAN_NOUN_SUFFIXES) && !HAN_WEAK_VERBS.contains(verb) {
        return None;
    }
    let is_weak = HAN_WEAK_VERBS.contains(verb);
    let full = |v: &&&str| !HAN_WEAK_VERBS.contains(*v) && after.contains(**v);
    let is_complete = !is_weak || HAN_VERBS.iter().find(full).is_some();
    let states = HAN_STATEMENT_WORDS.iter().any(|s| after.contains(s));
    (is_complete && !states).then_some(&rest[..verb.len()])
}

/// A clause without its opening phrase of time: "每次会话开始时先…", "回答前…". Unchanged without such a phrase.
fn after_time_phrase(clause: &str) -> &str {
    const OPENS: [&str; 20] = [
        "每次", "每个", "每条", "每当", "所有", "任何", "回答", "回复", "会话", "对话", "执行", "运行", "启动", "开始",
        "结束", "读取", "被问", "遇到", "收到", "生成",
    ];
    if !OPENS.iter().any(|o| clause.starts_with(o)) {
        return clause;
    }
    let near = clause.char_indices().nth(16).map_or(clause.len(), |(n, _)| n);
    let ends = ["之前", "之后", "以前", "末尾", "结束时", "开始时", "时", "前", "中", "里"];
    let end = ends.iter().filter_map(|e| clause[..near].find(e).map(|at| at + e.len())).max();
    end.map_or(clause, |at| clause[at..].trim_start_matches(['都', '均', '也', '就', ' ']))
}

/// Phrases that turn an instruction into the preference of a user, team or company.
static HAN_PREFERENCE: PhrasePatterns = PhrasePatterns::new(&[
    "用户 ..4 希望|要求|偏好|喜欢|让|请|想|规定|主张|建议|习惯",
    "团队 规定|约定|要求",
    "公司 规定|要求",
]);

/// The first instruction in a text.
pub fn check_orders(input: &GuardText<'_>) -> Option<GuardFinding> {
    let finding = |what: &str| Some(GuardFinding::new(Violation::Instruction, what));
    let low = input.text.to_lowercase();
    if let Some(mark) = PROMPT_MARKERS.iter().find(|m| low.contains(**m)) {
        return finding(mark);
    }
    let all_tokens = word_tokens(input.text);
    if let Some(range) = ATTACK_PHRASES.find(&all_tokens) {
        // Base forms only: "The linter ignores all previous warnings" does not match.
        return finding(matched_text(input.text, &all_tokens, range));
    }
    if let Some(what) = HAN_ATTACK_PHRASES.find_unspaced(input.text) {
        return finding(what);
    }
    if imitates_host(input) {
        return finding("system:");
    }
    for (sentence, tokens) in input.english_sentences() {
        if let Some(range) = AGENT_DIRECTIVES.find(tokens).filter(|_| NOT_AGENTS.find(tokens).is_none()) {
            return finding(matched_text(sentence, tokens, range));
        }
        if NOT_IMPERATIVES.find(tokens).is_none() && !is_labelled(sentence) {
            let find_order = || {
                base_imperative(sentence, tokens)
                    .or_else(|| verb_before_code(sentence, tokens))
                    .or_else(|| clause_imperative(sentence, tokens))
            };
            if let Some(range) = find_order() {
                return finding(matched_text(sentence, tokens, range));
            }
        }
    }
    if !input.han {
        return None;
    }
    let clear = mask_phrases(&mask_phrases(input.prose, HAN_NOT_AGENTS), HAN_VERB_NOUNS);
    let mut sentences = clear.split(['。', '\n']);
    let order =
        |s| HAN_AGENT_DIRECTIVES.find_unspaced(s).or_else(|| HAN_AGENTS.find_unspaced(s)).or_else(|| han_imperative(s));
    sentences.find_map(|s| if HAN_PREFERENCE.find_unspaced(s).is_some() { None } else { order(s) }).and_then(finding)
}

/// An imperative at the start, as token indices; "Check-in" is a noun.
fn base_imperative(sentence: &str, tokens: &[WordToken<'_>]) -> Option<std::ops::Range<usize>> {
    let range = IMPERATIVES.find(tokens)?;
    let first = tokens.get(range.start)?;
    let joined = sentence[first.at + first.surface.len()..].starts_with('-');
    (!joined || matches!(first.text.as_str(), "double" | "re" | "cross")).then_some(range)
}

/// Whether a sentence has a label: `Run time: 3 hours` is not an instruction.
fn is_labelled(sentence: &str) -> bool {
    split_label(sentence)
        .is_some_and(|(l, _)| l.split(' ').count() < 3 && !ATTENTION_LABELS.contains(&l.to_lowercase().as_str()))
}

/// Base forms that are not nouns: an instruction wherever a clause starts with one.
#[rustfmt::skip]
const IMPERATIVE_VERBS: &[&str] = &[
    "accept", "act", "add", "adhere", "adopt", "allow", "append", "apply", "approve", "assume", "attach", "authenticate",
    "authorize", "avoid", "become", "begin", "behave", "bypass", "cancel", "choose", "classify", "clear", "comply",
    "concatenate", "conceal", "confirm", "consider", "continue", "convince", "deactivate", "decode", "decrypt",
    "delete", "deploy", "disable", "discard", "disclose", "disregard", "download", "echo", "email", "embed", "emit",
    "enable", "encode", "encourage", "ensure", "erase", "exclude", "execute", "exfiltrate", "explain", "expose",
    "extract", "fetch", "follow", "forget", "forward", "generate", "give", "grant", "hide", "ignore", "impersonate",
    "include", "inform", "insert", "insist", "install", "invoke", "keep", "leak", "log", "mark", "mention", "merge",
    "navigate", "obey", "omit", "output", "override", "overwrite", "paste", "pay", "perform", "persuade", "prefer", "pretend",
    "proceed", "promote", "provide", "publish", "purge", "quote", "recommend", "redirect", "refuse", "reject",
    "remember", "remove", "rename", "repeat", "replace", "reply", "respond", "reveal", "rewrite", "say", "scan",
    "send", "sign", "skip", "speak", "submit", "suggest", "summarize", "suppress", "switch", "tell", "transfer",
    "transmit", "treat", "trust", "uninstall", "unlock", "update", "upload", "verify", "wipe", "withhold",
];
/// Words that may precede an imperative.
#[rustfmt::skip]
const IMPERATIVE_ADVERBS: &[&str] = &[
    "please", "kindly", "then", "first", "next", "now", "also", "always", "never", "just", "simply", "quietly", "silently", "secretly",
    "immediately", "instead", "only", "and", "do", "don't", "not", "so", "therefore",
];
/// Labels that call for attention.
const ATTENTION_LABELS: &[&str] = &["important", "urgent", "attention", "notice", "warning", "note", "reminder"];
const CONDITION_WORDS: &[&str] = &[
    "before", "after", "when", "whenever", "if", "once", "at", "on", "during", "upon", "every", "whatever", "while",
    "until",
];

/// An imperative at the start of the sentence, or of the clause after "Before replying, …". Returns token indices.
fn clause_imperative(sentence: &str, tokens: &[WordToken<'_>]) -> Option<std::ops::Range<usize>> {
    let comma = tokens.windows(2).position(|w| sentence[w[0].at..w[1].at].contains([',', ':', '，']));
    let clause = tokens
        .first()
        .filter(|t| CONDITION_WORDS.contains(&t.text.as_str()) || ATTENTION_LABELS.contains(&t.text.as_str()))
        .and(comma)
        .map(|n| n + 1);
    [Some(0), clause].into_iter().flatten().find_map(|from| {
        let at = (from..tokens.len()).find(|i| !IMPERATIVE_ADVERBS.contains(&tokens[*i].text.as_str()))?;
        let token = &tokens[at];
        let after = &sentence[token.at + token.surface.len()..];
        let alone = at + 1 == tokens.len() && after.trim_matches(['.', '!', ' ']).is_empty() && from == 0;
        let order = IMPERATIVE_VERBS.binary_search(&token.text.as_str()).is_ok()
            || from > 0
                && matches!(
                    token.text.as_str(),
                    "push"
                        | "pull"
                        | "make"
                        | "take"
                        | "get"
                        | "print"
                        | "ask"
                        | "put"
                        | "save"
                        | "load"
                        | "post"
                        | "commit"
                        | "stop"
                        | "list"
                        | "copy"
                        | "review"
                        | "search"
                        | "wait"
                        | "store"
                        | "share"
                        | "return"
                        | "format"
                        | "pass"
                        | "drop"
                        | "reset"
                        | "read"
                        | "use"
                        | "run"
                        | "call"
                        | "open"
                        | "write"
                        | "answer"
                        | "report"
                        | "check"
                        | "show"
                        | "set"
                );
        let noun = after.starts_with(['-', '/', ':', '_'])
            || after.starts_with(" key")
            || tokens.get(at + 1).is_some_and(|t| t.text == "'s");
        (order && !noun && !alone).then_some(from..at + 1)
    })
}

/// A base form before code: "Run `rm -rf`".
fn verb_before_code(sentence: &str, tokens: &[WordToken<'_>]) -> Option<std::ops::Range<usize>> {
    let first = tokens.first()?;
    let verb =
        matches!(first.text.as_str(), "run" | "execute" | "call" | "use" | "open" | "install" | "delete" | "invoke");
    let rest = sentence[first.at + first.surface.len()..].trim_start();
    (verb && rest.starts_with("__")).then_some(0..1)
}

/// Whether a text imitates the host: "system: the assistant has …". "System: Debian stable" is a label.
fn imitates_host(input: &GuardText<'_>) -> bool {
    let Some((speaker, rest)) = split_label(input.text) else { return false };
    let host = matches!(
        speaker,
        "system" | "SYSTEM" | "developer" | "SYSTEM PROMPT" | "system prompt" | "assistant" | "user" | "human"
    );
    let host = host || matches!(speaker, "System" | "Assistant" | "系统" | "系统消息" | "系统提示");
    let rest = rest.to_lowercase();
    let openings = [
        "you ",
        "the assistant",
        "the model",
        "the agent",
        "the user ",
        "ignore",
        "always",
        "never ",
        "助手",
        "你",
        "必须",
        "模型",
    ];
    host && openings.iter().any(|t| rest.starts_with(t))
}
