//! The bundles and run folders of a folder, each read once.

use crate::fields::{fault, unknown};
use crate::times::{self, TrainedCell};
use bundle::predictions::Predictions;
use bundle::unpacked::is_bundle;
use bundle::{Limits, PACKED, Unpacked, UnpackedPart};
use minijinja::Error;
use records::Plan;
use records::axes::ENCODING;
use report::figures::{self, Figure};
use report::model::GameReport;
use report::{Report, ReportOptions};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

#[derive(Debug)]
pub(crate) struct Grid {
    pub(crate) name: String,
    pub(crate) report: Report,
    /// What it predicted when it was published.
    pub(crate) predictions: Option<Predictions>,
    /// When its cells and trials were trained.
    pub(crate) trained: Vec<TrainedCell>,
    /// Drawn when a page asks for one.
    figures: OnceLock<Vec<Figure>>,
}

impl Grid {
    fn read(name: &str, run_dir: &Path, options: &VerdictOptions) -> Result<Self, Error> {
        let failed = |error: anyhow::Error| fault(format!("{}: {error:#}", run_dir.display()));
        let predictions = Predictions::read(run_dir).map_err(failed)?;
        // What was predicted is compared with what was measured there.
        let extrapolate = predictions.as_ref().and_then(|own| own.rows.first()).map(|row| row.positions);
        let of_primary = |margin: f64| anyhow::Ok((Plan::read(run_dir)?.primary.metric, margin));
        let equivalent_within = options.margin.map(of_primary).transpose().map_err(failed)?;
        let reference = options.encoding.clone().map(|encoding| (ENCODING.to_owned(), encoding));
        let options = ReportOptions { extrapolate, equivalent_within, reference, ..ReportOptions::default() };
        let report = Report::with_options(run_dir, &options).map_err(failed)?;
        Ok(Self { name: name.to_owned(), report, predictions, trained: times::of(run_dir), figures: OnceLock::new() })
    }

    pub(crate) fn figures(&self) -> &[Figure] {
        self.figures.get_or_init(|| figures::for_any_page(&self.report))
    }

    pub(crate) fn game(&self, game: &str) -> Result<&GameReport, Error> {
        let games = || self.report.games.iter();
        games()
            .find(|own| own.game == game)
            .ok_or_else(|| unknown("game", game, &self.name, games().map(|own| own.game.as_str())))
    }
}

/// How a page judges a grid otherwise than its experiment.
#[derive(Debug, Clone, Default)]
pub(crate) struct VerdictOptions {
    /// Equivalence within this margin of the primary metric.
    pub(crate) margin: Option<f64>,
    /// Comparisons with the rows of this encoding.
    pub(crate) encoding: Option<String>,
}

/// A folder of bundles and run folders.
#[derive(Debug)]
pub(crate) struct Library {
    folder: PathBuf,
    grids: Mutex<BTreeMap<String, Arc<Grid>>>,
}

impl Library {
    /// That of a folder, of which nothing is read yet.
    pub(crate) fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), grids: Mutex::new(BTreeMap::new()) }
    }

    /// A grid by the name of its folder, or of its packed bundle without the extension.
    pub(crate) fn grid(&self, name: &str) -> Result<Arc<Grid>, Error> {
        self.grid_with(name, &VerdictOptions::default())
    }

    pub(crate) fn grid_with(&self, name: &str, options: &VerdictOptions) -> Result<Arc<Grid>, Error> {
        let key = format!("{name} {options:?}");
        let mut grids = self.grids.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = grids.get(&key) {
            return Ok(Arc::clone(known));
        }
        let grid = Arc::new(self.read(name, options)?);
        grids.insert(key, Arc::clone(&grid));
        Ok(grid)
    }

    fn read(&self, name: &str, options: &VerdictOptions) -> Result<Grid, Error> {
        let (packed, folder) = (self.folder.join(format!("{name}{PACKED}")), self.folder.join(name));
        let path = if packed.is_file() { packed } else { folder };
        if is_bundle(&path) && path.exists() {
            let unpacked = Unpacked::of(&path, Limits::default(), UnpackedPart::Records);
            let unpacked = unpacked.map_err(|error| fault(format!("{}: {error}", path.display())))?;
            return Grid::read(name, unpacked.run_dir(), options);
        }
        if path.is_dir() {
            return Grid::read(name, &path, options);
        }
        Err(unknown("bundle", name, &self.folder.display().to_string(), self.names().iter()))
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let name = |entry: fs::DirEntry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            match name.strip_suffix(PACKED) {
                Some(packed) => Some(packed.to_owned()),
                None => entry.path().is_dir().then_some(name),
            }
        };
        let mut names: Vec<String> = entries.filter_map(name).collect();
        names.sort();
        names
    }
}
