//! What a run folder holds, as it is at this moment: the one place where reports touch the disk.

use super::error::ReportError;
use records::folder::METRICS_FILE;
use records::machine::Revision;
use records::manifest;
use records::manifest::{DatasetFacts, MacsByPart, Session};
use records::plan::{Plan, Primary, Row};
use records::positions;
use records::positions::PositionRow;
use records::state::CellState;
use records::status::{Fingerprints, Status};
use records::step_times::StepTimes;
use records::{Failure, damage};
use records::{MetricLine, Part, lines};
use serde::Deserialize;
use spec::Weights;
use std::path::{Path, PathBuf};

/// A run folder.
#[derive(Debug)]
pub struct RunFolder {
    /// What it sets out to compare.
    pub plan: Plan,
    /// For every row of the plan, its cells in the order of the plan's seeds.
    pub cells: Vec<Vec<CellRecord>>,
    /// What steps cost, if that was measured.
    pub step_times: Option<StepTimes>,
    /// Folders of rows that the plan does not name: left by an earlier version of the experiment or of the code.
    pub strangers: Vec<String>,
}

/// One cell.
#[derive(Debug)]
pub struct CellRecord {
    /// Its seed.
    pub seed: u64,
    /// Where it stands.
    pub state: CellState,
    /// What its manifest says, once it has one.
    pub facts: Option<CellFacts>,
    /// What it measured, if it is done.
    pub result: Option<CellResult>,
}

/// What a report needs of a manifest; everything else may change between versions without harm to old runs.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct CellFacts {
    /// Under what it was trained.
    pub identity: Conditions,
    /// The data.
    pub dataset: DatasetFacts,
    /// The processes that trained it.
    pub sessions: Vec<Session>,
    /// What a forward pass costs.
    #[serde(default)]
    pub macs: Option<MacsByPart>,
    /// The program's version.
    #[serde(default)]
    pub posenc: Option<String>,
    /// The source that it was built of, where git knew it.
    #[serde(default)]
    pub revision: Option<Revision>,
    /// The resolved run.
    #[serde(default)]
    pub config: serde_json::Value,
}

/// Under what a cell was trained.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Conditions {
    /// The code's numerics version.
    pub numerics: u32,
    /// LibTorch's version.
    pub libtorch: String,
    /// The instruction set.
    pub instruction_set: String,
    /// Threads.
    pub threads: usize,
    /// The device.
    pub device: String,
    /// The element type.
    pub dtype: String,
}

/// What a finished cell measured.
#[derive(Debug, Clone, PartialEq)]
pub struct CellResult {
    /// The line from which the primary metric is read.
    pub primary: MetricLine,
    /// The last line of the test split; this and the next are of the same weights as the primary metric.
    pub test: MetricLine,
    /// The sample of the training split after the last step; cells of older versions have none.
    pub train_sample: Option<MetricLine>,
    /// The lines of the validation split, in order.
    pub validation: Vec<MetricLine>,
    /// What it can be recognised by.
    pub fingerprints: Option<Fingerprints>,
    folder: PathBuf,
}

impl RunFolder {
    /// Reads a run folder; its cells may be running.
    ///
    /// # Errors
    /// If it has no plan.
    pub fn read(dir: &Path) -> Result<Self, ReportError> {
        let plan = Plan::read(dir)?;
        let cell = |row: &Row, seed: &u64| CellRecord::read(&Plan::cell_dir(dir, row, *seed), *seed, &plan.primary);
        let cells = plan.rows.iter().map(|row| plan.seeds.iter().map(|seed| cell(row, seed)).collect()).collect();
        let strangers = strangers(dir, &plan);
        Ok(Self { cells, step_times: StepTimes::read(dir), strangers, plan })
    }
}

impl CellRecord {
    fn read(dir: &Path, seed: u64, primary: &Primary) -> Self {
        let facts = std::fs::read(dir.join(manifest::FILE)).ok().and_then(|text| serde_json::from_slice(&text).ok());
        let mut state = CellState::of(dir);
        let mut result = None;
        if state == CellState::Done {
            match CellResult::read(dir, primary) {
                Ok(read) => result = Some(read),
                Err(failure) => state = CellState::Failed(failure),
            }
        }
        Self { seed, state, facts, result }
    }
}

impl CellResult {
    fn read(dir: &Path, primary: &Primary) -> Result<Self, Failure> {
        let lines = lines::read(&dir.join(METRICS_FILE)).map_err(|error| damage::failure(&error))?;
        let lines: Vec<_> = lines.into_iter().filter(|line| line.weights.name() == primary.weights).collect();
        let last = |part: Part| lines.iter().rfind(|line| line.split == part).cloned();
        let test = last(Part::Test).ok_or_else(|| {
            Failure::error(format!("it is done but has no line of the test split with {} weights", primary.weights))
        })?;
        let primary = match primary.at {
            None => test.clone(),
            Some(step) => lines
                .iter()
                .rfind(|line| line.split == Part::Validation && line.step == step)
                .cloned()
                .ok_or_else(|| Failure::error(format!("it is done but has no validation line of step {step}")))?,
        };
        let train_sample = last(Part::TrainSample);
        let fingerprints = Status::read(dir).ok().flatten().and_then(|status| status.result);
        let validation = lines.into_iter().filter(|line| line.split == Part::Validation).collect();
        Ok(Self { primary, test, train_sample, validation, fingerprints, folder: dir.to_owned() })
    }
}

impl CellResult {
    /// What was measured on each test position with these weights; none where an older version trained the cell, or the
    /// file cannot be read.
    #[must_use]
    pub fn positions(&self, weights: &str) -> Option<Vec<PositionRow>> {
        let weights = [Weights::Raw, Weights::Averaged].into_iter().find(|known| known.name() == weights)?;
        positions::read(&self.folder.join(positions::file(weights))).ok()
    }
}

/// Folders with cells in them that the plan does not name, sorted.
fn strangers(dir: &Path, plan: &Plan) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(dir) else { return Vec::new() };
    let names = entries.filter_map(Result::ok).filter(|entry| entry.path().is_dir()).filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        let known = plan.rows.iter().any(|row| row.folder == name);
        let has_cells = std::fs::read_dir(entry.path()).is_ok_and(|mut cells| {
            cells.any(|cell| cell.is_ok_and(|c| c.file_name().to_string_lossy().starts_with("seed-")))
        });
        (!known && has_cells).then_some(name)
    });
    let mut names: Vec<_> = names.collect();
    names.sort_unstable();
    names
}
