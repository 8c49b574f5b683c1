//! Instructions for agents: part of a context and installed into an agent's instruction file.
//!
//! Never longer than 150 tokens, and less than half of that in a small context. README shows the long ones.

/// What an agent needs to know about memdir's commands.
pub const AGENT_GUIDE: &str = "\
Long-term memory: `memdir`. `memdir list` shows files with summaries, `memdir list FILE` bullets with
@handles, `memdir read FILE` the text.
Remember: memdir add FILE 'one fact' ['another']
Find: memdir query WORDS -L 5
Correct: memdir update FILE@HANDLE 'new text' (FILE stands above its @HANDLE)
Forget: memdir rm FILE@HANDLE
What happened: echo 'text' | memdir append -t 'Title'
Long texts, or with $ ` or \", come by stdin, as one bullet: memdir add FILE - <<'END'
If refused, nothing was changed: read the message, list again, retry. Exit 7: just retry.
";

/// The same for an agent that calls the tools of the MCP server; no longer, because both fit the same least budget.
const TOOL_GUIDE: &str = "\
Long-term memory: the tools memory_*. Where a line says `memdir list`, `memdir read` or `memdir query`, call
memory_list, memory_read or memory_query.
Remember: memory_change {\"operations\":[{\"op\":\"add\",\"at\":FILE,\"text\":\"one fact\"}]}
Correct: {\"op\":\"update\",\"at\":FILE@HANDLE,\"text\":\"new text\"} (FILE stands above its @HANDLE)
Forget: {\"op\":\"rm\",\"at\":FILE@HANDLE}
What happened: memory_append
If refused, nothing was changed: read the message, list again, retry.
";

/// What an agent must know, where each line takes the place of a fact.
const SHORT_AGENT_GUIDE: &str = "\
Long-term memory: `memdir`. Its commands: query WORDS, list FILE, read FILE, add FILE 'one fact',
update FILE@HANDLE 'new text', rm FILE@HANDLE, append -t TITLE (what happened, by stdin).
FILE stands above its @HANDLE.
";

/// The same for tools: their schemas say the rest.
const SHORT_TOOL_GUIDE: &str = "\
Long-term memory: the tools memory_*; for `memdir list` call memory_list, and so on.
memory_change: {\"op\":\"add\",\"at\":FILE,\"text\":\"fact\"}, {\"op\":\"update\" or \"rm\",\"at\":FILE@HANDLE}.
FILE stands above its @HANDLE.
";

/// A smaller context, in tokens, has the short instructions.
const LONG_GUIDE_BUDGET: usize = 1000;

/// The instructions in a context of this budget, in tokens.
pub fn guide_for(budget: usize, for_tools: bool) -> &'static str {
    match (budget < LONG_GUIDE_BUDGET, for_tools) {
        (false, false) => AGENT_GUIDE,
        (false, true) => TOOL_GUIDE,
        (true, false) => SHORT_AGENT_GUIDE,
        (true, true) => SHORT_TOOL_GUIDE,
    }
}

/// A line that explains how to read commands, if they need options to reach the memory, quoted for a shell.
pub fn command_note(options: &str) -> Option<String> {
    let plain = !options.is_empty() && !options.contains(char::is_control);
    plain.then(|| format!("Here `memdir` means: memdir {options}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::llm_tokens::estimate_llm_tokens;

    #[test]
    fn a_small_context_has_short_instructions() {
        for for_tools in [false, true] {
            assert!(estimate_llm_tokens(guide_for(999, for_tools)) <= 60);
            assert!(estimate_llm_tokens(guide_for(1000, for_tools)) <= 150);
            assert!(guide_for(600, for_tools).contains("FILE stands above its @HANDLE"));
        }
    }

    #[test]
    fn a_guide_for_tools_takes_no_more_room_than_one_for_commands() {
        for budget in [600, 2000] {
            let [commands, tools] = [false, true].map(|for_tools| guide_for(budget, for_tools));
            assert!(tools.len() <= commands.len() && tools.lines().count() <= commands.lines().count(), "{budget}");
        }
    }
}
