//! Why there is no report.

use records::plan::PlanError;
use spec::metrics::UnknownMetric;

/// Why there is no report. A cell that cannot be read is a row that says so, not an error.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The folder is no run folder.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The primary metric does not exist in this version.
    #[error("the grid's primary metric cannot be read: {0}; use the version of posenc that wrote the run folder")]
    Metric(UnknownMetric),
}

/// Not by `#[from]`, which would name the cause in the text and once more as its source.
impl From<UnknownMetric> for ReportError {
    fn from(cause: UnknownMetric) -> Self {
        Self::Metric(cause)
    }
}
