//! Checks that a memory has one fact: no clauses joined by a semicolon or "and also", no second label, no second topic
//! of a person's life.
//!
//! Never parses sentences: two facts in words missing from the lists pass as one.

use super::{GuardFinding, GuardText, MemoryKind, Violation};
use crate::text::phrase::{PhrasePatterns, WordToken, is_capitalized, matched_text};
use crate::text::prose_mask::{mask_phrases, split_label};
use crate::text::verbs;
use crate::text::words::is_unspaced;

static CONJUNCTIONS: PhrasePatterns = PhrasePatterns::new(&[
    "and|but also",
    "additionally|furthermore|moreover|besides",
    "in addition",
    "on top of that",
    "as well as also",
    "^user also",
    "plus the|user|a|an",
]);
static HAN_CONJUNCTIONS: PhrasePatterns = PhrasePatterns::new(&[
    "另外|此外|除此之外|除此以外|与此同时|顺便|顺带|而且|还有|以及还",
    "， 还 是|有|会|在|喜欢|养|能|爱|参加|担任",
    "， 也 会|是|在|有|养",
    "同时 ，?",
]);
const HAN_NOT_CONJUNCTIONS: &[&str] =
    &["另外一", "还有效", "还有限", "只有还有", "同时区", "同时间", "不同时", "同时在线", "同时支持", "同时运行"];

