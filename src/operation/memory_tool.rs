//! Anthropic's memory tool: its requests, its paths, its texts, and what it does to the text of a file.
//!
//! The requests and texts are those of the vendor's documentation
//! (<https://docs.claude.com/en/docs/agents-and-tools/tool-use/memory-tool>), without the `Error: ` in front of a
//! failure: a reply has a field for that. Where the vendor's SDK has other texts, they are the SDK's. Never reads a
//! file.

use std::collections::BTreeMap;

use serde::Deserialize;

/// A request of the tool.
#[derive(Deserialize, Clone, Debug, PartialEq, Eq)]
#[serde(tag = "command", rename_all = "snake_case")]
pub enum MemoryToolRequest {
    /// Shows a directory, or a file with line numbers.
    View {
        path: String,
        /// First and last line, from 1; -1 is the end.
        #[serde(default)]
        view_range: Option<(i64, i64)>,
    },
    /// Creates a file; it must not exist.
    Create { path: String, file_text: String },
    /// Replaces a text that stands exactly once in a file.
    StrReplace {
        path: String,
        old_str: String,
        /// Missing: the text is removed.
        #[serde(default)]
        new_str: Option<String>,
    },
    /// Inserts lines after a line; 0 is the top.
    Insert { path: String, insert_line: i64, insert_text: String },
    /// Deletes a file, or a directory with all in it.
    Delete { path: String },
    /// Renames or moves a file or directory.
    Rename { old_path: String, new_path: String },
}

impl MemoryToolRequest {
    /// The path that it names first.
    pub fn path(&self) -> &str {
        match self {
            MemoryToolRequest::View { path, .. }
            | MemoryToolRequest::Create { path, .. }
            | MemoryToolRequest::StrReplace { path, .. }
            | MemoryToolRequest::Insert { path, .. }
            | MemoryToolRequest::Delete { path }
            | MemoryToolRequest::Rename { old_path: path, .. } => path,
        }
    }
}

/// The directory that stands for the data directory.
pub const TOOL_ROOT: &str = "/memories";
/// A longer text is cut when it is viewed without a range, in characters. From the tool's description.
const MAX_VIEWED_CHARS: usize = 16_000;
/// From the vendor's documentation.
const MAX_LINES: usize = 999_999;

/// The part of a path below `/memories`, without `.`, `..` and a final slash; empty for `/memories` itself.
///
/// # Errors
/// The tool's text for a path that is not below `/memories`.
pub fn parse_tool_path(path: &str) -> Result<String, String> {
    let below = path.strip_prefix(TOOL_ROOT).filter(|rest| rest.is_empty() || rest.starts_with('/'));
    let below = below.ok_or_else(|| format!("Path must start with {TOOL_ROOT}, got: {path}"))?;
    let lower = below.to_ascii_lowercase();
    // Encoded dots and slashes: a client that decodes the path again must not get another one.
    let mut leaves = below.contains('\\') || ["%2e", "%2f", "%5c"].iter().any(|encoded| lower.contains(encoded));
    let mut parts = Vec::new();
    for part in below.split('/') {
        match part {
            "" | "." => {}
            ".." => leaves |= parts.pop().is_none(),
            _ => parts.push(part),
        }
    }
    if leaves { Err(format!("Path {path} would escape {TOOL_ROOT} directory")) } else { Ok(parts.join("/")) }
}

/// The tool's text for a path that leads through a link, which is never followed.
pub fn link_refusal(path: &str) -> String {
    format!("Path {path} would escape {TOOL_ROOT} directory via symlink")
}

/// The name of a memory's file, of a name below `/memories`: `notes.txt` is kept as `notes.txt.md`.
pub fn file_name(below: &str) -> String {
    if below.ends_with(".md") { below.to_owned() } else { format!("{below}.md") }
}

