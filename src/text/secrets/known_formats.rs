//! Finds secrets by their own format: vendor prefixes, private key blocks, JSON Web Tokens, URLs with passwords, card
//! numbers.
//!
//! Never depends on the words around them.

use std::sync::OnceLock;

use super::assigned::is_worded;
use super::{CARD_NUMBER, Secret, is_placeholder, occurrences};
use crate::text::word_list::{PhraseList, phrase_list};

/// Prefixes of keys, the least length of the rest, and what the rest consists of.
pub(super) const PREFIXES: PhraseList = phrase_list!("guards/secrets/prefixes.txt");

/// No key in a run of key characters is shorter, in bytes. Ordinary words are not compared with every prefix.
const SHORTEST_KEY: usize = 15;

/// A vendor's key format.
struct KeyPrefix {
    prefix: &'static str,
    /// The least length of the rest, in bytes; for [`KeyRest::Hex`] the only one.
    length: usize,
    rest: KeyRest,
}

/// What a key consists of after its prefix.
#[derive(Clone, Copy, PartialEq, Eq)]
enum KeyRest {
    Any,
    /// Digits among other characters: the prefix begins words, too.
    WithDigits,
    Hex,
    /// Small and large letters and digits, and not words: the prefix begins names in programs.
    Random,
    /// Letters and digits alone, with digits among them: the prefix begins names in programs.
    Plain,
    /// Also `+`, `/` and `=`.
    Base64,
}

/// The rows of [`PREFIXES`], parsed once.
fn key_prefixes() -> &'static [KeyPrefix] {
    static PARSED: OnceLock<Vec<KeyPrefix>> = OnceLock::new();
    let parse = |line: &'static str| {
        let mut words = line.split(' ');
        let (prefix, length) = (words.next()?, words.next()?.parse().ok()?);
        let rest = match words.next()? {
            "any" => KeyRest::Any,
            "digits" => KeyRest::WithDigits,
            "hex" => KeyRest::Hex,
            "random" => KeyRest::Random,
            "plain" => KeyRest::Plain,
            "base64" => KeyRest::Base64,
            _ => return None,
        };
        Some(KeyPrefix { prefix, length, rest })
    };
    PARSED.get_or_init(|| PREFIXES.iter().filter_map(parse).collect())
}

pub fn find_known(text: &str, out: &mut Vec<Secret>) {
    find_key_blocks(text, out);
    for (start, run) in key_runs(text).filter(|(_, run)| run.len() >= SHORTEST_KEY) {
        find_prefixed_key(start, run, out);
    }
    find_url_passwords(text, out);
    find_cards(text, out);
}

/// Runs of the characters that keys consist of, with their byte offsets.
pub(super) fn key_runs(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '+' | '/' | '=' | '~');
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text[at..].find(part)?;
        let end = text[start..].find(|c| !part(c)).map_or(text.len(), |n| start + n);
        at = end;
        Some((start, &text[start..end]))
    })
}

fn find_prefixed_key(start: usize, run: &str, out: &mut Vec<Secret>) {
    let key = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    for KeyPrefix { prefix, length, rest } in key_prefixes() {
        for at in occurrences(run, prefix) {
            if run[..at].ends_with(|c: char| c.is_ascii_alphanumeric()) {
                continue;
            }
            let tail = &run[at + prefix.len()..];
            let tail = match rest {
                KeyRest::Base64 => tail,
                _ => &tail[..tail.find(|c| !key(c)).unwrap_or(tail.len())],
            };
            let tail = tail.trim_end_matches(['.', '-']);
            let numbers = tail.bytes().filter(u8::is_ascii_digit).count();
            let worded =
                || numbers == 0 || tail.contains('-') && !tail.bytes().any(|b| b.is_ascii_uppercase()) && numbers < 6;
            let fits = match rest {
                KeyRest::Any | KeyRest::Base64 => tail.len() >= *length,
                KeyRest::WithDigits => tail.len() >= *length && !worded(),
                KeyRest::Random => tail.len() >= *length && super::is_random(tail) && !is_worded(tail),
                KeyRest::Plain => {
                    tail.len() >= *length && numbers > 0 && tail.bytes().all(|b| b.is_ascii_alphanumeric())
                }
                KeyRest::Hex => tail.len() == *length && super::is_hex(tail),
            };
            if fits {
                out.push(Secret { range: start + at..start + at + prefix.len() + tail.len(), kind: "an API key" });
            }
        }
    }
    for prefix in ["AKIA", "ASIA", "ABIA", "ACCA"] {
        for (at, _) in run.match_indices(prefix) {
            let length = run[at..].bytes().take_while(|b| b.is_ascii_uppercase() || b.is_ascii_digit()).count();
            if length == 20 && !run[..at].ends_with(|c: char| c.is_ascii_alphanumeric()) {
                out.push(Secret { range: start + at..start + at + length, kind: "an AWS access key" });
            }
        }
    }
    // Mailchimp: 32 hexadecimal digits and the data centre (mailchimp.com/developer/marketing/guides/quick-start).
    if let Some((digits, centre)) = run.rsplit_once("-us")
        && digits.len() == 32
        && super::is_hex(digits)
        && !centre.is_empty()
        && centre.bytes().all(|b| b.is_ascii_digit())
    {
        out.push(Secret { range: start..start + run.len(), kind: "an API key" });
    }
    find_web_token(start, run, out);
    find_bot_token(start, run, out);
    if is_dotted_key(run.trim_end_matches('.')) {
        out.push(Secret { range: start..start + run.trim_end_matches('.').len(), kind: "an API key" });
    }
}

