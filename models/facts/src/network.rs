//! The size of a network, and its position sources.

use serde::{Deserialize, Serialize};

/// A network's parameters by part, and its position sources.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NetworkFacts {
    /// Parameters of the input embedding and the body.
    pub trunk: usize,
    pub heads: usize,
    /// Parameters of the position encodings.
    pub encoding: usize,
    /// The injection points that the encodings use, joined by `+`.
    #[serde(alias = "seams")]
    pub injection_points: String,
    /// The other sources of position.
    pub position_sources: Vec<String>,
}

impl NetworkFacts {
    /// Parameters of the whole network. Others write these numbers into plans, so they may be any.
    pub fn parameters(&self) -> usize {
        self.trunk.saturating_add(self.encoding).saturating_add(self.heads)
    }
}
