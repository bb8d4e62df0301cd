//! Why there is no report.

use arrow_schema::ArrowError;
use facts::metrics::UnknownMetric;
use parquet::errors::ParquetError;
use records::RecordError;
use records::lines::ReadError;
use records::plan::PlanError;
use std::io;

/// Why there is no report. A cell that cannot be read is a failed cell of the report, not an error.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The folder is not a run folder.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The record of the trials cannot be read.
    #[error(transparent)]
    Tuning(#[from] RecordError),
    /// The primary metric does not exist in this version.
    #[error("the grid's primary metric cannot be read: {0}; use the version of posenc that wrote the run folder")]
    Metric(UnknownMetric),
    /// The margin that was asked for is of another metric.
    #[error("a margin of {metric} judges nothing: the verdicts of this grid are about {primary}; write {primary}=SIZE")]
    Margin {
        /// The metric of the margin.
        metric: String,
        /// The metric of the verdicts.
        primary: String,
    },
}

/// Not by `#[from]`, which would name the cause in the text and once more as its source.
impl From<UnknownMetric> for ReportError {
    fn from(cause: UnknownMetric) -> Self {
        Self::Metric(cause)
    }
}

/// Why a table of curves cannot be made. A cell that cannot be read is an error here: other programs would not notice it.
#[derive(Debug, thiserror::Error)]
pub enum CurvesError {
    /// The folder is not a run folder.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The metrics of a cell cannot be read.
    #[error(transparent)]
    Metrics(#[from] ReadError),
    /// The table cannot be written.
    #[error("cannot write the table of curves: {0}; check the disk or the program that reads it")]
    Write(#[from] io::Error),
    /// The table cannot be written as Parquet.
    #[error("cannot write the table of curves as Parquet: {0}; check the disk or the program that reads it")]
    Parquet(#[from] ParquetError),
    /// The columns do not make a table.
    #[error("cannot make the table of curves: {0}; please report this")]
    Arrow(#[from] ArrowError),
}
