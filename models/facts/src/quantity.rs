//! The quantity in which a matched control equals another row.

use serde::{Deserialize, Serialize};

/// The largest relative difference between a control and its goal.
pub const TOLERANCE: f64 = 0.01;

games::named! {
    /// The quantity in which a control equals another row.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Quantity {
        /// Parameters of the whole network, encodings and heads included.
        Params = "params",
        /// Floating-point operations of a forward pass of the whole network.
        Flops = "flops",
        /// The time of a training step.
        StepTime = "step_time",
    }
}

impl Quantity {
    /// Its name in a sentence.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Params => "params",
            Self::Flops => "FLOPs",
            Self::StepTime => "step time",
        }
    }
}
