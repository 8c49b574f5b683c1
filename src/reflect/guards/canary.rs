//! Detects texts that a model copied from the examples in memdir's prompts, by made-up names that occur only there.
//!
//! Never uses a name that a real conversation could contain.

/// The names; the prompts' examples use these and no others.
pub const CANARIES: &[&str] =
    &["Quillon Brask", "Vellum & Tarn", "Ostrevant Harbour", "Project Larkmoor", "柏聿棠", "砚溪渡"];

/// The first canary in a text, regardless of letter case, spaces and punctuation.
pub fn find_canary(text: &str) -> Option<&'static str> {
    let text = normalize(text);
    CANARIES.iter().copied().find(|name| text.contains(&normalize(name)))
}

/// Letters and digits only, in lower case.
fn normalize(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_canary_is_found_in_any_spelling() {
        for text in
            ["User works with quillon  brask", "雇主：Vellum &amp; Tarn", "用户和柏聿棠一起工作", "QUILLON-BRASK"]
        {
            let plain = text.replace("&amp;", "&");
            assert!(find_canary(&plain).is_some(), "{text}");
        }
        for text in ["User works at Tarn", "Quill and ink", "", "User lives by the harbour"] {
            assert_eq!(find_canary(text), None, "{text}");
        }
    }

    /// A model that repeats the prompt would return the texts of its examples.
    #[test]
    fn each_example_of_the_prompt_is_a_canary() {
        let prompt = crate::reflect::prompt::REFLECT_PROMPT;
        let examples = prompt.split_once("Examples").unwrap().1;
        let adds: Vec<&str> = examples.split("add facts/").skip(1).collect();
        assert!(adds.len() > 2 && adds.len() == examples.matches("add ").count());
        for add in adds {
            let text = add.split('"').nth(1).unwrap();
            let rules = crate::reflect::guards::WritingRules::default();
            let found = crate::reflect::guards::check_text(text, crate::reflect::guards::MemoryKind::Fact, &rules);
            let flaws: Vec<_> = found.iter().map(|f| f.violation).collect();
            assert_eq!(flaws, [crate::reflect::guards::Violation::Canary], "{text}");
        }
    }
}
