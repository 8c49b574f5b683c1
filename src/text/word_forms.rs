//! Finds the other forms of an English word that its stem does not show: `bought` for `buy`, `mother` for `mom`.
//!
//! Only for queries: texts are never changed or expanded.

use super::word_list::{PhraseList, phrase_list};

/// How a form is related to a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormKind {
    /// The same word, inflected or spelled otherwise.
    Inflected,
    /// Another word for the same thing.
    Synonym,
}

const LISTS: [(PhraseList, FormKind); 3] = [
    (phrase_list!("word_forms/irregular.en.txt"), FormKind::Inflected),
    (phrase_list!("word_forms/spellings.en.txt"), FormKind::Inflected),
    (phrase_list!("word_forms/synonyms.en.txt"), FormKind::Synonym),
];

/// Calls `each` for every other form of a stem, as a stem.
pub fn other_forms(stem: &str, mut each: impl FnMut(&'static str, FormKind)) {
    for (list, kind) in LISTS {
        let forms = list.line_with(stem).into_iter().flat_map(|line| line.split(' '));
        forms.filter(|form| *form != stem).for_each(|form| each(form, kind));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::text::stem;
    use crate::text::stopwords::is_stopword;

    #[test]
    fn forms_of_one_word_find_each_other() {
        let forms = |word: &str| {
            let mut all = Vec::new();
            other_forms(&stem(word), |form, kind| all.push((form, kind)));
            all
        };
        assert_eq!(forms("buying")[..2], [("bought", FormKind::Inflected), ("purchas", FormKind::Synonym)]);
        assert_eq!(forms("knives"), [("knife", FormKind::Inflected)]);
        assert!(forms("mums").contains(&("mother", FormKind::Synonym)));
        assert_eq!(forms("table"), []);
    }

    #[test]
    fn every_form_is_a_stem_of_one_group() {
        for (list, _) in LISTS {
            let mut known = HashSet::new();
            for word in list.iter().flat_map(|line| line.split(' ')) {
                assert!(known.insert(word) && !is_stopword(word), "{word}");
            }
            assert!(list.iter().all(|line| line.contains(' ')));
        }
    }
}
