//! Engines: external programs that answer on stdin and stdout, in UCI (chess) or USI (shogi).
//!
//! UCI: Meyer-Kahlen and Huber's protocol of 2006; USI: its translation to shogi, <http://shogidokoro.starfree.jp/usi.html>.
//!
//! An engine's output is untrusted: unknown lines are skipped, every wait has a timeout, and a program that exits or
//! stops answering is an error with its last output, never a panic. Moves come back as text; the caller checks their
//! legality.

mod client;
mod error;
mod info;
mod process;

pub use client::{Answer, Engine, EngineSearch, EngineSettings};
pub use error::EngineError;
pub use info::Lines;
pub(crate) use info::points;
