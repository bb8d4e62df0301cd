//! Facts about a row of a grid: its role, its mask, its network, and the quantity in which a control is matched.

use serde::{Deserialize, Serialize};

games::named! {
    /// The role of a row in the comparison of its game.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Role {
        /// A row that is compared with the reference.
        Compared = "compared",
        /// A row that differences are taken against.
        Reference = "reference",
        /// A reference with other parameter streams: the A/A control.
        Twin = "twin",
    }
}

games::named! {
    /// When illegal moves are masked out of the policy.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Mask {
        /// In training and evaluation. The mask hands the network the rules' geometry: a position source.
        #[default]
        Train = "train",
        /// In evaluation only.
        Eval = "eval",
        None = "none",
    }
}

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
    pub const fn words(self) -> &'static str {
        match self {
            Self::Params => "params",
            Self::Flops => "FLOPs",
            Self::StepTime => "step time",
        }
    }
}
