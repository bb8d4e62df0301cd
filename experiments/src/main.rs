//! `posenc`: trains and compares position encodings on boards.

use clap::Parser as _;
use experiments::commands::Cli;
use std::process::ExitCode;

fn main() -> ExitCode {
    Cli::parse().run()
}
