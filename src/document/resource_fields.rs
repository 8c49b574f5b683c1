//! Resources of json-memory: what a bullet and its metadata are in one.
//!
//! Import, export and paths share it, so that what is read comes back as it was. Never reads or prints a resource.

use serde_json::Value;

use super::{MetaKey, MetaType, slug};

/// The name of a list with the bullets of a file or section itself, where it has fields or sections beside them.
pub const OWN_ITEMS: &str = "_items";

/// The `item` of a resource for a bullet without an id: `likes_tea`.
pub fn derived_item_name(text: &str) -> String {
    slug(text).replace('-', "_")
}

/// The name and value of a bullet that is a field, such as `quiet: true`.
pub fn resource_field(text: &str) -> Option<(&str, &str)> {
    let (name, value) = text.split_once(": ")?;
    let is_name = name.starts_with(|c: char| !c.is_ascii_uppercase())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        // In a resource, an object with one of these two is an item.
        && ![OWN_ITEMS, "item", "display"].contains(&name);
    (is_name && !value.trim().is_empty()).then_some((name, value))
}

/// The value of a field: a number or boolean as JSON prints it, or else the text.
pub fn field_value_as_json(text: &str) -> Value {
    printed_json(text).filter(|value| value.is_number() || value.is_boolean()).unwrap_or_else(|| text.into())
}

/// The value of a key of metadata or front matter: a number, boolean, list or object as JSON prints it, or else the
/// text. Keys of memdir's that hold a text or a date stay text.
pub fn metadata_value_as_json(key: &str, text: &str) -> Value {
    let is_text = MetaKey::from_name(key)
        .is_some_and(|key| !matches!(key.spec().value, MetaType::Scale10 | MetaType::Share | MetaType::YesNo));
    printed_json(text).filter(|_| !is_text).unwrap_or_else(|| text.into())
}

/// The value that is printed as exactly this text, unless it is a string or null.
fn printed_json(text: &str) -> Option<Value> {
    let value: Value = serde_json::from_str(text).ok()?;
    let printed = value.to_string();
    (!value.is_string() && !value.is_null() && printed == text).then_some(value)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_field_has_a_name_and_a_value() {
        for (text, field) in [
            ("quiet: true", Some(("quiet", "true"))),
            ("coffeeAfter: 09:00", Some(("coffeeAfter", "09:00"))),
            ("Name: Ana", None),
            ("two words: x", None),
            ("item: bread", None),
            ("_items: x", None),
            ("url:x", None),
        ] {
            assert_eq!(resource_field(text), field, "{text}");
        }
    }

    #[test]
    fn only_what_json_prints_so_is_more_than_a_text() {
        for (text, value) in [
            ("4", json!(4)),
            ("0.8", json!(0.8)),
            ("true", json!(true)),
            ("1.10", json!("1.10")),
            ("09", json!("09")),
            ("null", json!("null")),
            ("[1,2]", json!("[1,2]")),
        ] {
            assert_eq!(field_value_as_json(text), value, "{text}");
        }
        assert_eq!(metadata_value_as_json("x", "[1,2]"), json!([1, 2]));
        assert_eq!(metadata_value_as_json("conf", "0.8"), json!(0.8));
        assert_eq!(metadata_value_as_json("dur", "5"), json!("5"));
    }
}
