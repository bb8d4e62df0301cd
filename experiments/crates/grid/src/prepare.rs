//! Creates the folders of an experiment for the scheduler.

use crate::plan;
use crate::prune::refuse_links;
use crate::reuse::{CellBundle, FinishedCells, unwritable};
use crate::select::Selector;
use crate::worker::Task;
use config::{Cell, Experiment};
use records::folder::{CONFIG_FILE, EXPERIMENT_FILE};
use records::plan::Row;
use records::{CellLock, CellState, Plan, UserError, atomic};
use std::cell::LazyCell;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

#[derive(Debug)]
pub struct Prepared {
    pub run_dir: PathBuf,
    pub plan: Plan,
    /// The selected cells, in the order of the experiment.
    pub tasks: Vec<Task>,
    /// Cells that were copied from another run folder or a bundle.
    pub reused: usize,
    _smoke: Option<CellLock>,
}

/// Which cells of an experiment run, and where.
#[derive(Debug, Clone, Default)]
pub struct RunSelection {
    pub out: PathBuf,
    /// Selectors; a cell must match all of them.
    pub only: Vec<Selector>,
    /// Further folders to search for finished cells, besides `out`.
    pub cells: Vec<PathBuf>,
    pub bundles: Vec<CellBundle>,
    /// Take a few steps of every cell, in a separate folder `smoke-<experiment>` that is emptied first.
    pub smoke: bool,
    /// Write the plan even if it lacks finished cells of the present one.
    pub replace: bool,
}

impl Prepared {
    /// Selects the cells, checks that their folders are writable, and writes the experiment's file, its plan and each
    /// cell's configuration. Refuses an empty selection, a plan that would drop finished cells, and copies of cells that
    /// are not genuine.
    pub fn new(experiment: &Experiment, selection: &RunSelection) -> Result<Self, UserError> {
        let name = if selection.smoke { format!("smoke-{}", experiment.name) } else { experiment.name.clone() };
        let cells = selected(experiment, &selection.only)?;
        if let Some(missing) = selection.cells.iter().find(|folder| !folder.is_dir()) {
            let message = format!("there is no folder {}", missing.display());
            return Err(UserError::new(message, "give a folder of run folders, e.g. runs").at("--cells"));
        }
        let run_dir = selection.out.join(&name);
        // That of the trials is below the experiment's.
        let of_experiment = selection.out.join(name.split('/').next().unwrap_or_default());
        if selection.smoke && of_experiment.is_symlink() {
            let message = format!("{} is a link, and a smoke run empties its folder", of_experiment.display());
            return Err(UserError::new(message, "remove the link, or name another place with --out"));
        }
        if of_experiment.is_dir() {
            refuse_links(&of_experiment)?;
        }
        make_writable(&run_dir)?;
        let smoke = if selection.smoke { Some(lock_and_empty(&run_dir)?) } else { None };
        let mut plan = plan::plan(experiment, selection.smoke);
        if !selection.smoke && !selection.replace {
            plan::refuse_dropped(&run_dir, &plan)?;
        }
        plan.late_margin = plan::margin_is_late(&plan, &run_dir);
        plan.late_comparisons = plan::comparisons_are_late(&plan, &run_dir);
        keep_source(experiment, &run_dir).map_err(unwritable(&run_dir))?;
        plan.write(&run_dir).map_err(unwritable(&run_dir))?;
        // Searched only if a cell needs it: a run folder may hold thousands.
        let finished = LazyCell::new(|| match selection.smoke {
            true => FinishedCells::default(),
            false => {
                let folders = [&selection.out].into_iter().chain(&selection.cells).map(PathBuf::as_path);
                FinishedCells::find(folders, &selection.bundles)
            }
        });
        let mut tasks = Vec::with_capacity(cells.len());
        let mut reused = 0;
        for cell in cells.iter().map(|cell| Cell { experiment: name.clone(), ..cell.clone() }) {
            let row = plan.rows.iter().find(|row| row.folder == cell.row());
            let row = row.map_or_else(|| cell.label.clone(), Row::display_name_with_game);
            let (name, dir) = (format!("{row} seed {}", cell.run.seed), cell.dir(&selection.out));
            let config = cell.run.to_yaml().map_err(|cause| {
                let message = format!("the configuration of {name} cannot be written as YAML: {cause}");
                UserError::new(message, "keep its dataset under a path in UTF-8")
            })?;
            let state = CellState::of(&dir);
            if !matches!(state, CellState::Running(_)) {
                write_config(&dir, &config).map_err(unwritable(&dir))?;
            }
            if state == CellState::Pending {
                reused += usize::from(finished.copy_to(&cell.hash, &dir)?);
            }
            tasks.push(Task { name, dir, config: Some(config) });
        }
        Ok(Self { run_dir, plan, tasks, reused, _smoke: smoke })
    }
}

