//! Which weights of a cell are evaluated.

use serde::{Deserialize, Serialize};

games::named! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Weights {
        /// The weights of the step.
        #[default]
        Raw = "raw",
        /// Their average, as configured by `averaging`.
        Averaged = "averaged",
    }
}

impl Weights {
    /// Whether they are the weights of the step.
    pub const fn are_raw(&self) -> bool {
        matches!(self, Self::Raw)
    }
}
