//! `posenc bench`: measures the loader, or a training step of each encoding.

pub(super) mod contenders;
mod data;
mod import;

use super::data::display::shown;
use super::devices::{ensure_environment, parse_device, prepare};
use super::options::{cores, json_text, print};
use super::show::{parse_game, parse_input};
use anyhow::Context as _;
use config::{Dtype, Experiment, grouped};
use dataset::{Dataset, bench_loader};
use games::{GameKind, InputName};
use report::table::table;
use serde_json::{Value, json};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tch::Device;
use train::bench::{BenchOptions, BenchRun, GPUS, StepCount, StepTime, step_counts, step_times};

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: BenchCommand,
}

#[derive(Debug, clap::Subcommand)]
enum BenchCommand {
    /// Measure the loader's positions per second: with one core, and with all cores.
    Loader(LoaderArgs),
    /// Measure how long a dataset takes to open, its memory, and the positions per second of one core.
    Data(data::Args),
    /// Measure the records per second that an import reads and checks.
    Import(import::Args),
    /// Time a training step of a preset network with each encoding, interleaved.
    Step(StepArgs),
    /// Time a training step of each row of an experiment, interleaved.
    Encodings(EncodingsArgs),
}

#[derive(Debug, clap::Args)]
struct LoaderArgs {
    /// The dataset's folder.
    #[arg(long)]
    data: PathBuf,
    /// The input representation.
    #[arg(long, value_parser = parse_input, default_value = "piece_tokens")]
    input: InputName,
    /// Positions per batch.
    #[arg(long, default_value = "256")]
    batch: NonZeroUsize,
    /// Threads of the second measurement; all cores by default.
    #[arg(long)]
    workers: Option<NonZeroUsize>,
    /// Seconds of each measurement, at least.
    #[arg(long, default_value_t = 2.0)]
    seconds: f64,
    /// Print one JSON object instead of text.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
struct StepArgs {
    /// The network: a preset, see `posenc list presets`.
    #[arg(long)]
    model: String,
    /// Positions per step.
    #[arg(long, default_value = "32")]
    batch: NonZeroUsize,
    /// The game.
    #[arg(long, value_parser = parse_game, default_value = "chess")]
    game: GameKind,
    /// The input representation.
    #[arg(long, value_parser = parse_input, default_value = "piece_tokens")]
    input: InputName,
    /// Encodings: `all`, names separated by commas, or a YAML list as in experiment files.
    #[arg(long, default_value = "all")]
    encodings: String,
    /// The element type of matrix products; `both` times each encoding in bf16 and in f32.
    #[arg(long, value_enum, default_value = "f32")]
    dtype: DtypeArg,
    /// Count the operators, bytes and waits of a step as a GPU takes it, without a clock.
    #[arg(long)]
    count: bool,
    #[command(flatten)]
    timing: Timing,
}

#[derive(Debug, clap::Args)]
struct EncodingsArgs {
    /// The experiment file.
    file: PathBuf,
    #[command(flatten)]
    timing: Timing,
}

#[derive(Debug, clap::Args)]
struct Timing {
    /// Threads inside an operation.
    #[arg(long, default_value = "1")]
    threads: NonZeroUsize,
    /// How often each one is timed.
    #[arg(long, default_value = "5")]
    rounds: NonZeroUsize,
    /// The device: cpu, cuda or cuda:N.
    #[arg(long, default_value = "cpu", value_parser = parse_device)]
    device: Device,
    /// Print one JSON array instead of a table.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum DtypeArg {
    F32,
    Bf16,
    Both,
}

impl DtypeArg {
    const fn dtypes(self) -> &'static [Dtype] {
        match self {
            Self::F32 => &[Dtype::F32],
            Self::Bf16 => &[Dtype::Bf16],
            Self::Both => &[Dtype::F32, Dtype::Bf16],
        }
    }
}

/// Rounds that do not count.
const WARM_UP: usize = 2;

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let text = match &args.what {
        BenchCommand::Loader(args) => loader(args)?,
        BenchCommand::Data(args) => data::run(args)?,
        BenchCommand::Import(args) => import::run(args)?,
        BenchCommand::Step(args) => step(args)?,
        BenchCommand::Encodings(args) => encodings(args)?,
    };
    print(&text)
}

fn loader(args: &LoaderArgs) -> anyhow::Result<String> {
    let dataset = Arc::new(shown(|progress| Dataset::open_shown(&args.data, progress))?);
    let workers = args.workers.map_or_else(cores, NonZeroUsize::get);
    let seconds = Duration::try_from_secs_f64(args.seconds).context("--seconds")?;
    let rate = bench_loader(&dataset, args.input, args.batch.get(), workers, seconds)?;
    if args.json {
        return json_text(&rate);
    }
    // One worker was measured once.
    let second = (rate.workers > 1).then_some((rate.workers, rate.many_workers));
    let rows = [Some((1, rate.one_worker)), second].into_iter().flatten().map(|(workers, per_s)| {
        vec![workers.to_string(), grouped(per_s as u64), grouped((per_s / workers as f64) as u64)]
    });
    let measured = format!("{} positions loaded, {} bytes each\n", grouped(rate.positions), rate.bytes_per_position);
    Ok(table(&["workers", "positions/s", "per worker"], &[0, 1, 2], rows) + &measured)
}

