//! An experiment, expanded and checked.

use super::build::{add_twins, rows};
use super::cell::Cell;
use super::expand::{Combination, Matrix};
use super::names::{self, own_name, run_name};
use super::opened_datasets::Datasets;
use super::row::Row;
use super::trials::{FOLDER, Trials, TunedRow, Tuning};
use super::{interactions, matched, references};
use crate::checks::{all_errors, no_effect, primary, seeds};
use crate::settings::base::{self, WrittenExperiment};
use crate::settings::evaluate::{self, Evaluations};
use crate::settings::file::{Accepted, ExperimentFile};
use crate::settings::run::RunConfig;
use crate::settings::setting::Setting;
use crate::yaml::source::{ConfigError, Source, at};
use crate::yaml::tree::Node;
use facts::metrics::{self, Direction};
use facts::{Extrapolate, Interaction, Margins, Primary, ReadAt, Role, distinct};
use games::GameKind;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

pub use facts::plan::MOST_CELLS;

/// An experiment that can be run: every row is complete, declared and has its dataset.
///
/// ```no_run
/// let experiment = config::Experiment::load("experiments/quickstart.yaml".as_ref())?;
/// println!("{}: {} cells", experiment.name, experiment.cells().len());
/// # Ok::<(), config::ConfigError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Experiment {
    /// Its file, as it was read.
    pub source: Source,
    /// Its name, a folder below the output folder: that of its file, followed by the overrides of the command line.
    pub name: String,
    pub question: Option<String>,
    /// The result that its author expects.
    pub expect: Option<String>,
    pub cost: Option<String>,
    /// The seeds, in the order in which they run.
    pub seeds: Vec<u64>,
    pub primary: Primary,
    /// Margins within which rows count as equivalent.
    pub equivalent_within: Margins,
    /// The least value of the primary metric, for power laws of the loss.
    pub floor: Margins,
    /// The budget whose losses reports predict.
    pub extrapolate: Option<Extrapolate>,
    /// The rows in the order of the file, then their matched controls, then the A/A controls.
    pub rows: Vec<Row>,
    /// Gaps between rows that are compared over another setting.
    pub interactions: Vec<Interaction>,
    /// What its file varies without effect, one sentence each.
    pub no_effect: Vec<String>,
    pub accepts: Vec<Accepted>,
    /// The settings of the command line, each as `setting=value`.
    pub sets: Vec<String>,
    /// The settings that are chosen for each row before it is trained, if the file has `tune`.
    pub tuning: Option<Tuning>,
    /// The playing-strength evaluations of the finished cells of each game.
    pub evaluate: BTreeMap<GameKind, Evaluations>,
}

