//! Inspects cells, or every finished cell of a run folder.

use super::InspectionError;
use super::ablation::ablate;
use super::analysis::{Analysis, Controls, Testing, heads};
use super::maps::Maps;
use super::output::{self, CellFindings};
use super::page::{PageCell, name_of};
use super::position::Shown;
use super::significance::least_controls;
use config::{RunConfig, Weights};
use figures::board::View;
use records::inspected::{DIR, FORMAT, Inspected};
use records::plan::{self, Plan};
use records::status::CellState;
use std::path::{Path, PathBuf};
use tch::{Device, Tensor};
use train::Setup;
use train::inference::{Loaded, Origin};
use train::validation_sample::validation_positions;

#[derive(Debug, Clone)]
pub struct Options {
    pub testing: Testing,
    /// Validation positions over which maps are means.
    pub positions: usize,
    /// The square whose keys are shown; the middle of the board by default.
    pub square: Option<String>,
    /// Positions that are shown before the examples.
    pub asked: Vec<String>,
    /// Whether parts of the encodings are taken away.
    pub ablate: bool,
    pub weights: Weights,
    pub device: Device,
    /// Where results go; by default the folder `inspect` of the first cell or the run folder.
    pub out: Option<PathBuf>,
}

#[derive(Debug)]
pub struct Written {
    pub dir: PathBuf,
    pub cells: Vec<Inspected>,
}

/// Inspects one or more cells, or a run folder; `note` receives progress messages.
pub fn inspect(paths: &[PathBuf], options: &Options, note: &mut dyn FnMut(&str)) -> Result<Written, InspectionError> {
    let Testing { alpha, controls, .. } = options.testing;
    let least = least_controls(alpha).saturating_add(1);
    if controls > 0 && controls < least {
        return Err(InspectionError::Controls { found: controls, least, alpha });
    }
    match paths {
        [path] if path.join(plan::FILE).is_file() => of_run(path, options, note),
        paths => of_cells(paths, options, note),
    }
}

/// Several cells have a page together, in the folder of the first.
fn of_cells(paths: &[PathBuf], options: &Options, note: &mut dyn FnMut(&str)) -> Result<Written, InspectionError> {
    let mut shown = Vec::new();
    let own = |number: usize, path: &Path| match &options.out {
        Some(out) if paths.len() > 1 => out.join(format!("cell-{number}")),
        Some(out) => out.clone(),
        None => path.join(DIR),
    };
    for (number, path) in (1..).zip(paths) {
        shown.push(of_cell(path, &own(number, path), options, &mut None, note)?);
    }
    let cells: Vec<Inspected> = shown.iter().map(|cell| cell.inspected.clone()).collect();
    let dir = options.out.clone().unwrap_or_else(|| paths[0].join(DIR));
    if cells.len() > 1 {
        let names: Vec<String> = cells.iter().map(name_of).collect();
        output::write_page(&dir, &names.join(" and "), &cells, &shown)?;
    }
    Ok(Written { dir, cells })
}

/// The page of a run folder shows the first finished seed of every row; tables are over all.
fn of_run(path: &Path, options: &Options, note: &mut dyn FnMut(&str)) -> Result<Written, InspectionError> {
    let dir = options.out.clone().unwrap_or_else(|| path.join(DIR));
    let plan = Plan::of_run_folder(path)?;
    let (mut cells, mut shown, mut without_heads) = (Vec::new(), Vec::new(), None);
    for row in &plan.rows {
        let mut first = None;
        // Seeds of a row have the same controls: they differ in their weights only.
        let mut controls = None;
        for &seed in &plan.seeds {
            let cell = Plan::cell_dir(path, row, seed);
            if CellState::of(&cell) != CellState::Done {
                continue;
            }
            let into = match &options.out {
                Some(out) => out.join(&row.folder).join(format!("seed-{seed}")),
                None => cell.join(DIR),
            };
            match of_cell(&cell, &into, options, &mut controls, note) {
                Ok(cell) => {
                    cells.push(cell.inspected.clone());
                    first.get_or_insert(cell);
                }
                // A grid may also have rows without attention.
                Err(error @ InspectionError::NoHeads { .. }) => {
                    note(&error.to_string());
                    without_heads = Some(error);
                }
                Err(error) => return Err(error),
            }
        }
        shown.extend(first);
    }
    if cells.is_empty() {
        return Err(without_heads.unwrap_or_else(|| InspectionError::NothingFinished(path.to_owned())));
    }
    output::write_page(&dir, &plan.experiment, &cells, &shown)?;
    output::write_tables(&dir, &plan.experiment, &cells)?;
    Ok(Written { dir, cells })
}

