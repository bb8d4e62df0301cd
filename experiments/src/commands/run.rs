//! `posenc run`: runs an experiment, or goes on with it where it stopped.

use super::devices::{parse_device, prepare};
use crate::config::{Experiment, open_dataset};
use crate::grid::interrupt::Wish;
use crate::grid::measure;
use crate::grid::{Choice, Interrupt, Outcome, Prepared, Scheduler, Selector, Worker, progress};
use crate::report::{Report, text};
use crate::train::events;
use crate::train::setup::device_name;
use crate::train::threads::ensure_passive_threads;
use anyhow::Context as _;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Write as _;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use tch::Device;

/// Options of `posenc run`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The experiment file.
    file: PathBuf,
    /// Where run folders lie; the experiment's is named after it.
    #[arg(long, default_value = "runs")]
    out: PathBuf,
    /// Cells at a time [default: as many as the cores have room for, or one for each GPU].
    #[arg(long)]
    jobs: Option<NonZeroUsize>,
    /// OpenMP threads of each cell. Part of what the bits depend on.
    #[arg(long, default_value_t = NonZeroUsize::MIN)]
    threads: NonZeroUsize,
    /// Where to compute: cpu, or GPUs such as cuda:0,cuda:1, which cells take in turns.
    #[arg(long, value_delimiter = ',', default_value = "cpu", value_parser = parse_device)]
    devices: Vec<Device>,
    /// Only cells with these values: encoding=shaw,rope, game=chess, seed=0, row=chess-shaw. May be repeated.
    #[arg(long, value_name = "AXIS=VALUE")]
    only: Vec<Selector>,
    /// Stop everything at the first failure.
    #[arg(long)]
    fail_fast: bool,
    /// A few steps, an evaluation and the report of every cell, apart from real results: does everything work?
    #[arg(long)]
    smoke: bool,
    /// Go on with interrupted cells even where threads, instruction set or LibTorch changed: other bits than an
    /// undisturbed run, and the manifest says so.
    #[arg(long)]
    force: bool,
}

