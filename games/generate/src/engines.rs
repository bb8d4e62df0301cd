//! Engines: programs beside this one that answer on stdin and stdout, in UCI (chess) or USI (shogi).
//!
//! What an engine says is bytes from outside: lines that mean nothing are passed over, every wait has an end, and a
//! program that dies or falls silent is an error with its last output, never a panic. Moves come back as text; whether
//! they are legal is for the caller's rules to say.

mod client;
mod error;
mod info;
mod process;
mod protocol;

pub use client::{Answer, Engine, EngineSettings, Search};
pub use error::EngineError;
pub use info::Lines;
pub(crate) use info::points;
pub use protocol::Protocol;
