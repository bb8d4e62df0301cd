//! The mask of illegal moves.

use serde::{Deserialize, Serialize};

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
        /// Never.
        None = "none",
    }
}
