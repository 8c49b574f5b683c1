//! Recognises single lines that a program or a page wrote: code, stack traces, records with ids and times, settings,
//! page furniture.
//!
//! Never looks at other lines. A paragraph with such a line comes from the same source as the line.

use crate::text::word_list::{PhraseList, phrase_list};

const WEB_MARKS: PhraseList = phrase_list!("transcript/web_marks.txt");
/// First words of a line of code; the line has a sign of code, too.
const CODE_WORDS: [&str; 34] = [
    "const",
    "let",
    "var",
    "function",
    "def",
    "class",
    "import",
    "from",
    "#include",
    "public",
    "private",
    "protected",
    "static",
    "fn",
    "func",
    "return",
    "if",
    "for",
    "while",
    "package",
    "using",
    "struct",
    "enum",
    "impl",
    "use",
    "export",
    "async",
    "await",
    "type",
    "interface",
    "pub",
    "void",
    "else",
    "match",
];
/// First words of a line of a stack trace, or of a compiler.
const TRACE_OPENINGS: [&str; 12] = [
    "Caused by:",
    "panicked at",
    "thread '",
    "Error: ",
    "error: ",
    "warning: ",
    "error[",
    "Exception in thread",
    "  at ",
    "    at ",
    "File \"",
    "goroutine ",
];

/// Whether a program or a page wrote the line.
pub(super) fn is_machine_line(line: &str) -> bool {
    let trimmed = line.trim();
    !trimmed.is_empty()
        && (is_code(trimmed)
            || is_trace(line, trimmed)
            || is_record(trimmed)
            || is_page_mark(trimmed)
            || is_bare_field(trimmed)
            || is_location(trimmed)
            || is_piped_log(trimmed)
            || is_prompt(trimmed)
            || is_chat_line(trimmed)
            || is_meta_tag(trimmed))
}

/// A line of code: a keyword with signs of code, a comment, a line that ends as code does.
fn is_code(line: &str) -> bool {
    let first = line.split(|c: char| !(c.is_alphanumeric() || c == '#' || c == '_')).next().unwrap_or_default();
    let has_signs = line.contains(['{', '}', ';', '=']) || line.contains("()") || line.ends_with([':', '{', '(']);
    let is_statement = CODE_WORDS.contains(&first) && has_signs && !line.ends_with(['.', '。']);
    let is_comment = line.starts_with("//") || line.starts_with("/*") || line.starts_with("*/");
    let ends_as_code =
        [");", "};", "],", "},", "),", "{", "=> {", "})", "\",", "';", "\";"].iter().any(|end| line.ends_with(end));
    let is_bracket =
        line.len() <= 3 && line.bytes().all(|b| b"{}[]();,".contains(&b)) && line.contains(['}', ']', ')', '{', '[']);
    is_statement || is_comment || ends_as_code && line.contains(['{', '(', '"', '\'', '[', '}', ']']) || is_bracket
}

/// A frame of a stack trace, or the message of a compiler.
fn is_trace(line: &str, trimmed: &str) -> bool {
    let has_position = |part: &str| {
        let mut numbers = part.rsplit(':');
        let is_number = |text: Option<&str>| {
            text.is_some_and(|text| {
                let text = text.trim_end_matches(')');
                !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
            })
        };
        is_number(numbers.next())
    };
    let opens = TRACE_OPENINGS.iter().any(|opening| {
        line.starts_with(opening) || trimmed.starts_with(opening.trim_start()) && opening.trim_start().len() > 4
    });
    opens
        && (trimmed.starts_with("error[")
            || trimmed.contains("::")
            || trimmed.contains('/')
            || trimmed.contains('.')
            || has_position(trimmed)
            || trimmed.contains('`')
            || trimmed.contains('\''))
        || trimmed.starts_with("at ") && has_position(trimmed)
}

/// `notes.md:3:1 warning: …`, `e: file:///src/Main.kt:3:5 …`: a file, a line and a column.
fn is_location(line: &str) -> bool {
    line.split_whitespace().take(3).any(|word| {
        let mut parts = word.trim_end_matches([':', ',']).rsplit(':');
        let is_number =
            |text: Option<&str>| text.is_some_and(|text| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()));
        let (column, row) = (parts.next(), parts.next());
        let rest = parts.next().unwrap_or_default();
        is_number(column) && is_number(row) && rest.contains('.') && rest.contains(|c: char| c.is_ascii_alphabetic())
    })
}

