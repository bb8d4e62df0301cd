//! A watched cell: its status, and the values of its metric lines so far.

use crate::curve::Curve;
use facts::{Primary, ReadAt};
use records::folder::METRICS_FILE;
use records::lines::Follower;
use records::status::Progress;
use records::{CellState, Failure, MetricLine, Part};
use std::path::PathBuf;

#[derive(Debug)]
pub(crate) struct LiveCell {
    dir: PathBuf,
    pub(crate) seed: u64,
    pub(crate) state: CellState,
    /// Completed steps, and the total (0 if unknown).
    pub(crate) progress: Progress,
    follower: Follower,
    pub(crate) values: MetricValues,
}

/// The values of a cell's metric lines.
#[derive(Debug, Default)]
pub(crate) struct MetricValues {
    pub(crate) curve: Curve,
    /// The primary metric, once it is measured.
    pub(crate) primary: Option<f64>,
    /// The same metric on the validation positions, the newest.
    pub(crate) validation: Option<f64>,
    pub(crate) loss: Option<f64>,
    pub(crate) positions_per_s: Option<f64>,
    /// Seconds of training and evaluation, over all its processes.
    pub(crate) spent_s: Option<f64>,
    step: u64,
}

/// How a cell ended, if it did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Open,
    Done,
    Failed,
}

impl LiveCell {
    pub(crate) fn new(dir: PathBuf, seed: u64) -> Self {
        let (state, progress) = (CellState::Pending, Progress::default());
        Self { dir, seed, state, progress, follower: Follower::default(), values: MetricValues::default() }
    }

    pub(crate) fn end(&self) -> End {
        match self.state {
            CellState::Done => End::Done,
            CellState::Failed(_) => End::Failed,
            _ => End::Open,
        }
    }

    pub(crate) fn is_running(&self) -> bool {
        matches!(self.state, CellState::Running(_))
    }

    /// Reads new lines. A finished cell does not change.
    pub(crate) fn refresh(&mut self, primary: &Primary) {
        if self.state == CellState::Done {
            return;
        }
        // The status before the lines: a finished cell has written all of them.
        self.state = CellState::of(&self.dir);
        if self.state == CellState::Pending {
            (self.follower, self.values, self.progress) =
                (Follower::default(), MetricValues::default(), Progress::default());
            return;
        }
        if let CellState::Running(progress) | CellState::Interrupted(progress) = self.state {
            self.progress = progress;
        }
        match self.follower.new_lines(&self.dir.join(METRICS_FILE)) {
            Ok(new) => {
                if new.from_start {
                    self.values = MetricValues::default();
                }
                new.lines.iter().for_each(|line| self.values.add(line, primary));
            }
            Err(error) if self.state == CellState::Done => self.state = CellState::Failed(Failure::damaged(&error)),
            // There are none yet, or the next attempt mends them.
            Err(_) => {}
        }
        self.progress.step = self.progress.step.max(self.values.step);
        if self.state == CellState::Done {
            self.progress.steps = self.progress.step;
        }
    }
}

impl MetricValues {
    fn add(&mut self, line: &MetricLine, primary: &Primary) {
        self.step = line.step;
        self.spent_s = Some(line.time.wall_s);
        if line.split == Part::Train {
            self.positions_per_s = Some(line.time.positions_per_s);
            self.loss = line.loss().or(self.loss);
            if let Some(loss) = line.loss() {
                self.curve.push(line.step, loss);
            }
            return;
        }
        let value = line.metrics.get(&primary.metric).filter(|value| value.is_finite());
        if line.weights != primary.weights || value.is_none() {
            return;
        }
        match (line.split, primary.at) {
            (Part::Test, ReadAt::Last) => self.primary = value,
            (Part::Validation, at) => {
                self.validation = value;
                if at == ReadAt::Step(line.step) {
                    self.primary = value;
                }
            }
            _ => {}
        }
    }
}
