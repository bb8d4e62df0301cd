//! A value that is written as a whole number or as one of a few words.

use serde::de::{Deserializer, Error, Unexpected, Visitor};
use std::fmt;

/// How such a value is written.
pub struct NumberOrWord<T> {
    pub expected: &'static str,
    /// The value of a number; `None` if it is invalid.
    pub number: fn(u64) -> Option<T>,
    /// The value of a word; `None` if it is unknown.
    pub word: fn(&str) -> Option<T>,
}

impl<T> NumberOrWord<T> {
    /// Reads it straight from the document, so that an error keeps its line and column.
    pub fn read<'de, D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<T> Visitor<'_> for NumberOrWord<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.expected)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<T, E> {
        (self.number)(number).ok_or_else(|| E::invalid_value(Unexpected::Unsigned(number), &self))
    }

    fn visit_str<E: Error>(self, word: &str) -> Result<T, E> {
        (self.word)(word).ok_or_else(|| E::invalid_value(Unexpected::Str(word), &self))
    }
}
