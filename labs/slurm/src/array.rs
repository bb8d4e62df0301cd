//! Writes an array: its script and its list of cells, in `slurm/array-<n>` of the run folder.

use crate::script::{Array, CELLS, Resources, SCRIPT, script};
use anyhow::{Context as _, bail, ensure};
use grid::Task;
use records::atomic;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Tasks of one array: Slurm's default limit is 1001 (`MaxArraySize`).
const LARGEST_ARRAY: usize = 1000;

/// Where the scripts of a run folder's arrays lie.
const FOLDER: &str = "slurm";

/// The cells of each array, and how many of its tasks run at the same time: Slurm limits that for an array, `parallelism` for all.
pub fn divided(cells: usize, parallelism: usize) -> anyhow::Result<Vec<(usize, usize)>> {
    let arrays = cells.div_ceil(LARGEST_ARRAY);
    ensure!(
        arrays <= parallelism,
        "--array-parallelism {parallelism}: {cells} cells are {arrays} arrays, and each runs one task at least; write \
         {arrays} or more, or submit fewer cells by --only"
    );
    let share = |whole: usize, array: usize| whole / arrays + usize::from(array < whole % arrays);
    Ok((0..arrays).map(|array| (share(cells, array), share(parallelism, array))).collect())
}

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

/// A path as an argument of the script's command: a line break would begin another line of the script, and Slurm reads quotation
/// marks and backslashes of `--output` in its own way.
pub fn argument(path: &Path) -> anyhow::Result<String> {
    let text = path.to_str().filter(|text| !text.contains(|c: char| c.is_control() || ['"', '\\'].contains(&c)));
    text.map(str::to_owned).with_context(|| {
        format!("{path:?}: paths must be in UTF-8 and without control characters, \" and \\; another folder may do")
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_arrays_together_run_as_many_tasks_as_were_asked_for() {
        let divided = |cells: usize, parallelism: usize| super::divided(cells, parallelism).expect("enough");
        assert_eq!(divided(1000, 256), [(1000, 256)]);
        assert_eq!(divided(1001, 256), [(501, 128), (500, 128)]);
        assert_eq!(divided(1560, 11), [(780, 6), (780, 5)]);
        for (cells, parallelism) in [(1, 1), (2999, 3), (5001, 100)] {
            let (of_cells, at_once): (Vec<_>, Vec<_>) = divided(cells, parallelism).into_iter().unzip();
            assert_eq!((of_cells.iter().sum::<usize>(), at_once.iter().sum::<usize>()), (cells, parallelism));
            assert!(of_cells.iter().all(|&cells| (1..=LARGEST_ARRAY).contains(&cells)) && !at_once.contains(&0));
        }
        let refused = super::divided(1001, 1).expect_err("two arrays").to_string();
        assert!(refused.contains("1001 cells are 2 arrays") && refused.contains("write 2 or more"), "{refused}");
    }

    #[test]
    fn a_path_that_slurm_would_read_in_another_way_is_refused() {
        assert_eq!(argument(Path::new("/a b/it's 100%")).expect("a path"), "/a b/it's 100%");
        for path in ["/back\\slash", "/quo\"te", "/line\nbreak"] {
            assert!(argument(Path::new(path)).is_err(), "{path}");
        }
    }
}
