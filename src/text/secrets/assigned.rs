//! Finds secrets by the word before them: `password: …`, 密码是…, `--token …`, `Bearer …`, "API key is …".
//!
//! Never treats a statement about a password as one: "the password is stored in 1Password".

use std::ops::Range;

use super::{
    PASSWORD_OR_KEY, RECOVERY_PHRASE, Secret, entropy, is_hex, is_placeholder, is_random, is_uuid, occurrences,
};
use crate::text::word_list::{PhraseList, WordList, phrase_list, word_list};

/// Words whose value is a secret, whatever it looks like.
const PASSWORD_WORDS: PhraseList = phrase_list!("guards/secrets/password_words.txt");
/// Words whose value is a secret if it looks random.
const KEY_WORDS: PhraseList = phrase_list!("guards/secrets/key_words.txt");
/// Values that are a statement about a password.
pub(super) const NOT_PASSWORDS: WordList = word_list!("guards/secrets/not_passwords.en.txt");
/// Words near a long random token that mark it as a digest instead of a key.
const DIGEST_WORDS: PhraseList = phrase_list!("guards/secrets/digest_words.txt");

pub fn find_assigned(text: &str, out: &mut Vec<Secret>) {
    let low = text.to_ascii_lowercase();
    for word in PASSWORD_WORDS {
        for at in occurrences(&low, word) {
            if is_whole_word(&low, at, word) {
                let found = value_after(text, &low, at + word.len(), true, out.last());
                out.extend(found);
            }
        }
    }
    for word in KEY_WORDS {
        for at in occurrences(&low, word) {
            if is_whole_word(&low, at, word) {
                let found = value_after(text, &low, at + word.len(), false, out.last());
                out.extend(found);
            }
        }
    }
    find_header_credentials(text, &low, out);
    find_before_words(text, &low, out);
    find_command_passwords(text, &low, out);
    find_logins(text, &low, out);
    find_seed_phrases(text, &low, out);
    find_near_key_words(text, &low, out);
}

/// Whether the match at byte `at` is a whole word; also after `_` and `-` (`DB_PASSWORD`, `--token`) and in camel case.
pub(super) fn is_whole_word(low: &str, at: usize, word: &str) -> bool {
    let before = low[..at].chars().next_back();
    let after = low[at + word.len()..].chars().next();
    let ascii = word.is_ascii();
    let opens = before.is_none_or(|c| !c.is_ascii_alphanumeric()) || word.len() > 5;
    let closes = after.is_none_or(|c| !c.is_ascii_alphanumeric());
    !ascii || opens && closes
}

/// What connects a value to its word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ValueJoin {
    /// `:` or `=`, 密码：
    Sign,
    /// "is", "was changed to", 是
    Verb,
    /// A space: `--password x`.
    Space,
}

/// The secret after a word that ends at byte `end`: any quoted value after "password", a random value after "key". An
/// unquoted one ends where an unquoted one before it does that it is a part of: `password=password=…` is read once.
fn value_after(text: &str, low: &str, end: usize, is_password: bool, last: Option<&Secret>) -> Option<Secret> {
    let looks_secret = if is_password { is_password_value } else { is_key_value };
    let (from, join) = value_start(low, end)?;
    let rest = &text[from..];
    let (open, quoted) = match rest.chars().next()? {
        c @ ('"' | '\'' | '`' | '“' | '‘' | '「') => (
            c.len_utf8(),
            Some(match c {
                '“' => '”',
                '‘' => '’',
                '「' => '」',
                c => c,
            }),
        ),
        _ => (0, None),
    };
    let is_unquoted = |range: &Range<usize>| !text[..range.start].ends_with(['"', '\'', '`', '“', '‘', '「']);
    if quoted.is_none() && last.is_some_and(|last| last.range.contains(&from) && is_unquoted(&last.range)) {
        return None;
    }
    let inner = &rest[open..];
    let length = match quoted {
        Some(close) => quoted_len(inner, close)?,
        None => unquoted_len(inner),
    };
    let (value, after) = (&inner[..length], &inner[length..]);
    let alone = is_password && quoted.is_some() && join != ValueJoin::Space;
    let sure = alone && value.chars().filter(|c| !c.is_whitespace()).count() >= 4 && !is_placeholder(value);
    (sure || looks_secret(value, join, after))
        .then(|| Secret { range: from + open..from + open + length, kind: PASSWORD_OR_KEY })
}

