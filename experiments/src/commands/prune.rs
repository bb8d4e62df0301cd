//! `posenc prune`: makes room in run folders. Metrics, logs, manifests and event files always stay.

use config::counted;
use grid::prune::{PruneOptions, prune};
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Run folders, e.g. runs/quickstart.
    #[arg(required = true)]
    run_dirs: Vec<PathBuf>,
    /// Also remove final weights of finished cells; `predict` and `export` then no longer work. Hashes stay.
    #[arg(long)]
    weights: bool,
    /// List what would be removed; remove nothing.
    #[arg(long)]
    dry_run: bool,
}

const MEGABYTE: f64 = 1e6;

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let mut stdout = std::io::stdout().lock();
    for run_dir in &args.run_dirs {
        let pruned = prune(run_dir, PruneOptions { weights: args.weights, dry: args.dry_run })?;
        if args.dry_run {
            for (path, bytes) in &pruned.files {
                writeln!(stdout, "{} {bytes}", path.display())?;
            }
        }
        let verb = if args.dry_run { "would be removed" } else { "removed" };
        writeln!(
            stdout,
            "{}: {} {verb}, {:.1} MB; {} cells are finished, {} are not and keep their checkpoints",
            run_dir.display(),
            counted(pruned.files.len() as u64, "file"),
            pruned.bytes() as f64 / MEGABYTE,
            pruned.finished,
            pruned.unfinished
        )?;
    }
    Ok(ExitCode::SUCCESS)
}