/// Keys that dots divide: of Terraform Cloud (`….atlasv1.…`), Airtable (`pat….` and 64 hexadecimal digits) and bots of
/// Discord (an id, a time and a signature in base64url).
fn is_dotted_key(run: &str) -> bool {
    let has_digits_and_letters =
        |part: &str| part.bytes().any(|b| b.is_ascii_digit()) && part.bytes().any(|b| b.is_ascii_alphabetic());
    match run.split('.').collect::<Vec<_>>()[..] {
        [head, "atlasv1", tail] => head.len() >= 10 && tail.len() >= 40,
        [head, tail] => head.len() == 17 && head.starts_with("pat") && tail.len() == 64 && super::is_hex(tail),
        [id, time, signature] => {
            matches!(id.len(), 23..=30)
                && matches!(time.len(), 6 | 7)
                && matches!(signature.len(), 27..=40)
                && has_digits_and_letters(id)
                && super::is_random(signature)
        }
        _ => false,
    }
}

/// Finds JSON Web Tokens (RFC 7519): header and claims are base64url of JSON, and `{"` encodes to `eyJ`.
fn find_web_token(start: usize, run: &str, out: &mut Vec<Secret>) {
    for (at, _) in run.match_indices("eyJ") {
        let mut parts = run[at..].split('.');
        let long = |part: Option<&str>| part.is_some_and(|p| p.len() >= 8);
        if long(parts.next()) && long(parts.next()) {
            let part = |c: char| c.is_ascii_alphanumeric() || "-_.=".contains(c);
            let length = run[at..].find(|c| !part(c)).unwrap_or(run.len() - at);
            out.push(Secret { range: start + at..start + at + length, kind: "a web token" });
            return;
        }
    }
}

/// Finds Telegram bot tokens: the part after the colon of `123456789:AA…`, which is a separate run.
fn find_bot_token(start: usize, run: &str, out: &mut Vec<Secret>) {
    let tail = run.len() == 35
        && run.starts_with("AA")
        && run.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    if tail && super::is_random(run) {
        out.push(Secret { range: start..start + run.len(), kind: "a bot token" });
    }
}

/// Finds private keys: from `-----BEGIN … PRIVATE KEY-----` to the end marker, or to the end of the text. An end marker
/// without a beginning ends a key whose start is missing: its lines count, back to one that is none of a key.
fn find_key_blocks(text: &str, out: &mut Vec<Secret>) {
    let is_key = |head: Option<&str>| head.is_some_and(|head| head.len() < 40 && head.contains("PRIVATE KEY"));
    let label = |from: usize| text[from..].find("-----").map(|n| &text[from..from + n]);
    let mut at = 0;
    while let Some(n) = text[at..].find("-----") {
        let mut start = at + n;
        // A sixth dash may stand before a marker: that of a removed line in a diff.
        at = start + 1;
        let is_begin = text[start..].starts_with("-----BEGIN ");
        let head = start + if is_begin { 11 } else { 9 };
        if !(is_begin || text[start..].starts_with("-----END ")) || !is_key(label(head)) {
            continue;
        }
        let mut end_marker = Some(head);
        if is_begin {
            end_marker = text[head..].find("-----END ").map(|n| head + n + 9);
        } else {
            let lines_start = start_of_key_lines(&text[..start]);
            if lines_start == start {
                continue;
            }
            start = lines_start;
        }
        at = end_marker.map_or(text.len(), |e| text[e..].find("-----").map_or(text.len(), |n| e + n + 5));
        out.push(Secret { range: start..at, kind: "a private key" });
    }
}

/// Where the lines of base64 begin that a text ends with.
fn start_of_key_lines(text: &str) -> usize {
    let is_base64 = |line: &str| line.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'='));
    let lines = text.split_inclusive('\n').rev().map(|line| (line.len(), line.trim()));
    let key_lines = lines.take_while(|(_, line)| !line.is_empty() && is_base64(line));
    text.len() - key_lines.map(|(length, _)| length).sum::<usize>()
}

