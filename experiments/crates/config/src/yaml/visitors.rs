//! What visitors of types that a file may write in several ways have in common.

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer, StrDeserializer};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use std::fmt;
use std::marker::PhantomData;

/// Reads a type by a visitor from whatever stands in the file.
macro_rules! read_by {
    ($visitor:ident => $read:ty) => {
        struct $visitor;

        impl<'de> serde::Deserialize<'de> for $read {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_any($visitor)
            }
        }
    };
}
pub(crate) use read_by;

/// What a visitor reads, and the expectation in words.
macro_rules! reads {
    ($read:ty, $expected:literal) => {
        type Value = $read;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str($expected)
        }
    };
}
pub(crate) use reads;

/// Reads a list that may be written as its only element; `expected` is the expectation in words.
pub(crate) fn one_or_list<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    expected: &'static str,
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    deserializer.deserialize_any(OneOrList { expected, of: PhantomData })
}

struct OneOrList<T> {
    expected: &'static str,
    of: PhantomData<T>,
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for OneOrList<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.expected)
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Vec<T>, E> {
        T::deserialize(StrDeserializer::new(name)).map(|one| vec![one])
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<Vec<T>, M::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(|one| vec![one])
    }

    fn visit_seq<S: SeqAccess<'de>>(self, seq: S) -> Result<Vec<T>, S::Error> {
        let list = Vec::deserialize(SeqAccessDeserializer::new(seq))?;
        if list.is_empty() {
            Err(S::Error::custom(format!("the list is empty; expected {}", self.expected)))
        } else {
            Ok(list)
        }
    }
}
