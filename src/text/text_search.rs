//! Searches for whole texts, also where they are wrapped.

/// Texts that are looked for in others.
pub struct TextSearch {
    /// Each as it is, and with single spaces between its words.
    texts: Vec<(String, String)>,
}

impl TextSearch {
    pub fn new<'a>(texts: impl IntoIterator<Item = &'a String>) -> TextSearch {
        TextSearch { texts: texts.into_iter().map(|text| (text.clone(), single_spaced(text))).collect() }
    }

    /// Whether one of the texts stands in another, as it is or with other line ends and indents between its words.
    pub fn is_in(&self, text: &str) -> bool {
        self.texts.iter().any(|(plain, _)| text.contains(plain))
            || text.contains('\n') && {
                let text = single_spaced(text);
                self.texts.iter().any(|(_, spaced)| text.contains(spaced))
            }
    }
}

fn single_spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_found_where_it_is_wrapped() {
        let search = TextSearch::new(&["the vault code".to_owned(), "two  spaces".to_owned()]);
        for text in
            ["say the vault code", "- the vault\n  code\n", "> the\r\n  vault code", "two  spaces", "two\n  spaces"]
        {
            assert!(search.is_in(text), "{text}");
        }
        for text in ["", "the vault", "the vault\n\nno code", "two spaces"] {
            assert!(!search.is_in(text), "{text}");
        }
        assert!(!TextSearch::new(&[]).is_in("a\nb"));
    }
}
