//! Finds passwords and codes in prose, wherever they stand in the sentence that names them: "hunter22 opens the NAS,
//! that is the admin password", 门禁按4812就行.
//!
//! Never takes a word for a secret because of its place alone: it has letters and digits, is a number that no unit
//! follows, or ends a sentence that says what the password is.

use super::{
    NOT_PASSWORDS, PASSWORD_OR_KEY, Secret, is_hex, is_placeholder, is_uuid, is_whole_word, is_words, occurrences,
};
use crate::text::word_list::{PhraseList, WordList, phrase_list, word_list};
use crate::text::words::is_unspaced;

/// Words that name a password or a code.
const SECRET_NAMES: PhraseList = phrase_list!("guards/secrets/secret_names.txt");
/// Words of a sentence about passwords in general: their length, their age, where they are kept.
const ABOUT_PASSWORDS: PhraseList = phrase_list!("guards/secrets/about_passwords.txt");
/// Words that name a phrase of several words.
const PHRASE_NAMES: PhraseList = phrase_list!("guards/secrets/phrase_names.txt");
/// Words in such a sentence that make it a statement: "is kept in the safe".
const STATEMENT_WORDS: WordList = word_list!("guards/secrets/statement_words.en.txt");
const HAN_STATEMENT_PARTS: PhraseList = phrase_list!("guards/secrets/statement_parts.zh.txt");
/// What may stand right before a number that is a code.
const CODE_LEADS: PhraseList = phrase_list!("guards/secrets/code_leads.txt");
/// What stands before a number that counts, dates or names something else, and behind it.
const COUNTED_BEFORE: PhraseList = phrase_list!("guards/secrets/counted_before.txt");
const UNITS: PhraseList = phrase_list!("guards/secrets/units.txt");
/// How far from its name a secret may stand, in bytes.
const MAX_BEHIND: usize = 90;
const MAX_BEFORE: usize = 50;

pub(super) fn find_spoken(text: &str, low: &str, out: &mut Vec<Secret>) {
    let mut start = 0;
    for end in sentence_ends(text) {
        let sentence = &low[start..end];
        let names: Vec<(usize, usize)> = SECRET_NAMES
            .iter()
            .flat_map(|name| occurrences(sentence, name).map(move |at| (at, name)))
            .filter(|(at, name)| is_whole_word(sentence, *at, name))
            .map(|(at, name)| (at, at + name.len()))
            .collect();
        if !names.is_empty() {
            let mut push = |from: usize, length: usize| {
                out.push(Secret { range: start + from..start + from + length, kind: PASSWORD_OR_KEY });
            };
            let is_about = ABOUT_PASSWORDS.iter().any(|word| sentence.contains(word));
            for (at, token) in tokens(&text[start..end]) {
                let is_near = |(from, to): &(usize, usize)| {
                    at >= *to && at - to <= MAX_BEHIND
                        || at + token.len() <= *from && from - (at + token.len()) <= MAX_BEFORE
                };
                // 提取码k7wq: a short code right behind its name.
                let is_short = (4..=6).contains(&token.len())
                    && token.bytes().any(|b| b.is_ascii_digit())
                    && token.bytes().all(|b| b.is_ascii_alphanumeric())
                    && names.iter().any(|(_, to)| {
                        let gap = sentence.get(*to..at).unwrap_or("?");
                        matches!(gap.trim_matches([' ', '*', '_']), "" | "是" | "：" | ":" | "为" | "is")
                    });
                let is_secret = !is_about && is_short && !is_measured(sentence, at + token.len())
                    || is_mixed(token, is_about)
                    || !is_about && is_code(sentence, at, token);
                if is_secret && names.iter().any(is_near) {
                    push(at, token.len());
                }
            }
            if let Some((at, length)) = spoken_secret(sentence).filter(|_| !is_about) {
                push(at, length);
            }
        }
        start = end;
    }
}

/// The byte offsets at which sentences end.
fn sentence_ends(text: &str) -> Vec<usize> {
    let mut ends: Vec<usize> = ["\n", "。", "；", ". ", "; ", "? "]
        .iter()
        .flat_map(|mark| text.match_indices(mark).map(|(at, mark)| at + mark.len()))
        .collect();
    ends.push(text.len());
    ends.sort_unstable();
    ends.dedup();
    ends
}

/// The runs of a sentence without white space and Chinese characters, with their byte offsets and without marks around
/// them.
fn tokens(sentence: &str) -> impl Iterator<Item = (usize, &str)> {
    let splits =
        |c: char| c.is_whitespace() || c as u32 >= 0x2e80 || matches!(c, '"' | '`' | '“' | '”' | '‘' | '’' | '|' | '=');
    sentence.split(splits).filter_map(move |run| {
        let open = run.trim_start_matches(['(', '[', '\'', ':', ',', '>', '-']);
        let token = open.trim_end_matches(['.', ',', ';', ':', ')', ']', '\'', '?', '}']);
        let token = without_emphasis(token);
        let at = token.as_ptr() as usize - sentence.as_ptr() as usize;
        (!token.is_empty()).then_some((at, token))
    })
}

