//! `interactions:` as an experiment file writes it.

use super::super::setting::Setting;
use super::super::tree::Node;
use super::super::visitors::one_or_list;
use serde::Deserialize;
use serde::de::Deserializer;

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct InteractionEntry {
    /// Two values; the gap is the primary metric with the second less that with the first.
    #[serde(deserialize_with = "places")]
    pub(super) gap: Vec<VariedAxis>,
    /// Two values or more; the gap with each later one is compared with that of the first.
    #[serde(deserialize_with = "places")]
    pub(super) by: Vec<VariedAxis>,
}

impl InteractionEntry {
    /// All its values, with their settings.
    pub(crate) fn values(&self) -> impl Iterator<Item = (&Setting, &Node)> {
        let places = self.gap.iter().chain(&self.by);
        places.flat_map(|place| place.values.iter().map(move |value| (&place.axis, value)))
    }
}

/// The varied axes: one, or several whose values advance together.
fn places<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<VariedAxis>, D::Error> {
    one_or_list("a map {axis, values} or a list of such", deserializer)
}

/// An axis and the values that rows have there.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct VariedAxis {
    pub(super) axis: Setting,
    /// The values, as in `axes`.
    pub(super) values: Vec<Node>,
}
