//! Weights of losses, by the names that heads give their losses.

use crate::yaml::visitors::reads;
use models::Loss;
use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::HashMap;
use std::sync::LazyLock;

/// Weights of the losses in their sum, one for every loss of every head. A loss whose head the network does not have plays
/// no part. The defaults stand with the heads: those of the Chessformer paper's Appendix B where it has the loss.
/// Inside are changes that name every loss.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LossWeights(LossChanges);

/// Weights of the losses that are named: in a phase of training those that differ while it lasts.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LossChanges(Vec<(&'static Loss, f64)>);

impl Default for LossWeights {
    fn default() -> Self {
        Self(LossChanges(Loss::all().iter().map(|&loss| (loss, loss.weight)).collect()))
    }
}

impl LossWeights {
    pub fn of(&self, loss: &Loss) -> f64 {
        self.0.of(loss).unwrap_or(loss.weight)
    }

    pub fn with(&self, changes: &LossChanges) -> Self {
        Self(LossChanges(self.0.iter().map(|(loss, own)| (loss, changes.of(loss).unwrap_or(own))).collect()))
    }
}

impl LossChanges {
    /// The weight that a loss is given, if it is given one.
    pub fn of(&self, loss: &Loss) -> Option<f64> {
        self.0.iter().find(|(own, _)| *own == loss).map(|&(_, weight)| weight)
    }

    pub fn differing_from(&self, weights: &LossWeights) -> Self {
        Self(self.iter().filter(|(loss, weight)| *weight != weights.of(loss)).collect())
    }

    /// The losses that are named, with their weights.
    pub fn iter(&self) -> impl Iterator<Item = (&'static Loss, f64)> {
        self.0.iter().copied()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Every loss and its place in the list, by its name.
static BY_NAME: LazyLock<HashMap<&'static str, (usize, &'static Loss)>> =
    LazyLock::new(|| Loss::all().iter().enumerate().map(|(place, &loss)| (loss.name(), (place, loss))).collect());

fn names() -> &'static [&'static str] {
    static NAMES: LazyLock<Vec<&'static str>> = LazyLock::new(|| Loss::all().iter().map(|loss| loss.name()).collect());
    &NAMES
}

impl Serialize for LossChanges {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter().map(|(loss, weight)| (loss.name(), weight)))
    }
}

impl<'de> Deserialize<'de> for LossWeights {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self::default().with(&LossChanges::deserialize(deserializer)?))
    }
}

impl<'de> Deserialize<'de> for LossChanges {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_struct("LossWeights", names(), Named)
    }
}

struct Named;

impl<'de> Visitor<'de> for Named {
    reads! { LossChanges, "weights of losses by name" }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<LossChanges, A::Error> {
        let mut changes = LossChanges::default();
        while let Some(name) = map.next_key::<String>()? {
            let (_, loss) = *BY_NAME.get(&*name).ok_or_else(|| A::Error::unknown_field(&name, names()))?;
            if changes.of(loss).is_some() {
                return Err(A::Error::duplicate_field(loss.name()));
            }
            changes.0.push((loss, map.next_value()?));
        }
        // The order in which they are written decides nothing.
        changes.0.sort_by_cached_key(|(loss, _)| BY_NAME[loss.name()].0);
        Ok(changes)
    }
}
