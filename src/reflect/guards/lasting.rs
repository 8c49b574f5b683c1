//! Finds lasting facts in episodes, where they do not belong unless the episode is about their change.
//!
//! Never knows whether a fact will last: based on verbs and labels that describe a state rather than an event.

use super::{GuardFinding, GuardText, Violation};
use crate::text::phrase::{PhrasePatterns, WordToken, matched_text};
use crate::text::prose_mask::{mask_phrases, split_label};
use crate::text::verbs;

#[rustfmt::skip]
static ENGLISH_STATES: PhrasePatterns = PhrasePatterns::new(&[
    "user|users|team|project|repository|repo|company|api|app|service|office|server|library|organisation|organization always|usually|generally|often|normally|typically|never|still|mostly|only? prefers|likes|loves|hates|dislikes|enjoys|lives|resides|speaks|owns|drives|drinks|eats|works|uses|plays|studies|is|has|requires|supports|runs|contains|keeps|believes|wears|needs",
    "user always|usually|generally|often|normally|typically|mostly *",
    "user 's ..3 is|are", "user preferred|owned|disliked|hated|resided",
    "user lived in|at|with|near", "user worked as|for|at",
    "user was|were born|allergic|married|single|divorced|vegetarian|vegan|fluent|diabetic|based|left|right|colour|from",
    "user|team|company|project ..1 doesn't|don't|isn't|never *", "team|company|developers ..1 communicates|chats|meets|talks|uses|works|deploys|ships|releases|plans|follows|keeps", "user was a|an *", "user had a|an|two|three|four|five brother|sister|cat|dog|cats|dogs|daughter|son|children|kids|wife|husband|allergy",
    "user|who can speak|play|read|write|cook|swim|sing|drive|understand", "user grew up", "user was raised", "user is|was called|named",
]);
/// Words for the change of a fact, which is an event.
#[rustfmt::skip]
static CHANGED: PhrasePatterns = PhrasePatterns::new(&[
    "changed|switched|moved|updated|corrected|replaced|renamed|became|relocated|converted|adopted", "no longer",
    "instead of",
]);
#[rustfmt::skip]
const LABELS: &[&str] = &[
    "name", "preferred name", "city", "home", "language", "languages", "pronouns", "editor", "shell", "role",
    "birthday", "age", "job", "employer", "time zone", "timezone", "preference", "preferences", "email", "phone",
    "diet", "allergies", "hobby", "hobbies", "family", "nickname", "姓名", "名字", "城市", "语言", "代词", "称呼", "编辑器", "职业",
    "职位", "生日", "年龄", "时区", "偏好", "邮箱", "电话", "饮食", "爱好", "家庭", "昵称", "住址", "籍贯",
];

