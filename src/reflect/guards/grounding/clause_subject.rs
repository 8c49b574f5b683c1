//! Finds what a text says of one subject and its sources say of another: "Jonas grades the labs and I grade the essays"
//! does not say that Jonas grades the essays.
//!
//! Never parses a sentence: the subject of a clause is the user or a name at its beginning. A clause that begins
//! otherwise has none, because it may go on with that of the clause before it.

use super::binding::starts_with_pronoun;
use super::clauses;
use super::english::{base_stem, spaced_words};
use super::roles::SYMMETRIC;
use crate::text::phrase::has_unspaced_script;
use crate::text::statement::{Statement, StatementToken, TokenKind};
use crate::text::word_list::{PhraseList, WordList, phrase_list, word_list};
use crate::text::words::is_unspaced;

/// Stems of verbs whose object may be their subject: "we moved Atlas", "Atlas moved".
const ERGATIVE: WordList = word_list!("guards/grounding/ergative.en.txt");

/// Who or what a clause is about.
#[derive(Clone, Debug, PartialEq, Eq)]
enum ClauseSubject {
    Speaker,
    /// The key of a name.
    Name(String),
}

/// Whether a text says of its subject what only a clause with another subject says.
pub(super) fn is_of_another_subject(text: &str, said: &str) -> bool {
    if has_unspaced_script(text) { han_predicate_moved(text, said) } else { predicate_moved(text, said) }
}

fn predicate_moved(text: &str, said: &str) -> bool {
    let own = Statement::of(text);
    let Some((subject, length)) = subject(&own) else { return false };
    let stem = |t: &StatementToken<'_>| base_stem(&t.surface.to_lowercase());
    let predicate: Vec<String> = own.tokens[length..].iter().filter(|t| is_content(t)).map(stem).collect();
    let parts = clauses(said).flat_map(|clause| clause.split(" while ")).flat_map(|clause| clause.split(" and "));
    let (mut ours, mut others) = (Vec::new(), Vec::new());
    for clause in parts.map(without_lead) {
        let statement = Statement::of(clause);
        if let Some((_, verb)) = agent_behind(&statement).filter(|(agent, _)| *agent != subject) {
            others.push((Some(verb), spaced_stems(clause)));
        }
        match self::subject(&statement) {
            Some((other, _)) if other == subject => ours.push(spaced_stems(clause)),
            Some((_, length)) if !mentions(clause, &statement, &subject) => {
                let verb = statement.tokens[length..].iter().find(|t| is_content(t)).map(stem);
                others.push((verb, spaced_stems(clause)));
            }
            _ => {}
        }
    }
    let is_ours = |word: &String| ours.iter().any(|clause| clause.contains(word));
    if is_made_agent(&own, &predicate, &subject, said) {
        return true;
    }
    let is_named = matches!(subject, ClauseSubject::Speaker) || !ours.is_empty();
    is_named
        && others.iter().any(|(verb, other)| {
            let shared: Vec<&String> = predicate.iter().filter(|word| other.contains(word)).collect();
            // What the other does, with something that the subject's own clauses do not have.
            shared.len() >= 2
                && predicate.iter().take(2).any(|word| verb.as_ref() == Some(word))
                && shared.iter().any(|word| !is_ours(word))
        })
}

/// Whether a text says that a person did what its source says of another one, with that person behind the verb: "Priya
/// took over from Dan", "Dan took over".
fn is_made_agent(own: &Statement<'_>, predicate: &[String], subject: &ClauseSubject, said: &str) -> bool {
    let (ClauseSubject::Name(name), Some(verb)) = (subject, predicate.first()) else { return false };
    let is_passive = |text: &str| {
        let low = spaced_words(text);
        ["is", "are", "was", "were", "been", "gets", "got", "by"].iter().any(|word| low.contains(&format!(" {word} ")))
    };
    if ERGATIVE.contains(verb) || SYMMETRIC.contains(verb) || is_passive(own.text) {
        return false;
    }
    let mut is_object = false;
    for clause in clauses(said).map(without_lead) {
        let statement = Statement::of(clause);
        let stems: Vec<String> = statement.tokens.iter().map(|t| base_stem(&t.surface.to_lowercase())).collect();
        let Some(at) = stems.iter().position(|stem| stem == verb) else { continue };
        let before_verb = |at: usize| statement.tokens[..at].iter().map(|t| t.surface).collect::<Vec<_>>().join(" ");
        match self::subject(&statement) {
            Some((ClauseSubject::Name(other), _)) if other == *name => return false,
            // "She covered it after Marta's car broke": "she" is not Marta.
            None if !starts_with_pronoun(clause) => {}
            _ if !is_passive(&before_verb(at)) && !spaced_words(clause).contains(" by ") => {
                is_object |= statement.tokens[at..].iter().any(|t| t.key == *name)
                    && statement.tokens[..at].iter().all(|t| t.key != *name);
            }
            _ => {}
        }
    }
    is_object
}

