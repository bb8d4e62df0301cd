//! The refinement pass.

use super::defaults::{is_unit, unit};
use super::error::ModelError;
use serde::{Deserialize, Serialize};

/// Within these a masked logit stays a finite number of f32.
const LOWEST_TEMPERATURE: f64 = 0.01;
const HIGHEST_TEMPERATURE: f64 = 100.0;

/// The configuration of a refinement pass.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RefinementConfig {
    /// The number of refined moves; 3 by default, as in the text.
    pub moves: usize,
    /// The first pass's logits are divided by it before they become the probabilities in the candidates' tokens.
    #[serde(skip_serializing_if = "is_unit")]
    pub temperature: f64,
}

impl Default for RefinementConfig {
    fn default() -> Self {
        Self { moves: 3, temperature: unit() }
    }
}

impl RefinementConfig {
    pub(super) fn check(self, has_policy: bool, is_new_embedding: bool) -> Result<(), ModelError> {
        if !(LOWEST_TEMPERATURE..=HIGHEST_TEMPERATURE).contains(&self.temperature) {
            let wanted = "0.01 to 100; 1 leaves the probabilities as they are";
            return Err(ModelError::out_of_range("refinement.temperature", self.temperature, wanted));
        }
        match self.moves {
            2..=5 if !has_policy => Err(ModelError::RefinementWithoutPolicy),
            2..=5 if is_new_embedding => Err(ModelError::RefinementInNewEmbedding),
            2..=5 => Ok(()),
            other => Err(ModelError::out_of_range("refinement.moves", other, "2 to 5; the text's is 3")),
        }
    }
}
