//! `posenc publish`: a run folder as a bundle for others.

use bundle::{Publication, SUMS, collect, write};
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

/// Options of `posenc publish`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The experiment's run folder, e.g. runs/quickstart.
    run_dir: PathBuf,
    /// The bundle: a folder, or a file whose name ends with .tar.zst.
    #[arg(long)]
    out: PathBuf,
    /// The licence of the results, by its SPDX name: CC-BY-4.0, CC0-1.0.
    #[arg(long)]
    license: Option<String>,
    /// Include the final weights.
    #[arg(long)]
    weights: bool,
    /// Keep the means of test games in place of single positions, and leave out TensorBoard's files (`posenc run --from`
    /// makes them again).
    #[arg(long)]
    compact: bool,
    /// Publish a grid with unfinished cells.
    #[arg(long)]
    partial: bool,
}

/// Collects, cleans and writes.
///
/// # Errors
/// If cells are unfinished, the place is taken, or something cannot be read or written.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let publication = Publication {
        licence: args.license.clone(),
        weights: args.weights,
        partial: args.partial,
        compact: args.compact,
    };
    let contents = collect(&args.run_dir, &publication)?;
    write(&contents, &args.out)?;
    let mut stdout = std::io::stdout().lock();
    let out = args.out.display();
    let (files, cells, finished) = (contents.files.len(), contents.cells, contents.finished);
    writeln!(stdout, "{out}: {files} files, {finished} of {cells} cells finished")?;
    if let Some(sums) = contents.files.get(SUMS) {
        writeln!(stdout, "blake3 {}", sums.hash()?.0.to_hex())?;
    }
    if args.license.is_none() {
        eprintln!("no licence was named (--license CC-BY-4.0): others may look at it and no more");
    }
    Ok(ExitCode::SUCCESS)
}
