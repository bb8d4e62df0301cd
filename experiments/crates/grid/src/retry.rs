//! Cells of a run folder that can be retried, found by their state, without the experiment's file.

use super::task::Task;
use records::damage;
use records::failure::Failure;
use records::folder::CONFIG_FILE;
use records::plan::{Plan, PlanError};
use records::status::CellState;
use std::path::Path;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RetryFilter {
    pub failed: bool,
    pub interrupted: bool,
}

#[derive(Debug, Default)]
pub struct RetryPlan {
    /// Cells, in the order in which they run.
    pub tasks: Vec<Task>,
    /// Finished cells whose metrics are unreadable, and why; they can be retried after their folder is renamed.
    pub damaged: Vec<(Task, Failure)>,
    /// Cells that would fail again in the same way, and why.
    pub permanent: Vec<(String, Failure)>,
    /// The number of cells that another process trains.
    pub running: usize,
}

/// Finds the cells of a run folder.
pub fn find(run_dir: &Path, filter: RetryFilter) -> Result<RetryPlan, PlanError> {
    let plan = Plan::read(run_dir)?;
    let mut retry = RetryPlan::default();
    for (row, seed) in plan.seeds.iter().flat_map(|&seed| plan.rows.iter().map(move |row| (row, seed))) {
        let dir = Plan::cell_dir(run_dir, row, seed);
        let label = row.folder.rsplit_once('-').map_or(&row.folder[..], |(label, _)| label);
        let name = format!("{label} seed {seed}");
        match CellState::of(&dir) {
            CellState::Running(_) => retry.running += 1,
            CellState::Failed(failure) if filter.failed && failure.kind.is_final() => {
                retry.permanent.push((name, failure));
            }
            CellState::Failed(_) if filter.failed => retry.tasks.push(Task { name, dir }),
            CellState::Done if filter.failed => {
                retry.damaged.extend(damage::of_finished(&dir).map(|failure| (Task { name, dir }, failure)));
            }
            CellState::Interrupted(_) if filter.interrupted => retry.tasks.push(Task { name, dir }),
            _ => {}
        }
    }
    retry.tasks.retain(|task| task.dir.join(CONFIG_FILE).exists());
    Ok(retry)
}