/// States and regular activities; an event in the same clause makes them part of an episode.
#[rustfmt::skip]
static HAN_ROUTINES: PhrasePatterns = PhrasePatterns::new(&[
    "用户|团队|自己 ..6 更|最|较? 喜欢|偏好|偏爱|倾向于|重视|看重|注重|在意|擅长|精于|信任|相信|支持|关心|崇尚|推崇|反感|害怕|怕|恐高|晕车|晕船|爱", "用户 ..4 从不|不 吃|喝|用|看|开|抽|戴|碰|玩|坐|写|接|爱|喜", "用户 不|只|常|爱|天天|偶尔 吃|喝|用|看|开|抽|戴|坐|玩|写|听|接",
    "用户 ..6 戴|穿|吃|喝|执教|任教|唱歌|弹|吹|拉小提琴|养|懂|通晓|熟悉|属于|拥有|隶属|效力", "用户 有 ..10", "用户 ..3 能|会|可以 弹|说|读|写|看|讲|唱|做|画|开|用|游|跳|骑|拉|吹|编|修", "用户 早上|晚上|周末|清晨|夜里|中午|下午|午后|睡前|饭后|夏天|冬天|春天|秋天|工作日|周一|周二|周三|周四|周五|周六|周日 ..12",
    "项目|仓库|团队|公司|系统|服务|数据库|接口|网站|产品|平台|部门|应用|程序 的 ..8 是|为|叫|在", "每 晚|天|周|月|年|日|次|逢|小时|季度|隔", "定期|向来|从来|从不|总是|平时|平日|一般|通常|惯于|长期|常年|终年", "部署|构建|测试|日志|流量|备份|接口|前端|后端|文档|团队|仓库|项目|服务|缓存|消息|监控|代码|公司|系统 ..3 走|用|使用|跑在|放在|存在|托管在|通过|基于|按|遵循|依照|沿用|写在|位于|设在|分为|由",
    "公寓|办公室|家|房子|会议室|店|仓库|宿舍|工作室|工厂|机房|服务器|总部 ..2 在|位于|设在|坐落", "用户的 ..10 是|叫|为|在|有|住", "用户 ..2 姓|属|叫|名|信|归|近视|远视|失眠|打鼾|怀孕|残疾|色盲|独居|单身|未婚",
]);
#[rustfmt::skip]
static HAN_STATES: PhrasePatterns = PhrasePatterns::new(&[
    "用户|自己 一直|总是|通常|平时|最|非常|很|特别|经常|每天|不? 偏好|喜欢|喜爱|讨厌|厌恶|热爱|习惯|爱好|钟爱",
    "用户|自己 ..4 住在|居住|定居|现居|常驻|来自|出生于|毕业于|已婚|未婚|单身|离异|过敏|精通|擅长|养了|养着|会说|信奉|患有",
    "用户|公司|项目|仓库|团队 是 一名|一位|一个|一家|素食|左撇子|独生",
    "用户 在 ..8 做|当|担任|任|工作|上班|就职", "用户 有 一|两|三|# 台|只|个|条|辆|位|名|套", "用户 在家 说|讲",
    "用户的 ..8 是|叫", "用户 每天|每周|每月|每年|通常|平时|总是|一直|经常", "项目|仓库|公司|团队|接口|服务|系统|程序 ..2 使用|用|要求|位于|采用|依赖|支持|监听|运行在|部署在",
    "用户 ..4 看得懂|听得懂|能看懂|能说|通勤|长大|集邮|上班|吃素|服用|信佛|下降|失聪|近视", "用户 收集|订阅|骑车|步行|集|吃|喝|穿|戴|抽烟", "办公室|商店|店铺|超市|银行 ..6 开门|关门|营业", "会议|站会|例会 每",
    "公司 ..3 位于|在", "总部 位于|在",
]);
static HAN_CHANGED: PhrasePatterns = PhrasePatterns::new(&[
    "改 为|成|用|喝|吃|到|名",
    "搬 到|去|往|家",
    "换 成|为|到|了",
    "更正|更新|变更|不再|转 为|成|岗|行",
    "迁 到|移",
    "推迟|提前|取消|暂停",
    "决定|选定|同意|批准|否决",
    "升任|戒 了|掉",
    "了",
]);
const HAN_NOT_CHANGED: &[&str] = &["养了", "有了", "了解", "为了", "除了", "了不起"];

/// Words that date an event to one time.
#[rustfmt::skip]
static HAN_EVENTS: PhrasePatterns = PhrasePatterns::new(&[
    "决定|选择|选定|发现|找到|确认|讨论|修复|修好|修正|完成|解决|处理|询问|告诉|告知|解释|介绍|同意|批准|否决|拒绝|提出|建议|参加|出席|买|卖|购入|签|发布|上线|下线|回滚|合并|删除|移除|添加|新增|重写|重构|升级|降级|迁移|调试|排查|审查|评审|演示|展示|提交|部署到|安装|卸载|取消|推迟|提前|收到|发送|寄出|联系|拜访|看望|访问|前往|抵达|回到|离开|加入|退出|辞职|入职|离职|聘请|雇用|更换|替换|丢失|丢|摔|受伤|扭伤|摔伤|病倒|送医|住院|失败|成功|通过|获得|获奖|赢|输|宕机|崩溃|重启|恢复|报错|被|花费|耗时|开会|会议上|会上|核对|商定|谈妥|谈|约定|安排|准备|整理|编写|撰写|记录|测量|测试|比较|评估|学会|学到|得知|指出|要求|请求|投诉|抱怨|道歉|感谢|庆祝|结婚|离婚|生下|去世|移植|采纳|改",
    "# 年 # 月", "# 月 # 日", "上周|昨天|昨晚|当天|当晚|当时|随后|后来|之后|最终|于是|首次|第一次|再次|曾",
]);
/// Words that contain the characters of an event word but are none.
const HAN_NOT_EVENTS: &[&str] = &[
    "买单",
    "卖场",
    "被子",
    "签名",
    "改善",
    "谈吐",
    "会议室",
    "使用",
    "晚上",
    "早上",
    "中午",
    "上班",
    "上午",
    "下午",
    "胜过",
    "完整",
    "开源",
    "开发",
    "没有",
    "上学",
    "中文",
    "开车",
    "出租",
    "设计",
    "进口",
    "出口",
    "出差",
    "测试环境",
    "测试用例",
    "通过飞书",
    "通过邮件",
    "早上",
    "每次",
];

