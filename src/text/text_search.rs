//! Searches for whole texts, also where they are wrapped.

/// What a short text begins with: the marker of a list, quote or heading.
const MARKERS: [char; 5] = ['#', '-', '*', '+', '>'];

/// Texts that are looked for in others. One with a marker in front is a whole line: without its end it would be found in
/// lines that say something else.
pub struct TextSearch {
    texts: Vec<SearchedText>,
}

struct SearchedText {
    text: String,
    /// With single spaces between its words; `None` for a line.
    spaced: Option<String>,
}

impl SearchedText {
    fn is_plainly_in(&self, text: &str) -> bool {
        match self.spaced {
            Some(_) => text.contains(&self.text),
            None => text.match_indices(&self.text).any(|(at, found)| ends_bullet(&text[at + found.len()..])),
        }
    }

    /// Whether it stands in a text whose words have single spaces between them.
    fn is_wrapped_in(&self, unwrapped: &str) -> bool {
        self.spaced.as_ref().is_some_and(|spaced| unwrapped.contains(spaced))
    }
}

impl TextSearch {
    pub fn new<'a>(texts: impl IntoIterator<Item = &'a String>) -> TextSearch {
        let searched = |text: &String| SearchedText {
            text: text.clone(),
            spaced: (!text.starts_with(MARKERS)).then(|| single_spaced(text)),
        };
        TextSearch { texts: texts.into_iter().map(searched).collect() }
    }

    /// Whether one of the texts stands in another, as it is or with other line ends and indents between its words.
    pub fn is_in(&self, text: &str) -> bool {
        self.texts.iter().any(|searched| searched.is_plainly_in(text))
            || text.contains('\n') && {
                let unwrapped = single_spaced(text);
                self.texts.iter().any(|searched| searched.is_wrapped_in(&unwrapped))
            }
    }

    /// The texts that stand in another, as it is or with other line ends and indents between its words.
    pub fn found_in<'a>(&'a self, text: &'a str) -> impl Iterator<Item = &'a String> {
        let unwrapped = if text.contains('\n') { single_spaced(text) } else { String::new() };
        let found = self.texts.iter().filter(move |one| one.is_plainly_in(text) || one.is_wrapped_in(&unwrapped));
        found.map(|searched| &searched.text)
    }
}

/// Whether the text of a bullet ends here: what follows on the line, if anything, is metadata.
fn ends_bullet(rest: &str) -> bool {
    let rest = rest.split(['\r', '\n']).next().unwrap_or_default();
    let after = rest.trim_start();
    after.is_empty() || after.len() < rest.len() && after.starts_with(['<', '^'])
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
        let text = "two\n  spaces, the vault code";
        assert_eq!(search.found_in(text).collect::<Vec<_>>(), ["the vault code", "two  spaces"]);
        assert!(!TextSearch::new(&[]).is_in("a\nb"));
    }

    #[test]
    fn a_short_line_is_found_only_as_a_whole_bullet() {
        let search = TextSearch::new(&["- Ana".to_owned()]);
        for text in ["- Ana", "- Ana\n", "- Bob\n- Ana\r\n", "- Ana <!-- mem imp=9 -->\n", "- Ana ^a1", "- Anas\n- Ana"]
        {
            assert!(search.is_in(text), "{text}");
        }
        for text in ["- Analysis is due", "- Ana Maria", "- Bob\n  Ana", "Ana", "- Ana<b>"] {
            assert!(!search.is_in(text), "{text}");
        }
    }
}
