//! The output of a running grid on stderr: bars on a terminal, plain lines elsewhere.
//!
//! No colours are used, so `NO_COLOR` has no effect.

mod bars;
mod observer;
mod plain;

pub use bars::Bars;
pub use observer::Observer;
pub use plain::Plain;

use super::task::Task;
use std::io::{self, IsTerminal as _};

/// Bars if stderr is a terminal, else plain lines.
pub fn on_stderr(tasks: &[Task]) -> Box<dyn Observer> {
    if io::stderr().is_terminal() { Box::new(Bars::new(tasks)) } else { Box::new(Plain::new(tasks, io::stderr())) }
}
