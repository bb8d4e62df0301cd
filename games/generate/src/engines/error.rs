//! The errors of engines.

use std::io;
use std::path::PathBuf;

/// Why an engine cannot be used, or no longer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The program cannot be started.
    #[error(
        "cannot start the engine {}: {source} (`make engines` installs stockfish and fairy-stockfish in /usr/games)",
        program.display()
    )]
    Start {
        /// The program.
        program: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The program has no such option.
    #[error("the engine {engine} has no option \"{option}\"{}; it has: {known}", meant(near))]
    UnknownOption {
        /// The engine's name.
        engine: String,
        /// What was asked for.
        option: String,
        /// An option with a similar name.
        near: Option<String>,
        /// The names of all its options.
        known: String,
    },
    /// An option that would make games depend on chance.
    #[error("the option {option}={value} would make games differ from run to run: {remedy}")]
    NotReproducible {
        /// The option.
        option: String,
        /// Its value.
        value: String,
        /// What to do instead.
        remedy: &'static str,
    },
    /// The program ended by itself.
    #[error("the engine {engine} ended while it should {task}{}", said(words))]
    Ended {
        /// The engine's name, or its program before it has told one.
        engine: String,
        /// What it should have done.
        task: &'static str,
        /// Its last line on stderr, else on stdout.
        words: String,
    },
    /// The program did not answer in time.
    #[error("the engine {engine} did not {task} within {seconds} s{} (--timeout gives it longer)", said(words))]
    Silent {
        /// The engine's name, or its program before it has told one.
        engine: String,
        /// What it should have done.
        task: &'static str,
        /// How long it had.
        seconds: u64,
        /// Its last line on stderr, else on stdout.
        words: String,
    },
}

impl EngineError {
    /// Whether starting the engine once more is of no use.
    #[must_use]
    pub fn is_final(&self) -> bool {
        !matches!(self, Self::Ended { .. } | Self::Silent { .. })
    }
}

fn meant(near: &Option<String>) -> String {
    near.as_ref().map_or_else(String::new, |near| format!(" (did you mean \"{near}\"?)"))
}

fn said(words: &str) -> String {
    if words.is_empty() { String::new() } else { format!("; its last output: \"{}\"", words.escape_debug()) }
}