impl Experiment {
    /// Reads a file, expands it and refuses an experiment that cannot be run.
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        Self::with(&Source::read(path)?, &[])
    }

    /// The same from a text, with settings of the command line, `train.steps=500`. They hold in every row.
    pub fn with(source: &Source, sets: &[String]) -> Result<Self, ConfigError> {
        let written = base::read(source, sets)?;
        let expanded = match &written.wrong {
            Some(error) => Err(error.clone()),
            None => Self::expanded(source, sets, &written),
        };
        expanded.map_err(|error| all_errors::with_others(error, &written, source))
    }

    fn expanded(source: &Source, sets: &[String], written: &WrittenExperiment) -> Result<Self, ConfigError> {
        let WrittenExperiment { document, file, overrides, .. } = written;
        let own_name = own_name(file, document, source)?;
        seeds::check(&file.seeds, document)?;
        let matrix = Matrix { file, overrides, document };
        let combinations = matrix.combinations()?;
        if combinations.is_empty() {
            return Err(document.error_at(&at!["exclude"], "no row is left").help("exclude less"));
        }
        let datasets = Datasets::open(&combinations)?;
        let mut rows = rows(&combinations, &datasets)?;
        refuse_duplicates(&rows, &combinations)?;
        names::of_rows(&mut rows, &combinations, matrix)?;
        references::mark(&mut rows, &combinations, matrix)?;
        primary::check(file, &rows, &combinations, document)?;
        if sets.is_empty() {
            check_extrapolation(file, &rows, document)?;
        }
        let interactions = interactions::interactions(matrix, &rows, &combinations)?;
        let no_effect = no_effect::sentences(matrix, &rows, &combinations);
        rows.extend(matched::controls(matrix, &rows, &combinations)?);
        names::of_controls(&mut rows, &combinations, matrix)?;
        references::mark_exploratory(&mut rows, &combinations, matrix)?;
        let tuning = match &file.tune {
            Some(entry) => {
                entry.check(&file.seeds, document)?;
                let trials = Trials { matrix, entry, combinations: &combinations, datasets: &datasets, rows: &rows };
                Some(trials.tuning()?)
            }
            None => None,
        };
        if file.twin {
            add_twins(&mut rows);
        }
        matrix.check_size(rows.len(), file.seeds.len(), &at!["seeds"])?;
        let name = run_name(&own_name, overrides);
        let evaluate = evaluate::resolved(file.evaluate.clone(), &rows, document)?;
        Ok(Self {
            source: source.clone(),
            name,
            question: file.question.clone(),
            expect: file.expect.clone(),
            cost: file.cost.clone(),
            seeds: file.seeds.clone(),
            primary: file.primary.clone(),
            equivalent_within: file.equivalent_within.clone(),
            floor: file.floor.clone(),
            extrapolate: file.extrapolate,
            rows,
            interactions,
            no_effect,
            accepts: file.accepts.clone(),
            sets: sets.to_vec(),
            tuning,
            evaluate,
        })
    }

    /// The grid of the trials; `None` if the experiment tunes nothing.
    pub fn trials(&self) -> Option<Self> {
        let tuning = self.tuning.as_ref()?;
        Some(Self {
            name: format!("{}/{}", self.name, FOLDER),
            seeds: tuning.seeds.clone(),
            primary: Primary { at: ReadAt::Last, ..self.primary.clone() },
            equivalent_within: Margins::default(),
            floor: Margins::default(),
            extrapolate: None,
            rows: tuning.grid_rows(),
            interactions: Vec::new(),
            no_effect: Vec::new(),
            tuning: None,
            evaluate: BTreeMap::new(),
            ..self.clone()
        })
    }

    /// The experiment with a trial chosen for each of [`Tuning::rows`]. Labels stay; the hash tells rows of different
    /// choices apart.
    pub fn tuned(&self, chosen: &[usize]) -> Self {
        let Some(tuning) = &self.tuning else { return self.clone() };
        let with_choice = |((tuned, &trial), row): ((&TunedRow, &usize), &Row)| Row {
            role: row.role,
            reference: row.reference.clone(),
            exploratory: row.exploratory,
            matched: row.matched.clone(),
            ..tuned.trials[trial].row.clone()
        };
        let mut rows: Vec<Row> = tuning.rows.iter().zip(chosen).zip(&self.rows).map(with_choice).collect();
        let folders: Vec<(String, String)> =
            self.rows.iter().zip(&rows).map(|(old, new)| (old.folder(), new.folder())).collect();
        let rename = |folder: &mut String| {
            if let Some((_, new)) = folders.iter().find(|(old, _)| old == folder) {
                folder.clone_from(new);
            }
        };
        rows.iter_mut().filter_map(|row| row.matched.as_mut()).for_each(|matched| rename(&mut matched.goal_folder));
        let mut interactions = self.interactions.clone();
        interactions.iter_mut().flat_map(|one| one.rows.as_flattened_mut()).for_each(rename);
        if self.rows.iter().any(|row| row.role == Role::Twin) {
            add_twins(&mut rows);
        }
        Self { rows, interactions, ..self.clone() }
    }

    /// Every cell, all rows of the first seed first: so a grid that is stopped half way holds complete pairs.
    pub fn cells(&self) -> Vec<Cell> {
        let cell = |row: &Row, seed| Cell {
            experiment: self.name.clone(),
            label: row.label.clone(),
            hash: row.hash.clone(),
            run: RunConfig { seed, ..row.run.clone() },
        };
        self.seeds.iter().flat_map(|&seed| self.rows.iter().map(move |row| cell(row, seed))).collect()
    }

    /// The games, in the order of their rows.
    pub fn games(&self) -> Vec<GameKind> {
        distinct(self.rows.iter().map(|row| row.run.game))
    }
}

/// A budget is predicted from three smaller ones or more, of three seeds or more each, by a loss on test positions.
fn check_extrapolation(file: &ExperimentFile, rows: &[Row], document: &Node) -> Result<(), ConfigError> {
    const NEEDED: usize = 3;
    let Some(Extrapolate { to }) = file.extrapolate else { return Ok(()) };
    let Primary { metric, at, .. } = &file.primary;
    let is_loss = metrics::find(metric).is_ok_and(|metric| metric.direction == Direction::Lower);
    let wrong = |message: String| document.error_at(&at!["extrapolate"], message);
    if !is_loss || *at != ReadAt::Last {
        let error = wrong(format!("only a loss at the last step is predicted, and `primary` is {metric}"));
        return Err(error.help("write `primary: {metric: …, at: last}` with a metric that falls"));
    }
    if file.seeds.len() < NEEDED {
        let error = wrong(format!("a budget needs {NEEDED} seeds, and there are {}", file.seeds.len()));
        return Err(error.help("add seeds, or leave `extrapolate` out"));
    }
    let seen_once = rows.iter().filter(|row| row.epochs() <= 1.0);
    let budgets: BTreeSet<u64> =
        seen_once.map(|row| row.run.trained_positions()).filter(|&budget| budget < to).collect();
    if budgets.len() >= NEEDED {
        return Ok(());
    }
    let message = format!(
        "{} of the rows' budgets have less than {to} positions, each seen once; {NEEDED} are needed",
        budgets.len()
    );
    let error = document.error_at(&at!["extrapolate", "to"], message);
    Err(error.help("vary `steps`, or name more positions; a row has steps × batch of them"))
}

/// Two equal rows would compare a network with itself.
fn refuse_duplicates(rows: &[Row], combinations: &[Combination]) -> Result<(), ConfigError> {
    let mut seen: HashMap<&str, usize> = HashMap::new();
    for (i, row) in rows.iter().enumerate() {
        if let Some(first) = seen.insert(&row.hash, i) {
            let (own, other) = (&combinations[i], &combinations[first]);
            let is_other = |(setting, value): &&(Setting, Node)| {
                other.point.get(setting).is_none_or(|other| other.origin.path != value.origin.path)
            };
            let differs = own.point.0.iter().find(is_other).map_or(&own.tree, |(_, value)| value);
            let message = format!("two rows are the same run: {} and {}", rows[first].label, row.label);
            return Err(differs
                .origin
                .error(message)
                .help("what differs between them has no effect; take one of the two out"));
        }
    }
    Ok(())
}
