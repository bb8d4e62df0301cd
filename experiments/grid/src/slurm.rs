//! A grid as a Slurm job array: one task a cell, each of which can be started any number of times.
//!
//! Nothing is ever asked of the queue: what a cell came to stands in its own folder. So a task whose cell is done ends at
//! once, two arrays of one grid share it through the cells' locks, and a task that is put back into the queue goes on
//! from its cell's checkpoint.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What a task needs, in the words of `sbatch` and of submitit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resources {
    /// The partition; the cluster's default without one.
    pub partition: Option<String>,
    /// The account that pays.
    pub account: Option<String>,
    /// The quality of service.
    pub qos: Option<String>,
    /// Features that a node must have.
    pub constraint: Option<String>,
    /// Time of a task until it is put back into the queue.
    pub time: Option<Duration>,
    /// GPUs of a task: `1`, or `a100:1`.
    pub gpus: Option<String>,
    /// Memory of a task, e.g. `8G`.
    pub mem: Option<String>,
    /// Cores of a task.
    pub cpus: usize,
    /// Tasks that run at the same time.
    pub parallelism: usize,
    /// How long before the end of its time a task is told to write a checkpoint.
    pub signal_delay: Duration,
    /// Lines that run before the cell: `module load …`.
    pub setup: Vec<String>,
    /// Further options of `sbatch`, as they are.
    pub options: Vec<String>,
}

/// One job array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Array {
    /// Its name in the queue.
    pub name: String,
    /// Where its script, its list of cells and the output of its tasks lie.
    pub dir: PathBuf,
    /// How many cells it has.
    pub cells: usize,
    /// The program and its arguments, without the task's number, which comes last.
    pub command: Vec<String>,
}

/// The script's name in an array's folder.
pub const SCRIPT: &str = "job.sh";

/// The list of cells there: one folder a line, relative to the run folder; a task's number is its line's.
pub const CELLS: &str = "cells.txt";

/// The text of the script.
#[must_use]
pub fn script(array: &Array, resources: &Resources) -> String {
    let mut options: Vec<String> = vec![
        format!("--job-name={}", array.name),
        format!("--array=0-{}%{}", array.cells.saturating_sub(1), resources.parallelism),
        "--nodes=1".to_owned(),
        "--ntasks=1".to_owned(),
        format!("--cpus-per-task={}", resources.cpus),
        "--requeue".to_owned(),
        "--open-mode=append".to_owned(),
        // To the script alone, which is the runner then; it asks its cell.
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
    let command: Vec<String> = array.command.iter().map(|word| quoted(word)).collect();
    let _ = writeln!(text, "exec {} \"$SLURM_ARRAY_TASK_ID\"", command.join(" "));
    text
}

/// Slurm counts in minutes; a part of one is one.
fn minutes(time: Duration) -> String {
    time.as_secs().div_ceil(60).to_string()
}

/// A path in which Slurm replaces nothing but a last `%a`.
fn in_pattern(path: &Path) -> String {
    let folder = path.parent().unwrap_or(Path::new("")).display().to_string().replace('%', "%%");
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    format!("\"{folder}/{name}\"")
}

/// A word as a shell reads it back.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,%+@".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
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
exec /opt/posenc task 'it'\\''s' \"$SLURM_ARRAY_TASK_ID\"
";
        assert_eq!(text, expected);
    }
}
