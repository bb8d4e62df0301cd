//! What several commands share: options, names as values of options, and how a command ends.

use bundle::Limits;
use config::{ConfigError, Experiment, Source};
use games::{ParsePosition, Position};
use grid::{RunSelection, Selector};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The limit of every command that opens a bundle.
#[derive(Debug, clap::Args)]
pub(super) struct BundleLimit {
    /// Maximum unpacked size of a bundle, in bytes.
    #[arg(long, default_value_t = Limits::default().bytes)]
    max_bytes: u64,
}

impl BundleLimit {
    pub(super) fn limits(&self) -> Limits {
        Limits::of(self.max_bytes)
    }
}

/// What `posenc check`, `run` and `submit` can override.
#[derive(Debug, clap::Args)]
pub(super) struct Sets {
    /// Give a setting this value in every row, as if the file said so: train.steps=500, 'encoding={rope: {layout: axial_2d,
    /// theta: 10}}'. An axis of that name is no longer varied. May be repeated.
    #[arg(long = "set", value_name = "SETTING=VALUE")]
    sets: Vec<String>,
}

impl Sets {
    /// Reads an experiment file with these settings.
    pub(super) fn load(&self, file: &Path) -> Result<Experiment, ConfigError> {
        Experiment::with(&Source::read(file)?, &self.sets)
    }
}

/// Which cells `posenc run` and `submit` prepare, and where.
#[derive(Debug, clap::Args)]
pub(crate) struct GridOptions {
    /// The experiment file.
    file: PathBuf,
    /// The folder of run folders; the experiment's own has its name.
    #[arg(long, default_value = "runs")]
    out: PathBuf,
    /// Take only cells with these values: encoding=shaw,rope, game=chess, seed=0, row=chess-shaw or the row's name in
    /// reports. May be repeated.
    #[arg(long, value_name = "AXIS=VALUE")]
    pub(crate) only: Vec<Selector>,
    /// Also look for finished cells in this folder of run folders, and copy them instead of training them again. May be
    /// repeated.
    #[arg(long, value_name = "DIR")]
    cells: Vec<PathBuf>,
    /// Replace the plan of the run folder also if it has finished cells that the new plan lacks. Their files stay.
    #[arg(long)]
    replace: bool,
    #[command(flatten)]
    sets: Sets,
}

impl GridOptions {
    pub(crate) fn load(&self) -> Result<Experiment, ConfigError> {
        self.sets.load(&self.file)
    }

    /// The selection of a grid without bundles.
    pub(crate) fn selection(&self) -> RunSelection {
        RunSelection {
            out: self.out.clone(),
            only: self.only.clone(),
            cells: self.cells.clone(),
            replace: self.replace,
            ..RunSelection::default()
        }
    }
}

/// The cores of this machine; 1 if they are not known.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The value with this name; the error lists all names.
pub(crate) fn named<T: Copy>(what: &str, all: &[T], name: fn(T) -> &'static str, text: &str) -> Result<T, String> {
    all.iter().copied().find(|&one| name(one) == text).ok_or_else(|| {
        let names: Vec<&str> = all.iter().copied().map(name).collect();
        format!("the {what} are {}", names.join(", "))
    })
}

pub(crate) fn by_name<T: Copy + 'static>(
    what: &'static str,
    all: &'static [T],
    name: fn(T) -> &'static str,
) -> impl Fn(&str) -> Result<T, String> + Clone {
    move |text: &str| named(what, all, name, text)
}

/// Prints a command's result, which succeeded.
pub(crate) fn print(text: &str) -> anyhow::Result<ExitCode> {
    std::io::stdout().lock().write_all(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// A value as indented JSON with the end of its last line.
pub(crate) fn json_text(value: &impl serde::Serialize) -> anyhow::Result<String> {
    Ok(format!("{:#}\n", serde_json::to_value(value)?))
}

/// A FEN or SFEN, or `startpos`.
pub(super) fn position<P: Position>(text: &str) -> Result<P, ParsePosition> {
    if text.trim() == "startpos" { Ok(P::start()) } else { P::parse(text) }
}
