//! Options of heads that no file of one head has.

use crate::config::is_default;
use serde::{Deserialize, Serialize};

/// A head without options.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoOptions {}

/// Sizes of the policy heads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolicyConfig {
    /// Width of the embedding from which queries and keys are made; the network's width by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub embedding: Option<usize>,
    /// Width of queries and keys; the network's width by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<usize>,
    /// What is added to the logits, where the vocabulary is one of planes.
    #[serde(default, skip_serializing_if = "is_default")]
    pub plane_bias: PlaneBias,
}

/// The biases of a policy over planes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlaneBias {
    /// A number for each move, as dlshogi has them: a source of position.
    #[default]
    PerMove,
    /// A number for each class of moves, the same on all squares.
    PerClass,
}
