//! `posenc run`: runs an experiment, or resumes it.

mod launched;
mod smoke;

use super::data::display::shown;
use super::devices::{ensure_environment, ensure_passive_threads};
use super::options::{BundleLimit, GridOptions, print};
use super::slots::Slots;
use crate::labs::{self, evaluation};
use anyhow::{Context as _, bail, ensure};
use bundle::{Unpacked, UnpackedPart};
use config::{Experiment, Role, counted};
use console::Term;
use dataset::Dataset;
use grid::tuning::TuningSearch;
use grid::{CellBundle, Interrupt, Outcome, Prepared, RunSelection, Task};
use grid::{baselines, over_seeds, step_times};
use records::folder::{CHECKPOINTS, FINAL};
use records::{CellState, TuningRecord};
use report::Report;
use report::run_summary::{self, Ended};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;
use train::events;
use train::start_tables::check_start;

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    grid: GridOptions,
    /// Also look for finished cells in this bundle of `posenc publish`, whose hashes are checked. May be repeated.
    #[arg(long, value_name = "BUNDLE")]
    from: Vec<PathBuf>,
    #[command(flatten)]
    limit: BundleLimit,
    /// Try every cell: a few steps, an evaluation and the report, in a separate run folder.
    #[arg(long)]
    smoke: bool,
    #[command(flatten)]
    slots: Slots,
}