/// Runs the grid, then prints its report.
///
/// # Errors
/// If the experiment is refused, or its folders cannot be written. Failed cells are no error but exit code 1.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    ensure_passive_threads().context("cannot start again with OMP_WAIT_POLICY=PASSIVE")?;
    let experiment = Experiment::load(&args.file)?;
    check_datasets(&experiment)?;
    check_devices(&args.devices)?;
    let choice = Choice { out: args.out.clone(), only: args.only.clone(), smoke: args.smoke };
    let prepared = Prepared::new(&experiment, &choice)?;
    let interrupt = Interrupt::install().context("cannot listen to signals")?;
    let outcomes = train(args, &prepared, &interrupt)?;
    interrupt.release();
    mend_events(&prepared, &outcomes);
    let stopped = interrupt.wish() > Wish::GoOn;
    if !args.smoke && !stopped {
        measure_steps(args, &experiment, &prepared);
    }
    let report = Report::of(&prepared.run_dir)?;
    let mut out = text::draw(&report);
    let _ = writeln!(out, "\nTensorBoard: tensorboard --logdir {}", prepared.run_dir.display());
    let _ = writeln!(out, "{}", Tally::of(&outcomes, &prepared).line());
    std::io::stdout().lock().write_all(out.as_bytes())?;
    let failed = outcomes.iter().any(|outcome| matches!(outcome, Outcome::Failed(_)));
    Ok(if failed || stopped { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

/// Opens every dataset once, which checks the hash of every shard: a truncated file is refused here, not in the
/// middle of the night.
fn check_datasets(experiment: &Experiment) -> anyhow::Result<()> {
    let folders: BTreeSet<_> = experiment.rows.iter().map(|row| &row.run.data).collect();
    for folder in folders {
        open_dataset(folder).with_context(|| format!("the dataset {} cannot be used", folder.display()))?;
    }
    Ok(())
}

/// A grid's cells are compared with each other, so they must be computed on devices of one kind.
fn check_devices(devices: &[Device]) -> anyhow::Result<()> {
    let on_cpu = devices.iter().filter(|&&device| device == Device::Cpu).count();
    anyhow::ensure!(
        on_cpu == 0 || on_cpu == devices.len(),
        "--devices mixes the CPU with GPUs; no verdict compares across the two, so give either"
    );
    devices.iter().try_for_each(|&device| prepare(device))
}

fn train(args: &Args, prepared: &Prepared, interrupt: &Interrupt) -> anyhow::Result<Vec<Outcome>> {
    let devices = args.devices.iter().map(|&device| device_name(device)).collect();
    let mut worker = Worker::this_program(args.threads.get(), devices).context("cannot find this program itself")?;
    worker.flags.extend(args.smoke.then_some("--smoke"));
    worker.flags.extend(args.force.then_some("--force"));
    let jobs = args.jobs.map_or_else(|| usual_jobs(args), NonZeroUsize::get);
    let scheduler = Scheduler { worker: &worker, jobs, fail_fast: args.fail_fast, interrupt };
    Ok(scheduler.run(&prepared.tasks, &mut *progress::on_stderr(&prepared.tasks)))
}

/// One cell for each GPU; on the CPU as many as the cores have room for.
fn usual_jobs(args: &Args) -> usize {
    if args.devices.contains(&Device::Cpu) {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        (cores / args.threads).max(1)
    } else {
        args.devices.len()
    }
}

/// Finished cells whose event files got lost or damaged get them again from `metrics.jsonl`; nothing else needs them,
/// so a failure is said and no more.
fn mend_events(prepared: &Prepared, outcomes: &[Outcome]) {
    let finished = |outcome: &Outcome| matches!(outcome, Outcome::Finished { .. } | Outcome::AlreadyFinished);
    for (task, _) in prepared.tasks.iter().zip(outcomes).filter(|(_, outcome)| finished(outcome)) {
        match events::mend(&task.dir) {
            Ok(false) => {}
            Ok(true) => eprintln!("{}: its event files are rebuilt from metrics.jsonl", task.name),
            Err(error) => eprintln!("{}: TensorBoard does not show all of it: {error}", task.name),
        }
    }
}

/// Step times are a column of the table, not a reason to fail: without them the report says "not measured".
fn measure_steps(args: &Args, experiment: &Experiment, prepared: &Prepared) {
    let Prepared { plan, run_dir, .. } = prepared;
    if !measure::is_due(plan, run_dir) {
        return;
    }
    eprintln!("timing a training step of each row, in turns");
    let device = args.devices.first().copied().unwrap_or(Device::Cpu);
    if let Err(error) = measure::measure(experiment, plan, run_dir, args.threads.get(), device) {
        eprintln!("step times are missing: {error:#}");
    }
}

/// How the cells came out.
#[derive(Debug, Default, PartialEq, Eq)]
struct Tally {
    finished: usize,
    twins: usize,
    before: usize,
    failed: usize,
    interrupted: usize,
    skipped: usize,
}

impl Tally {
    fn of(outcomes: &[Outcome], prepared: &Prepared) -> Self {
        let mut tally = Self { skipped: prepared.left_out, ..Self::default() };
        for (outcome, &twin) in outcomes.iter().zip(&prepared.twins) {
            match outcome {
                Outcome::Finished { .. } | Outcome::AlreadyFinished => {
                    *(if twin { &mut tally.twins } else { &mut tally.finished }) += 1;
                    tally.before += usize::from(*outcome == Outcome::AlreadyFinished);
                }
                Outcome::Failed(_) => tally.failed += 1,
                Outcome::Interrupted => tally.interrupted += 1,
                Outcome::NotStarted => tally.skipped += 1,
            }
        }
        tally
    }

    fn line(&self) -> String {
        let mut line = format!("{} cells finished", self.finished);
        if self.twins > 0 {
            let _ = write!(line, " (and {} A/A twins)", self.twins);
        }
        let _ = write!(line, ", {} failed, {} skipped", self.failed, self.skipped);
        if self.interrupted > 0 {
            let _ = write!(line, ", {} interrupted; the same command goes on with them", self.interrupted);
        }
        match self.before {
            0 => {}
            all if all == self.finished + self.twins && self.failed + self.interrupted == 0 => {
                line += "; all were finished already, nothing was trained";
            }
            some => {
                let _ = write!(line, "; {some} of them before or by another runner");
            }
        }
        line
    }
}