/// The length of a quoted value in bytes, if the quote closes in the same line.
fn quoted_len(inner: &str, close: char) -> Option<usize> {
    let mut near = inner.char_indices().take(MAX_QUOTED_CHARS).take_while(|(_, c)| *c != '\n');
    near.find(|(_, c)| *c == close).map(|(n, _)| n)
}

/// The maximum length of a quoted value, in characters.
const MAX_QUOTED_CHARS: usize = 200;

/// The length of an unquoted value in bytes: up to white space, a CJK character, or final punctuation.
fn unquoted_len(inner: &str) -> usize {
    let ends = |c: char| {
        c.is_whitespace() || c as u32 >= 0x2e80 || matches!(c, '"' | '`' | '|' | '“' | '”' | '’' | ',' | ';' | '&')
    };
    let run = &inner[..inner.find(ends).unwrap_or(inner.len())];
    run.trim_end_matches(['.', ',', ';', ':', ')', ']', '}', '\'', '>']).len()
}

/// The byte offset of the value after a word, and what connects them: `: `, `=`, " is ", 是 …
fn value_start(low: &str, end: usize) -> Option<(usize, ValueJoin)> {
    let rest = &low[end..];
    // SECRET_KEY_BASE=…: the rest of a variable's name.
    let is_name = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
    let tail = &rest[rest.bytes().take(MAX_NAME_BYTES).take_while(is_name).count()..];
    let rest = if rest.starts_with('_') && tail.starts_with(['=', ':']) { tail } else { rest };
    let rest = rest.strip_prefix(['"', '\'', '*']).map_or(rest, |r| r.strip_prefix('*').unwrap_or(r));
    let trimmed = rest.trim_start_matches(' ');
    let gap = rest.len() - trimmed.len();
    let at = |tail: &str| low.len() - tail.trim_start_matches([' ', '\t']).len();
    for sign in [":=", "=>", "==", ":", "=", "：", "＝"] {
        if let Some(tail) = trimmed.strip_prefix(sign).filter(|t| !t.starts_with("//")) {
            return Some((at(tail), ValueJoin::Sign));
        }
    }
    #[rustfmt::skip]
    let verbs = ["is now ", "is ", "was changed to ", "was set to ", "was ", "changed to ", "set to ", "改成了", "改成", "改为了", "改为", "设置为", "设置成", "设为了", "设为", "设成了", "设成", "换成了", "换成", "变成了", "依然是", "仍是", "还是", "叫做", "就是", "是", "为", "用的是"];
    for verb in verbs {
        if let Some(tail) = trimmed.strip_prefix(verb).filter(|_| gap > 0 || !verb.is_ascii()) {
            return Some((at(tail), ValueJoin::Verb));
        }
    }
    // "the password of the staging database is …": the verb follows what the password is for.
    let belongs = ["of ", "for ", "to ", "on ", "at ", "in "].iter().any(|word| gap > 0 && trimmed.starts_with(word));
    if belongs {
        let near = trimmed.char_indices().nth(MAX_OWNER_CHARS).map_or(trimmed, |(end, _)| &trimmed[..end]);
        let near = near.split(['.', ',', ';', '\n']).next().unwrap_or_default();
        let start = low.len() - trimmed.len();
        let after_verb = [" is now ", " is ", " was ", ": ", " = "]
            .iter()
            .filter_map(|verb| near.find(verb).map(|at| start + at + verb.len()));
        return after_verb.max().map(|at| (at, ValueJoin::Verb));
    }
    // 密码abc_12!: Chinese needs nothing between.
    let is_joined =
        low[..end].ends_with(|c: char| !c.is_ascii()) && trimmed.starts_with(|c: char| c.is_ascii_alphanumeric());
    ((gap > 0 || is_joined) && !trimmed.is_empty()).then_some((low.len() - trimmed.len(), ValueJoin::Space))
}

/// The longest rest of a name after its key word, in bytes.
const MAX_NAME_BYTES: usize = 100;
/// How far from "password of" its verb may be, in characters.
const MAX_OWNER_CHARS: usize = 60;

