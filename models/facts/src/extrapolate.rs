//! `extrapolate:`: a budget that is predicted before it is run.

use super::numbers::at_least_one;
use serde::{Deserialize, Serialize};

/// The budget whose losses are predicted from those of smaller budgets: `{to: 4096000}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Extrapolate {
    /// Training positions.
    #[serde(deserialize_with = "at_least_one")]
    pub to: u64,
}
