//! `posenc submit`: hands an experiment's cells to a Slurm cluster, as a job array.

use crate::commands::cell::{check_ranks, check_shares};
use crate::commands::options::GridOptions;
use crate::commands::run::{check_datasets, check_starts, measure_baselines};
use anyhow::{Context as _, bail, ensure};
use config::{Experiment, counted, shell_word};
use grid::limits::HumanDuration;
use grid::tuning::TuningSearch;
use grid::{Prepared, RunSelection, Selector, Task};
use records::{CellState, TuningRecord, UserError};
use slurm::{Array, Resources, argument, divided, submit, write_array};
use std::fs;
use std::io::{self, Write as _};
use std::num::NonZeroUsize;
use std::path::Path;
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    grid: GridOptions,
    /// Submit to a Slurm cluster, the only supported queue. All nodes must see --out under the same path.
    #[arg(long, required = true)]
    slurm: bool,
    /// Slurm's partition.
    #[arg(long)]
    partition: Option<String>,
    /// The account to charge.
    #[arg(long)]
    account: Option<String>,
    /// The quality of service.
    #[arg(long)]
    qos: Option<String>,
    /// Features that a node must have.
    #[arg(long)]
    constraint: Option<String>,
    /// Time limit of a task, e.g. 4h or 04:00:00. Unfinished tasks are requeued and resume from their checkpoints.
    #[arg(long, value_name = "TIME", value_parser = time_limit)]
    time: Option<HumanDuration>,
    /// The GPUs of a task, one for each rank: 1, or a kind such as a100:1. Without it, cells run on the CPU.
    #[arg(long, value_name = "[KIND:]COUNT")]
    gpus: Option<String>,
    /// Memory of a task, e.g. 8G.
    #[arg(long)]
    mem: Option<String>,
    /// Divide each step of a cell among this many processes of its task: 2, 4, 8.
    #[arg(long, default_value_t = NonZeroUsize::MIN)]
    ranks: NonZeroUsize,
    /// Cores of a task [default: --threads of each rank].
    #[arg(long)]
    cpus: Option<NonZeroUsize>,
    /// OpenMP threads of each cell. The bits of the results depend on it.
    #[arg(long, default_value_t = NonZeroUsize::MIN)]
    threads: NonZeroUsize,
    /// Maximum number of tasks at the same time.
    #[arg(long, default_value = "256")]
    array_parallelism: NonZeroUsize,
    /// How long before its time limit a task starts to write its checkpoint.
    #[arg(long, value_name = "TIME", default_value = "120s")]
    signal_delay: HumanDuration,
    /// How often a task is requeued after its time limit.
    #[arg(long, value_name = "TIMES", default_value_t = 16)]
    max_requeues: u32,
    /// Submit the array this often again, each after the one before has ended, instead of requeuing tasks: for clusters whose nodes
    /// or containers have no scontrol.
    #[arg(long, value_name = "TIMES", default_value_t = 0, conflicts_with = "max_requeues")]
    chain: u32,
    /// Add a line to the script before the cell starts, e.g. 'module load cuda'. May be repeated.
    #[arg(long, value_name = "LINE")]
    setup: Vec<String>,
    /// Pass a further option to sbatch: --sbatch=--exclude=node7. May be repeated.
    #[arg(long, value_name = "OPTION")]
    sbatch: Vec<String>,
    /// Write the scripts and submit nothing.
    #[arg(long)]
    dry_run: bool,
}

/// A time in which no number is seconds to one program and minutes to the other.
fn time_limit(text: &str) -> Result<HumanDuration, UserError> {
    if text.parse::<u64>().is_ok() {
        let message = format!("\"{text}\" would be minutes for sbatch, and seconds for other options of posenc");
        return Err(UserError::new(message, format!("write {text}m or {text}s")));
    }
    text.parse()
}

