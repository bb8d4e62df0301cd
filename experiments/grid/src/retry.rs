//! Cells of a run folder that are to be tried again, found by their state: the experiment's file is not needed.

use super::task::Task;
use records::damage;
use records::failure::Failure;
use records::folder::CONFIG_FILE;
use records::plan::{Plan, PlanError};
use records::state::CellState;
use std::path::Path;

/// Which cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Which {
    /// Those that failed.
    pub failed: bool,
    /// Those that were interrupted.
    pub interrupted: bool,
}

/// What there is to try again.
#[derive(Debug, Default)]
pub struct Again {
    /// Cells, in the order in which they run.
    pub tasks: Vec<Task>,
    /// Finished cells whose numbers cannot be read, and why; they are tried again when they are put aside.
    pub damaged: Vec<(Task, Failure)>,
    /// Cells whose failure would come again to the bit, and why.
    pub hopeless: Vec<(String, Failure)>,
    /// Cells that another process trains.
    pub running: usize,
}

/// Finds the cells of a run folder.
///
/// # Errors
/// If it has no plan.
pub fn find(run_dir: &Path, which: Which) -> Result<Again, PlanError> {
    let plan = Plan::read(run_dir)?;
    let mut again = Again::default();
    for (row, seed) in plan.seeds.iter().flat_map(|&seed| plan.rows.iter().map(move |row| (row, seed))) {
        let dir = Plan::cell_dir(run_dir, row, seed);
        let label = row.folder.rsplit_once('-').map_or(&row.folder[..], |(label, _)| label);
        let name = format!("{label} seed {seed}");
        match CellState::of(&dir) {
            CellState::Running(_) => again.running += 1,
            CellState::Failed(failure) if which.failed && failure.kind.is_final() => {
                again.hopeless.push((name, failure));
            }
            CellState::Failed(_) if which.failed => again.tasks.push(Task { name, dir }),
            CellState::Done if which.failed => {
                again.damaged.extend(damage::of_finished(&dir).map(|failure| (Task { name, dir }, failure)));
            }
            CellState::Interrupted(_) if which.interrupted => again.tasks.push(Task { name, dir }),
            _ => {}
        }
    }
    again.tasks.retain(|task| task.dir.join(CONFIG_FILE).exists());
    Ok(again)
}
