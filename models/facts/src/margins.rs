//! Sizes by metric: `equivalent_within:`, below which a difference does not matter, and `floor:`, below which no network goes.

use super::metrics;
use super::numbers::above_zero;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;

/// Margins or floors by metric, each in the unit of its metric: `{policy_loss: 0.02}`. Rows whose difference lies inside a margin
/// with enough certainty are equivalent. There is no default.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Margins(BTreeMap<String, f64>);

impl Margins {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn of(&self, metric: &str) -> Option<f64> {
        self.0.get(metric).copied()
    }

    pub fn metrics(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

impl<'de> Deserialize<'de> for Margins {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let read = BTreeMap::<Name, Size>::deserialize(deserializer)?;
        Ok(Self(read.into_iter().map(|(Name(metric), Size(size))| (metric, size)).collect()))
    }
}

#[derive(Deserialize)]
struct Size(#[serde(deserialize_with = "above_zero")] f64);

/// The name of a metric that verdicts can be about.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Name(String);

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let known = metrics::of_verdicts();
        if known.contains(&name.as_str()) { Ok(Self(name)) } else { Err(D::Error::unknown_field(&name, known)) }
    }
}

#[cfg(test)]
mod tests {
    use super::Margins;

    #[test]
    fn margins_are_stored_as_they_are_written_and_refused_where_they_mean_nothing() {
        let margins: Margins = serde_json::from_str(r#"{"policy_loss": 0.02}"#).expect("a margin");
        assert_eq!((margins.of("policy_loss"), margins.of("value_loss")), (Some(0.02), None));
        assert_eq!(serde_json::to_string(&margins).expect("JSON"), r#"{"policy_loss":0.02}"#);
        assert!(serde_json::from_str::<Margins>("{}").expect("none").is_empty());
        for wrong in [r#"{"policy_loss": 0}"#, r#"{"policy_loss": -1}"#, r#"{"policy_los": 1}"#, r#"{"positions": 1}"#]
        {
            assert!(serde_json::from_str::<Margins>(wrong).is_err(), "{wrong}");
        }
    }
}
