//! Lasting facts do not belong in an episode, unless the episode is that they changed.
//!
//! Never knows whether a fact will last: works from verbs and labels that tell a state rather than a deed.

use super::{Flaw, Found, Read};
use crate::text::phrase::{Phrases, Token, said};
use crate::text::prose::{label, without};
use crate::text::verbs;

#[rustfmt::skip]
static ENGLISH: Phrases = Phrases::new(&[
    "user|users|team|project|repository|repo|company|api|app|service|office|server|library|organisation|organization always|usually|generally|often|normally|typically|never|still|mostly|only? prefers|likes|loves|hates|dislikes|enjoys|lives|resides|speaks|owns|drives|drinks|eats|works|uses|plays|studies|is|has|requires|supports|runs|contains|keeps|believes|wears|needs",
    "user always|usually|generally|often|normally|typically|mostly *",
    "user 's ..3 is|are", "user preferred|owned|disliked|hated|resided",
    "user lived in|at|with|near", "user worked as|for|at",
    "user was|were born|allergic|married|single|divorced|vegetarian|vegan|fluent|diabetic|based|left|right|colour|from",
    "user was a|an *", "user had a|an|two|three|four|five brother|sister|cat|dog|cats|dogs|daughter|son|children|kids|wife|husband|allergy",
    "user|who can speak|play|read|write|cook|swim|sing|drive|understand", "user grew up", "user was raised", "user is|was called|named",
]);
/// The fact changed, which is an event.
#[rustfmt::skip]
static CHANGED: Phrases = Phrases::new(&[
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

#[rustfmt::skip]
static HAN: Phrases = Phrases::new(&[
    "用户|自己 一直|总是|通常|平时|最|非常|很|特别|经常|每天|不? 偏好|喜欢|喜爱|讨厌|厌恶|热爱|习惯|爱好|钟爱",
    "用户|自己 ..4 住在|居住|定居|现居|常驻|来自|出生于|毕业于|已婚|未婚|单身|离异|过敏|精通|擅长|养了|养着|会说|信奉|患有",
    "用户|公司|项目|仓库|团队 是 一名|一位|一个|一家|素食|左撇子|独生",
    "用户 在 ..8 做|当|担任|任|工作|上班|就职", "用户 有 一|两|三|# 台|只|个|条|辆|位|名|套", "用户 在家 说|讲",
    "用户的 ..8 是|叫", "用户 每天|每周|每月|每年|通常|平时|总是|一直|经常", "项目|仓库|公司|团队|接口|服务|系统|程序 ..2 使用|用|要求|位于|采用|依赖|支持|监听|运行在|部署在",
    "用户 ..4 看得懂|听得懂|能看懂|能说|通勤|长大|集邮|上班|吃素|服用|信佛|下降|失聪|近视", "用户 收集|订阅|骑车|步行|集|吃|喝|穿|戴|抽烟", "办公室|商店|店铺|超市|银行 ..6 开门|关门|营业", "会议|站会|例会 每",
    "公司 ..3 位于|在", "总部 位于|在",
]);
static HAN_CHANGED: Phrases = Phrases::new(&[
    "改 为|成|用|喝|吃|到|名",
    "搬 到|去|往|家",
    "换 成|为|到|了",
    "更正|更新|变更|不再|转 为|成|岗|行",
    "迁 到|移",
    "推迟|提前|取消|暂停",
    "升任|戒 了|掉",
    "了",
]);
const HAN_STILL: &[&str] = &["养了", "有了", "了解", "为了", "除了", "了不起"];

/// "陈静是用户的经理": who or what something is.
static HAN_NAMES: Phrases =
    Phrases::new(&["用户|用户的 ~6 是 ~6 的 经理|上司|同事|房东|医生|朋友|老师|客户", "是 用户的"]);

/// Where a verb in the simple present says how things are: not "is working", "has fixed".
fn holds(tokens: &[Token<'_>]) -> Option<usize> {
    let going = |i: usize| {
        let next = tokens.get(i + 1).map_or("", |t| t.text.as_str());
        matches!(tokens[i].text.as_str(), "is" | "are") && next.ends_with("ing")
            || tokens[i].text == "has" && verbs::is_past(next)
    };
    verbs::presents(tokens).into_iter().find(|i| !going(*i))
}

/// The first lasting fact of an episode's text.
pub fn lasting(read: &Read<'_>) -> Option<Found> {
    let found = |what: &str| Some(Found::new(Flaw::StableFact, what));
    if let Some((label, _)) = label(read.text) {
        if super::tense::is_timeless(label) {
            return None;
        }
        if LABELS.contains(&label.to_lowercase().as_str()) {
            return found(label);
        }
    }
    for (sentence, tokens) in read.english() {
        if CHANGED.find(tokens).is_none() {
            let range = ENGLISH.find(tokens).or_else(|| holds(tokens).map(|i| i.saturating_sub(1)..i + 1));
            if let Some(range) = range {
                return found(said(sentence, tokens, range));
            }
        }
    }
    if !read.han {
        return None;
    }
    if let Some(what) = HAN_NAMES.find_han(read.prose) {
        return found(what);
    }
    let clauses = read.prose.split(['。', '；']);
    let mut states = clauses.filter(|clause| HAN_CHANGED.find_han(&without(clause, HAN_STILL)).is_none());
    states.find_map(|clause| HAN.find_han(clause)).and_then(found)
}
