//! Decides whether the assistant only repeats what a tool printed.
//!
//! Never takes what the user wrote, too, for the tool's.

use std::collections::HashSet;

use super::chinese;
use crate::text::phrase::has_unspaced_script;
use crate::text::statement::Statement;
use crate::text::stem;

/// Whether a quote of the assistant only repeats what a tool printed: nearly all its content is on one line of the
/// tool's output, in Chinese nearly all of each clause, and the user did not write it.
pub fn repeats_tool_output<'a>(
    quote: &str,
    tool: impl Iterator<Item = &'a str>,
    user: impl Iterator<Item = &'a str>,
) -> bool {
    let tool: Vec<&str> = tool.flat_map(str::lines).collect();
    let user: Vec<&str> = user.flat_map(str::lines).collect();
    let clauses = if has_unspaced_script(quote) { chinese::clauses_without_citation(quote) } else { vec![quote] };
    let statements: Vec<Statement<'_>> = clauses.into_iter().map(Statement::of).collect();
    let keys = |s: &Statement<'_>| s.content().map(|t| t.key.clone()).collect::<Vec<_>>();
    let parts: Vec<Vec<String>> = statements.iter().map(keys).filter(|keys| keys.len() >= 2).collect();
    let is_in = |lines: &[&str]| parts.iter().all(|keys| lines.iter().any(|line| contains_keys(line, keys)));
    !parts.is_empty() && is_in(&tool) && !is_in(&user)
}

/// Whether a line contains four of five keys.
fn contains_keys(line: &str, keys: &[String]) -> bool {
    let plain = line.to_lowercase();
    let low = plain.replace(['_', '-', ':', '='], " ");
    let words: HashSet<String> = Statement::of(&low).tokens.into_iter().map(|t| stem(&t.key).into_owned()).collect();
    let is_in = |key: &&String| words.contains(&*stem(key)) || key.len() > 3 && plain.contains(key.as_str());
    keys.iter().filter(is_in).count() * 5 >= keys.len() * 4
}
