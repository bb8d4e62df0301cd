//! One line of `metrics.jsonl`.

use facts::Weights;
use serde::de::{MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// What was measured at one step on one split.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MetricLine {
    pub step: u64,
    pub split: Part,
    /// The weights that were evaluated; left out for raw weights.
    #[serde(default, skip_serializing_if = "Weights::are_raw")]
    pub weights: Weights,
    /// Epochs of the training positions seen by then.
    pub epochs: f64,
    /// The values, in the order of the registry ([`facts::metrics`]). A metric without meaning for the cell or
    /// without positions is left out.
    pub metrics: Metrics,
    /// What depends on the clock: no part of "the same bits".
    pub time: Time,
}

/// What a line looked at: a split of the dataset, and of the training split either the batches of the steps or a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Batches of the training split while they were trained on: means over the steps since the last such line.
    Train,
    /// A fixed sample of the training split, evaluated like test positions: what a train–test gap is taken to.
    TrainSample,
    Validation,
    Test,
}

impl Part {
    /// Its name in files and messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Train => "train",
            Self::TrainSample => "train_sample",
            Self::Validation => "validation",
            Self::Test => "test",
        }
    }
}

/// The part of a line that depends on the clock.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Time {
    /// When the line was written: seconds since 1970.
    pub unix_s: f64,
    /// Seconds that this process had trained and evaluated by then.
    pub wall_s: f64,
    /// Training positions a second since the last line of its split; on evaluations, evaluated ones.
    pub positions_per_s: f64,
}

/// Names and values, in order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Metrics(Vec<(String, f64)>);

impl Metrics {
    pub fn push(&mut self, name: &str, value: f64) {
        self.0.push((name.to_owned(), value));
    }

    /// The value of a name, if the line has it.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.0.iter().find(|(n, _)| n == name).map(|&(_, value)| value)
    }

    /// Names and values, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, f64)> {
        self.0.iter().map(|(name, value)| (name.as_str(), *value))
    }
}

impl Serialize for Metrics {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Metrics {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Metrics;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map from metric names to numbers")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Metrics, A::Error> {
                let mut metrics = Vec::new();
                while let Some(entry) = map.next_entry::<String, f64>()? {
                    metrics.push(entry);
                }
                Ok(Metrics(metrics))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}
