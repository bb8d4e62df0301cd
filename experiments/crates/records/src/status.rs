//! The status of a cell: `status.json`, replaced atomically, and the lock.

use crate::atomic;
use crate::failure::{Failure, FailureKind};
use crate::files::{RecordError, read_json};
use crate::folder::METRICS_FILE;
use crate::lock::CellLock;
use crate::{lines, manifest};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::Path;

pub const FILE: &str = "status.json";

games::named! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum State {
        /// A process trains it, or did and was killed.
        Running = "running",
        Done = "done",
        Failed = "failed",
        /// Stopped by a signal, at a checkpoint.
        Interrupted = "interrupted",
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Status {
    pub state: State,
    pub step: u64,
    pub steps: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The kind of the failure; not in cells of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<FailureKind>,
    /// Whether a failed cell can resume from its last checkpoint once the cause is removed (a full disk); a loss that is
    /// not finite would come again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub resumable: bool,
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
    /// Whether two cells agree in all hashes that both recorded.
    pub fn agree(&self, other: &Self) -> bool {
        let metrics = self.metrics.as_ref().zip(other.metrics.as_ref());
        self.weights == other.weights
            && self.batches == other.batches
            && metrics.is_none_or(|(own, other)| own == other)
    }
}

impl Status {
    pub fn new(state: State, step: u64, steps: u64) -> Self {
        Self { state, step, steps, error: None, kind: None, resumable: false, result: None }
    }

    pub fn with_failure(self, Failure { kind, cause }: Failure) -> Self {
        Self { error: Some(cause), kind: Some(kind), ..self }
    }

    /// The recorded failure. Older versions recorded no kind: it follows from the text.
    pub fn failure(&self) -> Failure {
        let cause = self.error.as_deref().unwrap_or("it did not say why");
        if let Some(kind) = self.kind { Failure { kind, cause: cause.to_owned() } } else { Failure::from_text(cause) }
    }

    /// Reads the status of a cell's folder; `None` if it never started.
    pub fn read(cell: &Path) -> Result<Option<Self>, RecordError> {
        read_json(&cell.join(FILE))
    }

    pub fn write(&self, cell: &Path) -> io::Result<()> {
        let mut text = serde_json::to_vec(self)?;
        text.push(b'\n');
        atomic::replace(&cell.join(FILE), &text)
    }
}

/// The status of a cell, from its status file and its lock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CellState {
    Pending,
    Running(Progress),
    /// It stopped at a checkpoint, or its process was killed; the next run resumes it.
    Interrupted(Progress),
    Done,
    Failed(Failure),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    pub step: u64,
    /// The total; 0 until the cell has recorded it.
    pub steps: u64,
}

impl CellState {
    /// The folder need not exist. The lock distinguishes a running cell from one whose process was killed.
    pub fn of(dir: &Path) -> Self {
        let unreadable = |damage: RecordError| {
            Some(Status::new(State::Failed, 0, 0).with_failure(Failure::from_text(&damage.to_string())))
        };
        Self::seen(|| CellLock::is_held(dir), || Status::read(dir).unwrap_or_else(unreadable))
    }

    /// Looks at the lock before and after the status: the cell may end, or begin, in between.
    fn seen(is_locked: impl Fn() -> bool, status: impl FnOnce() -> Option<Status>) -> Self {
        let was_locked = is_locked();
        let status = status();
        let progress = status
            .as_ref()
            .map_or_else(Progress::default, |status| Progress { step: status.step, steps: status.steps });
        match status {
            Some(Status { state: State::Done, .. }) => Self::Done,
            _ if was_locked || is_locked() => Self::Running(progress),
            Some(status) if status.state == State::Failed => Self::Failed(status.failure()),
            Some(_) => Self::Interrupted(progress),
            None => Self::Pending,
        }
    }

    /// Why a cell that is done is damaged: its metrics are not those that it recorded, or its manifest is missing. `None` if it is
    /// not, and for cells that are not done. Weights are not compared.
    pub fn damage(&self, dir: &Path) -> Option<Failure> {
        if *self != Self::Done {
            return None;
        }
        let missing = || Failure::damaged_after_finish(&format!("{} is missing", manifest::FILE));
        Self::damage_of_metrics(dir).or_else(|| (!dir.join(manifest::FILE).is_file()).then(missing))
    }

    /// Why the metrics of a finished cell are not those that it recorded. Cells of older versions recorded no hash: theirs are read.
    pub fn damage_of_metrics(dir: &Path) -> Option<Failure> {
        let metrics = dir.join(METRICS_FILE);
        let recorded = Status::read(dir).ok().flatten().and_then(|status| status.result?.metrics);
        if recorded.is_some() && lines::hash(&metrics).ok() == recorded {
            return None;
        }
        let other =
            || Failure::damaged_after_finish(&format!("{METRICS_FILE} has another hash than the cell recorded"));
        match lines::read(&metrics) {
            Err(error) => Some(Failure::damaged(&error)),
            Ok(_) => recorded.is_some().then(other),
        }
    }

    /// Whether it is done, or failed.
    pub const fn has_ended(&self) -> bool {
        matches!(self, Self::Done | Self::Failed(_))
    }

    /// Whether a further run would not change it: it is done, or would fail again in the same way.
    pub fn is_final(&self) -> bool {
        match self {
            Self::Failed(failure) => failure.kind.is_final(),
            state => *state == Self::Done,
        }
    }

    /// It in a word; the first letters differ.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Running(_) => "running",
            Self::Interrupted(_) => "interrupted",
            Self::Done => "done",
            Self::Failed(_) => "failed",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_that_ends_or_begins_between_two_looks_is_not_interrupted() {
        for changes_after in 0..4 {
            let looks = std::cell::Cell::new(0);
            let has_changed = || looks.replace(looks.get() + 1) >= changes_after;
            let status = |is_done: bool| Status::new(if is_done { State::Done } else { State::Running }, 1, 2);
            let ending = CellState::seen(|| !has_changed(), || Some(status(has_changed())));
            looks.set(0);
            let beginning = CellState::seen(has_changed, || has_changed().then(|| status(false)));
            assert!(![ending, beginning].iter().any(|state| state.word() == "interrupted"), "{changes_after}");
        }
    }

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
