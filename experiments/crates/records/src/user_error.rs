//! The error of everything that a person must act on.

/// An error that a person must act on: its place, the problem, and the remedy.
///
/// ```
/// # use records::UserError;
/// let error = UserError::new("no cell has seed=7", "the seeds are 0 and 1").at("--only");
/// assert_eq!(error.to_string(), "--only: no cell has seed=7; the seeds are 0 and 1");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}{}{help}", prefix(place), if message.contains('\n') { "\n  help: " } else { "; " })]
pub struct UserError {
    /// A file, key or option; empty where the message names it.
    pub place: String,
    pub message: String,
    pub help: String,
}

impl UserError {
    pub fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { place: String::new(), message: message.into(), help: help.into() }
    }

    pub fn at(self, place: impl Into<String>) -> Self {
        Self { place: place.into(), ..self }
    }
}

fn prefix(place: &str) -> String {
    if place.is_empty() { String::new() } else { format!("{place}: ") }
}
