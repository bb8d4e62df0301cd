//! Numbers with a least value, and numbers that may be words. Values out of range are refused where they are read, so that the
//! error has its line and the JSON Schema its minimum.

use serde::de::{Deserialize, Deserializer, Error, Unexpected, Visitor};
use std::fmt;

/// How a value is written that is a whole number or one of a few words.
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

/// A whole number, 1 or more.
pub fn at_least_one<'de, T: TryFrom<u64>, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    let wanted = &"a whole number, 1 or more";
    let number =
        NumberOrWord { expected: wanted, number: |number| Some(number).filter(|&number| number > 0), word: |_| None };
    let number = number.read(deserializer)?;
    T::try_from(number).map_err(|_| D::Error::invalid_value(Unexpected::Unsigned(number), wanted))
}

pub fn at_least_one_if_any<'de, T: TryFrom<u64>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    struct One<T>(T);
    impl<'de, T: TryFrom<u64>> Deserialize<'de> for One<T> {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            at_least_one(deserializer).map(Self)
        }
    }
    Ok(Option::<One<T>>::deserialize(deserializer)?.map(|one| one.0))
}

/// A default, as an attribute writes it: `#[serde(default = "number::<50, _>")]`.
pub fn number<const N: u16, T: From<u16>>() -> T {
    N.into()
}

/// A finite number, 0 or more.
pub fn not_negative<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    finite(f64::deserialize(deserializer)?, |number| number >= 0.0, "a number, 0 or more")
}

/// A finite number above 0.
pub fn above_zero<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    finite(f64::deserialize(deserializer)?, |number| number > 0.0, "a number above 0")
}

/// A finite number above 0, or nothing.
pub fn above_zero_if_any<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    let number = Option::<f64>::deserialize(deserializer)?;
    number.map(|number| finite(number, |number| number > 0.0, "a number above 0")).transpose()
}

fn finite<E: Error>(number: f64, is_in_range: fn(f64) -> bool, wanted: &str) -> Result<f64, E> {
    let number_in_range = Some(number).filter(|&number| number.is_finite() && is_in_range(number));
    number_in_range.ok_or_else(|| E::invalid_value(Unexpected::Float(number), &wanted))
}

/// An option with its default is not written, so that configurations keep the text that they had before there was such an
/// option. (For those that are true by default, `bool::clone` asks the same.)
pub fn is_default<T: Default + PartialEq>(option: &T) -> bool {
    *option == T::default()
}
