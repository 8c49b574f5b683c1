//! Instructions for agents: printed at the end of a context and installed into an agent's instruction file.
//!
//! Never longer than 150 tokens. README shows the same text.

/// What an agent needs to know about memdir's commands.
pub const AGENT_GUIDE: &str = "\
Long-term memory: `memdir`. `memdir list` shows files with summaries, `memdir list FILE` bullets with
@handles, `memdir read FILE` the text.
Remember: memdir add FILE 'one fact' ['another']
Find: memdir query WORDS -L 5
Correct: memdir update FILE@HANDLE 'new text'
Forget: memdir rm FILE@HANDLE
What happened: echo 'text' | memdir append -t 'Title'
Long texts, or with $ ` or \", come by stdin, as one bullet: memdir add FILE - <<'END'
If refused, nothing was changed: read the message, list again, retry. Exit 7: just retry.
";

/// The same for an agent that calls the tools of the MCP server; no longer, because both fit the same least budget.
pub const TOOL_GUIDE: &str = "\
Long-term memory: the tools memory_*. Where a line says `memdir list`, `memdir read` or `memdir query`, call
memory_list, memory_read or memory_query.
Remember: memory_change {\"operations\":[{\"op\":\"add\",\"at\":FILE,\"text\":\"one fact\"}]}
Correct: {\"op\":\"update\",\"at\":FILE@HANDLE,\"text\":\"new text\"}
Forget: {\"op\":\"rm\",\"at\":FILE@HANDLE}
What happened: memory_append
If refused, nothing was changed: read the message, list again, retry.
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guide_for_tools_takes_no_more_room_than_one_for_commands() {
        assert!(TOOL_GUIDE.len() <= AGENT_GUIDE.len() && TOOL_GUIDE.lines().count() <= AGENT_GUIDE.lines().count());
    }
}
