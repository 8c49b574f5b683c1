//! Lenient JSON types: a field of an unexpected type counts as missing and is never an error.
//!
//! Strict types would lose whole records: one field that changed from text to number in a new version of a program
//! would hide the user's message.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// Implements the visitor methods for the named JSON types: each skips its value and returns `$out`.
macro_rules! otherwise {
    ($out:expr; $($kind:ident)*) => { $(otherwise!(@$kind $out);)* };
    (@flag $out:expr) => {
        fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> { Ok($out) }
    };
    (@number $out:expr) => {
        fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> { Ok($out) }
        fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> { Ok($out) }
        fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> { Ok($out) }
    };
    (@text $out:expr) => {
        fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> { Ok($out) }
    };
    (@null $out:expr) => {
        fn visit_unit<E>(self) -> Result<Self::Value, E> { Ok($out) }
    };
    (@list $out:expr) => {
        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
            while seq.next_element::<IgnoredAny>()?.is_some() {}
            Ok($out)
        }
    };
    (@object $out:expr) => {
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            Ok($out)
        }
    };
}
pub(super) use otherwise;

/// A string, or a number converted to one; `None` for any other value.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct LenientText(pub Option<String>);

impl LenientText {
    pub fn as_str(&self) -> &str {
        self.0.as_deref().unwrap_or_default()
    }
}

impl<'de> Deserialize<'de> for LenientText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct LenientTextVisitor;
        impl<'de> Visitor<'de> for LenientTextVisitor {
            type Value = LenientText;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_str<E>(self, text: &str) -> Result<LenientText, E> {
                Ok(LenientText(Some(text.to_owned())))
            }
            fn visit_u64<E>(self, number: u64) -> Result<LenientText, E> {
                Ok(LenientText(Some(number.to_string())))
            }
            fn visit_i64<E>(self, number: i64) -> Result<LenientText, E> {
                Ok(LenientText(Some(number.to_string())))
            }
            fn visit_f64<E>(self, number: f64) -> Result<LenientText, E> {
                Ok(LenientText(Some(number.to_string())))
            }
            otherwise!(LenientText(None); flag null list object);
        }
        deserializer.deserialize_any(LenientTextVisitor)
    }
}

/// `true`; any other value is `false`.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct LenientBool(pub bool);

impl<'de> Deserialize<'de> for LenientBool {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct LenientBoolVisitor;
        impl<'de> Visitor<'de> for LenientBoolVisitor {
            type Value = LenientBool;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_bool<E>(self, flag: bool) -> Result<LenientBool, E> {
                Ok(LenientBool(flag))
            }
            otherwise!(LenientBool(false); number text null list object);
        }
        deserializer.deserialize_any(LenientBoolVisitor)
    }
}

/// An object of type `T`; `None` for any other value.
#[derive(Debug, Clone)]
pub(super) struct LenientObject<T>(pub Option<T>);

impl<T> Default for LenientObject<T> {
    fn default() -> Self {
        LenientObject(None)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for LenientObject<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct LenientObjectVisitor<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for LenientObjectVisitor<T> {
            type Value = LenientObject<T>;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<LenientObject<T>, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(|value| LenientObject(Some(value)))
            }
            otherwise!(LenientObject(None); flag number text null list);
        }
        deserializer.deserialize_any(LenientObjectVisitor(PhantomData))
    }
}

/// An array of objects of type `T`; other elements are counted.
#[derive(Debug, Clone)]
pub(super) struct LenientList<T> {
    pub items: Vec<T>,
    /// The number of elements that are not objects.
    pub skipped: usize,
}

impl<T> Default for LenientList<T> {
    fn default() -> Self {
        LenientList { items: Vec::new(), skipped: 0 }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for LenientList<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct LenientListVisitor<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for LenientListVisitor<T> {
            type Value = LenientList<T>;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<LenientList<T>, A::Error> {
                let mut list = LenientList::default();
                while let Some(LenientObject(item)) = seq.next_element::<LenientObject<T>>()? {
                    match item {
                        Some(item) => list.items.push(item),
                        None => list.skipped += 1,
                    }
                }
                Ok(list)
            }
            otherwise!(LenientList::default(); flag number text null object);
        }
        deserializer.deserialize_any(LenientListVisitor(PhantomData))
    }
}

/// An outline of a JSON value for format detection: keys and strings (at most 64 characters) down to five levels, and
/// the first element of an array. The rest is only checked to be valid JSON, without recursion.
#[derive(Debug, Default)]
pub(super) struct JsonSketch {
    pub object: bool,
    pub list: bool,
    pub text: Option<String>,
    fields: Vec<(String, JsonSketch)>,
}

impl JsonSketch {
    /// Parses a complete JSON text.
    ///
    /// # Errors
    /// If the text is not valid JSON or something follows the value.
    pub fn parse(json: &str) -> serde_json::Result<JsonSketch> {
        let mut reader = serde_json::Deserializer::from_str(json);
        let sketch = SketchVisitor(6).deserialize(&mut reader)?;
        reader.end().map(|()| sketch)
    }

