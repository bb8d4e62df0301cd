//! The errors of a probe.

use dataset::DatasetError;

/// Why no dataset was made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProbeError {
    /// An option has an invalid value.
    #[error("{option}: {reason}")]
    Option {
        option: &'static str,
        /// What is wrong and what to do.
        reason: String,
    },
    /// The dataset cannot be written.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
}
