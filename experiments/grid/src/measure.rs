//! Measures step times of a grid's rows in turns, when no cell runs.

use anyhow::Context as _;
use records::lock::CellLock;
use records::machine::Cpu;
use records::plan::Plan;
use records::state::CellState;
use records::step_times::{StepTime, StepTimes};
use spec::{Experiment, Role};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tch::Device;
use train::bench::{BenchOptions, Contender, step_times};
use train::setup::device_name;

/// Turns of each row that count.
const ROUNDS: usize = 7;
/// Turns before them that do not.
const WARM_UP: usize = 2;
/// How often the other runner's measurement is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// Whether step times can be measured and have to be: some are missing, and every cell of the plan has come to its
/// end, so that none runs beside the measurement.
#[must_use]
pub fn is_due(plan: &Plan, run_dir: &Path) -> bool {
    !known(plan, run_dir) && all_ended(plan, run_dir)
}

/// Measures and writes the step times of every row, twins left out. If another runner is at it, waits and leaves it
/// at its numbers: two at once would measure each other.
///
/// # Errors
/// If a step fails or the numbers cannot be written.
pub fn measure(
    experiment: &Experiment,
    plan: &Plan,
    run_dir: &Path,
    threads: usize,
    device: Device,
) -> anyhow::Result<()> {
    let _lock = loop {
        match CellLock::try_take(run_dir).with_context(|| format!("cannot lock {}", run_dir.display()))? {
            Some(lock) => break lock,
            None => std::thread::sleep(LOOK_EVERY),
        }
    };
    if known(plan, run_dir) {
        return Ok(());
    }
    let times = time_rows(experiment, threads, device)?;
    times.write(run_dir).with_context(|| format!("cannot write step times to {}", run_dir.display()))
}

fn all_ended(plan: &Plan, run_dir: &Path) -> bool {
    let cells = plan.rows.iter().flat_map(|row| plan.seeds.iter().map(move |&seed| Plan::cell_dir(run_dir, row, seed)));
    cells.map(|dir| CellState::of(&dir)).all(|state| matches!(state, CellState::Done | CellState::Failed(_)))
}

/// Whether every row's step time is known.
fn known(plan: &Plan, run_dir: &Path) -> bool {
    StepTimes::read(run_dir).is_some_and(|times| {
        plan.rows.iter().filter(|row| row.role != Role::Twin).all(|row| times.of(&row.folder).is_some())
    })
}

fn time_rows(experiment: &Experiment, threads: usize, device: Device) -> anyhow::Result<StepTimes> {
    let rows: Vec<&spec::Row> = experiment.rows.iter().filter(|row| row.role != Role::Twin).collect();
    let contenders: Vec<Contender> =
        rows.iter().map(|row| Contender { name: row.folder(), run: row.run.clone() }).collect();
    let options = BenchOptions { threads, device, rounds: ROUNDS, warm_up: WARM_UP };
    let measured = step_times(&contenders, &options).context("cannot measure step times")?;
    let reference = |row: &spec::Row| {
        let of_game = |(other, _): &(&&spec::Row, _)| other.run.game == row.run.game && other.role == Role::Reference;
        rows.iter().zip(&measured).find(of_game).map(|(_, time)| time)
    };
    let rows = rows.iter().zip(&measured).map(|(row, time)| StepTime {
        folder: time.name.clone(),
        batch: time.batch,
        median_s: time.median_s(),
        ratio: reference(row).map(|reference| time.ratio_to(reference)),
    });
    Ok(StepTimes {
        device: device_name(device),
        cpu: Cpu::detect().model,
        threads,
        unix_s: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()),
        rounds: ROUNDS,
        rows: rows.collect(),
    })
}
