//! `posenc completions` and `posenc man`: what shells and `man` read, made from the command line's own description.

use super::Cli;
use anyhow::Context as _;
use clap::CommandFactory as _;
use clap_complete::Shell;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

/// Options of `posenc completions`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The shell.
    shell: Shell,
}

/// Options of `posenc man`.
#[derive(Debug, clap::Args)]
pub struct ManArgs {
    /// The folder to write, a page for each command.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

/// Prints the script of a shell.
///
/// # Errors
/// If stdout cannot be written.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "posenc", &mut script);
    std::io::stdout().lock().write_all(&script)?;
    Ok(ExitCode::SUCCESS)
}

/// Writes the pages.
///
/// # Errors
/// If the folder cannot be made or a page cannot be written.
pub fn man(args: &ManArgs) -> anyhow::Result<ExitCode> {
    let out = args.out.display();
    std::fs::create_dir_all(&args.out).with_context(|| format!("cannot make {out}"))?;
    clap_mangen::generate_to(Cli::command(), &args.out).with_context(|| format!("cannot write the pages in {out}"))?;
    Ok(ExitCode::SUCCESS)
}