/// A token without markdown's emphasis, whose marks a password could have, too.
fn without_emphasis(token: &str) -> &str {
    let strong = ["**", "__", "~~"];
    let token = strong.iter().fold(token, |token, mark| token.trim_start_matches(mark).trim_end_matches(mark));
    let paired = |mark| token.strip_prefix(mark)?.strip_suffix(mark);
    paired('*').or_else(|| paired('_')).unwrap_or(token)
}

/// Whether a token has letters and digits as passwords do, and is no version, address, path or name of an algorithm.
fn is_mixed(token: &str, is_about: bool) -> bool {
    let has = |test: fn(&u8) -> bool| token.bytes().any(|b| test(&b));
    let (digits, letters) = (has(u8::is_ascii_digit), has(u8::is_ascii_alphabetic));
    let marks =
        token.bytes().any(|b| matches!(b, b'!' | b'#' | b'$' | b'%' | b'&' | b'*' | b'?' | b'+' | b'^' | b'~' | b'@'));
    let low = token.to_ascii_lowercase();
    let is_acronym = !has(u8::is_ascii_lowercase) && !marks;
    let names_algorithm =
        ["sha", "md5", "aes", "rsa", "argon", "bcrypt", "wpa", "utf", "base64", "tls", "oauth", "pbkdf", "http", "ipv"]
            .iter()
            .any(|name| low.starts_with(name));
    let version = low.strip_prefix('v').is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit() || b == b'.'));
    let ordinal = ["st", "nd", "rd", "th", "am", "pm", "px", "ms", "gb", "mb", "kb"].iter().any(|end| {
        low.strip_suffix(end).is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit() || b == b'.' || b == b':'))
    });
    let starts_number = token.starts_with(|c: char| c.is_ascii_digit()) && token.len() < 6 && !marks;
    let mail = token.split_once('@').is_some_and(|(_, domain)| domain.contains('.'));
    let is_other = is_acronym
        || names_algorithm
        || version
        || ordinal
        || starts_number
        || mail
        || token.contains(['/', '\\', '{', '(', '<', '['])
        || is_uuid(token)
        || is_hex(token) && token.len() >= 7
        || is_placeholder(token)
        || NOT_PASSWORDS.contains(low.as_str())
        || low.contains("1password")
        || token.contains("://");
    let inner = token.trim_end_matches(['!', '?']);
    let has_mark_inside = inner.bytes().any(|b| b"!#$%&*?+^~@".contains(&b));
    let looks = letters && (digits || has_mark_inside && !is_words(inner));
    looks && token.is_ascii() && token.len() >= 5 && !is_other && (marks || !is_about)
}

/// Whether a unit follows at an offset.
fn is_measured(sentence: &str, end: usize) -> bool {
    let after = sentence[end..].trim_start_matches([' ', '-']);
    UNITS.iter().any(|unit| after.starts_with(unit))
}

/// Whether a token is a number that stands as a code does.
fn is_code(sentence: &str, at: usize, token: &str) -> bool {
    let plain = token.trim_end_matches(['#', '*']);
    let digits = plain.bytes().filter(u8::is_ascii_digit).count();
    let made = plain.bytes().all(|b| b.is_ascii_digit() || b == b'-' || b == b'*') && plain.len() >= 4;
    if !made || !(4..=12).contains(&digits) {
        return false;
    }
    let before = sentence[..at].trim_end_matches([' ', '"', '\'', '“', '(']);
    let word = before.rsplit([' ', '"']).next().unwrap_or_default();
    let is_counted =
        COUNTED_BEFORE.iter().any(|lead| before.ends_with(lead)) || is_measured(sentence, at + token.len());
    let is_year = digits == 4 && plain.len() == 4 && (plain.starts_with("19") || plain.starts_with("20"));
    let leads = CODE_LEADS.iter().any(|lead| if lead.is_ascii() { word == lead } else { before.ends_with(lead) })
        || before.ends_with([':', '：', '=']);
    let names = SECRET_NAMES.iter().any(|name| before.ends_with(name));
    let is_date = plain.matches('-').count() == 2 && is_year;
    !is_counted && !is_date && (names || leads && !(is_year && matches!(word, "in" | "to" | "with")))
}

