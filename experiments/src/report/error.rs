//! Why there is no report.

use crate::grid::plan::PlanError;
use crate::train::metrics::UnknownMetric;

/// Why there is no report. A cell that cannot be read is a row that says so, not an error.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The folder is no run folder.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The primary metric does not exist in this version.
    #[error("the grid's primary metric cannot be read: {0}")]
    Metric(#[from] UnknownMetric),
}