/// The name below `/memories` of a memory's file: bare names are those of `facts/`.
pub fn tool_name(file: &str) -> &str {
    let name = file.strip_prefix("facts/").unwrap_or(file);
    let stem = name.strip_suffix(".md").unwrap_or(name);
    match stem.rsplit_once('.') {
        Some((_, extension)) if is_extension(extension) => stem,
        _ => name,
    }
}

/// Whether the text behind a dot is an extension, and not a part of the name as in `v1.2`.
fn is_extension(text: &str) -> bool {
    (1..=5).contains(&text.len())
        && text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.bytes().all(|b| b.is_ascii_alphanumeric())
}

/// What the tool prints for a directory: two levels of it. The files are names below `/memories` with sizes in bytes.
pub fn directory_view(path: &str, below: &str, files: &[(String, u64)]) -> String {
    let prefix = if below.is_empty() { String::new() } else { format!("{below}/") };
    let (mut entries, mut total): (BTreeMap<Vec<&str>, u64>, u64) = (BTreeMap::new(), 0);
    for (name, size) in files {
        let Some(inside) = name.strip_prefix(&prefix) else { continue };
        total += size;
        let parts: Vec<&str> = inside.split('/').collect();
        for depth in 1..=parts.len().min(2) {
            *entries.entry(parts[..depth].to_vec()).or_default() += size;
        }
    }
    let is_directory = |parts: &[&str]| {
        let inside = format!("{prefix}{}/", parts.join("/"));
        files.iter().any(|(name, _)| name.starts_with(&inside))
    };
    let path = path.trim_end_matches('/');
    let mut lines = vec![
        format!(
            "Here're the files and directories up to 2 levels deep in {path}, excluding hidden items and node_modules:"
        ),
        format!("{}\t{path}", size_text(total)),
    ];
    for (parts, size) in &entries {
        let slash = if is_directory(parts) { "/" } else { "" };
        lines.push(format!("{}\t{path}/{}{slash}", size_text(*size), parts.join("/")));
    }
    lines.join("\n")
}

/// A size as the vendor's SDKs print it: `0B`, `4K`, `1.5K`.
fn size_text(bytes: u64) -> String {
    let units = ["B", "K", "M", "G"];
    let unit = (bytes.max(1).ilog2() / 10).min(3);
    let size = bytes as f64 / 1024_f64.powi(unit as i32);
    if size.fract() == 0.0 {
        format!("{size:.0}{}", units[unit as usize])
    } else {
        format!("{size:.1}{}", units[unit as usize])
    }
}

/// What the tool prints for a file: its lines with their numbers.
///
/// # Errors
/// The tool's text for a file with too many lines.
pub fn file_view(path: &str, text: &str, range: Option<(i64, i64)>) -> Result<String, String> {
    let lines: Vec<&str> = text.split('\n').collect();
    if lines.len() > MAX_LINES {
        return Err(format!("File {path} exceeds maximum line limit of 999,999 lines."));
    }
    let (first, end) = match range {
        Some((first, -1)) => (first.max(1), lines.len()),
        Some((first, last)) => (first.max(1), usize::try_from(last).unwrap_or(0).min(lines.len())),
        None => (1, lines.len()),
    };
    let first = usize::try_from(first).unwrap_or(usize::MAX).min(lines.len() + 1);
    let mut view = format!("Here's the content of {path} with line numbers:\n");
    let mut left = MAX_VIEWED_CHARS;
    for number in first..=end {
        let line = lines[number - 1];
        let length = line.chars().count() + 1;
        if range.is_none() && length > left {
            let rest = lines.len() - number + 1;
            view += &format!("[{rest} more lines; use view_range [{number}, {}] to view them]", lines.len());
            return Ok(view);
        }
        left -= length.min(left);
        view += &numbered(number, line);
        view.push_str(if number < end { "\n" } else { "" });
    }
    Ok(view)
}

fn numbered(number: usize, line: &str) -> String {
    format!("{number:>6}\t{line}")
}