/// Verbs for the topics of a person's life, one row per topic. Verbs of two rows in one text are two facts.
#[rustfmt::skip]
static LIFE_TOPICS: [PhrasePatterns; 15] = [
    PhrasePatterns::new(&["lives|resides in|at|near|with|on", "'s home|city|hometown is|lies"]),
    PhrasePatterns::new(&["works as|at|in|for", "is employed", "is a|an ..2 nurse|doctor|engineer|teacher|lawyer|developer", "'s employer|job is", "works nights"]),
    PhrasePatterns::new(&["likes|loves|prefers|hates|dislikes|enjoys"]),
    PhrasePatterns::new(&["has a|an|one|two|three|four|five|#", "owns|adopted"]),
    PhrasePatterns::new(&["speaks"]), PhrasePatterns::new(&["plays"]), PhrasePatterns::new(&["drives"]), PhrasePatterns::new(&["studies"]), PhrasePatterns::new(&["uses"]),
    PhrasePatterns::new(&["is vegetarian|vegan|allergic|diabetic"]), PhrasePatterns::new(&["is married|single|divorced|engaged"]), PhrasePatterns::new(&["was|is born"]),
    PhrasePatterns::new(&["'s name is", "is called|named"]), PhrasePatterns::new(&["'s birthday is", "the birthday is"]),
    PhrasePatterns::new(&["is # years"]),
];
#[rustfmt::skip]
static HAN_LIFE_TOPICS: [PhrasePatterns; 18] = [
    PhrasePatterns::new(&["住在|居住|定居|现居|常驻|家住|公寓|老家|来自|租房", "住 ..6 楼|区|路"]),
    PhrasePatterns::new(&["在 ..8 工作|上班|就职|任职|当", "是 ..6 护士|医生|工程师|教师|老师|律师|程序员|经理|设计师|会计|记者|司机|研究员|架构师|分析师|作家|顾问|编辑|翻译|厨师|摄影师|志愿者|成员|教练|创始人|店主", "在家办公|居家办公|自由职业|消防员|警察|军人|公务员|演员|画家|农民|木匠|销售|客服|运营|投行", "做 ..2 贸|生意|行业|直播|设计|开发|运维|测试|销售", "担任|兼职|任教|执教|教书|创办", "开|经营 ..3 店|公司|餐厅|工作室", "教 数学|语文|英语|物理|化学|历史|音乐|体育|小学|中学|高中|大学", "职业|雇主|东家"]),
    PhrasePatterns::new(&["喜欢|喜爱|讨厌|厌恶|偏好|热爱|不爱|爱好|习惯"]),
    PhrasePatterns::new(&["养了|养着|养蜂|养花", "养 ..2 猫|狗|鱼|鸟|鹦鹉", "有 一|两|三|四|五|# 只|条|匹"]),
    PhrasePatterns::new(&["会说|会讲|母语|懂 ..4 语", "翻译 ..6 语|文"]),
    PhrasePatterns::new(&["弹|吹 ..3 琴|吉他|箫|管|笛|筝", "唱歌|合唱|画画|绘画|摄影|木工|陶艺|园艺|书法|集邮|编织", "织 毛衣|袜子|围巾", "听 ..4 音乐|歌|播客|歌剧", "天文|航模|露营|桌游|剧本杀|打牌|麻将|冥想|瑜伽|阅读|读书|看书|看电视|电视剧|综艺|玩游戏|游戏机", "作曲|写诗|收藏|收集|钓鱼|烘焙|烹饪|做木工|乐队", "看 ..2 电影|小说|动漫|漫画"]),
    PhrasePatterns::new(&["跑步|游泳|健身|徒步|登山|爬山|滑雪|下棋|围棋|象棋|骑行|马拉松|球迷|看足球|看球|武术|太极拳|跳舞", "跑 ..3 公里", "打|踢 ..2 球", "支持 ..4 队|国安|申花"]),
    PhrasePatterns::new(&["开 沃尔沃|宝马|奔驰|特斯拉|一辆|丰田|大众|比亚迪|菲亚特", "开叉车|开卡车|开货车|车牌|开车|骑车|坐高铁|坐地铁|乘地铁|坐飞机|乘飞机|通勤|步行上班|坐公交|驾照|摩托|骑自行车"]),
    PhrasePatterns::new(&["在读|就读|攻读|在学|学习|学位|毕业", "学 ..3 语|文", "读 博士|硕士|研究生|法律|医学"]),
    PhrasePatterns::new(&["过敏|糖尿病|服用|患有|近视|哮喘|睡眠不好|怕打雷|恐高|怕黑|晕车|左撇子|高血压|偏头痛|隐形眼镜|残疾|失聪|失眠|鼻炎|胃病"]),
    PhrasePatterns::new(&["吃素|素食|不吃|不喝|只喝|只吃|爱吃|爱喝|常喝|吃辣|戒酒|戒烟|抽烟", "喝 ..2 咖啡|茶|酒"]),
    PhrasePatterns::new(&["已婚|未婚|单身|离异|离婚|订婚", "妻子|丈夫|女儿|儿子|孩子|兄弟|姐妹|姐姐|妹妹|哥哥|弟弟|父亲|母亲|父母|奶奶|爷爷|外公|外婆|姥姥|姥爷|外甥|侄子|侄女|孙子|孙女|姑姑|舅舅|叔叔|阿姨|伴侣|男友|女友|岳父|岳母"]),
    PhrasePatterns::new(&["名字是|名叫|姓名"]), PhrasePatterns::new(&["生日|出生"]), PhrasePatterns::new(&["今年 # 岁", "# 岁"]),
    PhrasePatterns::new(&["用户 ..4 用|使用 ..12 写|编辑|开发|办公|记|画|电脑|手机|系统|$", "^用|使用 ..12 编辑器|终端|系统|浏览器|键盘|软件|Helix|Vim|Emacs|Mac|iPhone|安卓|Linux|Windows", "iPhone|编辑器|Neovim|VS Code"]),
    PhrasePatterns::new(&["戴|穿 ..4 眼镜|帽|衣|鞋|表"]), PhrasePatterns::new(&["订阅"]),
];
/// Topics of clauses; a second clause with another topic than the first is another fact.
#[rustfmt::skip]
static HAN_CLAUSE_TOPICS: PhrasePatterns = PhrasePatterns::new(&[
    "^用户的?|其|它的|该? 奶奶|爷爷|外公|外婆|外甥|侄子|侄女|孙子|孙女|舅舅|叔叔|伴侣|男友|女友|座位|工位|桌子|车牌|电话|微信|合伙人|老板|员工|客户|供应商|构建|监控|备份|消息队列|鉴权|支付|移动端|客户端|妻子|丈夫|女儿|儿子|父亲|母亲|姐姐|哥哥|弟弟|妹妹|房东|牙医|经理|同事|上司|医生|负责人|维护者|前端|后端|数据库|公司|项目|仓库|办公室|办公|公寓|打印机|接口|部署流程|测试环境|生产环境|缓存|文档|网站|车|手机|电脑|生日|手机号|邮箱|爱好|职业|团队|服务器|会议|例会|站会|合同|预算|域名",
]);
/// Words at the start of a clause that continues the one before.
const HAN_CONTINUATIONS: &[&str] = &[
    "因为",
    "由于",
    "所以",
    "因此",
    "因而",
    "如果",
    "若",
    "当",
    "但",
    "只",
    "除非",
    "以便",
    "以免",
    "用于",
    "用来",
    "其中",
    "包括",
    "例如",
    "比如",
    "尤其",
    "通常",
    "分别",
    "并",
    "从而",
    "理由",
    "原因",
    "直到",
    "否则",
    "即",
    "也就是",
    "不过",
    "然后",
    "再",
    "最后",
];

