//! The mask of illegal moves.

use serde::{Deserialize, Serialize};

/// When illegal moves are masked out of the policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mask {
    /// In training and evaluation. The mask hands the network the rules' geometry: a position source.
    #[default]
    Train,
    /// In evaluation only.
    Eval,
    /// Never.
    None,
}

impl Mask {
    /// Its name in YAML.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Train => "train",
            Self::Eval => "eval",
            Self::None => "none",
        }
    }
}
