//! The primary metric.

use super::read_at::ReadAt;
use super::weights::Weights;
use serde::{Deserialize, Serialize};

/// The metric that verdicts are about, as a plan stores it: without a step, it is read after the last one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Primary {
    /// Its name; whether more or less of it is better belongs to the metric.
    pub metric: String,
    #[serde(default, skip_serializing_if = "ReadAt::is_last")]
    pub at: ReadAt,
    pub weights: Weights,
    /// A difference that matters: reports name the number of seeds needed to detect it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difference: Option<f64>,
}