/// The name behind "by", and the stem of the verb before it: "the interns are trained by Yusuf".
fn agent_behind(clause: &Statement<'_>) -> Option<(ClauseSubject, String)> {
    let at = clause.tokens.iter().position(|token| token.key == "by")?;
    let verb = clause.tokens[..at].iter().rfind(|token| is_content(token))?;
    let agent = clause.tokens.get(at + 1).filter(|agent| agent.kind == TokenKind::Name)?;
    Some((ClauseSubject::Name(agent.key.clone()), base_stem(&verb.surface.to_lowercase())))
}

fn is_content(token: &StatementToken<'_>) -> bool {
    !matches!(token.kind, TokenKind::Filler | TokenKind::Negation)
}

fn spaced_stems(clause: &str) -> Vec<String> {
    spaced_words(clause).trim().split(' ').map(base_stem).collect()
}

/// The subject of an English clause, and how many of its first tokens are before the predicate.
fn subject(clause: &Statement<'_>) -> Option<(ClauseSubject, usize)> {
    let speaks = |t: &StatementToken<'_>| {
        let low = t.surface.to_lowercase().replace('\u{2019}', "'");
        matches!(low.as_str(), "i" | "we" | "user" | "i'm" | "i've" | "i'd" | "we're" | "we've" | "we'd")
    };
    let article = |t: &StatementToken<'_>| t.surface.eq_ignore_ascii_case("the");
    let opens = |t: &StatementToken<'_>| OPENINGS.contains(&&*t.surface.to_lowercase()) || article(t);
    let start = clause.tokens.iter().take_while(|t| opens(t)).count();
    let first = clause.tokens.get(start)?;
    if speaks(first) {
        return Some((ClauseSubject::Speaker, start + 1));
    }
    if clause.text.trim_start().to_lowercase().starts_with("the team ") {
        return Some((ClauseSubject::Speaker, start + 1));
    }
    let is_name = first.kind == TokenKind::Name && first.surface.starts_with(char::is_uppercase);
    is_name.then(|| (ClauseSubject::Name(first.key.clone()), start + 1))
}

/// A clause without what leads to it: "quick context: Priya took over".
fn without_lead(clause: &str) -> &str {
    clause.rsplit(": ").next().unwrap_or(clause)
}

/// Words before the subject of a clause.
const OPENINGS: [&str; 20] = [
    "fwiw", "btw", "fyi", "so", "and", "but", "well", "ok", "okay", "honestly", "actually", "also", "then", "because",
    "since", "though", "yeah", "no", "yes", "now",
];

/// Whether a clause has a word for a subject.
fn mentions(clause: &str, statement: &Statement<'_>, subject: &ClauseSubject) -> bool {
    match subject {
        ClauseSubject::Name(key) => statement.tokens.iter().any(|t| t.key == *key),
        ClauseSubject::Speaker => {
            let low = spaced_words(clause);
            ["i", "me", "my", "mine", "we", "us", "our", "ours", "myself", "i'm", "i've", "i'd", "i'll", "we're"]
                .iter()
                .any(|word| low.contains(&format!(" {word} ")))
        }
    }
}