/// The part of a text that shows a second fact.
pub fn check_single_fact(input: &GuardText<'_>, kind: MemoryKind) -> Option<GuardFinding> {
    let finding = |what: &str| Some(GuardFinding::new(Violation::ManyFacts, what));
    if let Some(what) = second_label(input.prose) {
        return finding(what);
    }
    if let Some(at) = semicolon_at(input.prose) {
        let rest = &input.prose[at..];
        return finding(rest.char_indices().nth(25).map_or(rest, |(n, _)| &rest[..n]));
    }
    for (i, (sentence, tokens)) in input.english_sentences().enumerate() {
        let joined = CONJUNCTIONS.find(tokens).filter(|r| i > 0 || tokens[r.start].text != "user");
        if let Some(range) = joined {
            return finding(matched_text(sentence, tokens, range));
        }
        if let Some(range) = second_clause(tokens).filter(|_| kind == MemoryKind::Fact) {
            return finding(matched_text(sentence, tokens, range));
        }
    }
    if let Some(what) = second_user_sentence(input).filter(|_| kind == MemoryKind::Fact) {
        return finding(what);
    }
    if let Some(what) =
        HAN_CONJUNCTIONS.find_unspaced(&mask_phrases(input.prose, HAN_NOT_CONJUNCTIONS)).filter(|_| input.han)
    {
        return finding(what);
    }
    (kind == MemoryKind::Fact && count_topics(input) > 1).then(|| GuardFinding::new(Violation::ManyFacts, ""))
}

/// A second sentence that starts with the user like the first and has no word in common with it.
fn second_user_sentence<'a>(input: &GuardText<'a>) -> Option<&'a str> {
    let [(first, words), (second, others)] = input.sentences.as_slice() else { return None };
    let long = |t: &&WordToken<'_>| t.text.len() > 3 && t.text != "user";
    let starts_with_user = |words: &[WordToken<'_>]| words.first().is_some_and(|t| t.text == "user");
    let refers_back = |t: &WordToken<'_>| {
        matches!(t.text.as_str(), "it" | "this" | "that" | "these" | "them" | "there" | "then" | "such" | "because")
    };
    let shared = words.iter().filter(long).any(|t| others.iter().any(|o| o.text == t.text));
    let english = starts_with_user(words) && starts_with_user(others) && !shared && !others.iter().any(refers_back);
    let han_chars =
        |s: &str| s.strip_prefix("用户").map(|rest| rest.chars().filter(|c| is_unspaced(*c)).collect::<Vec<char>>());
    let han = match (han_chars(first), han_chars(second)) {
        (Some(a), Some(b)) => !a.windows(2).any(|pair| b.windows(2).any(|other| pair == other)),
        _ => false,
    };
    (english || han).then_some(second)
}