/// Subjects of statements; without an event word such a clause describes a state.
#[rustfmt::skip]
static HAN_SUBJECT: PhrasePatterns = PhrasePatterns::new(&[
    "^用户|团队|公司|项目|仓库|应用|网站|系统|服务|数据库|接口|产品|平台|程序|前端|后端|日志|代码|文档|测试环境|生产环境|服务器|部门|客户|办公室|构建|监控|备份|缓存",
]);
/// Words for an event: results, fronted objects, plans, and verbs for a single action.
#[rustfmt::skip]
static HAN_COMPLETED: PhrasePatterns = PhrasePatterns::new(&[
    "了|过|把|将|被|正在|会|想|打算|准备|计划|希望|仍|尚|未|已|刚|又|再次|向|与|跟|回|上一|下一",
    "完|好 $", "补上|赶上|碰上|遇上|装上|加上|连上|锁上|跟上|记下|写下|留下|停下|放下|定下", "宣布|公布|成|出|掉|到|开|起|回|住|中|错|清|满|定|入|进", "按|根据 ..8 执行|运行", "问|说|答|写道|看到|听|来|去|走|跑完|死|停|断|坏|漏|溢|泄|卡|慢|超时|挂|错过|忘|恢复|合|拆|增|减|加|删|改|换|补|修|建|设置|配置|关闭|打开|启动|停止|定位|排查|排除",
]);

fn eventless_subject(clause: &str) -> Option<&str> {
    let clause = clause.trim();
    let head = clause.split('，').next().unwrap_or(clause);
    let subject = HAN_SUBJECT.find_unspaced(head).filter(|s| head.starts_with(*s) && head.len() > s.len())?;
    (split_label(head).is_none() && HAN_COMPLETED.find_unspaced(&mask_phrases(clause, HAN_NOT_EVENTS)).is_none())
        .then_some(subject)
}

/// Relations between people: "陈静是用户的经理".
static HAN_RELATIONS: PhrasePatterns =
    PhrasePatterns::new(&["用户|用户的 ~6 是 ~6 的 经理|上司|同事|房东|医生|朋友|老师|客户", "是 用户的"]);

/// The index of a verb in the simple present that describes a state; not "is working" or "has fixed".
fn state_verb_at(tokens: &[WordToken<'_>]) -> Option<usize> {
    let going = |i: usize| {
        let next = tokens.get(i + 1).map_or("", |t| t.text.as_str());
        matches!(tokens[i].text.as_str(), "is" | "are") && next.ends_with("ing")
            || tokens[i].text == "has" && verbs::is_past_verb(next)
    };
    verbs::present_verbs(tokens).into_iter().find(|i| !going(*i))
}

/// The first lasting fact in the text of an episode.
pub fn check_lasting(input: &GuardText<'_>) -> Option<GuardFinding> {
    let finding = |what: &str| Some(GuardFinding::new(Violation::StableFact, what));
    if let Some((label, _)) = split_label(input.text) {
        if super::tense::is_timeless(label) {
            return None;
        }
        if LABELS.contains(&label.to_lowercase().as_str()) {
            return finding(label);
        }
    }
    for (sentence, tokens) in input.english_sentences() {
        if CHANGED.find(tokens).is_none() {
            let range =
                ENGLISH_STATES.find(tokens).or_else(|| state_verb_at(tokens).map(|i| i.saturating_sub(1)..i + 1));
            if let Some(range) = range {
                return finding(matched_text(sentence, tokens, range));
            }
        }
    }
    if !input.han {
        return None;
    }
    if let Some(what) = HAN_RELATIONS.find_unspaced(input.prose) {
        return finding(what);
    }
    let clauses = input.prose.split(['。', '；']);
    let mut states =
        clauses.filter(|clause| HAN_CHANGED.find_unspaced(&mask_phrases(clause, HAN_NOT_CHANGED)).is_none());
    let lasting_part = |clause| {
        let is_routine = || HAN_EVENTS.find_unspaced(&mask_phrases(clause, HAN_NOT_EVENTS)).is_none();
        let state = || HAN_ROUTINES.find_unspaced(clause).or_else(|| eventless_subject(clause));
        HAN_STATES.find_unspaced(clause).or_else(|| state().filter(|_| is_routine()))
    };
    states.find_map(lasting_part).and_then(finding)
}
