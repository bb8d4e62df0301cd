//! `posenc completions` and `posenc man`, generated from the description of the command line.

use super::options::print;
use anyhow::Context as _;
use clap::Command;
use clap_complete::Shell;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The shell.
    shell: Shell,
}

#[derive(Debug, clap::Args)]
pub struct ManArgs {
    /// The folder to write, a page for each command.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

pub fn run(args: &Args, mut posenc: Command) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut posenc, "posenc", &mut script);
    print(&String::from_utf8(script)?)
}

pub fn man(args: &ManArgs, posenc: Command) -> anyhow::Result<ExitCode> {
    let out = args.out.display();
    std::fs::create_dir_all(&args.out).with_context(|| format!("cannot make {out}"))?;
    clap_mangen::generate_to(posenc, &args.out).with_context(|| format!("cannot write the pages in {out}"))?;
    Ok(ExitCode::SUCCESS)
}
