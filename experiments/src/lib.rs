//! The room that knows YAML, the disk and the clock: experiments are read, expanded into cells, trained, logged,
//! compared. Nothing imports this crate; the binary is `posenc`.

pub mod bundle;
pub mod commands;
pub mod config;
pub mod engines;
pub mod generate;
pub mod grid;
pub mod import_net;
pub mod inspect;
pub mod pictures;
pub mod report;
pub mod sinks;
pub mod table;
pub mod train;