/// Replaces a text that stands exactly once. Returns the new text of the file and the tool's reply.
///
/// # Errors
/// The tool's text if it stands nowhere or several times.
pub fn str_replace(path: &str, text: &str, old: &str, new: &str) -> Result<(String, String), String> {
    if old.is_empty() {
        return Err("No replacement was performed, old_str is empty.".to_owned());
    }
    // Overlapping ones too: `aa` in `aaa` may mean the first or the second.
    let verbatim = || text.char_indices().map(|(at, _)| at).filter(|at| text[*at..].starts_with(old));
    // An agent that read `\r\n` as line breaks writes `\n`.
    let found: Vec<(usize, usize)> =
        if text.contains("\r\n") { ranges_ignoring_line_endings(text, old) } else { Vec::new() };
    let found = if found.is_empty() { verbatim().map(|at| (at, at + old.len())).collect() } else { found };
    let line_of = |at: usize| text[..at].matches('\n').count() + 1;
    let (at, end) = match found[..] {
        [one] => one,
        [] => {
            return Err(format!("No replacement was performed, old_str `{old}` did not appear verbatim in {path}."));
        }
        _ => {
            let lines: Vec<String> = found.iter().map(|(at, _)| line_of(*at).to_string()).collect();
            return Err(format!(
                "No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {}. Please ensure it \
                 is unique",
                lines.join(", ")
            ));
        }
    };
    let new = with_line_ending(new, line_ending_at(text, at));
    let replaced = format!("{}{new}{}", &text[..at], &text[end..]);
    let lines: Vec<&str> = replaced.split('\n').collect();
    let changed = line_of(at);
    let shown = changed.saturating_sub(2).max(1)..=(changed + 2).min(lines.len());
    let snippet: Vec<String> = shown.map(|number| numbered(number, lines[number - 1])).collect();
    let head = "The memory file has been edited. Here is the snippet showing the change (with line numbers):";
    let reply = format!("{head}\n{}", snippet.join("\n"));
    Ok((replaced, reply))
}

/// Inserts lines after a line, as they are given, with the line ending of that line. Returns the new text of the file.
/// At the end of a file that has no line break there, the inserted text keeps its own end.
///
/// # Errors
/// The tool's text for a line that the file does not have.
pub fn insert_lines(text: &str, after: i64, inserted: &str) -> Result<String, String> {
    let count = text.lines().count();
    let Some(after) = usize::try_from(after).ok().filter(|after| *after <= count) else {
        return Err(format!("Invalid `insert_line` parameter: {after}. It should be within the range [0, {count}]."));
    };
    let at = text.split_inclusive('\n').take(after).map(str::len).sum();
    let eol = line_ending_at(text, text[..at].trim_end_matches(['\r', '\n']).len());
    let is_ended = inserted.ends_with('\n');
    let inserted = with_line_ending(inserted.trim_end_matches(['\r', '\n']), eol);
    let (before, rest) = text.split_at(at);
    let is_open = !before.is_empty() && !before.ends_with('\n');
    Ok(if is_open {
        format!("{before}{eol}{inserted}{}", if is_ended { eol } else { "" })
    } else {
        format!("{before}{inserted}{eol}{rest}")
    })
}

/// The line ending of the line with this position; of the last line that has one, if it has none.
pub fn line_ending_at(text: &str, at: usize) -> &'static str {
    let end = text[at..].find('\n').map(|end| at + end).or_else(|| text.rfind('\n'));
    if end.is_some_and(|end| text[..end].ends_with('\r')) { "\r\n" } else { "\n" }
}

fn with_line_ending(text: &str, eol: &str) -> String {
    let plain = text.replace("\r\n", "\n");
    if eol == "\n" { plain } else { plain.replace('\n', eol) }
}

