//! `status.json`: the status of a cell, replaced atomically.

use super::atomic;
use super::failure::{Failure, FailureKind};
use super::record_error::RecordError;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::Path;

/// The file's name in a cell's folder.
pub const FILE: &str = "status.json";

/// What a cell is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// A process trains it, or did and was killed.
    Running,
    Done,
    Failed,
    /// Stopped by a signal, at a checkpoint.
    Interrupted,
}

impl State {
    /// Its name, as in the file.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Interrupted => "interrupted",
        }
    }
}

/// The status of a cell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Status {
    pub state: State,
    pub step: u64,
    pub steps: u64,
    /// The cause of a failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The kind of the failure; not in cells of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<FailureKind>,
    /// Whether a failed cell can resume from its last checkpoint once the cause is removed (a full disk), rather than
    /// fail in the same way again (a loss that is not finite).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub resumable: bool,
    /// What a finished cell can be compared by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Fingerprints>,
}

/// Hashes by which two finished cells can be compared without their files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprints {
    /// BLAKE3 of the final weights, little-endian f32 in layout order.
    pub weights: String,
    /// BLAKE3 chain over all training batches: rows, moves and outcomes, step by step. Equal for cells that saw the
    /// same data in the same order.
    pub batches: String,
    /// BLAKE3 of the lines of `metrics.jsonl` without their times; not in cells of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metrics: Option<String>,
}

impl Fingerprints {
    /// Whether two cells agree in everything that both recorded.
    pub fn agree(&self, other: &Self) -> bool {
        let metrics = self.metrics.as_ref().zip(other.metrics.as_ref());
        self.weights == other.weights
            && self.batches == other.batches
            && metrics.is_none_or(|(own, other)| own == other)
    }
}

impl Status {
    /// A status with nothing but its state.
    pub fn new(state: State, step: u64, steps: u64) -> Self {
        Self { state, step, steps, error: None, kind: None, resumable: false, result: None }
    }

    /// The same with a failure.
    pub fn with_failure(self, Failure { kind, cause }: Failure) -> Self {
        Self { error: Some(cause), kind: Some(kind), ..self }
    }

    /// The failure that it records. Where an older version wrote it, its kind follows from its text.
    pub fn failure(&self) -> Failure {
        let cause = self.error.as_deref().unwrap_or("it did not say why");
        match self.kind {
            Some(kind) => Failure { kind, cause: cause.to_owned() },
            None => Failure::from_text(cause),
        }
    }

    /// Reads the status of a cell's folder; `None` if it never started.
    pub fn read(cell: &Path) -> Result<Option<Self>, RecordError> {
        RecordError::read_json(&cell.join(FILE))
    }

    /// Replaces the status of a cell's folder.
    pub fn write(&self, cell: &Path) -> io::Result<()> {
        let mut text = serde_json::to_vec(self)?;
        text.push(b'\n');
        atomic::replace(&cell.join(FILE), &text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_keeps_its_kind_which_follows_from_the_text_in_older_files() {
        let dir = tempfile::tempdir().unwrap();
        let failure =
            Failure { kind: FailureKind::Killed, cause: "signal SIGKILL; last line: out of memory".to_owned() };
        Status::new(State::Failed, 1, 2).with_failure(failure.clone()).write(dir.path()).unwrap();
        let text = std::fs::read_to_string(dir.path().join(FILE)).unwrap();
        assert!(text.contains(r#""error":"signal SIGKILL; last line: out of memory","kind":"killed""#), "{text}");
        assert_eq!(Status::read(dir.path()).unwrap().unwrap().failure(), failure);
        let older = |error: &str| {
            let text = format!(r#"{{"state":"failed","step":1,"steps":2,"error":"{error}"}}"#);
            serde_json::from_str::<Status>(&text).unwrap().failure()
        };
        assert_eq!(older("killed: signal SIGKILL; last line: out of memory"), failure);
        assert_eq!(older("step 7: the loss is not finite").kind, FailureKind::NotFinite);
        assert_eq!(Status::new(State::Failed, 1, 2).failure().kind, FailureKind::Error);
    }
}
