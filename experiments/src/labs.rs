//! The labs of this program: the commands and options that each adds. Nothing else names their features.
//!
//! A lab depends on the core, and the core on no lab. Without its feature a lab is not built, and its commands are absent.

/// Commands of `posenc data generate` that start an engine.
#[cfg(feature = "engines")]
mod engines {
    pub(super) mod forced;
    pub(super) mod games;
    pub(super) mod openings;
    pub(super) mod relabelled;
}
#[cfg(not(feature = "play"))]
pub(crate) mod evaluation;
#[cfg(feature = "inspect")]
mod inspect;
/// Network files of Lc0: `posenc data import-net` and `posenc export --lc0`.
#[cfg(feature = "lc0")]
mod lc0 {
    pub(super) mod export;
    pub(super) mod import;
}
/// Networks as players: `posenc eval`, `posenc play`, `posenc match`, and `evaluate:` of experiment files.
#[cfg(feature = "play")]
mod play {
    pub(super) mod engine;
    pub(super) mod eval;
    pub(crate) mod evaluation;
    pub(super) mod matches;
}
/// Experiments on a Slurm cluster: `posenc submit`, and the tasks that it submits.
#[cfg(feature = "slurm")]
mod slurm {
    pub(super) mod submit;
    pub(super) mod task;
}
#[cfg(feature = "watch")]
mod watch;

#[cfg(feature = "play")]
pub(crate) use self::play::evaluation;

use clap::Subcommand;
use std::path::Path;
use std::process::ExitCode;
use train::inference::{Loaded, Request};

/// What `posenc --help` adds where labs are absent.
pub(crate) fn absent() -> String {
    let labs = [
        ("engines", cfg!(feature = "engines")),
        ("inspect", cfg!(feature = "inspect")),
        ("lc0", cfg!(feature = "lc0")),
        ("play", cfg!(feature = "play")),
        ("slurm", cfg!(feature = "slurm")),
        ("watch", cfg!(feature = "watch")),
    ];
    let absent: Vec<&str> = labs.into_iter().filter(|(_, is_built)| !is_built).map(|(name, _)| name).collect();
    if absent.is_empty() {
        return String::new();
    }
    format!("\n\nBuilt without the labs {}: `make build` adds their commands.", absent.join(", "))
}

pub(crate) fn can_inspect() -> bool {
    cfg!(feature = "inspect")
}

#[derive(Debug, Subcommand)]
pub(crate) enum LabCommand {
    /// Submit an experiment to a Slurm cluster, one job-array task per cell.
    #[cfg(feature = "slurm")]
    Submit(slurm::submit::Args),
    /// Train one cell of a list, as a task of a Slurm array; `submit` writes it.
    #[cfg(feature = "slurm")]
    #[command(hide = true)]
    Task(slurm::task::Args),
    /// Show a run folder as a live page in a browser, or write the page to a file again and again.
    #[cfg(feature = "watch")]
    Watch(watch::Args),
    /// Show what the heads of a cell, or of a run folder's cells, do with positions: maps, movements, statistics.
    #[cfg(feature = "inspect")]
    Inspect(inspect::Args),
    /// Measure how strong a cell's network is: puzzles, test suites, mates in one, calibration.
    #[cfg(feature = "play")]
    Eval(play::eval::Args),
    /// Play as an engine on stdin and stdout: UCI for chess, USI for shogi.
    #[cfg(feature = "play")]
    Play(play::engine::Args),
    /// Play games between cells and engines: Elo with error bars, records.
    #[cfg(feature = "play")]
    Match(play::matches::Args),
}

impl LabCommand {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        match self {
            #[cfg(feature = "slurm")]
            Self::Submit(args) => slurm::submit::run(&args),
            #[cfg(feature = "slurm")]
            Self::Task(args) => slurm::task::run(&args),
            #[cfg(feature = "watch")]
            Self::Watch(args) => watch::run(&args),
            #[cfg(feature = "inspect")]
            Self::Inspect(args) => inspect::run(&args),
            #[cfg(feature = "play")]
            Self::Eval(args) => play::eval::run(&args),
            #[cfg(feature = "play")]
            Self::Play(args) => play::engine::run(&args),
            #[cfg(feature = "play")]
            Self::Match(args) => play::matches::run(&args),
        }
    }
}

/// Commands of labs in `posenc data`.
#[derive(Debug, Subcommand)]
pub(crate) enum DataCommand {
    /// Convert a network file of Lc0 to a cell, for predict, export and comparisons.
    #[cfg(feature = "lc0")]
    ImportNet(lc0::import::Args),
}

impl DataCommand {
    pub(crate) fn run(&self) -> anyhow::Result<String> {
        match *self {
            #[cfg(feature = "lc0")]
            Self::ImportNet(ref args) => lc0::import::run(args),
        }
    }
}

/// Commands of labs in `posenc data generate`.
#[derive(Debug, Subcommand)]
pub(crate) enum GenerateCommand {
    /// Let a UCI or USI engine play against itself; keep its scores and, with MultiPV, soft policies.
    #[cfg(feature = "engines")]
    Engines(Box<engines::games::Args>),
    /// Find forced mates in a dataset's test games with an engine, as puzzles for `posenc eval`.
    #[cfg(feature = "engines")]
    ForcedLines(engines::forced::Args),
    /// Play random openings, and keep those that an engine calls even, as a book for `posenc match`.
    #[cfg(feature = "engines")]
    Openings(engines::openings::Args),
    /// Search test positions of a dataset again, with more nodes: labels against which losses on the old ones can be read.
    #[cfg(feature = "engines")]
    Relabelled(engines::relabelled::Args),
}

impl GenerateCommand {
    pub(crate) fn run(&self) -> anyhow::Result<ExitCode> {
        match *self {
            #[cfg(feature = "engines")]
            Self::Engines(ref args) => engines::games::run(args),
            #[cfg(feature = "engines")]
            Self::ForcedLines(ref args) => engines::forced::run(args),
            #[cfg(feature = "engines")]
            Self::Openings(ref args) => engines::openings::run(args),
            #[cfg(feature = "engines")]
            Self::Relabelled(ref args) => engines::relabelled::run(args),
        }
    }
}

/// Options of labs in `posenc export`, each for another format than the folder.
#[derive(Debug, clap::Args)]
#[group(id = "format_of_lab")]
pub(crate) struct ExportFormat {
    /// Write the network as a weights file of Lc0 (.pb.gz); it must not exist yet. Needs a network of Lc0's architecture.
    #[cfg(feature = "lc0")]
    #[arg(long, value_name = "FILE", conflicts_with_all = ["gradient", "activations", "onnx", "out"])]
    lc0: Option<std::path::PathBuf>,
    /// Read the file of --lc0 back, and print the largest differences to the cell on --positions, by default of 60 test games.
    #[cfg(feature = "lc0")]
    #[arg(long, requires = "lc0", conflicts_with_all = ["gradient", "activations", "onnx", "out"])]
    check: bool,
}

/// Writes a cell's network to a file, and compares it with the cell on positions if there are any; returns what to say.
type Write = fn(&Loaded, &Path, Option<&[Request]>) -> anyhow::Result<String>;

impl ExportFormat {
    /// If an option of a lab was given: the file to write, how, and on how many positions to compare it if none are named.
    pub(crate) fn chosen(&self) -> Option<(&Path, Write, Option<usize>)> {
        #[cfg(feature = "lc0")]
        if let Some(file) = &self.lc0 {
            let check = self.check.then_some(lc0::export::POSITIONS);
            return Some((file.as_path(), lc0::export::write as Write, check));
        }
        None
    }
}