pub(super) fn selected(experiment: &Experiment, only: &[Selector]) -> Result<Vec<Cell>, UserError> {
    let rows = || {
        let labels: Vec<&str> = experiment.rows.iter().map(|row| &row.label[..]).collect();
        format!("the rows are {}", labels.join(", "))
    };
    let mut cells = experiment.cells();
    let only = only.iter().map(|selector| selector.resolve_rows(&experiment.rows)).collect::<Result<Vec<_>, _>>()?;
    if let Some(value) = only.iter().find_map(|selector| selector.unmatched(&cells)) {
        return Err(UserError::new(format!("no cell has {value}"), rows()).at("--only"));
    }
    cells.retain(|cell| only.iter().all(|selector| selector.matches(cell)));
    if cells.is_empty() { Err(UserError::new("no cell has all the values of --only", rows())) } else { Ok(cells) }
}

/// Creates a folder and checks that it is writable, before the first cell runs.
fn make_writable(dir: &Path) -> Result<(), UserError> {
    let tried = fs::create_dir_all(dir)
        .and_then(|()| tempfile::tempfile_in(dir))
        .and_then(|mut file| file.write_all(b"posenc"));
    tried.map_err(unwritable(dir))
}

/// Locks the folder of a smoke run and empties it.
fn lock_and_empty(dir: &Path) -> Result<CellLock, UserError> {
    let lock = CellLock::try_take(dir).map_err(unwritable(dir))?.ok_or_else(|| {
        let message = format!("another smoke run is at work in {}", dir.display());
        UserError::new(message, "wait for it, or name another place with --out")
    })?;
    for entry in fs::read_dir(dir).map_err(unwritable(dir))? {
        let path = entry.map_err(unwritable(dir))?.path();
        // The trials of the same smoke run come before it.
        if path.is_dir() && !path.ends_with(config::trials::FOLDER) {
            fs::remove_dir_all(&path).map_err(unwritable(dir))?;
        }
    }
    Ok(lock)
}

/// Writes the experiment's file as it was read, with the settings of the command line in a comment on top. It may have changed
/// since then: the trials of a tuned one can take days.
fn keep_source(experiment: &Experiment, run_dir: &Path) -> io::Result<()> {
    let sets = experiment.sets.iter().map(|set| format!("# --set {}\n", set.replace('\n', " ")));
    let mut text: Vec<u8> = sets.collect::<String>().into_bytes();
    text.extend(experiment.source.text().as_bytes());
    atomic::replace(&run_dir.join(EXPERIMENT_FILE), &text)
}

/// Writes a cell's configuration unless it exists with this content. The folder's name contains the configuration's
/// hash, so only the dataset's path can differ; the newer path replaces the older one.
pub(super) fn write_config(dir: &Path, text: &str) -> io::Result<()> {
    fs::create_dir_all(dir)?;
    let path = dir.join(CONFIG_FILE);
    if fs::read(&path).is_ok_and(|old| old == text.as_bytes()) {
        return Ok(());
    }
    atomic::replace(&path, text.as_bytes())
}
