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
    #[error(transparent)]
    Plan(#[from] PlanError),
    #[error(transparent)]
    Tuning(#[from] RecordError),
    #[error("the grid's primary metric cannot be read: {0}; use the version of posenc that wrote the run folder")]
    Metric(UnknownMetric),
    #[error("a margin of {metric} judges nothing: the verdicts of this grid are about {primary}; write {primary}=SIZE")]
    Margin { metric: String, primary: String },
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
    #[error(transparent)]
    Plan(#[from] PlanError),
    #[error(transparent)]
    Metrics(#[from] ReadError),
    #[error("cannot write the table of curves: {0}; check the disk or the program that reads it")]
    Write(#[from] io::Error),
    #[error("cannot write the table of curves as Parquet: {0}; check the disk or the program that reads it")]
    Parquet(#[from] ParquetError),
    #[error("cannot make the table of curves: {0}; please report this")]
    Arrow(#[from] ArrowError),
}

/// The cause itself, by which one knows a closed pipe.
impl From<csv::Error> for CurvesError {
    fn from(error: csv::Error) -> Self {
        match error.into_kind() {
            csv::ErrorKind::Io(cause) => Self::Write(cause),
            other => Self::Write(io::Error::other(format!("{other:?}"))),
        }
    }
}
