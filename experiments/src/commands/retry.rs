//! `posenc retry`: tries failed cells of a run folder again.

use super::devices::ensure_passive_threads;
use super::run::repair_events;
use super::slots::Slots;
use anyhow::Context as _;
use config::counted;
use grid::retry::RetryFilter;
use grid::{Interrupt, Outcome};
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The experiment's run folder, e.g. runs/quickstart.
    run_dir: PathBuf,
    #[command(flatten)]
    asked: Asked,
    #[command(flatten)]
    slots: Slots,
}

/// Which cells are tried.
#[derive(Debug, clap::Args)]
#[group(required = true, multiple = true)]
struct Asked {
    /// Retry failed cells, except those with non-finite numbers, which would fail again.
    #[arg(long)]
    failed: bool,
    /// Retry interrupted cells.
    #[arg(long)]
    interrupted: bool,
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    ensure_passive_threads()?;
    args.slots.check_devices()?;
    let filter = RetryFilter { failed: args.asked.failed, interrupted: args.asked.interrupted };
    let mut retry = grid::retry::find(&args.run_dir, filter)?;
    for (name, failure) in &retry.permanent {
        eprintln!("{name} is left: {failure}; the same bits would fail in the same way: {}", failure.kind.remedy());
    }
    for (task, failure) in std::mem::take(&mut retry.damaged) {
        let renamed = grid::retry::start_over(&task.dir).with_context(|| {
            format!("{}: {failure}; its folder {} cannot be renamed", task.name, task.dir.display())
        })?;
        let Some(renamed) = renamed else {
            eprintln!("{}: {failure}; another process has its folder, so it is left alone", task.name);
            retry.running += 1;
            continue;
        };
        eprintln!("{}: {failure}; the folder is now {}, and the cell is trained again", task.name, renamed.display());
        retry.tasks.push(task);
    }
    let interrupt = Interrupt::install().context("cannot listen to signals")?;
    let outcomes = args.slots.train(&retry.tasks, &[], &interrupt)?;
    interrupt.release();
    repair_events(&retry.tasks, &outcomes);
    let count = |is: fn(&Outcome) -> bool| outcomes.iter().filter(|outcome| is(outcome)).count();
    let finished = count(Outcome::is_finished);
    let failed = count(|outcome| matches!(outcome, Outcome::Failed(_)));
    let mut line =
        format!("{} tried again: {finished} finished, {failed} failed", counted(outcomes.len() as u64, "cell"));
    for (count, what) in [
        (outcomes.len() - finished - failed, "stopped or not begun"),
        (retry.permanent.len(), "left, because they would only fail again"),
        (retry.running, "running elsewhere"),
    ] {
        if count > 0 {
            line += &format!(", {count} {what}");
        }
    }
    writeln!(std::io::stdout().lock(), "{line}")?;
    let all_well = finished == outcomes.len() && retry.permanent.is_empty() && !interrupt.is_requested();
    Ok(if all_well { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