fn han_predicate_moved(text: &str, said: &str) -> bool {
    let plain = text.trim_end_matches(['。', '.']);
    // 简报由用户写: the user acts.
    let turned = plain.split_once("由用户").map(|(thing, verb)| format!("用户{verb}{thing}"));
    let plain = turned.as_deref().unwrap_or(plain);
    // 五月由老魏值班: a time before who acts.
    let by_agent =
        plain.split_once('由').filter(|(before, _)| before.chars().count() <= MAX_BEFORE_AGENT).map(|(_, rest)| rest);
    let plain = by_agent.filter(|rest| han_subject(rest).is_some()).unwrap_or(plain);
    let Some((subject, predicate)) = han_subject(plain) else { return false };
    if clauses(said).any(|clause| is_done_by_another(&subject, predicate, clause)) {
        return true;
    }
    let said = &without_openings(said, &subject);
    let pairs: Vec<String> = han_pairs(predicate);
    if pairs.len() < 2 {
        return false;
    }
    let has_all = |clause: &str| pairs.iter().all(|pair| clause.contains(pair.as_str()));
    let mentions = |clause: &str| match &subject {
        ClauseSubject::Name(name) => clause.contains(name.as_str()),
        ClauseSubject::Speaker => clause.contains(['我', '咱']),
    };
    let all: Vec<&str> = clauses(said).flat_map(|clause| clause.split('、')).collect();
    let ours: Vec<&&str> = all.iter().filter(|c| han_subject(c).is_some_and(|(other, _)| other == subject)).collect();
    let is_other = |clause: &&&str| {
        han_subject(clause).is_some_and(|(other, _)| other != subject) && !mentions(clause) && has_all(clause)
    };
    !ours.is_empty() && !ours.iter().any(|clause| has_all(clause)) && all.iter().any(|clause| is_other(&clause))
}

/// Maximum number of characters before 由 and who acts.
const MAX_BEFORE_AGENT: usize = 6;

/// Whether a clause names, behind the thing, another one who does what a predicate says: 采购归阿芬管.
fn is_done_by_another(subject: &ClauseSubject, predicate: &str, clause: &str) -> bool {
    let found = AGENT_MARKS.iter().filter_map(|mark| clause.split_once(*mark)).find(|(thing, _)| !thing.is_empty());
    let Some((thing, agent)) = found else { return false };
    let (agent, verb) = match han_subject(agent) {
        Some((agent, verb)) => (agent, verb),
        None => return false,
    };
    let verb = verb.trim_start_matches(['来', '在', '去']).trim_end_matches(['的', '了', '着']);
    let thing = THING_ENDS.iter().fold(thing.trim(), |thing, end| thing.trim_end_matches(end));
    let single = thing;
    let thing: Vec<String> = han_pairs(thing);
    let has_thing = match thing.as_slice() {
        [] => single.chars().count() == 1 && predicate.contains(single),
        pairs => pairs.iter().all(|pair| predicate.contains(pair.as_str())),
    };
    agent != *subject && !verb.is_empty() && predicate.contains(verb) && has_thing
}

/// Words behind a thing that say since when or how often a person does something with it: 导入模块一直是小韩在维护.
const THING_ENDS: PhraseList = phrase_list!("guards/grounding/thing_ends.zh.txt");
/// Words between a thing and who does something with it.
const AGENT_MARKS: [char; 3] = ['归', '由', '是'];

/// A Chinese text in which clauses begin with their subject, not with a time: 这个季度老吴值夜班.
fn without_openings(said: &str, subject: &ClauseSubject) -> String {
    let own = match subject {
        ClauseSubject::Name(name) => name.as_str(),
        ClauseSubject::Speaker => "我",
    };
    let plain = |clause: &str| {
        let at = [own, "我"].iter().filter_map(|word| clause.find(word)).min().unwrap_or(0);
        let before = &clause[..at];
        let is_time = before.chars().count() <= 5 && before.ends_with(TIME_ENDS);
        if is_time { clause[at..].to_owned() } else { clause.to_owned() }
    };
    clauses(said).map(plain).collect::<Vec<_>>().join("，")
}

/// Last characters of words for a time.
const TIME_ENDS: &[char] = &['度', '天', '月', '周', '年', '前', '在', '近', '期', '晚', '早', '午', '后', '时', '来'];

