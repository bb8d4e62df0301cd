//! Numbers with a least value. Values out of range are refused where they are read, so that the error has its line and the
//! JSON Schema its minimum.

use serde::de::{Deserialize, Deserializer, Error, Unexpected};

/// A whole number, 1 or more.
pub fn at_least_one<'de, T: TryFrom<u64>, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    let wanted = &"a whole number, 1 or more";
    let number = super::number_or_word::NumberOrWord {
        expected: wanted,
        number: |number| Some(number).filter(|&number| number > 0),
        word: |_| None,
    };
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
