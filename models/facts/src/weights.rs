//! Which weights of a cell are evaluated.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Weights {
    /// The weights of the step.
    #[default]
    Raw,
    /// Their average, as configured by `averaging`.
    Averaged,
}

impl Weights {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Raw => "raw",
            Self::Averaged => "averaged",
        }
    }

    /// Whether they are the weights of the step.
    pub const fn are_raw(&self) -> bool {
        matches!(self, Self::Raw)
    }
}
