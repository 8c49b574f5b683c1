//! Secrets that a word before them names: `password: …`, 密码是…, `--token …`, `Bearer …`, "API key is …".
//!
//! Never takes what is said about a password for one: "the password is stored in 1Password" tells none.

use super::{Secret, entropy, is_hex, is_placeholder, is_random, is_uuid};

/// Words whose value is a secret whatever it looks like.
#[rustfmt::skip]
const PASSWORDS: &[&str] = &[
    "password", "passwd", "passphrase", "passcode", "pwd", "pass", "psk", "pin", "secret", "密码", "口令", "密碼", "暗号", "解锁码",
    "密钥口令", "授权码", "访问码",
];
/// Words whose value is a secret if it looks drawn by lot.
#[rustfmt::skip]
const KEYS: &[&str] = &[
    "api key", "api-key", "api_key", "apikey", "access key", "access_key", "accesskey", "secret key", "secret_key",
    "secretkey", "private key", "private_key", "auth token", "auth_token", "access token", "access_token",
    "accesstoken", "refresh token", "refresh_token", "client secret", "client_secret", "token", "bearer", "credential",
    "credentials", "key", "secret", "apitoken", "api token", "webhook secret", "signing key", "license key",
    "recovery code", "密钥", "秘钥", "令牌", "凭证", "凭据", "私钥",
];
/// Values that say something about a password.
#[rustfmt::skip]
const ABOUT: &[&str] = &[
    "none", "required", "unknown", "rotated", "stored", "kept", "hidden", "optional", "yes", "no", "null", "true", "false",
    "bcrypt", "argon2", "scrypt", "changed", "protected", "forgotten", "expired", "empty", "missing", "encrypted",
    "managed", "vault", "bitwarden", "keepass", "1password", "lastpass", "keychain", "needed", "set", "not", "in", "the",
    "manager", "policy", "reset", "only", "hashed", "shared", "n/a", "todo", "tbd", "disabled", "enabled", "based", "key-based",
    "length", "rules", "value", "string", "text", "field", "input", "hash", "hashing", "number", "here", "given", "it", "rotation", "at", "a", "an", "see", "via", "from", "with", "using", "is", "was", "are",
];
/// Words near a long random token that make it a digest rather than a key.
#[rustfmt::skip]
const DIGESTS: &[&str] = &["commit", "sha", "sha1", "sha256", "sha512", "md5", "hash", "checksum", "digest", "revision", "etag", "integrity", "提交", "摘要", "校验", "哈希", "fingerprint", "指纹", "public", "公钥", "base64", "logo"];

/// Finds them.
pub fn find(text: &str, out: &mut Vec<Secret>) {
    let low = text.to_ascii_lowercase();
    for word in PASSWORDS {
        for (at, _) in low.match_indices(word) {
            if stands_alone(&low, at, word) {
                out.extend(value(text, &low, at + word.len(), true));
            }
        }
    }
    for word in KEYS {
        for (at, _) in low.match_indices(word) {
            if stands_alone(&low, at, word) {
                out.extend(value(text, &low, at + word.len(), false));
            }
        }
    }
    carried(text, &low, out);
    near(text, &low, out);
}

/// Whether a word begins here: also behind `_` and `-`, as in `DB_PASSWORD` and `--token`, and in camel case.
fn stands_alone(low: &str, at: usize, word: &str) -> bool {
    let before = low[..at].chars().next_back();
    let after = low[at + word.len()..].chars().next();
    let ascii = word.is_ascii();
    let opens = before.is_none_or(|c| !c.is_ascii_alphanumeric()) || word.len() > 5;
    let closes = after.is_none_or(|c| !c.is_ascii_alphanumeric());
    !ascii || opens && closes
}

/// How a value is joined to its word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Join {
    /// `:` or `=`, 密码：
    Sign,
    /// "is", "was changed to", 是
    Verb,
    /// A blank: `--password x`.
    Blank,
}

/// The value behind a word that ends at `end`: whatever is quoted behind "password", what looks like a key behind "key".
fn value(text: &str, low: &str, end: usize, is_password: bool) -> Option<Secret> {
    let test = if is_password { password } else { key };
    let (from, join) = joined(low, end)?;
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
    let inner = &rest[open..];
    let length = match quoted {
        Some(close) => within(inner, close)?,
        None => bare(inner),
    };
    let (value, after) = (&inner[..length], &inner[length..]);
    let alone = is_password && quoted.is_some() && join != Join::Blank;
    let sure = alone && value.chars().filter(|c| !c.is_whitespace()).count() >= 4 && !is_placeholder(value);
    (sure || test(value, join, after))
        .then(|| Secret { range: from + open..from + open + length, kind: "a password or key" })
}

/// Where a quoted value ends: in this line, and soon.
fn within(inner: &str, close: char) -> Option<usize> {
    let mut near = inner.char_indices().take(LONGEST).take_while(|(_, c)| *c != '\n');
    near.find(|(_, c)| *c == close).map(|(n, _)| n)
}

/// The most characters of a quoted value.
const LONGEST: usize = 200;

/// How long a value without quotation marks is: up to white space, a character beyond ASCII, or final punctuation.
fn bare(inner: &str) -> usize {
    let end = inner
        .find(|c: char| c.is_whitespace() || c as u32 >= 0x2e80 || matches!(c, '"' | '`' | '|' | '“' | '”' | '’'))
        .unwrap_or(inner.len());
    let run = inner[..end].split([',', ';', '&']).next().unwrap_or_default();
    run.trim_end_matches(['.', ',', ';', ':', ')', ']', '}', '\'', '>']).len()
}

