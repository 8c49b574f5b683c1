//! JSON as programs leave it: a field of another type than expected is a field that is not there, never an error.
//!
//! Whole records are lost to strictness: a number where last month's version wrote text would hide a person's words.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// A visitor for values of one JSON type, for which all others are nothing. `$out` is what they leave behind.
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

/// Text, or a number as it would be written.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Word(pub Option<String>);

impl Word {
    pub fn as_str(&self) -> &str {
        self.0.as_deref().unwrap_or_default()
    }
}

impl<'de> Deserialize<'de> for Word {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Word;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_str<E>(self, text: &str) -> Result<Word, E> {
                Ok(Word(Some(text.to_owned())))
            }
            fn visit_u64<E>(self, number: u64) -> Result<Word, E> {
                Ok(Word(Some(number.to_string())))
            }
            fn visit_i64<E>(self, number: i64) -> Result<Word, E> {
                Ok(Word(Some(number.to_string())))
            }
            fn visit_f64<E>(self, number: f64) -> Result<Word, E> {
                Ok(Word(Some(number.to_string())))
            }
            otherwise!(Word(None); flag null list object);
        }
        deserializer.deserialize_any(Read)
    }
}

/// `true`, or anything else.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Flag(pub bool);

impl<'de> Deserialize<'de> for Flag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Flag;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_bool<E>(self, flag: bool) -> Result<Flag, E> {
                Ok(Flag(flag))
            }
            otherwise!(Flag(false); number text null list object);
        }
        deserializer.deserialize_any(Read)
    }
}

/// An object of this shape, or nothing.
#[derive(Debug, Clone)]
pub(super) struct Loose<T>(pub Option<T>);

impl<T> Default for Loose<T> {
    fn default() -> Self {
        Loose(None)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Loose<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Read<T> {
            type Value = Loose<T>;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Loose<T>, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(|value| Loose(Some(value)))
            }
            otherwise!(Loose(None); flag number text null list);
        }
        deserializer.deserialize_any(Read(PhantomData))
    }
}

/// A list of things of this shape; those of another are counted.
#[derive(Debug, Clone)]
pub(super) struct Many<T> {
    pub items: Vec<T>,
    /// Elements that are no objects.
    pub other: usize,
}

impl<T> Default for Many<T> {
    fn default() -> Self {
        Many { items: Vec::new(), other: 0 }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Many<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Read<T> {
            type Value = Many<T>;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Many<T>, A::Error> {
                let mut many = Many::default();
                while let Some(Loose(item)) = seq.next_element::<Loose<T>>()? {
                    match item {
                        Some(item) => many.items.push(item),
                        None => many.other += 1,
                    }
                }
                Ok(many)
            }
            otherwise!(Many::default(); flag number text null object);
        }
        deserializer.deserialize_any(Read(PhantomData))
    }
}

/// The outline of a JSON value: its keys and short words three levels deep, and of a list its first element. The rest
/// is only checked to be JSON, without recursion.
#[derive(Debug, Default)]
pub(super) struct Glance {
    pub object: bool,
    pub list: bool,
    pub word: Option<String>,
    fields: Vec<(String, Glance)>,
}

impl Glance {
    /// Whole text, or one line of it.
    pub fn at(json: &str) -> serde_json::Result<Glance> {
        let mut reader = serde_json::Deserializer::from_str(json);
        let glance = Levels(4).deserialize(&mut reader)?;
        reader.end().map(|()| glance)
    }

    pub fn get(&self, key: &str) -> Option<&Glance> {
        self.fields.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    pub fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    pub fn all(&self, keys: &[&str]) -> bool {
        keys.iter().all(|key| self.has(key))
    }

    pub fn word(&self, key: &str) -> &str {
        self.get(key).and_then(|value| value.word.as_deref()).unwrap_or_default()
    }

    /// The first element of a list.
    pub fn first(&self) -> Option<&Glance> {
        self.list.then(|| self.get("0")).flatten()
    }
}

struct Levels(usize);

impl<'de> DeserializeSeed<'de> for Levels {
    type Value = Glance;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Glance, D::Error> {
        if self.0 == 0 {
            return deserializer.deserialize_ignored_any(IgnoredAny).map(|_| Glance::default());
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Levels {
    type Value = Glance;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_str<E>(self, text: &str) -> Result<Glance, E> {
        let word = text.chars().take(64).collect();
        Ok(Glance { word: Some(word), ..Glance::default() })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Glance, A::Error> {
        let mut fields = Vec::new();
        while let Some(Word(Some(key))) = map.next_key()? {
            // A mapping of thousands of nodes is told by its first ones.
            if fields.len() < 64 {
                fields.push((key, map.next_value_seed(Levels(self.0 - 1))?));
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(Glance { object: true, fields, ..Glance::default() })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Glance, A::Error> {
        let first = seq.next_element_seed(Levels(self.0 - 1))?;
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        let fields = first.into_iter().map(|first| ("0".to_owned(), first)).collect();
        Ok(Glance { list: true, fields, ..Glance::default() })
    }

    otherwise!(Glance::default(); flag number null);
}