/// The subject of a Chinese clause and the rest: the user, or a short name such as 老吴.
fn han_subject(clause: &str) -> Option<(ClauseSubject, &str)> {
    let clause = clause.trim();
    for word in ["用户", "我们", "咱们", "团队", "我", "咱"] {
        if let Some(rest) = clause.strip_prefix(word) {
            // 我弟弟, 我们组: a person or thing of the user.
            return (!rest.starts_with(OWNED)).then_some((ClauseSubject::Speaker, rest));
        }
    }
    let mut chars = clause.char_indices();
    let is_short_name = chars.next().is_some_and(|(_, c)| matches!(c, '老' | '小' | '阿' | '大'));
    let end = chars.next().filter(|(_, c)| is_unspaced(*c)).map(|(at, c)| at + c.len_utf8())?;
    is_short_name.then(|| (ClauseSubject::Name(clause[..end].to_owned()), &clause[end..]))
}

/// Characters behind 我 that make another subject of it.
const OWNED: &[char] = &[
    '的', '弟', '哥', '姐', '妹', '爸', '妈', '父', '母', '爷', '奶', '老', '儿', '女', '朋', '同', '家', '组', '这',
    '那',
];

fn han_pairs(text: &str) -> Vec<String> {
    let chars: Vec<char> =
        text.chars().filter(|c| is_unspaced(*c) && !"的了着过是在都就也很还，。".contains(*c)).collect();
    chars.windows(2).map(|pair| pair.iter().collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, said: &str, is_moved: bool) {
        assert_eq!(is_of_another_subject(text, said), is_moved, "{text} / {said}");
    }

    #[test]
    fn what_one_does_is_not_what_another_does() {
        check("Jonas grades the essays.", "Jonas grades the labs and I grade the essays", true);
        check("Jonas grades the labs.", "Jonas grades the labs and I grade the essays", false);
        check("User grades the essays.", "Jonas grades the labs and I grade the essays", false);
        check("User grades the labs.", "Jonas grades the labs and I grade the essays", true);
        check("Jo reviews the SQL.", "Ravi reviews the SQL, Jo reviews the CSS", true);
        check("Leeds brings in more orders.", "The Leeds office is bigger but Hull brings in more orders", true);
        check("Hull brings in more orders.", "The Leeds office is bigger but Hull brings in more orders", false);
        check("User visits Ana in May.", "my sister Ana lives in Rome and I visit each May", false);
        check("Ana teaches maths.", "Ana lives in Rome, she teaches maths", false);
        check("User runs the lab with Sam.", "Sam and I run the lab", false);
        check("User maintains the new parser.", "Kim wrote the new parser and I maintain it", false);
        check("Brightloom acquired Acme.", "fwiw Acme acquired our team's vendor, Brightloom", true);
        check(
            "The Leeds office brings in more orders than Hull.",
            "Leeds is bigger but Hull brings in more orders",
            true,
        );
        check("The team uses Ansible for the boxes.", "Terraform's for the infra, Ansible for the boxes", false);
        check("Dan took over the refund service.", "Priya took over the refund service from Dan last sprint", true);
        check("Priya took over the refund service.", "Priya took over the refund service from Dan", false);
        check("Atlas moved to GitLab.", "we moved Atlas to GitLab", false);
        check("老吴顶白班。", "这个季度老吴值夜班，我顶白班", true);
        check("老吴顶白班。", "老吴值夜班，我顶白班", true);
        check("用户顶白班。", "老吴值夜班，我顶白班", false);
        check("用户值夜班。", "老吴值夜班，我顶白班", true);
        check("老吴值夜班。", "老吴值夜班，我顶白班", false);
        check("用户管库房。", "库房归老魏管，我只管前台", true);
        check("用户管前台。", "库房归老魏管，我只管前台", false);
        check("用户管账。", "账归小满管，我只管进货", true);
        check("库房由用户管。", "库房归老魏管，我只管前台", true);
        check("The user trains the interns.", "the interns are trained by Yusuf", true);
        check("Yusuf trains the interns.", "the interns are trained by Yusuf", false);
        check("用户审核账单。", "账单向来是小顾在审核，我只改改格式", true);
        check("小顾审核账单。", "账单向来是小顾在审核，我只改改格式", false);
        check("老魏管库房。", "库房归老魏管，我只管前台", false);
        check("Marta covered the stall.", "she covered the stall after Marta's car died", true);
    }
}
