//! `posenc verify`: checks a bundle, and with `--rerun` trains some of its cells again.

use super::devices::{ensure_passive_threads, parse_device, prepare};
use super::options::{BundleLimit, cores};
use anyhow::Context as _;
use bundle::compare_report::{self, NumberComparison};
use bundle::rerun::{self, Comparison, Rerun};
use bundle::{Unpacked, UnpackedPart, predictions, unpack};
use config::printable;
use grid::{Interrupt, Scheduler, Task, Worker, authenticity, progress};
use std::collections::BTreeSet;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use streams::{shuffle, stream};
use tch::Device;
use train::setup::device_name;

/// The project's datasets, which are searched in addition to `--data`.
const USUAL_DATA: &str = "experiments/data";

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The bundle: a folder or a .tar.zst.
    bundle: PathBuf,
    /// Unpack the bundle into this new folder during the check.
    #[arg(long, value_name = "DIR")]
    unpack: Option<PathBuf>,
    /// Train this many of its cells again, drawn at random, and compare.
    #[arg(long, value_name = "CELLS", default_value_t = 0)]
    rerun: usize,
    /// Repeat the draw of --rerun with the seed that it printed.
    #[arg(long, value_name = "SEED", requires = "rerun")]
    draw: Option<u64>,
    /// A dataset folder for --rerun; may be repeated. Datasets in experiments/data are found automatically.
    #[arg(long, value_name = "DIR", requires = "rerun")]
    data: Vec<PathBuf>,
    /// The device for --rerun: cpu, cuda or cuda:N.
    #[arg(long, default_value = "cpu", value_parser = parse_device, requires = "rerun")]
    device: Device,
    /// The folder for cells of --rerun; it is kept. [default: a temporary folder]
    #[arg(long, value_name = "DIR", requires = "rerun")]
    out: Option<PathBuf>,
    #[command(flatten)]
    limit: BundleLimit,
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if args.rerun > 0 {
        ensure_passive_threads()?;
    }
    let limits = args.limit.limits();
    if let Some(dir) = &args.unpack {
        unpack(&args.bundle, limits, dir)?;
    }
    let bundle = Unpacked::of(&args.bundle, limits, UnpackedPart::Everything)?;
    let mut stdout = std::io::stdout().lock();
    integrity(&args.bundle, &bundle, &mut stdout)?;
    let finished = authenticity::check(&bundle.verified().plan, bundle.run_dir())?;
    writeln!(stdout, "{finished} finished cells have the configurations that their folders name")?;
    let mut all_well = numbers(&bundle, &mut stdout)?;
    if args.rerun > 0 {
        let beside = bundle.folder().join("rerun");
        all_well &= rerun_cells(args, &bundle, args.out.as_deref().unwrap_or(&beside), &mut stdout)?;
    }
    Ok(if all_well { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn integrity(path: &Path, bundle: &Unpacked, to: &mut impl Write) -> std::io::Result<()> {
    let verified = bundle.verified();
    writeln!(
        to,
        "{}: {} files, {} bytes: each is the one that its list names",
        printable(&path.display().to_string()),
        verified.files,
        verified.bytes
    )?;
    writeln!(to, "blake3 {}", verified.identity)?;
    writeln!(
        to,
        "this is integrity, not authorship: nothing is signed; compare the blake3 with the one that the publisher names elsewhere"
    )
}

/// Compares report and predictions with the cells; returns whether all numbers agree.
fn numbers(bundle: &Unpacked, to: &mut impl Write) -> anyhow::Result<bool> {
    let predicted = predictions::compare(bundle.run_dir())?;
    let mut all_well = predicted.map_or(Ok(true), |stated| compared(predictions::FILE, &stated, to))?;
    let Some(stated) = compare_report::compare(bundle.run_dir())? else {
        writeln!(to, "{}: missing; no report is verified", compare_report::FILE)?;
        return Ok(all_well);
    };
    all_well &= compared(compare_report::FILE, &stated, to)?;
    writeln!(
        to,
        "not verified: intervals, p-values and verdicts of {}, and report.html, .txt, .md and .tex; `posenc report` draws them \
         from the cells; nor names of rows: `posenc run` with the experiment's file and --from takes cells by their hashes",
        compare_report::FILE
    )?;
    Ok(all_well)
}

fn compared(file: &str, stated: &NumberComparison, to: &mut impl Write) -> std::io::Result<bool> {
    const SHOWN: usize = 10;
    let NumberComparison { compared, skipped, differences } = stated;
    match (differences.len(), compared) {
        (0, 0) => writeln!(to, "{file}: NOT VERIFIED: it has no number to compare with the cells")?,
        (0, _) => writeln!(to, "{file}: {compared} numbers are those of the cells")?,
        (count, _) => writeln!(to, "{file}: {count} numbers or lines are NOT THOSE OF THE CELLS:")?,
    }
    for difference in differences.iter().take(SHOWN) {
        writeln!(to, "  {}", printable(difference))?;
    }
    if *skipped > 0 {
        writeln!(to, "{file}: {skipped} lines of fitted curves were not compared")?;
    }
    Ok(differences.is_empty() && *compared > 0)
}

/// Trains cells again and compares them; returns whether all agree.
fn rerun_cells(args: &Args, bundle: &Unpacked, out: &Path, to: &mut impl Write) -> anyhow::Result<bool> {
    prepare(args.device)?;
    let mut cells = rerun::finished(bundle)?;
    // A seed that no publisher can foresee: the system keys the hashes of each process.
    let seed = args.draw.unwrap_or_else(|| RandomState::new().build_hasher().finish());
    shuffle(&mut stream(seed, &["verify", "rerun"]), &mut cells);
    let finished = cells.len();
    cells.truncate(args.rerun);
    writeln!(to, "drawn: {} of {finished} finished cells; --draw {seed} repeats it", cells.len())?;
    let reruns = rerun::prepare(bundle, &cells, &datasets(args), out)?;
    train(args, &reruns)?;
    let mut all_well = true;
    for rerun in &reruns {
        let comparison = rerun::compare(bundle, rerun);
        all_well &= !comparison.is_failure();
        writeln!(to, "{}", printable(&format!("{}: {}", rerun.task.name, in_words(&comparison))))?;
    }
    Ok(all_well)
}

fn datasets(args: &Args) -> Vec<PathBuf> {
    let usual = std::fs::read_dir(USUAL_DATA).into_iter().flatten().filter_map(Result::ok).map(|entry| entry.path());
    args.data.iter().cloned().chain(usual).collect()
}

/// Cells with the same number of threads together: the bits depend on it.
fn train(args: &Args, reruns: &[Rerun<'_>]) -> anyhow::Result<()> {
    let interrupt = Interrupt::install().context("cannot listen to signals")?;
    for threads in reruns.iter().map(|rerun| rerun.threads).collect::<BTreeSet<_>>() {
        let tasks: Vec<Task> =
            reruns.iter().filter(|rerun| rerun.threads == threads).map(|rerun| rerun.task.clone()).collect();
        let worker = Worker::this_program(threads, vec![device_name(args.device)])?;
        let limits = grid::RunLimits { retries: 1, ..grid::RunLimits::default() };
        let jobs = if args.device == Device::Cpu { (cores() / threads.max(1)).max(1) } else { 1 };
        let scheduler = Scheduler { worker: &worker, jobs, fail_fast: false, interrupt: &interrupt, limits };
        scheduler.run(&tasks, &mut progress::on_stderr(&tasks));
    }
    interrupt.release();
    Ok(())
}

fn in_words(comparison: &Comparison) -> String {
    match comparison {
        Comparison::Same => "the same, bit for bit".to_owned(),
        Comparison::Different { what } => format!("NOT THE SAME under the same conditions: {what} differs"),
        Comparison::Within { deviations, because } => {
            format!("within the spread over seeds ({deviations:.2} standard deviations); {}", because.join("; "))
        }
        Comparison::Outside { deviations, because } => {
            format!("OUTSIDE the spread over seeds ({deviations:.2} standard deviations); {}", because.join("; "))
        }
        Comparison::Unknown { why } => format!("NOT COMPARED: {why}"),
    }
}