/// `controls` are those of the row, once they are drawn.
fn of_cell(
    dir: &Path,
    into: &Path,
    options: &Options,
    controls: &mut Option<Controls>,
    note: &mut dyn FnMut(&str),
) -> Result<PageCell, InspectionError> {
    let load = || Loaded::cell(dir, options.weights, options.device);
    let cell = load()?;
    let config = cell.config.clone();
    let square = square(&config, options.square.as_deref())?;
    let examples = Shown::all(&options.asked, &config, options.device)?;
    let full = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
    let folder = last_part(full.parent());
    let name = format!("{folder}/{}", last_part(Some(&full)));
    note(&format!("{name}: heads"));
    let setup = Setup::load(dir, options.device, 1, false)?;
    let packed = validation_positions(&setup, options.positions)?;
    let positions = packed.size()[0] as usize / config.plies();
    let weights = cell.origin.to_string();
    let step = match cell.origin {
        Origin::Checkpoint { step } => step,
        Origin::Final | Origin::Random { .. } => config.train.steps,
    };
    let views = heads(cell, &packed, options.testing.pieces, false)?;
    if views.is_empty() {
        return Err(InspectionError::NoHeads { cell: dir.to_owned(), architecture: config.model.name() });
    }
    if controls.is_none() {
        if options.testing.controls > 0 {
            note(&format!("{name}: {} networks with random weights", options.testing.controls));
        }
        *controls = Some(Controls::draw(&config, &packed, options.testing)?);
    }
    let analysis = Analysis::of(config.game, views, controls.as_ref().unwrap_or(&Controls::default()), options.testing);
    let rows: Vec<&Tensor> = examples.iter().map(|shown| &shown.packed).collect();
    let in_examples = heads(load()?, &Tensor::f_cat(&rows, 0)?, false, true)?;
    let costs = match options.ablate {
        true => {
            note(&format!("{name}: evaluations without parts of the encodings"));
            let costs = ablate(dir, &load()?, &analysis, options.testing.seed)?;
            note(&format!("{name}: ablations measure {}", costs.measured()));
            Some(costs)
        }
        false => None,
    };
    let inspected = Inspected {
        format: FORMAT,
        cell: name,
        row: row_name(&full, &folder, &config),
        game: config.game,
        seed: config.seed,
        weights,
        positions,
        permutations: analysis.permutations,
        controls: options.testing.controls,
        by_piece: options.testing.pieces,
        alpha: options.testing.alpha,
        heads: analysis.records.clone(),
        control: analysis.control.clone(),
        pieces: analysis.pieces.clone(),
        pieces_control: analysis.pieces_control.clone(),
    };
    let maps = Maps {
        game: config.game,
        analysis: &analysis,
        square,
        examples: &examples,
        asked: options.asked.len(),
        in_examples: &in_examples,
    };
    output::write_cell(into, &CellFindings { inspected: &inspected, maps: &maps, costs: costs.as_ref(), step })
}

fn square(config: &RunConfig, name: Option<&str>) -> Result<usize, InspectionError> {
    let Some(name) = name else { return Ok(View::middle(config.game)) };
    View::FIRST.square(config.game, name).ok_or_else(|| InspectionError::Square {
        text: name.to_owned(),
        game: config.game.name(),
        example: View::FIRST.name(config.game, View::middle(config.game)),
    })
}

fn last_part(path: Option<&Path>) -> String {
    path.and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned()
}

/// The row as its experiment names it; the encodings if the cell is of no experiment.
fn row_name(cell: &Path, folder: &str, config: &RunConfig) -> String {
    let plan = cell.parent().and_then(Path::parent).and_then(|run_dir| Plan::read(run_dir).ok());
    let row = plan.and_then(|plan| plan.rows.into_iter().find(|row| row.folder == folder));
    let encodings = || {
        let labels: Vec<String> = config.encoding.iter().map(encodings::EncodingConfig::label).collect();
        if labels.is_empty() { "none".to_owned() } else { labels.join("+") }
    };
    row.map_or_else(encodings, |row| row.display_name().to_owned())
}