/// Where the value begins, behind `: `, `=`, " is ", 是 …
fn joined(low: &str, end: usize) -> Option<(usize, Join)> {
    let rest = &low[end..];
    let rest = rest.strip_prefix(['"', '\'', '*']).map_or(rest, |r| r.strip_prefix('*').unwrap_or(r));
    let trimmed = rest.trim_start_matches(' ');
    let gap = rest.len() - trimmed.len();
    let at = |tail: &str| low.len() - tail.trim_start_matches([' ', '\t']).len();
    for sign in [":=", "=>", "==", ":", "=", "：", "＝"] {
        if let Some(tail) = trimmed.strip_prefix(sign).filter(|t| !t.starts_with("//")) {
            return Some((at(tail), Join::Sign));
        }
    }
    #[rustfmt::skip]
    let verbs = ["is now ", "is ", "was changed to ", "was set to ", "was ", "changed to ", "set to ", "改成了", "改成", "改为", "设为", "设成", "就是", "是", "为", "用的是"];
    for verb in verbs {
        if let Some(tail) = trimmed.strip_prefix(verb).filter(|_| gap > 0 || !verb.is_ascii()) {
            return Some((at(tail), Join::Verb));
        }
    }
    (gap > 0 && !trimmed.is_empty()).then_some((low.len() - trimmed.len(), Join::Blank))
}

/// Whether a value behind "password" is one.
fn password(value: &str, join: Join, after: &str) -> bool {
    let low = value.to_ascii_lowercase();
    let about = ABOUT.contains(&low.as_str())
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
        Join::Sign => {
            mixed && !is_measure(value, after) || digits && !letters && !is_measure(value, after) || letters && !goes_on
        }
        Join::Verb => mixed || digits && !letters && !is_measure(value, after),
        Join::Blank => {
            mixed
                && value.len() >= 6
                && (has(u8::is_ascii_punctuation) && !value.contains('/') || digits && has(u8::is_ascii_uppercase))
                && !is_words(value)
        }
    }
}

/// "12 characters", "90 days": a number that measures.
fn is_measure(value: &str, after: &str) -> bool {
    let units = [
        "char", "digit", "day", "hour", "minute", "second", "month", "year", "letter", "word", "bit", "time", "位",
        "天", "小时", "个", "次", "分钟", "年",
    ];
    let number = value.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b',' | b'-' | b'+'));
    number && units.iter().any(|u| after.trim_start().starts_with(u))
}

/// Words joined by `-`, `_`, `/`, `.` or `'`: `key-based`, `auth/login`.
fn is_words(value: &str) -> bool {
    let part = |p: &str| {
        p.bytes().all(|b| b.is_ascii_alphabetic())
            && (p.bytes().skip(1).all(|b| b.is_ascii_lowercase()) || p.bytes().all(|b| b.is_ascii_uppercase()))
    };
    value.split(['-', '_', '/', '.', '\'']).all(part)
}

/// Whether a value behind "key" or "token" is one.
fn key(value: &str, join: Join, _after: &str) -> bool {
    let plain = value.trim_end_matches(['=', '.']);
    let digits = plain.bytes().filter(u8::is_ascii_digit).count();
    let lower = plain.bytes().any(|b| b.is_ascii_alphabetic());
    let long = if join == Join::Blank { 20 } else { 12 };
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
        || hex && join != Join::Blank
        || digits >= 3 && lower && entropy(plain) > 3.2 && !is_worded(plain);
    plain.len() >= long && made && digits > 0 && looks && !path && !file && !is_uuid(plain) && !is_placeholder(value)
}

/// Mostly words: parts of four letters and more, in lower case.
fn is_worded(token: &str) -> bool {
    let parts: Vec<&str> = token.split(['-', '_', '.', '/']).collect();
    let words = parts.iter().filter(|p| p.len() >= 4 && p.bytes().all(|b| b.is_ascii_lowercase())).count();
    words * 2 >= parts.len()
}

/// What an Authorization header carries.
fn carried(text: &str, low: &str, out: &mut Vec<Secret>) {
    for scheme in ["bearer ", "basic "] {
        for (at, _) in low.match_indices(scheme) {
            let from = at + scheme.len();
            let length = bare(&text[from..]);
            let value = &text[from..from + length];
            let header = low[..at].trim_end().ends_with("authorization:") || scheme == "bearer ";
            let alone = !low[..at].ends_with(|c: char| c.is_ascii_alphanumeric());
            let looks = is_random(value.trim_end_matches('=')) || is_hex(value) && value.len() >= 24;
            if header && alone && value.len() >= 16 && looks {
                out.push(Secret { range: from..from + length, kind: "a bearer token" });
            }
        }
    }
}

/// Long random tokens with a word like "key" a little before them, and none like "commit".
fn near(text: &str, low: &str, out: &mut Vec<Secret>) {
    for (start, run) in super::known::runs(text) {
        let plain = run.trim_end_matches(['=', '.', '-', '/']);
        let token = plain.len() >= 20 && is_random(plain) && !is_worded(plain) || plain.len() >= 32 && is_hex(plain);
        if !token || is_uuid(plain) || plain.matches('/').count() > 2 || plain.starts_with(['/', '~', '.']) {
            continue;
        }
        let from = low[..start].char_indices().rev().nth(40).map_or(0, |(n, _)| n);
        let context = &low[from..start];
        let words: Vec<&str> = context.split(|c: char| !c.is_ascii_alphanumeric()).collect();
        let said = |list: &[&str]| {
            list.iter().any(|w| if w.is_ascii() && !w.contains(' ') { words.contains(w) } else { context.contains(w) })
        };
        if (said(KEYS) || said(PASSWORDS)) && !said(DIGESTS) {
            out.push(Secret { range: start..start + plain.len(), kind: "a key" });
        }
    }
}
