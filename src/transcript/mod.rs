//! What a conversation looks like on disk, whichever program wrote it: turns with number, role, time and text.
//!
//! Pure: bytes in, turns out. Never decides what is worth keeping.

/// Who spoke.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// The person.
    User,
    /// The model.
    Assistant,
    /// A tool's output.
    Tool,
    /// Instructions of the host.
    System,
}

impl Role {
    /// As it is printed: `user`, `assistant`, `tool`, `system`.
    pub fn name(self) -> &'static str {
        match self {
            Role::User => "user",
            Role::Assistant => "assistant",
            Role::Tool => "tool",
            Role::System => "system",
        }
    }
}

/// One turn of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// From 1, in the order of the conversation; turns that are left out of a model's prompt keep their numbers.
    pub number: usize,
    /// Who.
    pub role: Role,
    /// When, RFC 3339, if the file says it.
    pub at: Option<String>,
    /// What was said, without the host's own framing.
    pub text: String,
    /// The host put it there (context files, recalled memory, reminders, hook output): no evidence of anything.
    pub injected: bool,
}
