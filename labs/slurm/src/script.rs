//! The script of a job array.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

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
    /// Its name in the queue.
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

/// The script's name in an array's folder.
pub(crate) const SCRIPT: &str = "job.sh";

/// The list of cells there: one folder per line, relative to the run folder; the line number is the task's number.
pub(crate) const CELLS: &str = "cells.txt";

pub(crate) fn script(array: &Array, resources: &Resources) -> String {
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
