//! Values that an experiment may write in more than one way.

use super::number_or_word::NumberOrWord;
use super::one_or_list::one_or_list;
use encodings::EncodingConfig;
use encodings::absolute::Place;
use models::Schedule;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde::{Serialize, Serializer};
use std::fmt;

/// The encodings of one network: `shaw`, `{rope: {…}}`, or a list of such, in an order that depends on what they are and
/// not on how they were written, as far as the order cannot matter.
///
/// # Errors
/// If an encoding is not one.
pub(super) fn encodings<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<EncodingConfig>, D::Error> {
    one_or_list("an encoding or a list of encodings (write `none` for no position at all)", deserializer).map(in_order)
}

/// Encodings add their terms to the logits and to the values, or rotate queries and keys: in any order, up to rounding.
/// So there is one order, that of the list of all encodings, and `none` beside others is left out. Only what is done to the
/// input embedding stays in the order of the file: a gate before a sum is another network than a gate after it.
fn in_order(mut stack: Vec<EncodingConfig>) -> Vec<EncodingConfig> {
    let is_none = |one: &EncodingConfig| matches!(one, EncodingConfig::None(_));
    if stack.iter().any(|one| !is_none(one)) && stack.iter().filter(|one| is_none(one)).count() == 1 {
        stack.retain(|one| !is_none(one));
    }
    let rank = |one: &EncodingConfig| {
        let listed = EncodingConfig::NAMES.iter().position(|name| *name == one.info().name);
        let is_later = matches!(one, EncodingConfig::Absolute(table) if table.at == Place::EveryLayer);
        (listed, is_later)
    };
    stack.sort_by_key(rank);
    stack
}

/// A learning rate: a number for a constant one, or a map with warm-up and either values and boundaries or a cosine.
///
/// # Errors
/// If it is none.
pub(super) fn rate<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Schedule, D::Error> {
    deserializer.deserialize_any(RateOrMap)
}

struct RateOrMap;

impl<'de> Visitor<'de> for RateOrMap {
    type Value = Schedule;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a learning rate, or a map {warmup, values, boundaries} or {warmup, cosine}")
    }

    fn visit_f64<E: Error>(self, rate: f64) -> Result<Schedule, E> {
        Schedule::new(0, vec![rate], Vec::new()).map_err(E::custom)
    }

    fn visit_u64<E: Error>(self, rate: u64) -> Result<Schedule, E> {
        self.visit_f64(rate as f64)
    }

    fn visit_i64<E: Error>(self, rate: i64) -> Result<Schedule, E> {
        self.visit_f64(rate as f64)
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<Schedule, M::Error> {
        Schedule::deserialize(MapAccessDeserializer::new(map))
    }
}

const LAST: &str = "last";

/// The step at which the primary metric is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReadAt {
    /// After the last step, on the test positions.
    #[default]
    Last,
    /// After this step, on the validation positions.
    Step(u64),
}

impl ReadAt {
    /// Whether it is read after the last step.
    #[must_use]
    pub const fn is_last(&self) -> bool {
        matches!(self, Self::Last)
    }
}

impl Serialize for ReadAt {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Last => serializer.serialize_str(LAST),
            Self::Step(step) => serializer.serialize_u64(*step),
        }
    }
}

impl<'de> Deserialize<'de> for ReadAt {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = NumberOrWord {
            expected: "`last` or the number of a step",
            number: |step| Some(Self::Step(step)),
            word: |word| (word == LAST).then_some(Self::Last),
        };
        written.read(deserializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stack(text: &str) -> Vec<EncodingConfig> {
        encodings(serde_yaml::Deserializer::from_str(text)).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn orders_that_cannot_matter_are_one() {
        assert_eq!(stack("[none, shaw]"), stack("shaw"));
        assert_eq!(stack("[shaw, {relative_bias: {share: pair}}]"), stack("[{relative_bias: {share: pair}}, shaw]"));
        assert_eq!(stack("[shaw, {absolute: {at: gate}}]"), stack("[{absolute: {at: gate}}, shaw]"));
        let [every, gate] = ["{absolute: {at: every_layer}}", "{absolute: {at: gate}}"];
        assert_eq!(stack(&format!("[{every}, {gate}]")), stack(&format!("[{gate}, {every}]")));
    }

    #[test]
    fn the_order_at_the_input_stays() {
        let [sum, gate] = ["{absolute: {at: input}}", "{absolute: {at: gate}}"];
        assert_ne!(stack(&format!("[{sum}, {gate}]")), stack(&format!("[{gate}, {sum}]")));
        assert_eq!(stack("[none, none]").len(), 2, "what is named twice is refused later");
    }
}
