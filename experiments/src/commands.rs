//! The command line. One command per file; each parses nothing but its own arguments and calls the library.
//!
//! Exit codes: 0 done, 1 something failed (one line with its cause and remedy), 2 wrong usage. Results go to
//! stdout, logs and progress to stderr.

pub mod bench;
pub mod cell;
pub mod check;
pub mod compare;
pub mod completions;
pub mod data;
pub mod devices;
pub(crate) mod error_message;
pub mod export;
mod help;
pub mod list;
pub mod new;
pub(crate) mod options;
pub mod parity;
pub mod predict;
pub mod prune;
pub mod publish;
pub mod render;
pub mod report;
pub mod retry;
pub mod run;
pub mod show;
mod slots;
pub mod status;
pub mod verify;
pub(crate) mod version;

use crate::labs::{self, LabCommand};
use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use nn::Backend;
use std::io::{self, ErrorKind};
use std::process::ExitCode;

/// Compare position encodings for transformers on chess and shogi: train grids, report differences.
#[derive(Debug, Parser)]
#[command(name = "posenc", version, long_version = version::long(), max_term_width = 110)]
#[command(help_template = help::template::<Command>(&labs::absent()))]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Write an experiment file with comments, from a dataset and a few answers.
    New(new::Args),
    /// Validate an experiment file and expand it: cells, parameters, FLOPs. Runs nothing.
    Check(check::Args),
    /// Print the JSON Schema of experiment files, for editors, or their keys.
    Schema {
        /// Print every key with its values, default and meaning instead.
        #[arg(long)]
        keys: bool,
    },
    /// Run an experiment, or resume it.
    Run(run::Args),
    /// Show the status of every cell of a run folder; on a terminal, follow the run.
    Status(status::Args),
    /// Run failed cells again, from their last checkpoints.
    Retry(retry::Args),
    /// Remove checkpoints of finished cells. Metrics are never removed.
    Prune(prune::Args),
    /// Write a run folder as a checksummed bundle, without paths and names of this machine.
    Publish(publish::Args),
    /// Check every hash of a bundle; with --rerun, train some of its cells again and compare.
    Verify(verify::Args),
    /// Print the tables of a run folder, with intervals and tests; also during the run.
    Report(report::Args),
    /// Compare several grids in one set of tables.
    Compare(compare::Args),
    /// Write pages and papers from templates whose numbers come from bundles and run folders.
    Render(render::Args),
    /// List available games, encodings, models, inputs, moves, presets or metrics.
    List(list::Args),
    /// Show a position: the board, the network's input, the legal moves with their policy indices.
    Show(show::Args),
    /// Export a network for other programs: weights, configuration, inputs and outputs of some positions.
    Export(export::Args),
    /// Evaluate a cell's network on positions: moves with probabilities, values.
    Predict(predict::Args),
    /// Make, inspect and check datasets.
    Data(data::Args),
    /// Measure the speed of the loader, of imports, or of a training step.
    Bench(bench::Args),
    /// List the devices and libraries that posenc found.
    Devices(devices::Args),
    /// Print completions for a shell: posenc completions bash > /etc/bash_completion.d/posenc.
    Completions(completions::Args),
    /// Write a manual page for each command.
    Man(completions::ManArgs),
    /// Write what networks compute with random weights, for comparing implementations; `make parity` runs it.
    #[command(hide = true)]
    Parity(parity::Args),
    /// Train one cell in this process; `run` starts it.
    #[command(hide = true)]
    Cell(cell::Args),
    #[command(flatten)]
    Lab(LabCommand),
}

/// Parses the command line, runs the command and turns its outcome into an exit code. `revision` is what `revision::revision!` found.
pub fn start(revision: [&'static str; 3]) -> ExitCode {
    nn::skip_destructors();
    let _ = version::SOURCE.set(revision);
    let matches = help::fitted(Cli::command()).try_get_matches();
    let cli = matches.and_then(|matches| Cli::from_arg_matches(&matches)).unwrap_or_else(|error| refuse(&error));
    match Backend::of_environment() {
        Ok(_) => cli.run(),
        Err(error) => {
            eprintln!("posenc: {error}");
            ExitCode::from(2)
        }
    }
}

/// Ends with clap's message. An unknown command may be that of a lab which was not built.
fn refuse(error: &clap::Error) -> ! {
    let absent = labs::absent();
    if error.kind() == clap::error::ErrorKind::InvalidSubcommand && !absent.is_empty() {
        eprintln!("{}\n", absent.trim_start());
    }
    error.exit()
}

impl Cli {
    fn run(self) -> ExitCode {
        let outcome = match self.command {
            Command::New(args) => new::run(&args),
            Command::Check(args) => check::run(&args),
            Command::Schema { keys: true } => options::print(&config::schema::keys::list()),
            Command::Schema { keys: false } => options::print(&format!("{:#}\n", config::schema::schema())),
            Command::Run(args) => run::run(&args),
            Command::Status(args) => status::run(&args),
            Command::Retry(args) => retry::run(&args),
            Command::Prune(args) => prune::run(&args),
            Command::Publish(args) => publish::run(&args),
            Command::Verify(args) => verify::run(&args),
            Command::Report(args) => report::run(&args),
            Command::Completions(args) => completions::run(&args, Self::command()),
            Command::Man(args) => completions::man(&args, Self::command()),
            Command::Compare(args) => compare::run(&args),
            Command::Render(args) => render::run(&args),
            Command::List(args) => list::run(&args),
            Command::Show(args) => show::run(&args),
            Command::Export(args) => export::run(&args),
            Command::Predict(args) => predict::run(&args),
            Command::Data(args) => data::run(&args),
            Command::Bench(args) => bench::run(&args),
            Command::Devices(args) => devices::run(&args),
            Command::Parity(args) => parity::run(&args),
            Command::Cell(args) => cell::run(&args),
            Command::Lab(command) => command.run(),
        };
        match outcome {
            Ok(code) => code,
            // The reader of our output, such as `head`, has closed it. Errors of files and engines are typed.
            Err(error)
                if error.downcast_ref::<io::Error>().is_some_and(|cause| cause.kind() == ErrorKind::BrokenPipe) =>
            {
                ExitCode::SUCCESS
            }
            Err(error) => {
                let text = format!("posenc: {}", error_message::error_message(&error));
                eprintln!("{}", error_message::for_stderr(&text));
                ExitCode::from(1)
            }
        }
    }
}
