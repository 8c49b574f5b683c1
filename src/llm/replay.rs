//! A model that says what it was told to say: for tests of everything above this room.
//!
//! Never touches the network.

use std::cell::RefCell;
use std::collections::VecDeque;

use super::{Call, Deadline, Model, Reply, Request, Stop, Trouble, Usage, What, Who};

/// Replies in order; a question beyond the last finds nobody.
pub struct Replay {
    who: Who,
    replies: RefCell<VecDeque<Result<Reply, Trouble>>>,
    asked: RefCell<Vec<Request>>,
}

impl Replay {
    /// A model with these replies.
    pub fn new(replies: impl IntoIterator<Item = Result<Reply, Trouble>>) -> Replay {
        let who = Who { provider: "replay".into(), model: "script".into() };
        Replay { who, replies: RefCell::new(replies.into_iter().collect()), asked: RefCell::default() }
    }

    /// What it was asked so far.
    pub fn asked(&self) -> Vec<Request> {
        self.asked.borrow().clone()
    }
}

impl Model for Replay {
    fn who(&self) -> &Who {
        &self.who
    }

    fn ask(&self, request: &Request, _: Deadline) -> Result<Reply, Trouble> {
        self.asked.borrow_mut().push(request.clone());
        let none = || Err(Trouble::new(What::Unreachable, "the script has no more replies"));
        self.replies.borrow_mut().pop_front().unwrap_or_else(none)
    }
}

/// A reply in words.
pub fn says(text: impl Into<String>) -> Result<Reply, Trouble> {
    Ok(Reply { text: text.into(), calls: Vec::new(), stop: Stop::End, usage: Usage { input: 100, output: 10 } })
}

/// A reply that calls tools: name and arguments.
pub fn calls<'a>(calls: impl IntoIterator<Item = (&'a str, serde_json::Value)>) -> Result<Reply, Trouble> {
    let numbered = calls.into_iter().enumerate();
    let calls = numbered.map(|(n, (name, arguments))| Call { id: format!("call_{n}"), name: name.into(), arguments });
    let calls = calls.collect();
    Ok(Reply { text: String::new(), calls, stop: Stop::Calls, usage: Usage { input: 100, output: 10 } })
}