/// A record of a program: a list item or line that begins with a date, an id or a score in brackets, or ends with one.
fn is_record(line: &str) -> bool {
    let item = line
        .trim_start_matches(|c: char| matches!(c, '-' | '*' | '+' | '•' | '·' | '.' | ')' | '#') || c.is_ascii_digit())
        .trim_start();
    let opened = [('[', ']'), ('(', ')'), ('【', '】')].iter().any(|(open, close)| {
        let inner = item.strip_prefix(*open).and_then(|rest| rest.split_once(*close));
        inner.is_some_and(|(inner, rest)| is_stamp(inner) && !rest.trim().is_empty())
    });
    let end = line
        .rsplit_once(['(', '['])
        .and_then(|(before, end)| Some((before, end.trim_end_matches('.').strip_suffix([')', ']'])?)));
    let closed = end.is_some_and(|(before, inner)| !before.trim().is_empty() && has_score(inner));
    opened || closed
}

/// Whether a text ends with a count: `12`, `1.2k`.
fn is_count(text: &str) -> bool {
    text.trim_end_matches('k').ends_with(|c: char| c.is_ascii_digit())
}

/// A date, a time, or an id of letters and digits.
fn is_stamp(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let is_id = !text.contains(' ')
        && digits >= 2
        && text.len() >= 5
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.:/T".contains(&b));
    let is_date = digits >= 4
        && text.len() <= 32
        && text.bytes().filter(|b| b"-/:.".contains(b)).count() >= 1
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-/:., +".contains(&b));
    is_id || is_date || has_score(text)
}

/// `score 0.87`, `id: m-12`, `confidence=0.9`, `relevance 0.7`.
fn has_score(text: &str) -> bool {
    let low = text.to_lowercase();
    let names = [
        "score",
        "id",
        "confidence",
        "relevance",
        "similarity",
        "distance",
        "rank",
        "importance",
        "weight",
        "uuid",
        "ref",
    ];
    let word = low.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    names.contains(&word) && low.len() > word.len() && low.contains(|c: char| c.is_ascii_digit())
}

/// `Page 1 of 3`, `第1页，共3页`, stars, a copyright, the links of a page.
pub(super) fn is_page_mark(line: &str) -> bool {
    let low = line.to_lowercase();
    let digits_after =
        |word: &str| low.split(word).skip(1).any(|rest| rest.trim_start().starts_with(|c: char| c.is_ascii_digit()));
    let is_page = low.contains("page ") && digits_after("page ") && digits_after(" of ")
        || low.contains('第') && low.contains("页，共")
        || low.contains("页 共")
        || low.contains("页/共");
    let is_counted = |mark: &str| {
        // "12 views", "likes 3": a count, not the words of a sentence.
        low.find(mark).is_some_and(|at| is_count(low[..at].trim_end()))
    };
    let has_mark = WEB_MARKS.iter().any(|mark| match mark {
        "likes" | "retweets" | "upvotes" | "reposts" | "次点赞" | "人点赞" | "赞同" => is_counted(mark),
        "log in" | "add to cart" | "sign in" | "subscribe now" | "read more" | "show more" | "next page"
        | "previous page" | "published on" | "posted on" | "updated on" | "sponsored" | "min read" | "购物车"
        | "查看更多" | "上一页" | "下一页" => {
            low.contains(mark)
                && (low.contains(" | ") || low.contains(" · ") || low.trim_end().len() <= mark.len() + 12)
        }
        _ => low.contains(mark),
    });
    let is_post_foot = line.matches(" · ").count() >= 2 && low.contains(|c: char| c.is_ascii_digit());
    is_page
        || has_mark
        || is_post_foot
        || low.matches(" | ").count() >= 2 && !low.starts_with('|') && !low.contains("||")
}

/// `SUMMARY:Lunch`, `DTSTART:20260304T120000Z`: a name in capitals and a value without a space between.
fn is_bare_field(line: &str) -> bool {
    line.split_once(':').is_some_and(|(name, value)| {
        let name = name.split(';').next().unwrap_or_default();
        name.len() >= 3
            && name.bytes().all(|b| b.is_ascii_uppercase() || b == b'-' || b == b'_')
            && value.starts_with(|c: char| c.is_alphanumeric())
            && !matches!(name, "HTTP" | "HTTPS" | "NOTE")
    })
}

