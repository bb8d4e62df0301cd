//! The status of every cell of a grid, read from the cells' files.

use config::{Role, RunConfig};
use records::folder::{CONFIG_FILE, METRICS_FILE};
use records::plan::Row;
use records::status::Progress;
use records::time_left::{self, Work};
use records::{CellState, MetricLine, Part, Plan, Status, UserError, files, manifest};
use std::path::Path;

#[derive(Debug, Clone, PartialEq)]
pub struct Overview {
    pub experiment: String,
    /// In the order in which they run: all rows of the first seed first.
    pub cells: Vec<CellView>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct CellView {
    pub row: String,
    pub seed: u64,
    pub twin: bool,
    pub state: CellState,
    /// Completed steps, and the total (0 if unknown).
    pub progress: Progress,
    pub loss: Option<f64>,
    /// Training positions per second, from the newest training line.
    pub positions_per_s: Option<f64>,
    /// Seconds of training and evaluation so far, over all its processes.
    pub spent_s: Option<f64>,
    pub left_s: Option<f64>,
}

impl CellView {
    pub fn name(&self) -> String {
        format!("{} seed {}", self.row, self.seed)
    }
}

impl Overview {
    pub fn of(run_dir: &Path) -> Result<Self, UserError> {
        let plan = Plan::of_run_folder(run_dir)?;
        let mut cells: Vec<CellView> =
            plan.cells(run_dir).map(|(row, seed, dir)| cell(&dir, row, seed, plan.smoke)).collect();
        estimate(&mut cells);
        Ok(Self { experiment: plan.experiment, cells })
    }

    pub fn count(&self, is: impl Fn(&CellState) -> bool) -> usize {
        self.cells.iter().filter(|cell| is(&cell.state)).count()
    }

    pub fn running(&self) -> usize {
        self.count(|state| matches!(state, CellState::Running(_)))
    }

    /// Estimated seconds until the last cell ends with the current number of running cells; `None` if no cell runs or
    /// no speed is known.
    pub fn left_s(&self) -> Option<f64> {
        time_left::of_grid(self.cells.iter().map(|cell| (&cell.state, cell.left_s)))
    }
}

/// A smoke run's cells take fewer steps than in their configuration.
fn cell(dir: &Path, row: &Row, seed: u64, smoke: bool) -> CellView {
    let mut state = CellState::of(dir);
    let (step, steps) = match Status::read(dir).ok().flatten() {
        Some(status) if status.steps > 0 => (status.step, status.steps),
        _ if smoke => (0, 0),
        _ => (0, RunConfig::read(&dir.join(CONFIG_FILE)).map_or(0, |run| run.train.steps)),
    };
    let lines = latest_lines(&dir.join(METRICS_FILE));
    // Reads only the end of the file; reports compare its hash.
    let is_whole = !lines.damaged
        && lines.any.as_ref().is_some_and(|line| line.step == step)
        && dir.join(manifest::FILE).is_file();
    if !is_whole {
        state = state.damage(dir).map_or(state, CellState::Failed);
    }
    let of = |value: fn(&MetricLine) -> Option<f64>| lines.train.as_ref().and_then(value);
    CellView {
        row: row.display_name_with_game(),
        seed,
        twin: row.role == Role::Twin,
        progress: Progress { step: step.max(lines.any.as_ref().map_or(0, |line| line.step)), steps },
        loss: of(MetricLine::loss),
        positions_per_s: of(|line| Some(line.time.positions_per_s).filter(|&speed| speed > 0.0)),
        spent_s: lines.any.as_ref().map(|line| line.time.wall_s),
        left_s: None,
        state,
    }
}

fn estimate(cells: &mut [CellView]) {
    let work = cells.iter().map(|cell| Work {
        row: &cell.row,
        state: &cell.state,
        progress: cell.progress,
        spent_s: cell.spent_s,
    });
    let left = time_left::of_cells(&work.collect::<Vec<_>>());
    cells.iter_mut().zip(left).for_each(|(cell, left_s)| cell.left_s = left_s);
}

/// Bytes read at the end: about twenty lines with the metrics of every head.
const TAIL: u64 = 1 << 16;

#[derive(Debug, Default)]
struct LatestLines {
    any: Option<MetricLine>,
    train: Option<MetricLine>,
    /// Whether the last complete line, or the file itself, cannot be read.
    damaged: bool,
}

/// The newest lines of a `metrics.jsonl`, read from its end; none if the file is missing. Unreadable lines are skipped.
fn latest_lines(path: &Path) -> LatestLines {
    let tail = files::tail(path, 0, TAIL).unwrap_or_default();
    let complete = tail.rsplit_once('\n').map_or("", |(lines, _)| lines);
    let damaged = complete.lines().next_back().is_none_or(|line| serde_json::from_str::<MetricLine>(line).is_err());
    let mut latest = LatestLines { damaged, ..LatestLines::default() };
    for line in tail.lines().rev() {
        let Ok(line) = serde_json::from_str::<MetricLine>(line) else { continue };
        if line.split == Part::Train && latest.train.is_none() {
            latest.train = Some(line.clone());
        }
        latest.any.get_or_insert(line);
        if latest.train.is_some() {
            break;
        }
    }
    latest
}