/// Writes the arrays of all unfinished cells, and submits them.
pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    check_ranks(args.ranks, 0)?;
    if let Some(gpus) = &args.gpus {
        let (count, ranks) = (gpus.rsplit(':').next().unwrap_or(gpus), args.ranks);
        let needed = format!("a cell computes on a GPU for each rank; write {ranks}, or a kind like a100:{ranks}");
        ensure!(count == ranks.to_string(), "--gpus {gpus}: {needed}");
    }
    if let Some(HumanDuration(time)) = args.time.filter(|time| time.0 <= args.signal_delay.0) {
        let (time, delay) = (time.as_secs(), args.signal_delay.0.as_secs());
        let message = format!("a task of {time} s would be signalled {delay} s before its end");
        bail!("--time: {message}; write a longer --time or a shorter --signal-delay");
    }
    let experiment = args.grid.load()?;
    check_datasets(&experiment)?;
    check_starts(&experiment)?;
    let (experiment, only, tuning) = next_stage(args, experiment)?;
    let prepared = Prepared::new(&experiment, &selection(args, only))?;
    if let Some(tuning) = tuning {
        tuning.write(&prepared.run_dir).context("cannot write the record of the trials")?;
    }
    measure_baselines(&experiment, &prepared);
    let run_dir = fs::canonicalize(&prepared.run_dir).context("cannot find the run folder")?;
    let mut stdout = io::stdout().lock();
    let tasks: Vec<&Task> = prepared.tasks.iter().filter(|task| !CellState::of(&task.dir).is_final()).collect();
    tasks.iter().try_for_each(|task| check_shares(&task.dir, args.ranks))?;
    let status = format!("posenc status {}", shell_word(&prepared.run_dir.display().to_string()));
    if tasks.is_empty() {
        writeln!(stdout, "no cell is left: `{status}` says how each ended")?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut rest = &tasks[..];
    for (cells, parallelism) in divided(tasks.len(), args.array_parallelism.get())? {
        let (tasks, others) = rest.split_at(cells);
        rest = others;
        let array = array(args, &experiment.name, &run_dir, tasks, parallelism)?;
        let path = array.script();
        if args.dry_run {
            writeln!(stdout, "{}: {}, not submitted", path.display(), counted(array.cells as u64, "cell"))?;
        } else {
            let mut job = submit(&path, None)?;
            writeln!(stdout, "job {job}: {} by {}", counted(array.cells as u64, "cell"), path.display())?;
            for _ in 0..args.chain {
                let next = submit(&path, Some(&job))?;
                writeln!(stdout, "job {next}: what is left of them after job {job}")?;
                job = next;
            }
        }
    }
    writeln!(stdout, "{status} follows them")?;
    Ok(ExitCode::SUCCESS)
}

fn selection(args: &Args, only: Vec<Selector>) -> RunSelection {
    RunSelection { only, ..args.grid.selection() }
}

/// An experiment, the cells to select of it, and the record of its trials if these are finished.
type Stage = (Experiment, Vec<Selector>, Option<TuningRecord>);

/// What can be submitted now: of an experiment with `tune` its trials if one has an open cell, or the tuned rows.
fn next_stage(args: &Args, experiment: Experiment) -> anyhow::Result<Stage> {
    let Some(search) = TuningSearch::new(&experiment, &args.grid.only)? else {
        return Ok((experiment, args.grid.only.clone(), None));
    };
    let prepared = Prepared::new(search.grid(), &selection(args, search.only()))?;
    if prepared.tasks.iter().any(|task| !CellState::of(&task.dir).is_final()) {
        eprintln!("tuning: when the cells of its trials are done, the same command submits the rows");
        return Ok((search.grid().clone(), search.only(), None));
    }
    let (experiment, record) = search.choose(&prepared.run_dir)?;
    Ok((experiment, args.grid.only.clone(), Some(record)))
}

fn array(args: &Args, experiment: &str, run_dir: &Path, tasks: &[&Task], parallelism: usize) -> anyhow::Result<Array> {
    let program = std::env::current_exe().context("cannot find this program itself")?;
    let gpus: Vec<String> = (0..args.ranks.get()).map(|gpu| format!("cuda:{gpu}")).collect();
    let devices = if args.gpus.is_some() { gpus.join(",") } else { "cpu".to_owned() };
    let command = vec![
        argument(&program)?,
        "task".to_owned(),
        "--run-dir".to_owned(),
        argument(run_dir)?,
        format!("--threads={}", args.threads),
        format!("--ranks={}", args.ranks),
        format!("--devices={devices}"),
        // A chain goes on by itself.
        format!("--max-requeues={}", if args.chain > 0 { 0 } else { args.max_requeues }),
    ];
    let resources = Resources {
        partition: args.partition.clone(),
        account: args.account.clone(),
        qos: args.qos.clone(),
        constraint: args.constraint.clone(),
        time: args.time.map(|span| span.0),
        gpus: args.gpus.clone(),
        mem: args.mem.clone(),
        cpus: args.cpus.unwrap_or(args.threads.saturating_mul(args.ranks)).get(),
        parallelism,
        signal_delay: args.signal_delay.0,
        setup: args.setup.clone(),
        options: args.sbatch.clone(),
    };
    write_array(format!("posenc-{experiment}"), run_dir, tasks, command, &resources)
}
