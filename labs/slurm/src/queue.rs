//! Commands of Slurm: `sbatch` submits a script, `scontrol` puts a task back into the queue.

use anyhow::{Context as _, bail, ensure};
use std::io::ErrorKind;
use std::path::Path;
use std::process::Command;

/// Submits a script, to start when the job `after` has ended, however it ended; the job's number.
pub fn submit(script: &Path, after: Option<&str>) -> anyhow::Result<String> {
    let dependency = after.map(|job| format!("--dependency=afterany:{job}"));
    let output = match Command::new("sbatch").arg("--parsable").args(dependency).arg(script).output() {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let script = script.display().to_string();
            // NUL is in no path.
            let script = shlex::try_quote(&script).unwrap_or_default();
            bail!("there is no sbatch here, so nothing was submitted; on a login node of the cluster: sbatch {script}")
        }
        output => output.context("cannot start sbatch")?,
    };
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    ensure!(
        output.status.success(),
        "sbatch refused {}: {said}; change the options and submit again",
        script.display()
    );
    // `<job>` or `<job>;<cluster>`.
    let job = String::from_utf8_lossy(&output.stdout);
    Ok(job.trim().split(';').next().unwrap_or_default().to_owned())
}

/// The exit code of a task whose time ran out and that did not go back into the queue: `EX_TEMPFAIL` of sysexits.h. A cluster may
/// requeue it by that (`RequeueExit=75` in slurm.conf), and the next job of a chain goes on.
pub const TIME_RAN_OUT: u8 = 75;

/// Puts this task back into the queue. Slurm does so itself where it preempts one, and where a person cancels it nobody
/// should: both send SIGTERM and not SIGUSR1. False if the task stays out of the queue; `note` receives the reason. An error if it
/// was requeued `most` times: its exit code makes no cluster requeue it once more.
pub fn requeue(most: u32, note: &mut dyn FnMut(&str)) -> anyhow::Result<bool> {
    let variable = |name: &str| std::env::var(name).ok();
    let restarts = variable("SLURM_RESTART_COUNT").and_then(|count| count.parse::<u32>().ok()).unwrap_or(0);
    let (Some(array), Some(task)) = (variable("SLURM_ARRAY_JOB_ID"), variable("SLURM_ARRAY_TASK_ID")) else {
        note("its time ran out, and this is no task of an array: nothing is put back into the queue");
        return Ok(false);
    };
    // The last task of an array has the array's own number as its job's, so the two are named together.
    let job = format!("{array}_{task}");
    if most == 0 {
        note("its time ran out, and it has a checkpoint: the next job of the chain resumes it, or submit again");
        return Ok(false);
    }
    ensure!(
        restarts < most,
        "the task {job} was started again {restarts} times and its time ran out once more; submit with a longer --time \
         or more --max-requeues: the cell resumes from its checkpoint"
    );
    note(&format!("its time ran out: {job} goes back into the queue"));
    let reason = match Command::new("scontrol").args(["requeue", &job]).status() {
        Ok(status) if status.success() => return Ok(true),
        Ok(_) => "scontrol refuses".to_owned(),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            "there is no scontrol on this node or in this container".to_owned()
        }
        Err(error) => format!("scontrol cannot be started ({error})"),
    };
    note(&format!(
        "{reason}, so {job} is not requeued. It has a checkpoint and ends with exit code {TIME_RAN_OUT}: let the cluster requeue by \
         that (RequeueExit={TIME_RAN_OUT} in slurm.conf), submit with --chain TIMES, or submit again"
    ));
    Ok(false)
}
