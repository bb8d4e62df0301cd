//! Datasets without records: positions with exact labels, which need no engine.

pub mod probe;
