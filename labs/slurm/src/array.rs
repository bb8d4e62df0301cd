//! Writes an array: its script and its list of cells, in `slurm/array-<n>` of the run folder.

use crate::script::{Array, CELLS, Resources, SCRIPT, script};
use anyhow::{Context as _, bail};
use grid::Task;
use records::atomic;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Tasks of one array: Slurm's default limit is 1001 (`MaxArraySize`).
pub const LARGEST_ARRAY: usize = 1000;

/// Where the scripts of a run folder's arrays lie.
const FOLDER: &str = "slurm";

/// Writes the array of these cells. `command` is the program and its arguments; the list of the cells and `--index` with the task's
/// number are added.
pub fn write_array(
    name: String,
    run_dir: &Path,
    tasks: &[&Task],
    mut command: Vec<String>,
    resources: &Resources,
) -> anyhow::Result<Array> {
    let dir = new_folder(&run_dir.join(FOLDER))?;
    command.extend(["--cells".to_owned(), argument(&dir.join(CELLS))?, "--index".to_owned()]);
    let array = Array { name, dir, cells: tasks.len(), command };
    let written = |name: &str, text: String| {
        let path = array.dir.join(name);
        atomic::replace(&path, text.as_bytes()).with_context(|| format!("cannot write {}", path.display()))
    };
    let mut cells = String::new();
    for task in tasks {
        // Below the run folder: `<row>/seed-<n>`.
        let names: Vec<_> = task.dir.iter().rev().take(2).collect();
        for name in names.iter().rev() {
            cells.push_str(name.to_str().context("paths must be in UTF-8")?);
            cells.push('/');
        }
        cells.pop();
        cells.push('\n');
    }
    written(CELLS, cells)?;
    written(SCRIPT, script(&array, resources))?;
    Ok(array)
}

/// A path as an argument of the script's command: a line break would begin another line of the script.
pub fn argument(path: &Path) -> anyhow::Result<String> {
    let text = path.to_str().filter(|text| !text.contains(char::is_control));
    text.map(str::to_owned).context("paths must be in UTF-8 and without control characters")
}

/// The first `array-<n>` that is not there yet.
fn new_folder(parent: &Path) -> anyhow::Result<PathBuf> {
    let wrong = || format!("cannot make a folder in {}", parent.display());
    fs::create_dir_all(parent).with_context(wrong)?;
    for number in 1_u64.. {
        let dir = parent.join(format!("array-{number}"));
        match fs::create_dir(&dir) {
            Ok(()) => return Ok(dir),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error).with_context(wrong),
        }
    }
    bail!(wrong())
}
