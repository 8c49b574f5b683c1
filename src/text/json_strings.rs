//! The strings of a JSON value.

use serde_json::Value;

/// Replaces every string of a JSON value, the names of fields included.
pub fn map_strings(value: &mut Value, replaced: &dyn Fn(&str) -> String) {
    match value {
        Value::String(text) => *text = replaced(text),
        Value::Array(items) => items.iter_mut().for_each(|item| map_strings(item, replaced)),
        Value::Object(fields) => {
            *fields = std::mem::take(fields)
                .into_iter()
                .map(|(name, mut value)| {
                    map_strings(&mut value, replaced);
                    (replaced(&name), value)
                })
                .collect();
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_string_is_replaced() {
        let mut value = json!({"a": ["b", {"c": null}], "d": 1});
        map_strings(&mut value, &|text| text.to_uppercase());
        assert_eq!(value, json!({"A": ["B", {"C": null}], "D": 1}));
    }
}
