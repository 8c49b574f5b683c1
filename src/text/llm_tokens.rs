//! Estimates of how many LLM tokens a text costs, without a tokenizer.

/// Estimated number of LLM tokens in a text: four ASCII bytes or one Chinese character each.
pub fn estimate_llm_tokens(text: &str) -> usize {
    token_quarters(text).div_ceil(4)
}

/// The same in quarters of a token, which add up exactly.
pub fn token_quarters(text: &str) -> usize {
    text.chars().map(char_quarters).sum()
}

/// Cost of a character, in quarters of a token.
pub fn char_quarters(c: char) -> usize {
    match c {
        _ if c.is_ascii() => 1,
        _ if super::words::is_unspaced(c) => 4,
        _ => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_about_four_letters_or_one_character() {
        for (text, tokens) in [("", 0), ("abcd", 1), ("abcde", 2), ("项目", 2), ("été", 2)] {
            assert_eq!(estimate_llm_tokens(text), tokens, "{text}");
        }
    }
}
