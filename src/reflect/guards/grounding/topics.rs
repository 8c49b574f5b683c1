//! Finds the names of a text that a turn before the quote gives to what the quote speaks of: "what is a used Prusa
//! worth?" "Mine is at 2,900 hours."
//!
//! Never takes a name beside another one of the same turn that the text does not have, or where the quoted sentences
//! name something else: then the quote may speak of either.

use super::binding::has_value;
use super::english::is_opening_word;

use crate::text::statement::{Statement, StatementToken, TokenKind};

/// Whether the last turn of `topics` with a name gives a word of a text to what the quoted sentences speak of.
pub(super) fn is_named_before(word: &str, own: &Statement<'_>, said: &str, topics: &[&str]) -> bool {
    let Some(name) = own.tokens.iter().find(|token| token.surface == word && token.kind == TokenKind::Name) else {
        return false;
    };
    let is_other = |other: &StatementToken<'_>| !has_value(own, other);
    let said = Statement::of(said);
    if names(&said).any(is_other) {
        return false;
    }
    let turn = topics.iter().rev().map(|turn| Statement::of(turn)).find(|turn| has_value(turn, name));
    turn.is_some_and(|turn| !names(&turn).any(is_other) && !says_more(&turn, name, own, &said))
}

/// Whether a turn has, apart from the words beside a name, something of a text that the quoted sentences do not say: then
/// it states it with the name, and of something else.
fn says_more(turn: &Statement<'_>, name: &StatementToken<'_>, own: &Statement<'_>, said: &Statement<'_>) -> bool {
    let has = |statement: &Statement<'_>, key: &str| statement.tokens.iter().any(|token| token.key == key);
    let at = turn.tokens.iter().position(|token| token.key == name.key);
    let is_apart = |n: usize| at.is_none_or(|at| n.abs_diff(at) > 1);
    turn.tokens.iter().enumerate().any(|(n, token)| {
        let is_word = token.kind == TokenKind::Word && !token.is_han;
        is_word && is_apart(n) && has(own, &token.key) && !has(said, &token.key)
    })
}

/// The names of a text that are no names only because they begin it.
fn names<'a>(statement: &'a Statement<'a>) -> impl Iterator<Item = &'a StatementToken<'a>> {
    let is_name = |token: &&StatementToken<'_>| token.kind == TokenKind::Name && !is_opening_word(token, statement);
    statement.tokens.iter().filter(is_name)
}
