//! The errors of engines.

use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    #[error(
        "cannot start the engine {}: {source} (`scripts/engines` installs stockfish and fairy-stockfish in /usr/games)",
        program.display()
    )]
    Start { program: PathBuf, source: io::Error },
    #[error("the engine {engine} has no option \"{option}\"{}; it has: {known}", suggestion(near))]
    UnknownOption { engine: String, option: String, near: Option<String>, known: String },
    /// An option that would make games irreproducible.
    #[error("the option {option}={value} would make games differ from run to run: {remedy}")]
    NotReproducible { option: String, value: String, remedy: &'static str },
    #[error("the engine {engine} ended while it should {task}{}", shown(last_output))]
    Ended {
        /// The engine's name, or its program before the handshake.
        engine: String,
        task: &'static str,
        /// Its last line on stderr, else on stdout.
        last_output: String,
    },
    #[error("the engine {engine} did not {task} within {seconds} s{}", shown(last_output))]
    Silent {
        /// The engine's name, or its program before the handshake.
        engine: String,
        task: &'static str,
        seconds: u64,
        /// Its last line on stderr, else on stdout.
        last_output: String,
    },
}

impl EngineError {
    /// Whether restarting the engine cannot help.
    pub fn is_final(&self) -> bool {
        !matches!(self, Self::Ended { .. } | Self::Silent { .. })
    }
}

fn suggestion(near: &Option<String>) -> String {
    near.as_ref().map_or_else(String::new, |near| format!(" (did you mean \"{near}\"?)"))
}

fn shown(output: &str) -> String {
    if output.is_empty() { String::new() } else { format!("; its last output: \"{}\"", output.escape_debug()) }
}