    pub fn get(&self, key: &str) -> Option<&JsonSketch> {
        self.fields.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    pub fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    pub fn has_all(&self, keys: &[&str]) -> bool {
        keys.iter().all(|key| self.has(key))
    }

    pub fn text_at(&self, key: &str) -> &str {
        self.get(key).and_then(|value| value.text.as_deref()).unwrap_or_default()
    }

    /// What the value looks like, for messages; with its first keys.
    pub fn outline(&self) -> String {
        let keys = |value: &JsonSketch| {
            let names = value.fields.iter().map(|(name, _)| name.as_str());
            let plain =
                names.filter(|name| name.len() <= 24 && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'));
            plain.take(5).collect::<Vec<_>>().join(", ")
        };
        match self.first_element() {
            Some(first) if first.object => format!("an array of objects with the keys {}", keys(first)),
            Some(_) => "an array of other values".to_owned(),
            None if self.list => "an empty array".to_owned(),
            None if self.object && self.fields.is_empty() => "an empty object".to_owned(),
            None if self.object => format!("an object with the keys {}", keys(self)),
            None => "a single value".to_owned(),
        }
    }

    /// The first element, if this is an array.
    pub fn first_element(&self) -> Option<&JsonSketch> {
        self.list.then(|| self.get("0")).flatten()
    }
}

struct SketchVisitor(usize);

impl<'de> DeserializeSeed<'de> for SketchVisitor {
    type Value = JsonSketch;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<JsonSketch, D::Error> {
        if self.0 == 0 {
            return deserializer.deserialize_ignored_any(IgnoredAny).map(|_| JsonSketch::default());
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for SketchVisitor {
    type Value = JsonSketch;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_str<E>(self, text: &str) -> Result<JsonSketch, E> {
        let text_start = text.chars().take(64).collect();
        Ok(JsonSketch { text: Some(text_start), ..JsonSketch::default() })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<JsonSketch, A::Error> {
        let mut fields = Vec::new();
        while let Some(LenientText(Some(key))) = map.next_key()? {
            // A mapping with thousands of nodes is recognised by its first keys.
            if fields.len() < 64 {
                fields.push((key, map.next_value_seed(SketchVisitor(self.0 - 1))?));
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(JsonSketch { object: true, fields, ..JsonSketch::default() })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<JsonSketch, A::Error> {
        let first = seq.next_element_seed(SketchVisitor(self.0 - 1))?;
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        let fields = first.into_iter().map(|first| ("0".to_owned(), first)).collect();
        Ok(JsonSketch { list: true, fields, ..JsonSketch::default() })
    }

    otherwise!(JsonSketch::default(); flag number null);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One value of each JSON type.
    const VALUES: [&str; 9] = ["null", "true", "7", "-7", "1.5", "\"a\"", "[1, [2]]", "{\"k\": {}}", "[{\"k\": 1}, 2]"];

    /// Reads each value as a field that other fields follow: nothing of it may be left in the reader.
    fn read<T: for<'de> Deserialize<'de>>(show: impl Fn(T) -> String) -> Vec<String> {
        let read = |value: &&str| serde_json::from_str::<(T, u8)>(&format!("[{value}, 1]")).unwrap();
        VALUES.iter().map(|value| show(read(value).0)).collect()
    }

    #[test]
    fn a_field_of_another_type_counts_as_missing() {
        let text = read(|text: LenientText| text.0.unwrap_or_else(|| "-".into()));
        assert_eq!(text, ["-", "-", "7", "-7", "1.5", "a", "-", "-", "-"]);
        let flag = read(|flag: LenientBool| flag.0.to_string());
        assert_eq!(flag.iter().filter(|f| *f == "true").count(), 1);
        assert_eq!(flag[1], "true");
        let object = read(|object: LenientObject<serde_json::Value>| format!("{:?}", object.0.map(|o| o.to_string())));
        assert_eq!(object.iter().filter(|o| *o != "None").collect::<Vec<_>>(), [&object[7]]);
        let list = read(|list: LenientList<serde_json::Value>| format!("{}+{}", list.items.len(), list.skipped));
        assert_eq!(list, ["0+0", "0+0", "0+0", "0+0", "0+0", "0+0", "0+2", "0+0", "1+1"]);
    }

    #[test]
    fn a_sketch_shows_keys_and_the_first_element() {
        let sketch =
            JsonSketch::parse(r#"{"a": "text", "b": [{"c": 1}, 2], "d": null, "e": true, "f": -1, "g": 1.5}"#).unwrap();
        assert!(sketch.object && sketch.has_all(&["a", "b", "d", "e", "f", "g"]) && !sketch.has("c"));
        assert_eq!(sketch.text_at("a"), "text");
        assert!(sketch.get("b").and_then(JsonSketch::first_element).unwrap().has("c"));
        let many: String = (0..70).map(|i| format!("\"k{i}\": {i},")).collect();
        let sketch = JsonSketch::parse(&format!("{{{many} \"last\": 0}}")).unwrap();
        assert!(sketch.has("k63") && !sketch.has("k64") && !sketch.has("last"));
        assert!(JsonSketch::parse("{} x").is_err() && JsonSketch::parse("[1,").is_err());
    }
}
