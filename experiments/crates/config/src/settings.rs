//! What experiment files may say: the settings of a run and the keys beside them.

pub(crate) mod base;
pub mod data;
pub mod evaluate;
pub(crate) mod file;
pub mod losses;
pub(crate) mod phase;
pub mod pictures;
pub mod precision;
pub(crate) mod preset;
pub mod run;
pub mod setting;
pub mod start_weights;
pub(crate) mod tune;
