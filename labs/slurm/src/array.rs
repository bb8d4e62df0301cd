//! An array: its script and its list of cells, in `slurm/array-<n>` of the run folder.

use anyhow::{Context as _, bail, ensure};
use grid::Task;
use records::atomic;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Tasks of one array: Slurm's default limit is 1001 (`MaxArraySize`).
const LARGEST_ARRAY: usize = 1000;

/// Where the scripts of a run folder's arrays lie.
const FOLDER: &str = "slurm";

/// The script's name in an array's folder.
const SCRIPT: &str = "job.sh";

/// The list of cells there: one folder per line, relative to the run folder; the line number is the task's number.
const CELLS: &str = "cells.txt";

/// The resources of a task, by the names of `sbatch` and submitit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resources {
    /// The partition; the cluster's default if `None`.
    pub partition: Option<String>,
    pub account: Option<String>,
    pub qos: Option<String>,
    /// Features that a node must have.
    pub constraint: Option<String>,
    /// Time limit of a task, after which it is requeued.
    pub time: Option<Duration>,
    /// GPUs of a task: `1`, or `a100:1`.
    pub gpus: Option<String>,
    /// Memory of a task, e.g. `8G`.
    pub mem: Option<String>,
    pub cpus: usize,
    /// How many tasks run at the same time.
    pub parallelism: usize,
    /// The time before its time limit at which a task must write a checkpoint.
    pub signal_delay: Duration,
    /// Shell lines that run before the cell: `module load …`.
    pub setup: Vec<String>,
    /// Further options of `sbatch`, passed unchanged.
    pub options: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Array {
    pub name: String,
    /// The folder of its script, its list of cells and its tasks' output.
    pub dir: PathBuf,
    pub cells: usize,
    /// The program and its arguments, without the task's number, which is the last one.
    pub command: Vec<String>,
}

impl Array {
    pub fn script(&self) -> PathBuf {
        self.dir.join(SCRIPT)
    }
}

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

fn script(array: &Array, resources: &Resources) -> String {
    let mut options: Vec<String> = vec![
        format!("--job-name={}", array.name),
        format!("--array=0-{}%{}", array.cells.saturating_sub(1), resources.parallelism),
        "--nodes=1".to_owned(),
        "--ntasks=1".to_owned(),
        format!("--cpus-per-task={}", resources.cpus),
        "--requeue".to_owned(),
        "--open-mode=append".to_owned(),
        // To the script only: it is the runner and asks its cell.
        format!("--signal=B:USR1@{}", resources.signal_delay.as_secs()),
        format!("--output={}", in_pattern(&array.dir.join("%a.out"))),
    ];
    let named = [
        ("partition", resources.partition.clone()),
        ("account", resources.account.clone()),
        ("qos", resources.qos.clone()),
        ("constraint", resources.constraint.clone()),
        ("time", resources.time.map(minutes)),
        ("gpus-per-node", resources.gpus.clone()),
        ("mem", resources.mem.clone()),
    ];
    options.extend(named.into_iter().filter_map(|(name, value)| Some(format!("--{name}={}", value?))));
    options.extend(resources.options.iter().cloned());
    let mut text = "#!/bin/bash\n".to_owned();
    for option in options {
        let _ = writeln!(text, "#SBATCH {option}");
    }
    text.push_str("# A word that time runs out must not end what is being set up.\ntrap '' USR1\n");
    for line in &resources.setup {
        let _ = writeln!(text, "{line}");
    }
    let words = array.command.iter().map(String::as_str);
    let command = shlex::Quoter::new().allow_nul(true).join(words).expect("NUL is allowed");
    let _ = writeln!(text, "exec {command} \"$SLURM_ARRAY_TASK_ID\"");
    text
}

/// Slurm's unit is the minute; fractions are rounded up.
fn minutes(time: Duration) -> String {
    time.as_secs().div_ceil(60).to_string()
}

/// A path in which Slurm replaces only a last `%a`.
fn in_pattern(path: &Path) -> String {
    let folder = path.parent().unwrap_or(Path::new("")).display().to_string().replace('%', "%%");
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    format!("\"{folder}/{name}\"")
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

    fn resources() -> Resources {
        Resources {
            partition: Some("gpu".to_owned()),
            account: None,
            qos: None,
            constraint: None,
            time: Some(Duration::from_secs(90 * 60 + 1)),
            gpus: Some("a100:1".to_owned()),
            mem: Some("8G".to_owned()),
            cpus: 4,
            parallelism: 16,
            signal_delay: Duration::from_secs(120),
            setup: vec!["module load gcc".to_owned()],
            options: vec!["--exclude=node7".to_owned()],
        }
    }

    #[test]
    fn a_script_says_everything_that_was_asked_for() {
        let array = Array {
            name: "posenc-x".to_owned(),
            dir: PathBuf::from("/home/a b/100%/slurm/array-1"),
            cells: 24,
            command: vec!["/opt/posenc".to_owned(), "task".to_owned(), "it's".to_owned()],
        };
        let text = script(&array, &resources());
        let expected = "\
#!/bin/bash
#SBATCH --job-name=posenc-x
#SBATCH --array=0-23%16
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=4
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --signal=B:USR1@120
#SBATCH --output=\"/home/a b/100%%/slurm/array-1/%a.out\"
#SBATCH --partition=gpu
#SBATCH --time=91
#SBATCH --gpus-per-node=a100:1
#SBATCH --mem=8G
#SBATCH --exclude=node7
# A word that time runs out must not end what is being set up.
trap '' USR1
module load gcc
exec /opt/posenc task \"it's\" \"$SLURM_ARRAY_TASK_ID\"
";
        assert_eq!(text, expected);
    }
}
