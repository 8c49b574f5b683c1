//! Names that stand only in our own prompts' examples: a memory that holds one was copied, not learnt.
//!
//! Never a name that a conversation could hold by itself.

/// The names; the prompts' examples use these and no others.
pub const CANARIES: &[&str] =
    &["Quillon Brask", "Vellum & Tarn", "Ostrevant Harbour", "Project Larkmoor", "柏聿棠", "砚溪渡"];

/// The first canary of a text, in any letter case.
pub fn find(text: &str) -> Option<&'static str> {
    let text = flat(text);
    CANARIES.iter().copied().find(|name| text.contains(&flat(name)))
}

/// Letters and digits only, in lower case.
fn flat(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_canary_is_found_in_any_dress() {
        for text in
            ["User works with quillon  brask", "雇主：Vellum &amp; Tarn", "用户和柏聿棠一起工作", "QUILLON-BRASK"]
        {
            let plain = text.replace("&amp;", "&");
            assert!(find(&plain).is_some(), "{text}");
        }
        for text in ["User works at Tarn", "Quill and ink", "", "User lives by the harbour"] {
            assert_eq!(find(text), None, "{text}");
        }
    }

    /// What a model would give back that parrots the prompt: each text of the examples, and each quote.
    #[test]
    fn each_example_of_the_prompt_is_a_canary() {
        let prompt = crate::reflect::prompt::REFLECT;
        let examples = prompt.split_once("Examples").unwrap().1;
        let adds: Vec<&str> = examples.split("add facts/").skip(1).collect();
        assert!(adds.len() > 2 && adds.len() == examples.matches("add ").count());
        for add in adds {
            let text = add.split('"').nth(1).unwrap();
            let rules = crate::reflect::guards::Rules::default();
            let found = crate::reflect::guards::writing(text, crate::reflect::guards::Kind::Fact, &rules);
            let flaws: Vec<_> = found.iter().map(|f| f.flaw).collect();
            assert_eq!(flaws, [crate::reflect::guards::Flaw::Canary], "{text}");
        }
    }
}