/// The words that a sentence says a passphrase or a password to be, at its end: byte offset and length.
fn spoken_secret(sentence: &str) -> Option<(usize, usize)> {
    let (at, name) = SECRET_NAMES
        .iter()
        .chain(PHRASE_NAMES)
        .filter_map(|name| {
            let at = occurrences(sentence, name).find(|at| is_whole_word(sentence, *at, name))?;
            Some((at, name))
        })
        .max_by_key(|(at, name)| (at + name.len(), name.len()))?;
    let behind = at + name.len();
    let rest = &sentence[behind..];
    let joint = [
        " is now ",
        " is still ",
        " is just ",
        " is simply ",
        " is ",
        "'s ",
        ": ",
        " = ",
        " was changed to ",
        " was set to ",
        "就是",
        "还是",
        "改成了",
        "改成",
        "设成",
        "换成",
        "叫做",
        "叫",
        "是",
        "为",
        "：",
        ":",
    ]
    .iter()
    .filter_map(|joint| rest.find(joint).map(|n| (n, joint.len())))
    // "the passphrase of the laptop's disk is": only a copula stands apart from its name.
    .filter(|(n, _)| *n == 0 || !rest[*n..].starts_with("'s "))
    .min_by_key(|(n, length)| (*n, usize::MAX - length))?;
    // "PIN layout is": something else of the same name.
    let between = rest[..joint.0].trim();
    let belongs = ["of ", "for ", "to ", "on ", "at ", "in ", "from ", "there", "here", "now"]
        .iter()
        .any(|word| between.starts_with(word));
    let from = behind + joint.0 + joint.1;
    if !between.is_empty() && !belongs && between.is_ascii() {
        return None;
    }
    let value = sentence[from..].trim_start();
    let from = sentence.len() - value.len();
    let value = value.trim_end().trim_end_matches(['.', '!', '。', '！', ',', '，', '"', '”', '」']);
    let value = value.split(['，', ',', '(', '（']).next().unwrap_or_default();
    let is_phrase = PHRASE_NAMES.iter().any(|phrase| *phrase == *name);
    if value.chars().any(is_unspaced) {
        let count = value.chars().count();
        let is_told = value.chars().all(is_unspaced) && (3..=12).contains(&count);
        let states = HAN_STATEMENT_PARTS.iter().any(|part| value.contains(part));
        return (is_told && !states && joint.0 <= 24).then_some((from, value.len()));
    }
    let words: Vec<&str> = value.split(' ').filter(|word| !word.is_empty()).collect();
    let is_plain =
        |word: &&str| word.len() >= 2 && word.bytes().all(|b| b.is_ascii_alphabetic() || b == b'-' || b == b'\'');
    let states = words.iter().any(|word| {
        STATEMENT_WORDS.contains(word) || NOT_PASSWORDS.contains(word) || word.ends_with("ed") || word.ends_with("ing")
    });
    let fits = if is_phrase { (2..=12).contains(&words.len()) } else { words.len() == 1 && value.len() >= 4 };
    (fits && words.iter().all(is_plain) && !states && joint.0 <= 60 && !is_placeholder(value))
        .then_some((from, value.len()))
}

#[cfg(test)]
mod tests {
    use super::super::redact;

    fn check(before: &str, after: &str) {
        assert_eq!(redact(before).0, after, "{before}");
    }

    #[test]
    fn what_a_sentence_names_as_a_password_is_found() {
        check(
            "tide-4411x opens the NAS, that is the admin password",
            "[redacted] opens the NAS, that is the admin password",
        );
        check("My PIN is 4812.", "My PIN is [redacted].");
        check("My PIN is **4812**.", "My PIN is **[redacted]**.");
        check("The admin password is **tide-4411x**", "The admin password is **[redacted]**");
        check("The wifi password at home is sunflower", "The wifi password at home is [redacted]");
        check("The passphrase is purple monkey dishwasher", "The passphrase is [redacted]");
        check("The passphrase of the disk is nine walnuts dance", "The passphrase of the disk is [redacted]");
        check("The passphrase of Bo's disk is nine walnuts dance", "The passphrase of Bo's disk is [redacted]");
        check("For the garage, punch in 7731, the door code", "For the garage, punch in [redacted], the door code");
        check("门禁密码按4812就行", "门禁密码按[redacted]就行");
        check("暗号是天王盖地虎", "暗号是[redacted]");
    }

    #[test]
    fn what_is_said_about_passwords_stays() {
        for text in [
            "The password is weak",
            "**Always** pin the toolchain",
            "In **CI**, pin actions by hash",
            "**Docker**: pin base images to a digest",
            "**Tests**: the password is rotated",
            "The password is the same as last year",
            "The passphrase is kept in the safe",
            "The password policy asks for 14 characters and SHA-256",
            "The password manager is Bitwarden",
            "A PIN has 4 digits since 2024",
            "The password of the wiki expires every 90 days",
            "密码是随机生成的",
            "密码至少要有12位",
            "验证码有效期是5分钟",
            "密码管理器是 KeePassXC",
        ] {
            check(text, text);
        }
    }
}
