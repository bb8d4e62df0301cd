//! From an experiment to folders that a scheduler can run.

use super::error::GridError;
use super::planned;
use super::select::Selector;
use super::task::Task;
use records::atomic;
use records::folder::{CONFIG_FILE, EXPERIMENT_FILE};
use records::lock::CellLock;
use records::plan::Plan;
use spec::{Cell, Experiment};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// An experiment whose folders are made.
#[derive(Debug)]
pub struct Prepared {
    /// The experiment's run folder.
    pub run_dir: PathBuf,
    /// What it sets out to compare.
    pub plan: Plan,
    /// The cells to be trained, in the order of the experiment.
    pub tasks: Vec<Task>,
    /// For each of them, whether it is a twin's.
    pub twins: Vec<bool>,
    /// Cells that the selection leaves out.
    pub left_out: usize,
    /// Keeps other smoke runs away from this one's folder.
    _smoke: Option<CellLock>,
}

/// What part of an experiment runs, and where.
#[derive(Debug, Clone)]
pub struct Choice {
    /// Where all experiments' run folders lie.
    pub out: PathBuf,
    /// Selections that a cell must meet, all of them.
    pub only: Vec<Selector>,
    /// A few steps of every cell, in a folder of its own that begins empty: `smoke-<experiment>`.
    pub smoke: bool,
}

impl Prepared {
    /// Selects the cells, checks that their folders can be written, and writes the experiment's file, its plan and
    /// each cell's configuration.
    ///
    /// # Errors
    /// If no cell is selected, or something cannot be written.
    pub fn new(experiment: &Experiment, choice: &Choice) -> Result<Self, GridError> {
        let name = if choice.smoke { format!("smoke-{}", experiment.name) } else { experiment.name.clone() };
        let (cells, left_out) = selected(experiment, &choice.only)?;
        let run_dir = choice.out.join(&name);
        make_writable(&run_dir)?;
        let smoke = if choice.smoke { Some(emptied(&run_dir)?) } else { None };
        let plan = planned::plan(experiment, choice.smoke);
        let unwritable = |path: &Path| {
            let path = path.to_owned();
            move |cause| GridError::Unwritable { path, cause }
        };
        keep_source(experiment, &run_dir).map_err(unwritable(&run_dir))?;
        plan.write(&run_dir).map_err(unwritable(&run_dir))?;
        let mut tasks = Vec::with_capacity(cells.len());
        for cell in cells.iter().map(|cell| Cell { experiment: name.clone(), ..cell.clone() }) {
            let task = Task { name: format!("{} seed {}", cell.label, cell.run.seed), dir: cell.dir(&choice.out) };
            let text = cell.run.to_yaml().map_err(|cause| GridError::Config { cell: task.name.clone(), cause })?;
            write_config(&task.dir, &text).map_err(unwritable(&task.dir))?;
            tasks.push(task);
        }
        let twins = cells.iter().map(|cell| cell.run.twin).collect();
        Ok(Self { run_dir, plan, tasks, twins, left_out, _smoke: smoke })
    }
}

fn selected(experiment: &Experiment, only: &[Selector]) -> Result<(Vec<Cell>, usize), GridError> {
    let (cells, left_out): (Vec<Cell>, Vec<Cell>) =
        experiment.cells().into_iter().partition(|cell| only.iter().all(|selector| selector.matches(cell)));
    if cells.is_empty() {
        return Err(GridError::NothingSelected { rows: experiment.rows.iter().map(|row| row.label.clone()).collect() });
    }
    Ok((cells, left_out.len()))
}

/// Makes a folder and tries to write into it: whoever may not should hear it before the first cell, not after.
fn make_writable(dir: &Path) -> Result<(), GridError> {
    let probe = dir.join(format!(".probe.{}", std::process::id()));
    let tried =
        fs::create_dir_all(dir).and_then(|()| fs::write(&probe, b"posenc")).and_then(|()| fs::remove_file(&probe));
    tried.map_err(|cause| GridError::Unwritable { path: dir.to_owned(), cause })
}

/// Takes the folder of a smoke run and empties it.
fn emptied(dir: &Path) -> Result<CellLock, GridError> {
    let unwritable = |cause| GridError::Unwritable { path: dir.to_owned(), cause };
    let lock = CellLock::try_take(dir).map_err(unwritable)?;
    let lock = lock.ok_or_else(|| GridError::SmokeAtWork(dir.to_owned()))?;
    for entry in fs::read_dir(dir).map_err(unwritable)? {
        let path = entry.map_err(unwritable)?.path();
        if path.is_dir() {
            fs::remove_dir_all(&path).map_err(unwritable)?;
        }
    }
    Ok(lock)
}

/// Keeps the experiment's file, with what the command line set in a comment on top.
fn keep_source(experiment: &Experiment, run_dir: &Path) -> io::Result<()> {
    let sets = experiment.sets.iter().map(|set| format!("# --set {}\n", set.replace('\n', " ")));
    let mut text: Vec<u8> = sets.collect::<String>().into_bytes();
    text.extend(fs::read(&experiment.path)?);
    atomic::replace(&run_dir.join(EXPERIMENT_FILE), &text)
}

/// Writes a cell's configuration unless it is there already: a folder's name stands for its content, so at most the
/// dataset's place can differ, and then the newer place is the one where it lies.
pub(super) fn write_config(dir: &Path, text: &str) -> io::Result<()> {
    fs::create_dir_all(dir)?;
    let path = dir.join(CONFIG_FILE);
    if fs::read(&path).is_ok_and(|old| old == text.as_bytes()) {
        return Ok(());
    }
    atomic::replace(&path, text.as_bytes())
}
