//! `posenc task`: one task of a Slurm array, which trains one cell as `posenc run` would; `submit` writes it into scripts.

use super::devices::{parse_device, prepare};
use super::run::repair_events;
use anyhow::{Context as _, ensure};
use grid::progress::Plain;
use grid::{Interrupt, Limits, Outcome, Scheduler, Task, Worker};
use std::io::ErrorKind;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use tch::Device;
use train::setup::device_name;
use train::threads::ensure_passive_threads;

/// Train one cell of a list.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The experiment's run folder.
    #[arg(long)]
    run_dir: PathBuf,
    /// The list of cells.
    #[arg(long)]
    cells: PathBuf,
    /// The cell's place in the list, from 0.
    #[arg(long)]
    index: usize,
    /// Threads inside an operation.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Where to compute.
    #[arg(long, default_value = "cpu", value_parser = parse_device)]
    device: Device,
    /// The number of restarts up to which the task is requeued again.
    #[arg(long, default_value_t = 0)]
    max_requeues: u32,
}

/// Trains the cell; goes back into the queue if its time ran out.
///
/// # Errors
/// If there is no such cell. A cell that fails is no error but exit code 1.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    ensure_passive_threads().context("cannot start again with OMP_WAIT_POLICY=PASSIVE")?;
    let interrupt = Interrupt::install().context("cannot listen to signals")?;
    prepare(args.device)?;
    let task = cell(args)?;
    let worker = Worker::this_program(args.threads, vec![device_name(args.device)])
        .context("cannot find this program itself")?;
    let limits = Limits { retries: 1, ..Limits::default() };
    let scheduler = Scheduler { worker: &worker, jobs: 1, fail_fast: false, interrupt: &interrupt, limits };
    let tasks = [task];
    let outcomes = scheduler.run(&tasks, &mut Plain::new(&tasks, std::io::stderr()));
    interrupt.release();
    repair_events(&tasks, &outcomes);
    let well = outcomes.iter().all(|outcome| matches!(outcome, Outcome::Finished { .. } | Outcome::AlreadyFinished));
    let stopped = outcomes.iter().any(|outcome| matches!(outcome, Outcome::Interrupted | Outcome::NotStarted));
    if stopped && interrupt.time_runs_out() && !requeue(args.max_requeues)? {
        return Ok(ExitCode::from(TIME_RAN_OUT));
    }
    Ok(if well { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn cell(args: &Args) -> anyhow::Result<Task> {
    let list = std::fs::read_to_string(&args.cells).with_context(|| format!("cannot read {}", args.cells.display()))?;
    let lines = list.lines().count();
    let name = list.lines().nth(args.index);
    let name = name.with_context(|| format!("{} has {lines} cells, none at {}", args.cells.display(), args.index))?;
    let dir = args.run_dir.join(name);
    ensure!(dir.is_dir(), "there is no cell {}; submit the experiment again", dir.display());
    Ok(Task { name: name.to_owned(), dir })
}

/// The exit code of a task whose time ran out and that did not go back into the queue: `EX_TEMPFAIL` of sysexits.h. A cluster may
/// requeue it by that (`RequeueExit=75` in slurm.conf), and the next job of a chain goes on.
const TIME_RAN_OUT: u8 = 75;

/// Puts this task back into the queue. Slurm does so itself where it preempts one, and where a person cancels it nobody
/// should: both send SIGTERM and not SIGUSR1. False if the task stays out of the queue and has said why.
fn requeue(most: u32) -> anyhow::Result<bool> {
    let variable = |name: &str| std::env::var(name).ok();
    let restarts = variable("SLURM_RESTART_COUNT").and_then(|count| count.parse::<u32>().ok()).unwrap_or(0);
    let (Some(array), Some(task)) = (variable("SLURM_ARRAY_JOB_ID"), variable("SLURM_ARRAY_TASK_ID")) else {
        eprintln!("its time ran out, and this is no task of an array: nothing is put back into the queue");
        return Ok(false);
    };
    // The last task of an array has the array's own number as its job's, so the two are named together.
    let job = format!("{array}_{task}");
    if most == 0 {
        eprintln!("its time ran out, and it has a checkpoint: the next job of the chain goes on, or submit again");
        return Ok(false);
    }
    ensure!(
        restarts < most,
        "the task {job} was started again {restarts} times and its time ran out once more; submit with a longer --time \
         or more --max-requeues: the cell goes on from its checkpoint"
    );
    eprintln!("its time ran out: {job} goes back into the queue");
    let status = match Command::new("scontrol").args(["requeue", &job]).status() {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            eprintln!(
                "there is no scontrol on this node or in this container, so {job} is not requeued. It has a checkpoint and ends with \
                 exit code {TIME_RAN_OUT}: let the cluster requeue by that (RequeueExit={TIME_RAN_OUT} in slurm.conf), or submit \
                 with --chain TIMES"
            );
            return Ok(false);
        }
        status => status.context("cannot start scontrol")?,
    };
    ensure!(status.success(), "scontrol does not requeue {job}; submit again: the cell goes on from its checkpoint");
    Ok(true)
}
