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
}