/// Whether a value after "password" is one.
fn is_password_value(value: &str, join: ValueJoin, after: &str) -> bool {
    let low = value.to_ascii_lowercase();
    let about = NOT_PASSWORDS.contains(low.as_str())
        || is_placeholder(value)
        || value.starts_with(['-', '(', '[', '*'])
        || value.ends_with(['*', '(']);
    if about || value.len() < 4 || is_uuid(value) || value.contains("://") || value.ends_with('(') {
        return false;
    }
    let has = |test: fn(&u8) -> bool| value.bytes().any(|b| test(&b));
    let digits = has(u8::is_ascii_digit);
    let letters = has(u8::is_ascii_alphabetic);
    let mixed = letters && (digits || has(u8::is_ascii_punctuation) && !is_words(value));
    let goes_on = after.trim_start_matches([' ']).starts_with(|c: char| c.is_alphabetic()) && after.starts_with(' ');
    match join {
        ValueJoin::Sign => {
            mixed && !is_measure(value, after) || digits && !letters && !is_measure(value, after) || letters && !goes_on
        }
        ValueJoin::Verb => mixed || digits && !letters && !is_measure(value, after),
        ValueJoin::Space => {
            mixed
                && value.len() >= 6
                && (has(u8::is_ascii_punctuation) && !value.contains('/') || digits && has(u8::is_ascii_uppercase))
                && !is_words(value)
        }
    }
}

/// Whether a number is a measure: "12 characters", "90 days".
fn is_measure(value: &str, after: &str) -> bool {
    let units = [
        "char", "digit", "day", "hour", "minute", "second", "month", "year", "letter", "word", "bit", "time", "位",
        "天", "小时", "个", "次", "分钟", "年",
    ];
    let number = value.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b',' | b'-' | b'+'));
    number && units.iter().any(|u| after.trim_start().starts_with(u))
}

/// Whether a value consists of words joined by `-`, `_`, `/`, `.` or `'`: `key-based`, `auth/login`.
pub(super) fn is_words(value: &str) -> bool {
    let part = |p: &str| {
        p.bytes().all(|b| b.is_ascii_alphabetic())
            && (p.bytes().skip(1).all(|b| b.is_ascii_lowercase()) || p.bytes().all(|b| b.is_ascii_uppercase()))
    };
    value.split(['-', '_', '/', '.', '\'']).all(part)
}

/// Finds what stands before its word: "has maple_29 as its password".
fn find_before_words(text: &str, low: &str, out: &mut Vec<Secret>) {
    for (at, _) in low.match_indices(" as ") {
        let behind: Vec<&str> = low[at + 4..].split([' ', '.', ',', ';', '\n']).take(4).collect();
        let owner =
            |word: &str| matches!(word, "a" | "an" | "the" | "its" | "their" | "his" | "her" | "my" | "our" | "your");
        let owned =
            behind.first().is_some_and(|word| owner(word)) || behind.first().is_some_and(|w| is_password_word(w));
        if !owned || !behind.iter().any(|word| is_password_word(word)) {
            continue;
        }
        let from = low[..at].rfind([' ', '\n']).map_or(0, |n| n + 1);
        let value = text[from..at].trim_matches(|c| matches!(c, '"' | '\'' | '`' | '“' | '”'));
        let start = from + text[from..at].find(value).unwrap_or(0);
        if is_password_value(value, ValueJoin::Verb, "") {
            out.push(Secret { range: start..start + value.len(), kind: PASSWORD_OR_KEY });
        }
    }
    for word in ["作为密码", "当密码", "做密码", "当作密码", "为密码", "作密码", "当口令", "作为口令"]
    {
        for at in occurrences(low, word) {
            let before = &text[..at];
            let value =
                before.trim_end().rsplit(|c: char| c as u32 >= 0x2e80 || c.is_whitespace()).next().unwrap_or_default();
            let start = before.trim_end().len() - value.len();
            if is_password_value(value, ValueJoin::Verb, "") {
                out.push(Secret { range: start..start + value.len(), kind: PASSWORD_OR_KEY });
            }
        }
    }
}

fn is_password_word(word: &str) -> bool {
    PASSWORD_WORDS.iter().any(|one| one == word)
}

