//! `posenc verify`: checks a bundle, and trains some of its cells again if that is wanted.

use super::devices::{parse_device, prepare};
use anyhow::Context as _;
use bundle::rerun;
use bundle::rerun::{Comparison, Rerun};
use bundle::{Limits, Verified, verify};
use grid::progress;
use grid::{Interrupt, Scheduler, Task, Worker};
use spec::printable;
use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tch::Device;
use train::setup::device_name;
use train::threads::ensure_passive_threads;

/// Where the project keeps datasets; looked through beside those that are given.
const USUAL_DATA: &str = "experiments/data";

/// Options of `posenc verify`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The bundle: a folder or a .tar.zst.
    bundle: PathBuf,
    /// Unpack the bundle into this new folder during the check.
    #[arg(long, value_name = "DIR")]
    unpack: Option<PathBuf>,
    /// Train this many of its cells again and compare.
    #[arg(long, value_name = "CELLS", default_value_t = 0)]
    rerun: usize,
    /// A dataset folder for --rerun; may be repeated. Datasets in experiments/data are found automatically.
    #[arg(long, value_name = "DIR")]
    data: Vec<PathBuf>,
    /// The device for --rerun: cpu, cuda or cuda:N.
    #[arg(long, default_value = "cpu", value_parser = parse_device)]
    device: Device,
    /// The folder for cells of --rerun; it is kept. [default: a temporary folder]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Maximum unpacked size of a bundle, in bytes.
    #[arg(long, default_value_t = Limits::default().bytes)]
    max_bytes: u64,
}

/// Checks; trains; compares.
///
/// # Errors
/// If the bundle is not what its list says, or cells cannot be trained again.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if args.rerun > 0 {
        ensure_passive_threads().context("cannot start again with OMP_WAIT_POLICY=PASSIVE")?;
    }
    let limits = Limits { bytes: args.max_bytes, ..Limits::default() };
    let verified = verify(&args.bundle, limits, args.unpack.as_deref())?;
    let mut stdout = std::io::stdout().lock();
    let (files, bytes) = (verified.files, verified.bytes);
    let bundle = printable(&args.bundle.display().to_string());
    writeln!(stdout, "{bundle}: {files} files, {bytes} bytes: every hash is right")?;
    writeln!(stdout, "blake3 {}", verified.identity)?;
    if args.rerun == 0 {
        return Ok(ExitCode::SUCCESS);
    }
    let all_well = match &args.out {
        Some(out) => again(args, &verified, out, &mut stdout)?,
        None => {
            let out = std::env::temp_dir().join(format!("posenc-verify-{}", std::process::id()));
            let compared = again(args, &verified, &out, &mut stdout);
            let _ = std::fs::remove_dir_all(&out);
            compared?
        }
    };
    Ok(if all_well { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// Trains and compares; whether nothing speaks against the bundle.
fn again(args: &Args, verified: &Verified, out: &Path, to: &mut impl std::io::Write) -> anyhow::Result<bool> {
    prepare(args.device)?;
    let reruns = rerun::prepare(verified, args.rerun, &datasets(args), out)?;
    train(args, &reruns)?;
    let mut all_well = true;
    for rerun in &reruns {
        let comparison = rerun::compare(verified, rerun);
        all_well &= !comparison.is_bad();
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
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    for threads in reruns.iter().map(|rerun| rerun.threads).collect::<BTreeSet<_>>() {
        let tasks: Vec<Task> =
            reruns.iter().filter(|rerun| rerun.threads == threads).map(|rerun| rerun.task.clone()).collect();
        let worker = Worker::this_program(threads, vec![device_name(args.device)])?;
        let limits = grid::Limits { retries: 1, ..grid::Limits::default() };
        let jobs = if args.device == Device::Cpu { (cores / threads.max(1)).max(1) } else { 1 };
        let scheduler = Scheduler { worker: &worker, jobs, fail_fast: false, interrupt: &interrupt, limits };
        scheduler.run(&tasks, &mut *progress::on_stderr(&tasks));
    }
    interrupt.release();
    Ok(())
}

fn in_words(comparison: &Comparison) -> String {
    match comparison {
        Comparison::Same => "the same, bit for bit".to_owned(),
        Comparison::Different { what } => format!("NOT THE SAME, though the same bits are due: {what} differs"),
        Comparison::Within { deviations, because } => {
            format!("within the spread over seeds ({deviations:.2} standard deviations); {}", because.join("; "))
        }
        Comparison::Outside { deviations, because } => {
            format!("OUTSIDE the spread over seeds ({deviations:.2} standard deviations); {}", because.join("; "))
        }
        Comparison::Unknown { why } => format!("NOT COMPARED: {why}"),
    }
}