/// A second clause with its own subject ("and Bo plays the oboe"), or a second activity of the user that does not refer
/// to the first (not "knits socks and gives them away"). Returns token indices.
fn second_clause(tokens: &[WordToken<'_>]) -> Option<std::ops::Range<usize>> {
    const LINKS: [&str; 8] = ["because", "so", "when", "that", "if", "who", "which", "where"];
    const BACK: [&str; 12] =
        ["it", "them", "its", "their", "there", "then", "this", "these", "one", "both", "him", "her"];
    let verbs = verbs::present_verbs(tokens);
    let word = |i: usize| tokens.get(i).map_or("", |t| t.text.as_str());
    let (first, rest) = verbs.split_first()?;
    rest.iter().find_map(|second| {
        let between = first + 1..*second;
        let and = between.clone().rfind(|i| matches!(word(*i), "and" | "but" | "while" | "whereas"))?;
        let linked = between.clone().any(|i| LINKS.contains(&word(i)));
        let back = tokens[*second..].iter().any(|t| BACK.contains(&t.text.as_str()));
        let subject = *second > and + 1 && is_capitalized(tokens[and + 1].surface) && second - and < 6;
        let same = matches!(word(*second), "carries" | "brings" | "leads" | "includes" | "sells" | "expects")
            || word(*second) == "is" && matches!(word(second + 1), "responsible" | "known" | "used" | "kept");
        let other =
            matches!(word(and + 1), "the" | "user") && *second > and + 1 && second - and < 7 && word(0) == "user";
        let gap = and > 0 && tokens[and].at > tokens[and - 1].at + tokens[and - 1].surface.len() + 1;
        let comma =
            gap && matches!(word(and + 1), "the" | "user" | "a" | "an") && *second > and + 1 && second - and < 7;
        let own = !same
            && *second == and + 1
            && and > first + 1
            && word(0) == "user"
            && *first < 3
            && word(second + 1) != "to";
        (!linked && !back && (subject || own || other || comma)).then_some(and..*second + 1)
    })
}

/// A second label: `Name: X, City: Y`.
fn second_label(prose: &str) -> Option<&str> {
    let mut ends = vec![0];
    ends.extend(prose.match_indices([',', '，', ';', '；', '|', '.', '。']).map(|(at, m)| at + m.len()));
    let pieces = ends.iter().map(|at| prose[*at..].trim_start());
    let mut labelled = pieces.filter_map(|piece| {
        let (label, _) = split_label(piece)?;
        let titled = label.starts_with(char::is_uppercase) && label.split(' ').count() < 3;
        let han = label.chars().all(is_unspaced) && label.chars().count() <= 6;
        (titled || han).then_some(label)
    });
    labelled.next()?;
    labelled.next()
}

/// The byte offset of a semicolon outside brackets, unless nothing follows it.
fn semicolon_at(prose: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in prose.char_indices() {
        match c {
            '(' | '（' => depth += 1,
            ')' | '）' => depth -= 1,
            ';' | '；' if depth <= 0 && !prose[at..].trim_start_matches([';', '；']).trim().is_empty() => {
                return Some(at);
            }
            _ => {}
        }
    }
    None
}

/// The number of topics in a text: rows of [`LIFE_TOPICS`] in different clauses.
fn count_topics(input: &GuardText<'_>) -> usize {
    let english: usize = {
        let all: Vec<(usize, usize)> = input
            .english_sentences()
            .enumerate()
            .flat_map(|(s, (_, tokens))| topic_rows(tokens).into_iter().map(move |row| (s, row)))
            .collect();
        count_distinct_rows(all)
    };
    if !input.han {
        return english;
    }
    let clauses: Vec<&str> = input
        .prose
        .split(['，', '。', '；', ',', '、'])
        .flat_map(|c| c.split("并且"))
        .flat_map(|c| c.split('并'))
        .map(str::trim)
        .filter(|c| !HAN_CONTINUATIONS.iter().any(|on| c.starts_with(on)))
        .collect();
    english.max(count_clause_topics(&clauses)).max(count_copulas(input.prose))
}

/// 2 if two clauses have different topics, otherwise 1.
fn count_clause_topics(clauses: &[&str]) -> usize {
    let rows = |clause: &&str| -> u32 {
        let fits = HAN_LIFE_TOPICS.iter().enumerate().filter(|(_, row)| row.find_unspaced(clause).is_some());
        fits.fold(0, |rows, (i, _)| rows | 1 << i)
    };
    let rows_of_clauses: Vec<u32> = clauses.iter().map(rows).filter(|rows| *rows > 0).collect();
    let rows = rows_of_clauses.iter().enumerate().any(|(i, a)| rows_of_clauses[i + 1..].iter().any(|b| a & b == 0));
    let waits =
        |clause: &str| clause.ends_with(['时', '后', '前']) || clause.contains("为了") || clause.contains("如果");
    let topic =
        |clause: &str| HAN_CLAUSE_TOPICS.find_unspaced(clause).filter(|t| clause.starts_with(*t)).map(str::to_owned);
    let mut topics: Vec<String> = clauses.iter().filter_map(|c| topic(c)).collect();
    topics.dedup();
    let first = clauses
        .first()
        .is_some_and(|c| !waits(c) && (topic(c).is_some() || c.starts_with("用户") || c.starts_with("阿")));
    let later = clauses.iter().skip(1).filter_map(|c| topic(c)).any(|t| !clauses[0].contains(&t));
    if rows || first && later { 2 } else { 1 }
}

/// The number of clauses with 是, each a statement of identity: "牙医是林医生，房东是赵先生".
fn count_copulas(prose: &str) -> usize {
    const OTHER: [&str; 14] = [
        "是否", "还是", "不是", "但是", "于是", "只是", "就是", "总是", "都是", "可是", "若是", "凡是", "而是", "正是",
    ];
    let clear = mask_phrases(prose, &OTHER);
    clear.split(['，', '。', ',']).filter(|c| c.find('是').is_some_and(|at| at > 0)).count()
}

fn count_distinct_rows(mut all: Vec<(usize, usize)>) -> usize {
    all.sort_by_key(|(_, row)| *row);
    all.dedup_by_key(|(_, row)| *row);
    all.len()
}

/// The rows with a verb in the main clause of a sentence: not after "who", "that" or "because".
fn topic_rows(tokens: &[WordToken<'_>]) -> Vec<usize> {
    let inner = |i: usize| {
        tokens[..i].iter().any(|t| matches!(t.text.as_str(), "who" | "which" | "because" | "that" | "when" | "where"))
    };
    let mut out = Vec::new();
    for i in 0..tokens.len() {
        if let Some(row) = LIFE_TOPICS.iter().position(|row| row.match_at(tokens, i).is_some()).filter(|_| !inner(i)) {
            out.push(row);
        }
    }
    out
}
