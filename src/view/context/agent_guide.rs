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