/// Finds the passwords in options of commands: `curl -u name:…`, `mysql -p…`, `sshpass -p …`.
fn find_command_passwords(text: &str, low: &str, out: &mut Vec<Secret>) {
    let mut push = |start: usize, value: &str| {
        if is_password_value(value, ValueJoin::Sign, "") && !value.starts_with('$') {
            out.push(Secret { range: start..start + value.len(), kind: PASSWORD_OR_KEY });
        }
    };
    for option in [" -u ", " --user ", " --user=", " -u", " --proxy-user "] {
        for (at, _) in low.match_indices(option) {
            let from = at + option.len();
            let value = &text[from..from + unquoted_len(&text[from..])];
            if let Some((name, password)) = value.split_once(':').filter(|(name, _)| !name.contains('/')) {
                push(from + name.len() + 1, password);
            }
        }
    }
    let clients =
        ["mysql", "mysqldump", "mariadb", "mysqladmin", "sshpass", "redis-cli", "7z", "unzip", "zip", "smbclient"];
    let options = [" -p", " -a "];
    let is_part = |b: Option<&u8>| b.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'-');
    let sshpass = low.find("sshpass").unwrap_or(low.len());
    let mut end = 0;
    for line in low.split_inclusive('\n') {
        let start = end;
        end += line.len();
        if !options.iter().any(|option| line.contains(option)) {
            continue;
        }
        // Where the first client of the line ends.
        let named = clients.iter().flat_map(|client| line.match_indices(client)).filter_map(|(at, client)| {
            let (before, after) = (at.checked_sub(1), at + client.len());
            let is_whole =
                !is_part(before.and_then(|n| line.as_bytes().get(n))) && !is_part(line.as_bytes().get(after));
            is_whole.then_some(start + after)
        });
        let Some(client) = named.min() else { continue };
        for option in options {
            for at in low[client..end].match_indices(option).map(|(at, _)| client + at) {
                let rest = &text[at + option.len()..];
                let blank = rest.bytes().take(2).take_while(|b| *b == b' ').count();
                if blank == 0 || blank == 1 && (sshpass < at || option.ends_with(' ')) {
                    let from = at + option.len() + blank;
                    push(from, &text[from..from + unquoted_len(&text[from..])]);
                }
            }
        }
    }
}

/// Words before a name and its password: "Login for the shop: admin / …".
const LOGIN_WORDS: [&str; 10] =
    ["login", "log-in", "logon", "credentials", "creds", "account", "登录", "登陆", "账号", "账户"];
/// Words before the words that restore a wallet.
const SEED_WORDS: [&str; 5] = ["seed phrase", "recovery phrase", "mnemonic", "seed words", "助记词"];
/// Minimum length, in words, of a phrase that restores a wallet (BIP-39 has 12 to 24, of 3 to 8 letters).
const MIN_SEED_WORDS: usize = 4;

/// How much of a sentence is read before or behind a word, in characters: a text may have no end of a sentence.
const MAX_CLAUSE: usize = 600;

/// Finds the password in `Login: name / password`.
fn find_logins(text: &str, low: &str, out: &mut Vec<Secret>) {
    let joints = [" / ", " with ", " and "].into_iter().flat_map(|joint| low.match_indices(joint));
    for (at, joint) in joints {
        let from = at + joint.len();
        let length = unquoted_len(&text[from..]);
        let value = &text[from..from + length];
        let has = |test: fn(&u8) -> bool| value.bytes().any(|b| test(&b));
        let is_mixed = has(u8::is_ascii_alphabetic) && (has(u8::is_ascii_digit) || has(u8::is_ascii_punctuation));
        if value.len() < 6 || !is_mixed || is_words(value) || !is_password_value(value, ValueJoin::Sign, "") {
            continue;
        }
        let before = low[..at].char_indices().rev().take(MAX_CLAUSE).last().map_or("", |(start, _)| &low[start..at]);
        let before = before.rsplit([';', '\n', '。']).next().unwrap_or_default();
        let before = before.rsplit(". ").next().unwrap_or(before);
        if LOGIN_WORDS.iter().any(|word| before.contains(word)) && before.contains([':', '：']) {
            out.push(Secret { range: from..from + length, kind: PASSWORD_OR_KEY });
        }
    }
}

/// Finds the words after "seed phrase is", "starts with" and the like.
fn find_seed_phrases(text: &str, low: &str, out: &mut Vec<Secret>) {
    for word in SEED_WORDS {
        for at in occurrences(low, word) {
            let end = low[at..].char_indices().nth(MAX_CLAUSE).map_or(low.len(), |(end, _)| at + end);
            let clause = low[at..end].split(['.', ';', '\n', '。']).next().unwrap_or_default();
            let joins = [" with ", " is ", " are ", ": ", "：", "是", "为"];
            let Some(from) = joins.iter().filter_map(|join| clause.find(join).map(|n| n + join.len())).max() else {
                continue;
            };
            let phrase = clause[from..].trim();
            let start = at + from + (clause[from..].len() - clause[from..].trim_start().len());
            let words: Vec<&str> = phrase.split([' ', ',', '，', '、']).filter(|word| !word.is_empty()).collect();
            let is_seed = |word: &&str| {
                (3..=8).contains(&word.len())
                    && word.bytes().all(|b| b.is_ascii_lowercase())
                    && !NOT_PASSWORDS.contains(word)
                    && !["and", "for", "not", "safe", "never", "kept", "written", "only", "must", "backed"]
                        .contains(word)
            };
            if words.len() >= MIN_SEED_WORDS && words.iter().all(is_seed) && text.is_char_boundary(start + phrase.len())
            {
                out.push(Secret { range: start..start + phrase.len(), kind: RECOVERY_PHRASE });
            }
        }
    }
}