/// Runs the grid, then prints the answer and the next commands.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let began = Instant::now();
    ensure_passive_threads()?;
    let experiment = args.grid.load()?;
    ensure_environment(args.slots.first_device(), experiment.rows.iter().map(|row| &row.run))?;
    check_datasets(&experiment)?;
    check_starts(&experiment)?;
    evaluation::check(&experiment)?;
    args.slots.check_devices()?;
    let bundles = args.from.iter().map(|bundle| Unpacked::of(bundle, args.limit.limits(), UnpackedPart::Everything));
    let bundles: Vec<Unpacked> = bundles.collect::<Result<_, _>>()?;
    let of_cells = |(path, bundle): (&PathBuf, &Unpacked)| CellBundle {
        folder: bundle.folder().to_owned(),
        path: path.clone(),
        identity: bundle.verified().identity.clone(),
    };
    let selection = RunSelection {
        bundles: args.from.iter().zip(&bundles).map(of_cells).collect(),
        smoke: args.smoke,
        ..args.grid.selection()
    };
    let rank = launched::rank(&args.slots, &experiment, &selection)?;
    if rank.is_some_and(|rank| rank > 0) {
        return launched::follow(&args.slots, &experiment, &selection);
    }
    let interrupt = Interrupt::install().context("cannot listen to signals")?;
    let Some((experiment, tuning)) = tuned(args, experiment, &selection, &interrupt)? else {
        let next = if args.smoke { "starts again" } else { "continues with them" };
        eprintln!("the trials are not finished; the same command {next}");
        return Ok(ExitCode::from(1));
    };
    let prepared = Prepared::new(&experiment, &selection)?;
    if rank.is_some() {
        launched::only_cell(&prepared)?;
    }
    if let Some(tuning) = tuning {
        tuning.write(&prepared.run_dir).context("cannot write the record of the trials")?;
    }
    report_reused(&prepared);
    // Other ranks would wait for the first one.
    if !args.smoke && rank.is_none() {
        measure_baselines(&experiment, &prepared);
    }
    let flags = if rank.is_some() { launched::FLAGS } else { flags(args) };
    let outcomes = args.slots.train(&prepared.tasks, flags, &interrupt)?;
    if args.smoke {
        return smoke::end(&args.slots, &prepared, &outcomes, &interrupt);
    }
    interrupt.release();
    repair_events(&prepared.tasks, &outcomes);
    // TensorBoard's curves over seeds follow from the cells, so a failure is only reported.
    if let Err(error) = over_seeds::write(&prepared.plan, &prepared.run_dir) {
        eprintln!("TensorBoard does not show means over seeds: {error}");
    }
    let stopped = interrupt.is_requested() || outcomes.iter().any(Outcome::is_unfinished);
    if rank.is_some() && !stopped {
        measure_baselines(&experiment, &prepared);
    }
    if !stopped {
        measure_steps(args, &experiment, &prepared);
    }
    let unevaluated =
        if stopped { 0 } else { evaluation::run(&experiment, &prepared, args.slots.jobs(), args.slots.first_device()) };
    let report = Report::of(&prepared.run_dir)?;
    let before = outcomes.iter().filter(|outcome| **outcome == Outcome::AlreadyFinished).count();
    let has_trained = outcomes.iter().any(|outcome| !matches!(outcome, Outcome::AlreadyFinished | Outcome::NotStarted));
    let address = over_seeds::address(&prepared.plan, &prepared.run_dir);
    let ended = Ended {
        run_dir: &prepared.run_dir,
        program: &program(),
        took_s: has_trained.then(|| began.elapsed().as_secs_f64()),
        before,
        can_inspect: labs::can_inspect() && have_weights(&prepared),
        address: Some(&address[..]),
        is_coloured: Term::stdout().features().colors_supported(),
    };
    print(&run_summary::draw(&report, &ended))?;
    let mut failed = outcomes.iter().any(|outcome| matches!(outcome, Outcome::Failed(_)));
    for (task, _) in prepared.tasks.iter().zip(&outcomes).filter(|(_, own)| **own == Outcome::AlreadyFinished) {
        if let Some(failure) = CellState::Done.damage(&task.dir) {
            eprintln!("{} is {failure}; {}", task.name, failure.kind.remedy());
            failed = true;
        }
    }
    if unevaluated > 0 {
        eprintln!("not evaluated: {}; the same command tries again", counted(unevaluated as u64, "cell"));
    }
    Ok(if failed || stopped || unevaluated > 0 { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

/// The experiment with a trial chosen for every row, and the record of the trials; none if a trial was interrupted.
/// An experiment without `tune` stays as it is.
fn tuned(
    args: &Args,
    experiment: Experiment,
    selection: &RunSelection,
    interrupt: &Interrupt,
) -> anyhow::Result<Option<(Experiment, Option<TuningRecord>)>> {
    let Some(search) = TuningSearch::new(&experiment, &selection.only)? else { return Ok(Some((experiment, None))) };
    let prepared = Prepared::new(search.grid(), &RunSelection { only: search.only(), ..selection.clone() })?;
    report_reused(&prepared);
    if prepared.tasks.iter().any(|task| CellState::of(&task.dir) != CellState::Done) {
        eprintln!("tuning: {} of trials", counted(prepared.tasks.len() as u64, "cell"));
    }
    let outcomes = args.slots.train(&prepared.tasks, flags(args), interrupt)?;
    if interrupt.is_requested() || outcomes.iter().any(Outcome::is_unfinished) {
        return Ok(None);
    }
    for task in &prepared.tasks {
        if let Some(failure) = CellState::of(&task.dir).damage(&task.dir) {
            bail!("the trial {} is {failure}; {}", task.name, failure.kind.remedy());
        }
    }
    let (experiment, record) = search.choose(&prepared.run_dir)?;
    Ok(Some((experiment, Some(record))))
}

fn flags(args: &Args) -> &'static [&'static str] {
    if args.smoke { smoke::FLAGS } else { &[] }
}

/// The program as its caller wrote it, if that is a path from here; commands that are printed can then be pasted.
fn program() -> String {
    let written = std::env::args_os().next().map(PathBuf::from).filter(|path| path.is_relative());
    written.and_then(|path| path.to_str().map(str::to_owned)).unwrap_or_else(|| "posenc".to_owned())
}

fn report_reused(prepared: &Prepared) {
    if prepared.reused > 0 {
        eprintln!(
            "copied from other run folders or bundles: {}, finished there",
            counted(prepared.reused as u64, "cell")
        );
    }
}

/// Whether `posenc inspect` finds weights: there are finished cells, and none is from a bundle without weights.
fn have_weights(Prepared { plan, run_dir, .. }: &Prepared) -> bool {
    let cells = plan.cells(run_dir).map(|(.., dir)| dir);
    let mut done = cells.filter(|dir| CellState::of(dir) == CellState::Done).peekable();
    done.peek().is_some() && done.all(|dir| dir.join(CHECKPOINTS).join(FINAL).is_file())
}

/// Measures baselines, before the first cell, so that every report has them. A failure is only reported: the report then shows the
/// uniform choice alone.
pub(crate) fn measure_baselines(experiment: &Experiment, prepared: &Prepared) {
    if baselines::is_due(experiment, &prepared.run_dir) {
        eprintln!("measuring baselines: a static prior and a log-linear model on the test positions");
    }
    if let Err(error) = baselines::complete(experiment, &prepared.run_dir) {
        eprintln!("baselines are missing: {error:#}");
    }
}

/// Opens every dataset once, which checks the hash of every shard, so that a truncated file is refused before training. What takes
/// long is shown.
pub(crate) fn check_datasets(experiment: &Experiment) -> anyhow::Result<()> {
    let runs = experiment.rows.iter().map(|row| &row.run).filter(|run| run.generate.is_none());
    let folders: BTreeSet<_> = runs.flat_map(|run| std::iter::once(&run.data).chain(&run.test_data)).collect();
    for folder in folders {
        let opened = shown(|progress| Dataset::open_shown(folder, progress));
        opened.with_context(|| format!("the dataset {} cannot be used", folder.display()))?;
    }
    Ok(())
}

/// Refuses rows whose networks cannot begin with what `train.start` names: one line for each reason, with its rows.
pub(crate) fn check_starts(experiment: &Experiment) -> anyhow::Result<()> {
    let mut reasons: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for row in experiment.rows.iter().filter(|row| row.role != Role::Twin && row.run.train.start.is_some()) {
        if let Err(error) = check_start(&row.run) {
            reasons.entry(error.to_string()).or_default().push(&row.label);
        }
    }
    let messages: Vec<String> =
        reasons.iter().map(|(reason, labels)| format!("{} cannot start: {reason}", labels.join(", "))).collect();
    ensure!(messages.is_empty(), "{}", messages.join("\n"));
    Ok(())
}

/// Recreates missing or damaged event files of finished cells from `metrics.jsonl`. Nothing else needs them, so a failure is only
/// reported.
pub(crate) fn repair_events(tasks: &[Task], outcomes: &[Outcome]) {
    let mut rebuilt = Vec::new();
    for (task, _) in tasks.iter().zip(outcomes).filter(|(_, outcome)| outcome.is_finished()) {
        match events::repair(&task.dir) {
            Ok(false) => {}
            Ok(true) => rebuilt.push(&task.name),
            Err(error) => eprintln!("{}: TensorBoard does not show all of it: {error}", task.name),
        }
    }
    match &rebuilt[..] {
        [] => {}
        [name] => eprintln!("{name}: its event files are rebuilt from metrics.jsonl"),
        names => eprintln!("event files of {} cells are rebuilt from metrics.jsonl", names.len()),
    }
}

/// Times a training step of each row. A failure is only reported: the table then has "not measured".
fn measure_steps(args: &Args, experiment: &Experiment, prepared: &Prepared) {
    let Prepared { plan, run_dir, .. } = prepared;
    if !step_times::is_due(plan, run_dir) {
        return;
    }
    eprintln!("timing a training step of each row, in turns");
    let device = args.slots.first_device();
    if let Err(error) = step_times::measure(experiment, plan, run_dir, args.slots.threads.get(), device) {
        eprintln!("step times are missing: {error:#}");
    }
}