/// Finds the password in `scheme://user:password@host`, and the path of a webhook, which acts as a password.
fn find_url_passwords(text: &str, out: &mut Vec<Secret>) {
    for (at, _) in text.match_indices("://") {
        let start = at + 3;
        let end = text[start..]
            .find(|c: char| c.is_whitespace() || !c.is_ascii() || matches!(c, '"' | '\'' | '<' | '>' | '`'));
        let rest = &text[start..end.map_or(text.len(), |n| start + n)];
        let hook = [
            "hooks.slack.com/services/",
            "discord.com/api/webhooks/",
            "discordapp.com/api/webhooks/",
            "oapi.dingtalk.com/robot/send?access_token=",
            "qyapi.weixin.qq.com/cgi-bin/webhook/send?key=",
            "open.feishu.cn/open-apis/bot/v2/hook/",
        ];
        if let Some(path) = hook.iter().find(|h| rest.starts_with(**h)).map(|h| start + h.len()) {
            let stop = start + rest.trim_end_matches(['.', ',', ';']).len();
            if stop > path + 8 {
                out.push(Secret { range: path..stop, kind: "a webhook" });
            }
        }
        let Some(sign) = rest.rfind('@') else { continue };
        let Some(colon) = rest[..sign].find(':').filter(|n| !rest[..*n].contains('/')) else { continue };
        let password = &rest[colon + 1..sign];
        if !password.is_empty() && !is_placeholder(password) {
            out.push(Secret { range: start + colon + 1..start + sign, kind: "a password in an address" });
        }
    }
}

/// Finds card numbers: 13 to 19 digits, possibly in groups, of a known brand and with a valid check digit.
fn find_cards(text: &str, out: &mut Vec<Secret>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(n) = text[at..].find(|c: char| c.is_ascii_digit()) {
        let start = at + n;
        let mut end = start;
        while end < bytes.len()
            && (bytes[end].is_ascii_digit()
                || matches!(bytes[end], b' ' | b'-') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit))
        {
            end += 1;
        }
        at = end;
        let joined = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '/' | '+' | '#');
        let apart = !text[..start].ends_with(joined)
            && !text[end..].starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '/'));
        if apart {
            find_grouped_card(text, start, end, out);
        }
    }
}

/// Finds a card number in the digit groups of a byte range, which may contain another number next to it.
fn find_grouped_card(text: &str, start: usize, end: usize, out: &mut Vec<Secret>) {
    let run = &text[start..end];
    let starts = std::iter::once(0).chain(run.match_indices([' ', '-']).map(|(n, _)| n + 1));
    for from in starts {
        // The longest card number has 19 digits in five groups: 23 bytes.
        let last = run.len().min(from + 23);
        let ends = (from + 13..=last).rev().filter(|to| *to == run.len() || matches!(run.as_bytes()[*to], b' ' | b'-'));
        for to in ends {
            let digits: Vec<u8> = run[from..to].bytes().filter(u8::is_ascii_digit).map(|b| b - b'0').collect();
            if is_card(&digits) && is_well_grouped(&run[from..to]) {
                out.push(Secret { range: start + from..start + to, kind: CARD_NUMBER });
                return;
            }
        }
    }
}

/// Whether the digits are in one piece, or in up to five groups of three to seven.
fn is_well_grouped(run: &str) -> bool {
    let groups: Vec<usize> = run.split([' ', '-']).map(str::len).collect();
    groups.len() == 1 || groups.iter().all(|n| (3..=7).contains(n)) && groups.len() <= 5
}

fn is_card(digits: &[u8]) -> bool {
    let number = |n: usize| digits[..n].iter().fold(0u32, |sum, d| sum * 10 + u32::from(*d));
    if !(13..=19).contains(&digits.len()) {
        return false;
    }
    let brand = match (digits[0], digits.len()) {
        (4, 13 | 16 | 19) => true,
        (5, 16) => (51..=55).contains(&number(2)),
        (2, 16) => (2221..=2720).contains(&number(4)),
        (3, 15) => matches!(number(2), 34 | 37),
        (3, 14) => matches!(number(2), 36 | 38 | 30),
        (3, 16) => (3528..=3589).contains(&number(4)),
        (6, 16..=19) => matches!(number(2), 60 | 62 | 64 | 65),
        _ => false,
    };
    brand && luhn(digits)
}

/// The Luhn check (ISO/IEC 7812-1).
fn luhn(digits: &[u8]) -> bool {
    let doubled = |d: u32| if d > 4 { d * 2 - 9 } else { d * 2 };
    let value = |(i, d): (usize, &u8)| if i % 2 == 1 { doubled(u32::from(*d)) } else { u32::from(*d) };
    digits.iter().rev().enumerate().map(value).sum::<u32>() % 10 == 0
}
