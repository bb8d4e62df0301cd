//! Finds the cells of a run folder that can be retried, and restarts damaged ones. The experiment's file is not needed.

use crate::prepare::write_config;
use crate::prune::refuse_links;
use crate::worker::Task;
use config::RunConfig;
use records::folder::CONFIG_FILE;
use records::{CellState, Failure, Plan, UserError, damage};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RetryFilter {
    pub failed: bool,
    pub interrupted: bool,
}

#[derive(Debug, Default)]
pub struct RetryPlan {
    /// Cells, in the order in which they run.
    pub tasks: Vec<Task>,
    /// Finished cells with unreadable metrics, and why; [`start_over`] prepares them for a retry.
    pub damaged: Vec<(Task, Failure)>,
    /// Cells that would fail again in the same way, and why.
    pub permanent: Vec<(String, Failure)>,
    /// Cells that another process trains.
    pub running: usize,
}

/// The cells of a run folder that can be retried. A cell with links out of the run folder is refused.
pub fn find(run_dir: &Path, filter: RetryFilter) -> Result<RetryPlan, UserError> {
    let plan = Plan::read(run_dir)?;
    let mut retry = RetryPlan::default();
    for (row, seed, dir) in plan.cells(run_dir) {
        refuse_links(run_dir, &dir)?;
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

/// The prefix of the name of a damaged cell's folder.
const PREFIX: &str = "damaged-";

/// Renames a cell's folder, so that its files are kept, and creates a new one with the same configuration. Returns the
/// renamed folder.
pub fn start_over(dir: &Path) -> io::Result<PathBuf> {
    let text = RunConfig::read_text(&dir.join(CONFIG_FILE))?;
    let name = dir.file_name().unwrap_or_default().to_string_lossy();
    let unused = (0..).map(|count: u32| match count {
        0 => dir.with_file_name(format!("{PREFIX}{name}")),
        _ => dir.with_file_name(format!("{PREFIX}{name}-{count}")),
    });
    let renamed = unused.into_iter().find(|path| !path.exists()).unwrap_or_else(|| dir.with_file_name(PREFIX));
    fs::rename(dir, &renamed)?;
    write_config(dir, &text)?;
    Ok(renamed)
}
