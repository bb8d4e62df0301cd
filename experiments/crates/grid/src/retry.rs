//! Finds the cells of a run folder that can be retried, and restarts damaged ones. The experiment's file is not needed.

use crate::prepare::write_config;
use crate::prune::refuse_links;
use crate::worker::Task;
use config::RunConfig;
use records::folder::CONFIG_FILE;
use records::{CellLock, CellState, Failure, Plan, UserError};
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
    /// Damaged finished cells, and why; [`start_over`] prepares them for a retry.
    pub damaged: Vec<(Task, Failure)>,
    /// Cells that would fail again in the same way, and why.
    pub permanent: Vec<(String, Failure)>,
    pub running: usize,
}

/// The cells of a run folder that can be retried. A run folder with links out of it is refused.
pub fn find(run_dir: &Path, filter: RetryFilter) -> Result<RetryPlan, UserError> {
    let plan = Plan::read(run_dir)?;
    refuse_links(run_dir)?;
    let mut retry = RetryPlan::default();
    for (row, seed, dir) in plan.cells(run_dir) {
        let label = row.folder.rsplit_once('-').map_or(&row.folder[..], |(label, _)| label);
        let task = Task { name: format!("{label} seed {seed}"), dir, config: None };
        match CellState::of(&task.dir) {
            CellState::Running(_) => retry.running += 1,
            CellState::Failed(failure) if filter.failed && failure.kind.is_final() => {
                retry.permanent.push((task.name, failure));
            }
            CellState::Failed(_) if filter.failed => retry.tasks.push(task),
            CellState::Done if filter.failed => {
                retry.damaged.extend(CellState::Done.damage(&task.dir).map(|failure| (task, failure)));
            }
            CellState::Interrupted(_) if filter.interrupted => retry.tasks.push(task),
            _ => {}
        }
    }
    retry.tasks.retain(|task| task.dir.join(CONFIG_FILE).exists());
    Ok(retry)
}

const PREFIX: &str = "damaged-";

/// Renames a damaged cell's folder, so that its files are kept, and creates a new one with the same configuration. Returns the
/// renamed folder; `None` if another process has the cell or has renamed it.
pub fn start_over(dir: &Path) -> io::Result<Option<PathBuf>> {
    let _lock = match CellLock::try_take(dir) {
        Ok(Some(lock)) => lock,
        Ok(None) => return Ok(None),
        // Renamed a moment ago.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    if CellState::of(dir).damage(dir).is_none() {
        return Ok(None);
    }
    let text = RunConfig::read_text(&dir.join(CONFIG_FILE))?;
    let name = dir.file_name().unwrap_or_default().to_string_lossy();
    let unused = (0..).map(|count: u32| match count {
        0 => dir.with_file_name(format!("{PREFIX}{name}")),
        _ => dir.with_file_name(format!("{PREFIX}{name}-{count}")),
    });
    let renamed = unused.into_iter().find(|path| !path.exists()).unwrap_or_else(|| dir.with_file_name(PREFIX));
    fs::rename(dir, &renamed)?;
    write_config(dir, &text)?;
    Ok(Some(renamed))
}

#[cfg(test)]
mod tests {
    use super::*;
    use records::Status;
    use records::folder::METRICS_FILE;
    use records::status::State;

    #[test]
    fn a_damaged_cell_starts_over_once_and_not_while_another_process_has_it() {
        let row = tempfile::tempdir().expect("a folder for the test");
        let cell = row.path().join("seed-0");
        fs::create_dir(&cell).expect("the cell's folder");
        fs::write(cell.join(CONFIG_FILE), "a configuration").expect("written");
        fs::write(cell.join(METRICS_FILE), "damaged\n").expect("written");
        Status::new(State::Done, 8, 8).write(&cell).expect("a status");
        let lock = CellLock::try_take(&cell).expect("a lock").expect("it is free");
        assert_eq!(start_over(&cell).expect("left alone"), None);
        assert!(cell.join(METRICS_FILE).exists(), "nothing was renamed");
        drop(lock);
        let renamed = start_over(&cell).expect("renamed").expect("nobody has it");
        assert!(renamed.ends_with("damaged-seed-0") && renamed.join(METRICS_FILE).exists());
        // For another process that found the same damage, the cell is a new one.
        assert_eq!(start_over(&cell).expect("left alone"), None);
        assert_eq!(fs::read_to_string(cell.join(CONFIG_FILE)).expect("kept"), "a configuration");
        assert_eq!(start_over(&row.path().join("seed-1")).expect("there is none"), None);
    }
}
