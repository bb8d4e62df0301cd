//! Playing-strength evaluations of finished cells after `posenc run` (`evaluate` in the experiment file).

use crate::commands::error_message::error_message;
use anyhow::Context as _;
use config::evaluate::Opponent;
use config::{Experiment, RunConfig};
use grid::{Prepared, Task};
use play::Agent;
use play::evaluation::{Subject, evaluate};
use records::folder::{CHECKPOINTS, FINAL};
use records::plan::Row;
use records::strength::{self, Evaluation, Strength};
use records::{CellLock, CellState, Plan};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use tch::Device;
use train::inference::cell::config_of;
use train::sinks::tensorboard::show_scalars;

/// Refuses agents that do not exist, before the first cell is trained.
pub(crate) fn check(experiment: &Experiment) -> anyhow::Result<()> {
    for (game, evaluations) in &experiment.evaluate {
        for agent in &evaluations.agents {
            let place = || format!("{}: `evaluate.{}.agents`", experiment.source.path().display(), game.name());
            agent.parse::<Agent>().with_context(place)?;
        }
    }
    Ok(())
}

/// Asks the finished cells what they were not asked before, several at a time. Returns how many could not be asked; the reasons are
/// printed. Cells whose weights are gone, e.g. because their bundle had none, are counted in one line.
pub(crate) fn run(experiment: &Experiment, prepared: &Prepared, jobs: usize, device: Device) -> usize {
    if experiment.evaluate.is_empty() {
        return 0;
    }
    let next = Mutex::new(prepared.tasks.iter().filter(|task| CellState::of(&task.dir) == CellState::Done));
    let (failed, without_weights) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| {
                // LibTorch counts its threads for each of ours.
                tch::set_num_threads(1);
                loop {
                    let task = next.lock().unwrap_or_else(PoisonError::into_inner).next();
                    let Some(task) = task else { break };
                    let Err(error) = of_cell(experiment, prepared, task, device) else { continue };
                    if task.dir.join(CHECKPOINTS).join(FINAL).is_file() {
                        eprintln!("{}: it cannot be evaluated: {}", task.name, error_message(&error));
                        failed.fetch_add(1, Ordering::Relaxed);
                    } else {
                        without_weights.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    let without_weights = without_weights.into_inner();
    if without_weights > 0 {
        eprintln!("{without_weights} cells have no final weights, as those of a bundle without weights: not evaluated");
    }
    failed.into_inner()
}

fn of_cell(experiment: &Experiment, prepared: &Prepared, task: &Task, device: Device) -> anyhow::Result<()> {
    let run = config_of(&task.dir)?;
    let Some(evaluations) = experiment.evaluate.get(&run.game) else { return Ok(()) };
    let lock = CellLock::try_take(&task.dir).with_context(|| format!("cannot lock {}", task.dir.display()))?;
    let Some(_lock) = lock else {
        eprintln!("{}: another process evaluates it", task.name);
        return Ok(());
    };
    let reference = reference(prepared, task, &run);
    let meets_reference = evaluations.games.as_ref().is_some_and(|games| games.against == Opponent::Reference);
    anyhow::ensure!(
        !(meets_reference && reference.as_ref().is_some_and(|dir| CellState::of(dir) != CellState::Done)),
        "the reference's cell of this seed is not finished; run it, then this command again"
    );
    let subject =
        Subject { cell: &task.dir, reference: reference.as_deref(), weights: experiment.primary.weights, device };
    let mut told = |found: &Evaluation| {
        let Evaluation { measure, name, agent, value, of, details, .. } = found;
        let told = if measure.is_share() { format!("{:.1} %", 100.0 * value) } else { format!("{value:.4} nats") };
        let agent = if measure.is_share() { format!(", agent {agent}") } else { String::new() };
        let copies = details["pairings"][0]["copies"].as_u64().filter(|&copies| copies > 0);
        let copies = copies.map_or_else(String::new, |copies| format!("; copies of earlier pairs: {copies}"));
        eprintln!("{}: {} {name}{agent}: {told} of {of}{copies}", task.name, measure.name());
    };
    let outcome = evaluate(subject, evaluations, &mut told);
    show(task, run.train.steps);
    Ok(outcome?)
}

/// The reference's cell of the same seed; none for the reference itself.
fn reference(prepared: &Prepared, task: &Task, run: &RunConfig) -> Option<PathBuf> {
    let rows = &prepared.plan.rows;
    let cell = |row: &Row| Plan::cell_dir(&prepared.run_dir, row, run.seed);
    let own = rows.iter().find(|row| cell(row) == task.dir)?;
    let reference = rows.iter().find(|row| own.is_compared_with(row))?;
    (reference.folder != own.folder).then(|| cell(reference))
}

/// TensorBoard's scalars follow from the file, so a failure is only printed.
fn show(task: &Task, steps: u64) {
    let Ok(found) = Strength::read(&task.dir) else { return };
    let scalar = |one: &Evaluation| (format!("strength/{} {} {}", one.measure.name(), one.name, one.agent), one.value);
    let scalars: Vec<(String, f64)> = found.evaluations.iter().map(scalar).collect();
    if let Err(error) = show_scalars(&task.dir.join(strength::EVENTS), steps, &scalars) {
        eprintln!("{}: TensorBoard does not show its strength: {error}", task.name);
    }
}
