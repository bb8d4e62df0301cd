//! Measures step times of a grid's rows, alternating between rows, while no cell runs.

use anyhow::Context as _;
use config::{Experiment, Role};
use records::machine::Cpu;
use records::step_times::{StepTime, StepTimes};
use records::{CellLock, CellState, Manifest, Plan};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tch::Device;
use train::bench::{BenchOptions, BenchRun, step_times};
use train::environment::gpu_of;
use train::setup::recorded_name;

const ROUNDS: usize = 7;
const WARM_UP: usize = 2;
/// The interval of checks for another runner's measurement.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// Whether step times are missing and can be measured: every cell of the plan must have ended, so that none runs during
/// the measurement.
pub fn is_due(plan: &Plan, run_dir: &Path) -> bool {
    let mut states = plan.cells(run_dir).map(|(_, _, dir)| CellState::of(&dir));
    !all_rows_timed(plan, run_dir) && states.all(|state| state.has_ended())
}

/// Measures and writes the step times of every row except A/A controls. If another runner measures, waits for its
/// result, because two measurements at once would disturb each other.
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
            None => std::thread::sleep(POLL_INTERVAL),
        }
    };
    if all_rows_timed(plan, run_dir) {
        return Ok(());
    }
    // LibTorch panics where a device has no room for all rows at once.
    let timed = catch_unwind(AssertUnwindSafe(|| time_rows(experiment, run_dir, threads, device)));
    let times = timed
        .map_err(|_| anyhow::anyhow!("a step failed; the rows together may need more memory than the device has"))??;
    times.write(run_dir).with_context(|| format!("cannot write step times to {}", run_dir.display()))
}

fn all_rows_timed(plan: &Plan, run_dir: &Path) -> bool {
    StepTimes::read(run_dir).is_some_and(|times| {
        plan.rows.iter().filter(|row| row.role != Role::Twin).all(|row| times.of(&row.folder).is_some())
    })
}

/// A row's run, in the micro-batches that its cells found to fit their device.
fn contender(row: &config::Row, experiment: &Experiment, run_dir: &Path) -> BenchRun {
    let cells = experiment.seeds.iter().map(|seed| run_dir.join(row.folder()).join(format!("seed-{seed}")));
    let found = cells.filter_map(|cell| Manifest::read(&cell).ok()??.identity.micro_batch).next();
    BenchRun { name: row.folder(), run: row.run.clone().with_micro_batch(found) }
}

fn time_rows(experiment: &Experiment, run_dir: &Path, threads: usize, device: Device) -> anyhow::Result<StepTimes> {
    let rows: Vec<&config::Row> = experiment.rows.iter().filter(|row| row.role != Role::Twin).collect();
    let contenders: Vec<BenchRun> = rows.iter().map(|row| contender(row, experiment, run_dir)).collect();
    let options = BenchOptions { threads, device, rounds: ROUNDS, warm_up: WARM_UP };
    let measured = step_times(&contenders, &options).context("cannot measure step times")?;
    let reference = |row: &config::Row| {
        rows.iter().zip(&measured).find(|(other, _)| row.is_compared_with(other)).map(|(_, time)| time)
    };
    let rows = rows.iter().zip(&measured).map(|(row, time)| StepTime {
        folder: time.name.clone(),
        batch: time.batch,
        median_s: time.median_s(),
        ratio: reference(row).map(|reference| time.ratio_to(reference)),
    });
    Ok(StepTimes {
        device: recorded_name(device, gpu_of(device).as_ref()),
        cpu: Cpu::detect().model,
        threads,
        unix_s: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()),
        rounds: ROUNDS,
        rows: rows.collect(),
    })
}