/// Whether a key is meant for the public: Stripe's publishable keys.
fn is_published(value: &str) -> bool {
    ["pk_live_", "pk_test_"].iter().any(|prefix| value.starts_with(prefix))
}

/// Whether a value after "key" or "token" is one.
fn is_key_value(value: &str, join: ValueJoin, _after: &str) -> bool {
    let plain = value.trim_end_matches(['=', '.']);
    let digits = plain.bytes().filter(u8::is_ascii_digit).count();
    let lower = plain.bytes().any(|b| b.is_ascii_alphabetic());
    let long = if join == ValueJoin::Space { 20 } else { 12 };
    let made =
        plain.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'+' | b'/' | b'=' | b'.' | b'~'));
    let path = value.starts_with(['/', '~', '.'])
        || value.matches('/').count() > 1 && is_words(plain)
        || value.contains("://");
    let file = plain
        .rsplit_once('.')
        .is_some_and(|(_, end)| (1..5).contains(&end.len()) && end.bytes().all(|b| b.is_ascii_lowercase()));
    let hex = is_hex(plain) && plain.len() >= 24;
    let looks = is_random(plain)
        || hex && join != ValueJoin::Space
        || digits >= 3 && lower && entropy(plain) > 3.2 && !is_worded(plain);
    !is_published(plain)
        && plain.len() >= long
        && made
        && digits > 0
        && looks
        && !path
        && !file
        && !is_uuid(plain)
        && !is_placeholder(value)
}

/// Whether at least half of a token's parts are words: four or more lower case letters.
pub(super) fn is_worded(token: &str) -> bool {
    let parts: Vec<&str> = token.split(['-', '_', '.', '/']).collect();
    let words = parts.iter().filter(|p| p.len() >= 4 && p.bytes().all(|b| b.is_ascii_lowercase())).count();
    words * 2 >= parts.len()
}

/// Finds the credentials of Authorization headers.
fn find_header_credentials(text: &str, low: &str, out: &mut Vec<Secret>) {
    for scheme in ["bearer ", "basic ", "token "] {
        for (at, _) in low.match_indices(scheme) {
            let from = at + scheme.len();
            let length = unquoted_len(&text[from..]);
            let value = &text[from..from + length];
            let before = low[..at].trim_end_matches([' ', '"', '\'', '=', ':']);
            let is_header = before.ends_with("authorization");
            // In a header everything is a credential that is no placeholder and no word.
            let sent = is_header
                && value.len() >= 8
                && !is_placeholder(value)
                && value.bytes().any(|b| b.is_ascii_digit() || b.is_ascii_uppercase());
            let header = is_header || scheme == "bearer ";
            let alone = !low[..at].ends_with(|c: char| c.is_ascii_alphanumeric());
            let looks = is_random(value.trim_end_matches('=')) || is_hex(value) && value.len() >= 24;
            if header && alone && (sent || value.len() >= 16 && looks) {
                out.push(Secret { range: from..from + length, kind: "a bearer token" });
            }
        }
    }
}

/// Finds long random tokens with a word like "key" in the 40 characters before, and none like "commit".
fn find_near_key_words(text: &str, low: &str, out: &mut Vec<Secret>) {
    for (start, run) in super::known_formats::key_runs(text) {
        let plain = run.trim_end_matches(['=', '.', '-', '/']);
        let token = plain.len() >= 20 && is_random(plain) && !is_worded(plain) || plain.len() >= 32 && is_hex(plain);
        if !token
            || is_published(plain)
            || is_uuid(plain)
            || plain.matches('/').count() > 2
            || plain.starts_with(['/', '~', '.'])
        {
            continue;
        }
        let from = low[..start].char_indices().rev().nth(40).map_or(0, |(n, _)| n);
        let context = &low[from..start];
        let words: Vec<&str> = context.split(|c: char| !c.is_ascii_alphanumeric()).collect();
        let mentions = |list: PhraseList| {
            list.iter().any(|w| if w.is_ascii() && !w.contains(' ') { words.contains(&w) } else { context.contains(w) })
        };
        if (mentions(KEY_WORDS) || mentions(PASSWORD_WORDS)) && !mentions(DIGEST_WORDS) {
            out.push(Secret { range: start..start + plain.len(), kind: "a key" });
        }
    }
}