/// `ana@host:~/app$ cat notes`, `>>> print(x)`: the prompt of a shell or of Python.
fn is_prompt(line: &str) -> bool {
    let shell = || line.split_once('@').and_then(|(user, rest)| Some((user, rest.split_once([':', ' '])?)));
    let is_name =
        |name: &str| !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b));
    line.starts_with(">>> ")
        || shell().is_some_and(|(user, (host, rest))| {
            let path = rest.split(' ').next().unwrap_or_default();
            is_name(user) && is_name(host) && path.starts_with(['~', '/']) && path.ends_with(['$', '#', '%'])
        })
}

/// `<bob> The build is broken`: a line of a chat.
fn is_chat_line(line: &str) -> bool {
    line.strip_prefix('<').and_then(|rest| rest.split_once("> ")).is_some_and(|(name, said)| {
        let is_name = name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_|".contains(&b));
        (2..=16).contains(&name.len()) && is_name && !said.contains("</")
    })
}

/// `1.2 Reports are in PDF.`: a numbered part of a document.
pub(super) fn is_numbered_clause(line: &str) -> bool {
    let number = line.trim().split(' ').next().unwrap_or_default().trim_start_matches('§').trim_end_matches('.');
    let mut parts = number.split('.');
    parts.clone().count() >= 2
        && parts.all(|part| !part.is_empty() && part.len() <= 2 && part.bytes().all(|b| b.is_ascii_digit()))
}

/// `Reporter: K. Olsen`: a label of at most three words, and its value.
pub(super) fn is_field(line: &str) -> bool {
    line.trim().split_once([':', '：']).is_some_and(|(label, value)| {
        let words = label.split_whitespace().count();
        (1..=3).contains(&words)
            && label.chars().count() <= 30
            && label.starts_with(char::is_alphabetic)
            && !value.is_empty()
            && !value.starts_with("//")
    })
}

/// `[14:02:11] worker-3 | text`, `web-1  | text`: the output of a service.
fn is_piped_log(line: &str) -> bool {
    line.split_once(" | ").is_some_and(|(before, _)| {
        let name = before.split_whitespace().last().unwrap_or_default();
        before.split_whitespace().count() <= 3
            && name.contains(|c: char| c.is_ascii_digit())
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
    })
}

/// A tag that stands alone or around a whole line: `<meta name="a" content="b">`.
fn is_meta_tag(line: &str) -> bool {
    let is_tag = line
        .strip_prefix('<')
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '!'));
    is_tag && line.ends_with('>') && (line.contains("=\"") || line.contains("='"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_programs_are_recognised() {
        for line in [
            "const quotes = [",
            "function parts(s) { return s.split(\"/\") }",
            "// NOTE(kev): a b",
            "  at run (src/a.js:3:14)",
            "error[E0308]: mismatched types",
            "notes.md:3:1 warning: a",
            "e: file:///src/Main.kt:3:5 Unresolved reference: foo",
            "- [2025-01-04] a b",
            "3. likes tea (score: 0.91)",
            "[m_8f12] likes tea",
            "Page 1 of 3. Warranty terms apply.",
            "第1页，共3页。",
            "Skip to content | Sign in | Cart (0)",
            "★★★★★ Best vacuum ever",
            "SUMMARY:Lunch",
            "[14:02:11] worker-3 | body: a",
            "<meta name=\"a\" content=\"b\">",
            "12 people found this helpful",
            "ana@build-3:~/app$ cat notes.txt",
            ">>> print(x)",
            "<bob> the build is broken",
        ] {
            assert!(is_machine_line(line), "{line}");
        }
    }

    #[test]
    fn lines_of_people_are_not() {
        for line in [
            "Let me know if it works; I use Bun.",
            "- [ ] buy tea",
            "[x] moved: I live in Rome",
            "If it rains, I stay.",
            "From May on I work in Graz.",
            "I use Bun (since 2024).",
            "I like {curly} braces",
            "use `Vec<T>` here",
            "For lunch: soup",
            "I meet Ana today at 10:41",
            "Import taxes are high.",
            "Page 3 is missing",
            "I have 3 views on this",
            "My class starts at nine: maths",
            "(I really mean it) I use Bun",
            "<b>I use Bun</b>, not Deno.",
            "Mail me@example.org: it is about $5",
            "<name> is what I type there</name>",
        ] {
            assert!(!is_machine_line(line), "{line}");
        }
    }
}
