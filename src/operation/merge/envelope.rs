//! How a file is wrapped: byte order mark, line ends, whether its last line ends. Merged apart from what it says.
//!
//! Never looks at a line's words.

use super::part::Part;

/// A text without its wrapping, and the wrapping.
pub struct Envelope {
    /// Without the byte order mark, lines ending in `\n` (unless they were mixed).
    pub text: String,
    /// A byte order mark stood first.
    pub mark: bool,
    /// All lines ended in `\r\n`.
    pub crlf: bool,
    /// The last line had no line end.
    pub open: bool,
}

/// Unwraps texts that are to be merged. Where one of them mixes its line ends, all keep theirs.
pub fn open(texts: [&str; 3]) -> [Envelope; 3] {
    let mixed = texts.iter().any(|text| text.contains('\r') && !all_wide(text));
    texts.map(|text| Envelope::of(text, mixed))
}

/// Whether each line ends in `\r\n`, and no `\r` stands elsewhere.
fn all_wide(text: &str) -> bool {
    let count = |byte: u8| memchr::memchr_iter(byte, text.as_bytes()).count();
    let wide = memchr::memmem::find_iter(text.as_bytes(), "\r\n").count();
    wide > 0 && wide == count(b'\n') && wide == count(b'\r')
}

impl Envelope {
    fn of(text: &str, mixed: bool) -> Envelope {
        let body = text.strip_prefix('\u{feff}');
        let (mark, body) = (body.is_some(), body.unwrap_or(text));
        let crlf = !mixed && all_wide(body);
        let open = !body.is_empty() && !body.ends_with('\n');
        Envelope { text: if crlf { body.replace("\r\n", "\n") } else { body.to_owned() }, mark, crlf, open }
    }
}

/// Wraps merged parts again.
pub fn close(parts: &mut Vec<Part>, mark: bool, crlf: bool, open: bool) {
    let last = parts.iter_mut().rev().find(|p| !matches!(p, Part::Text(text) if text.is_empty()));
    if let Some(Part::Text(text)) = last.filter(|_| open)
        && text.ends_with('\n')
    {
        text.pop();
    }
    if crlf {
        let wide = |text: &mut String| *text = text.replace('\n', "\r\n");
        for part in parts.iter_mut() {
            match part {
                Part::Text(text) => wide(text),
                Part::Clash { base, ours, theirs } => [base, ours, theirs].into_iter().for_each(wide),
            }
        }
    }
    if mark {
        parts.insert(0, Part::Text("\u{feff}".to_owned()));
    }
}