/// Where a text occurs in another if `\r\n` and `\n` are the same, overlapping ones too: starts and ends.
fn ranges_ignoring_line_endings(text: &str, old: &str) -> Vec<(usize, usize)> {
    let old = old.replace("\r\n", "\n");
    let mut plain = String::with_capacity(text.len());
    // For each byte of `plain` where it is in `text`; a line break is where its `\r` is.
    let mut places = Vec::with_capacity(text.len() + 1);
    for (at, c) in text.char_indices().filter(|(at, _)| !text[*at..].starts_with("\r\n")) {
        let start = if c == '\n' && text[..at].ends_with('\r') { at - 1 } else { at };
        places.extend((0..c.len_utf8()).map(|byte| start + byte));
        plain.push(c);
    }
    places.push(text.len());
    let starts = plain.char_indices().map(|(at, _)| at).filter(|at| plain[*at..].starts_with(&*old));
    starts.map(|at| (places[at], places[at + old.len()])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_stays_below_memories() {
        for (path, below) in [
            ("/memories", ""),
            ("/memories/", ""),
            ("/memories/a.md", "a.md"),
            ("/memories/deep/nested/", "deep/nested"),
            ("/memories/./a//b/../c.md", "a/c.md"),
            ("/memories/sub/..", ""),
        ] {
            assert_eq!(parse_tool_path(path).as_deref(), Ok(below), "{path}");
        }
        for path in ["/memoriesEVIL/x.md", "memories/x.md", "/etc/passwd", ""] {
            assert_eq!(parse_tool_path(path), Err(format!("Path must start with /memories, got: {path}")));
        }
        for path in [
            "/memories/../x",
            "/memories/a/../../x",
            "/memories/%2e%2e%2fx",
            "/memories/a\\..\\x",
            "/memories/../memories",
        ] {
            assert_eq!(parse_tool_path(path), Err(format!("Path {path} would escape /memories directory")));
        }
    }

    #[test]
    fn every_file_has_a_name_that_leads_back_to_it() {
        for (file, name) in [
            ("facts/notes.txt.md", "notes.txt"),
            ("facts/user.md", "user.md"),
            ("facts/v1.2.md", "v1.2.md"),
            ("facts/deep/nested/file.txt.md", "deep/nested/file.txt"),
            ("episodes/2026-02.md", "episodes/2026-02.md"),
            ("projects/data.json.md", "projects/data.json"),
        ] {
            assert_eq!(tool_name(file), name);
            assert!(file.ends_with(&file_name(name)), "{file}");
        }
    }

    #[test]
    fn a_directory_shows_two_levels() {
        let files = [("a.md", 5_u64), ("deep/nested/file.txt", 1024), ("deep/x.md", 1536), ("z.md", 0)];
        let files: Vec<(String, u64)> = files.iter().map(|(name, size)| ((*name).to_owned(), *size)).collect();
        let head = "Here're the files and directories up to 2 levels deep in";
        assert_eq!(
            directory_view("/memories", "", &files),
            format!(
                "{head} /memories, excluding hidden items and node_modules:\n2.5K\t/memories\n5B\t/memories/a.md\n\
                 2.5K\t/memories/deep/\n1K\t/memories/deep/nested/\n1.5K\t/memories/deep/x.md\n0B\t/memories/z.md"
            )
        );
        assert_eq!(
            directory_view("/memories/deep/nested/", "deep/nested", &files),
            format!(
                "{head} /memories/deep/nested, excluding hidden items and node_modules:\n1K\t/memories/deep/nested\n\
                 1K\t/memories/deep/nested/file.txt"
            )
        );
    }

    #[test]
    fn a_file_shows_its_lines_with_numbers() {
        let view = |range| file_view("/memories/a.md", "one\ntwo\nthree\n", range).unwrap();
        let head = "Here's the content of /memories/a.md with line numbers:\n";
        assert_eq!(view(None), format!("{head}     1\tone\n     2\ttwo\n     3\tthree\n     4\t"));
        assert_eq!(view(Some((2, 2))), format!("{head}     2\ttwo"));
        assert_eq!(view(Some((3, -1))), format!("{head}     3\tthree\n     4\t"));
        assert_eq!(view(Some((9, 12))), head);
        let long = "x".repeat(10_000) + "\n" + &"y".repeat(10_000);
        let cut = file_view("/memories/a.md", &long, None).unwrap();
        assert!(cut.ends_with("x\n[1 more lines; use view_range [2, 2] to view them]"), "{}", &cut[10_000..]);
    }

    #[test]
    fn a_text_is_replaced_where_it_stands_once() {
        let replace = |old, new| str_replace("/memories/a.md", "a\nb\nc\nd\ne\naaa\n", old, new);
        let (text, reply) = replace("c\nd", "$&").unwrap();
        assert_eq!(text, "a\nb\n$&\ne\naaa\n");
        assert_eq!(
            reply,
            "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n     1\ta\n     \
             2\tb\n     3\t$&\n     4\te\n     5\taaa"
        );
        let many = "No replacement was performed. Multiple occurrences of old_str `aa` in lines: 6, 6. Please ensure it is unique";
        assert_eq!(replace("aa", "x"), Err(many.to_owned()));
        let none = "No replacement was performed, old_str `zz` did not appear verbatim in /memories/a.md.";
        assert_eq!(replace("zz", "x"), Err(none.to_owned()));
        assert!(replace("", "x").is_err());
    }

    #[test]
    fn a_text_is_replaced_whatever_its_line_endings_are_and_no_other_byte_changes() {
        for (text, old, new, expected) in [
            ("a\r\nb\r\nc", "a\nb", "x\ny\nz", Ok("x\r\ny\r\nz\r\nc")),
            ("a\r\nb\r\nc", "a\r\nb", "x\ny", Ok("x\r\ny\r\nc")),
            ("ä\r\nb\r\nc", "ä\n", "", Ok("b\r\nc")),
            ("a\r\nb\r\nc", "\nc", "\nd", Ok("a\r\nb\r\nd")),
            // The line that is replaced has its own line ending.
            ("a\r\nb\nc\n", "b", "x\ny", Ok("a\r\nx\ny\nc\n")),
            ("a\nb\r\nc\n", "b", "x\ny", Ok("a\nx\r\ny\r\nc\n")),
            ("a\nb", "b", "x\ny", Ok("a\nx\ny")),
            ("a\nb\r\na\r\nb", "a\nb", "x", Err(())),
        ] {
            let replaced = str_replace("/memories/a.md", text, old, new);
            assert_eq!(replaced.as_ref().map(|(text, _)| text.as_str()).map_err(|_| ()), expected, "{text:?} {old:?}");
        }
    }

    #[test]
    fn lines_are_inserted_after_a_line() {
        for (before, after, inserted, now) in [
            ("a\nb\n", 0, "x\n", "x\na\nb\n"),
            ("a\nb\n", 2, "x", "a\nb\nx\n"),
            ("a\nb", 2, "x", "a\nb\nx"),
            ("a\nb", 2, "x\n", "a\nb\nx\n"),
            ("a\nb", 1, "x\n", "a\nx\nb"),
            ("a\nb", 0, "x", "x\na\nb"),
            ("a\r\nb\r\n", 1, "x\ny", "a\r\nx\r\ny\r\nb\r\n"),
            ("a\r\nb", 2, "x\n", "a\r\nb\r\nx\r\n"),
            ("a\r\nb\n", 2, "x", "a\r\nb\nx\n"),
            ("a\r\nb\n", 0, "x\n", "x\r\na\r\nb\n"),
            ("", 0, "x", "x\n"),
            ("a\n", 1, "", "a\n\n"),
        ] {
            assert_eq!(insert_lines(before, after, inserted).as_deref(), Ok(now), "{before:?}");
        }
        let out = "Invalid `insert_line` parameter: 3. It should be within the range [0, 2].";
        assert_eq!(insert_lines("a\nb\n", 3, "x"), Err(out.to_owned()));
        assert!(insert_lines("a\n", -1, "x").is_err());
    }
}