fn step(args: &StepArgs) -> anyhow::Result<String> {
    let model = contenders::preset(&args.model)?;
    let stacks = contenders::encodings(&args.encodings)?;
    args.game.offered(args.input)?;
    let dtypes = args.dtype.dtypes();
    let both = dtypes.len() > 1;
    let (mut contenders, mut references): (Vec<BenchRun>, Vec<usize>) = (Vec::new(), Vec::new());
    for stack in stacks {
        let first = contenders.len();
        for &dtype in dtypes {
            let mut contender = contenders::contender(args.game, &model, stack.clone(), args.batch.get());
            contender.run.train.dtype = dtype;
            contender.run.input = args.input;
            if both {
                contender.name = format!("{} {}", contender.name, dtype.name());
            }
            contenders.push(contender);
            references.push(if both { first } else { 0 });
        }
    }
    if args.count { count(&contenders, &args.timing) } else { measure(&contenders, &references, &args.timing) }
}

fn count(contenders: &[BenchRun], timing: &Timing) -> anyhow::Result<String> {
    ensure_environment(timing.device, contenders.iter().map(|contender| &contender.run))?;
    prepare(timing.device)?;
    let options = BenchOptions { threads: timing.threads.get(), device: timing.device, rounds: 1, warm_up: WARM_UP };
    let counts = step_counts(contenders, &options)?;
    if timing.json {
        return json_text(&counts);
    }
    let on_gpu = timing.device != Device::Cpu;
    let row = |step: &StepCount| -> Vec<String> {
        let best = step.best_positions_per_s.iter().map(|(_, rate)| format!("{:.0}k", rate / 1e3));
        let own = [
            step.name.clone(),
            step.operators.to_string(),
            step.products.to_string(),
            format!("{:.1}", step.bytes / 1e9),
            if on_gpu { step.waits().to_string() } else { "-".to_owned() },
            step.peak_bytes.map_or_else(|| "-".to_owned(), |bytes| format!("{:.1}", bytes / 1e9)),
        ];
        own.into_iter().chain(best).collect()
    };
    let own = ["encoding", "ops", "products", "GB", "waits", "peak"];
    let header: Vec<&str> = own.into_iter().chain(GPUS.iter().map(|gpu| gpu.name)).collect();
    let batches = counts.first().map_or(0, |step| step.batch);
    let how = format!(
        "one step of {} positions; ops: operators; GB: their inputs and outputs;\n\
         waits: of the host for the device; peak: GB in use; GPUs (SXM): positions/s at\n\
         the bandwidth and products of the data sheet, which no step reaches\n",
        grouped(batches as u64)
    );
    let unfused = match on_gpu {
        true => "",
        false => {
            "on a CPU RMS norms, and attention with a bias that has a gradient, are counted\n\
             unfused, whatever POSENC_KERNELS says: a GPU (--device cuda) moves fewer bytes,\n\
             and encodings may rank otherwise\n"
        }
    };
    let right: Vec<usize> = (1..header.len()).collect();
    Ok(table(&header, &right, counts.iter().map(row)) + &how + unfused)
}

fn encodings(args: &EncodingsArgs) -> anyhow::Result<String> {
    let experiment = Experiment::load(&args.file)?;
    let (contenders, references) = contenders::rows(&experiment);
    measure(&contenders, &references, &args.timing)
}

/// `references`: for each contender, the place of the one that its ratio is taken to.
fn measure(contenders: &[BenchRun], references: &[usize], timing: &Timing) -> anyhow::Result<String> {
    ensure_environment(timing.device, contenders.iter().map(|contender| &contender.run))?;
    prepare(timing.device)?;
    let (threads, rounds) = (timing.threads.get(), timing.rounds.get());
    let options = BenchOptions { threads, device: timing.device, rounds, warm_up: WARM_UP };
    let times = step_times(contenders, &options)?;
    let compared: Vec<(&StepTime, &StepTime)> =
        times.iter().zip(references).map(|(time, &reference)| (time, &times[reference])).collect();
    if timing.json {
        return json_text(&compared.iter().map(|(time, base)| as_json(time, base)).collect::<Vec<_>>());
    }
    let row = |(time, base): &(&StepTime, &StepTime)| {
        vec![
            time.name.clone(),
            grouped(time.parameters as u64),
            time.batch.to_string(),
            format!("{:.1}", time.median_s() * 1e3),
            format!("{:.1}", time.positions_per_s()),
            format!("{:.2} × {}", time.ratio_to(base), base.name),
        ]
    };
    let header = ["encoding", "parameters", "batch", "ms/step", "positions/s", "step time"];
    let how = format!("threads: {threads}; medians of {rounds} rounds, in turns\n");
    Ok(table(&header, &[1, 2, 3, 4, 5], compared.iter().map(row)) + &how)
}

fn as_json(time: &StepTime, base: &StepTime) -> Value {
    json!({
        "name": time.name,
        "parameters": time.parameters,
        "batch": time.batch,
        "median_s": time.median_s(),
        "positions_per_s": time.positions_per_s(),
        "ratio": time.ratio_to(base),
        "ratio_to": base.name,
    })
}
