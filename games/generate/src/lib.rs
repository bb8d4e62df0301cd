//! Datasets without records: positions with exact labels, which need no engine.

mod error;
pub mod probe;

pub use error::ProbeError;
