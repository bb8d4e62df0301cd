//! Values that an experiment may write in more than one way.
//!
//! They read straight from the document, without a buffer in between, so that errors keep their line and column.

use super::number_or_word::NumberOrWord;
use encodings::EncodingConfig;
use models::{OptimizerConfig, Schedule};
use serde::Serialize;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer, StrDeserializer};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// The encodings of one network: `shaw`, `{rope: {…}}`, or a list of such.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EncodingStack(pub Vec<EncodingConfig>);

impl<'de> Deserialize<'de> for EncodingStack {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OneOrList)
    }
}

struct OneOrList;

impl<'de> Visitor<'de> for OneOrList {
    type Value = EncodingStack;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an encoding or a list of encodings")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<EncodingStack, E> {
        EncodingConfig::deserialize(StrDeserializer::new(name)).map(|one| EncodingStack(vec![one]))
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<EncodingStack, M::Error> {
        EncodingConfig::deserialize(MapAccessDeserializer::new(map)).map(|one| EncodingStack(vec![one]))
    }

    fn visit_seq<S: SeqAccess<'de>>(self, seq: S) -> Result<EncodingStack, S::Error> {
        let list = Vec::<EncodingConfig>::deserialize(SeqAccessDeserializer::new(seq))?;
        if list.is_empty() {
            return Err(S::Error::custom("an empty list names no encoding; write `none` for no position at all"));
        }
        Ok(EncodingStack(list))
    }
}

/// An optimiser: its name (all options at their defaults), or a map of the name to options.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OptimizerChoice(pub OptimizerConfig);

impl<'de> Deserialize<'de> for OptimizerChoice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OptimizerNameOrMap)
    }
}

struct OptimizerNameOrMap;

impl<'de> Visitor<'de> for OptimizerNameOrMap {
    type Value = OptimizerChoice;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of an optimizer, or a map of it to its options")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<OptimizerChoice, E> {
        let defaults = serde_json::json!({ name: {} });
        OptimizerConfig::deserialize(defaults).map(OptimizerChoice).map_err(E::custom)
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<OptimizerChoice, M::Error> {
        OptimizerConfig::deserialize(MapAccessDeserializer::new(map)).map(OptimizerChoice)
    }
}

/// A learning rate: a number for a constant one, or a map with warm-up and either values and boundaries or a cosine.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RateChoice(pub Schedule);

impl<'de> Deserialize<'de> for RateChoice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RateOrMap)
    }
}

struct RateOrMap;

impl<'de> Visitor<'de> for RateOrMap {
    type Value = RateChoice;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a learning rate, or a map {warmup, values, boundaries} or {warmup, cosine}")
    }

    fn visit_f64<E: Error>(self, rate: f64) -> Result<RateChoice, E> {
        Schedule::new(0, vec![rate], Vec::new()).map(RateChoice).map_err(E::custom)
    }

    fn visit_u64<E: Error>(self, rate: u64) -> Result<RateChoice, E> {
        self.visit_f64(rate as f64)
    }

    fn visit_i64<E: Error>(self, rate: i64) -> Result<RateChoice, E> {
        self.visit_f64(rate as f64)
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<RateChoice, M::Error> {
        Schedule::deserialize(MapAccessDeserializer::new(map)).map(RateChoice)
    }
}

/// The step at which the primary metric is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadAt {
    /// After the last step, on the test positions.
    Last,
    /// After this step, on the validation positions.
    Step(u64),
}

impl<'de> Deserialize<'de> for ReadAt {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = NumberOrWord {
            expected: "`last` or the number of a step",
            number: |step| Some(Self::Step(step)),
            word: |word| (word == "last").then_some(Self::Last),
        };
        written.read(deserializer)
    }
}
