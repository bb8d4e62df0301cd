//! The refinement pass.

use super::error::ModelError;
use serde::{Deserialize, Serialize};

/// The configuration of a refinement pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RefinementConfig {
    /// The number of refined moves; 3 by default, as in the text.
    pub moves: usize,
}

impl Default for RefinementConfig {
    fn default() -> Self {
        Self { moves: 3 }
    }
}

impl RefinementConfig {
    pub(super) fn check(self, has_policy: bool, is_new_embedding: bool) -> Result<(), ModelError> {
        match self.moves {
            2..=5 if !has_policy => Err(ModelError::RefinementWithoutPolicy),
            2..=5 if is_new_embedding => Err(ModelError::RefinementInNewEmbedding),
            2..=5 => Ok(()),
            other => Err(ModelError::RefinedMoves(other)),
        }
    }
}
