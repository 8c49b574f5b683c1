//! Reads the marks that say of what kind a bullet is: its task marker, its `[category]`, and whether it is struck
//! through.
//!
//! Never reads what the bullet says.

use super::split_category;

/// The marks of a bullet's text.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct BulletMarks {
    /// The character of the task marker in lower case: a space, `x`, or one of those that apps have beside them, `/`, `-`.
    pub task: Option<char>,
    /// The name of the `[category]` in lower case.
    pub category: Option<String>,
    pub strike: Strikethrough,
}

/// How much of a text is struck through: `~~…~~`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Strikethrough {
    #[default]
    None,
    Whole,
    Part,
}

const STRIKE: &str = "~~";

impl BulletMarks {
    /// The marks of one line. List markers and emphasis around them are skipped.
    pub fn of(line: &str) -> BulletMarks {
        let (task, rest) = split_task(line);
        let (category, plain) = split_category(rest);
        let strike = match line.matches(STRIKE).count() {
            0 | 1 => Strikethrough::None,
            2 if line.trim_end().ends_with(STRIKE) && starts_with_strike(line, rest, plain) => Strikethrough::Whole,
            _ => Strikethrough::Part,
        };
        BulletMarks { task, category: category.map(str::to_lowercase), strike }
    }
}

/// Whether the strike begins before everything that a line says; `rest` and `plain` are the line without its task
/// marker, and without its category too.
fn starts_with_strike(line: &str, rest: &str, plain: &str) -> bool {
    line[..line.len() - rest.len()].contains(STRIKE) || plain.starts_with(STRIKE)
}

/// Splits the task marker off a line, with the list markers and the emphasis around it. Returns its character in lower
/// case, and what stands behind it.
fn split_task(line: &str) -> (Option<char>, &str) {
    let is_marker = |c: char| " \t>-*+|_~\\".contains(c) || c.is_ascii_digit() || c == '.' || c == ')';
    let line = line.trim_start_matches(is_marker);
    let marker = || {
        let mut inner = line.strip_prefix('[')?.chars();
        let (task, rest) = (inner.next()?, inner.as_str().strip_prefix(']')?);
        let is_marker = matches!(task, ' ' | 'x' | 'X') || rest.is_empty() || rest.starts_with([' ', '\t']);
        is_marker.then(|| (Some(task.to_ascii_lowercase()), rest))
    };
    let (task, rest) = marker().unwrap_or((None, line));
    (task, rest.trim_start_matches([' ', '\t', '*', '_', '~', '\\']))
}

/// The `[category]` of a line; list markers, task markers and emphasis before it are skipped.
pub fn leading_category(line: &str) -> Option<&str> {
    split_category(split_task(line).1).0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_read_behind_list_markers_and_emphasis() {
        let marks = |line: &str| {
            let marks = BulletMarks::of(line);
            (marks.task, marks.category.unwrap_or_default(), marks.strike)
        };
        for (line, task, category, strike) in [
            ("Likes tea", None, "", Strikethrough::None),
            ("[Health] No nuts", None, "health", Strikethrough::None),
            ("- **[health]** no nuts", None, "health", Strikethrough::None),
            ("[ ] Buy tea", Some(' '), "", Strikethrough::None),
            ("[X] [work] Ship it", Some('x'), "work", Strikethrough::None),
            ("1) [/] [work] Ship it", Some('/'), "work", Strikethrough::None),
            ("[a](x) y", None, "", Strikethrough::None),
            ("~~Likes tea~~", None, "", Strikethrough::Whole),
            ("[health] ~~No nuts~~", None, "health", Strikethrough::Whole),
            ("~~[health] No nuts~~ ", None, "health", Strikethrough::Whole),
            ("Likes ~~tea~~ coffee", None, "", Strikethrough::Part),
            ("~~Likes tea~~ and ~~milk~~", None, "", Strikethrough::Part),
            ("~~Likes tea~~, likes milk", None, "", Strikethrough::Part),
            ("In ~~ 5 minutes", None, "", Strikethrough::None),
            ("[link](x) y", None, "", Strikethrough::None),
        ] {
            assert_eq!(marks(line), (task, category.to_owned(), strike), "{line}");
        }
    }
}
