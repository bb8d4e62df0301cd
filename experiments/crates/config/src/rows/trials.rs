//! The trials of an experiment, resolved: their grid, and each row with the settings of each of its trials.

use super::build::{row, rows};
use super::expand::{Combination, Matrix};
use super::identity;
use super::label::Label;
use super::opened_datasets::Datasets;
use super::row::Row;
use crate::settings::run::RunConfig;
use crate::settings::setting::{Point, Setting};
use crate::settings::tune::{SearchMethod, TuneEntry};
use crate::yaml::source::{ConfigError, at};
use facts::Role;
use std::collections::{BTreeMap, BTreeSet};
use streams::below;

pub use facts::plan::TRIALS as FOLDER;

#[derive(Debug, Clone, PartialEq)]
pub struct Tuning {
    pub seeds: Vec<u64>,
    /// The trials of each row, in the order of the experiment's rows without its A/A controls.
    pub rows: Vec<TunedRow>,
    /// `grid[row][trial]`: the rows of the trials' grid. Trials that are the same run, because a setting has no effect on
    /// the row, are the same row.
    grid: Vec<Vec<Row>>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct TunedRow {
    pub label: String,
    pub trials: Vec<Trial>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    /// The settings that are tried and their values, as a file writes them.
    pub values: Vec<(Setting, String)>,
    pub place: Vec<usize>,
    /// The row as it is trained and tested if the trial is chosen.
    pub row: Row,
}

impl Tuning {
    /// The rows of the trials' grid, each once.
    pub(crate) fn grid_rows(&self) -> Vec<Row> {
        let (mut hashes, mut games) = (BTreeSet::new(), BTreeSet::new());
        let each = self.grid.iter().flatten().filter(|trial| hashes.insert(&trial.hash));
        // A grid has a reference for each game; no verdict is drawn from it here.
        let role = |is_first: bool| if is_first { Role::Reference } else { Role::Compared };
        each.map(|row| Row { role: role(games.insert(row.run.game)), reference: None, ..row.clone() }).collect()
    }

    pub fn row(&self, row: usize, trial: usize) -> &Row {
        &self.grid[row][trial]
    }
}

pub(crate) struct Trials<'a> {
    pub(crate) matrix: Matrix<'a>,
    pub(crate) entry: &'a TuneEntry,
    pub(crate) combinations: &'a [Combination],
    pub(crate) datasets: &'a Datasets,
    /// The rows of the combinations, then their matched controls.
    pub(crate) rows: &'a [Row],
}

impl Trials<'_> {
    pub(crate) fn tuning(&self) -> Result<Tuning, ConfigError> {
        let Self { entry, matrix, combinations, .. } = *self;
        let points = trials(entry, matrix, combinations)?;
        self.check_controls(&points)?;
        let grid = self.grid(&points)?;
        let tuned = self.rows.iter().enumerate().map(|(i, own)| {
            let of = self.origin(i);
            let trials = points[of].iter().map(|point| self.trial(own, of, point));
            Ok(TunedRow { label: own.label.clone(), trials: trials.collect::<Result<_, ConfigError>>()? })
        });
        Ok(Tuning { seeds: entry.seeds.clone(), rows: tuned.collect::<Result<_, ConfigError>>()?, grid })
    }

    /// The combination that a row was made from: its own, or that of the row of which it is a control.
    fn origin(&self, row: usize) -> usize {
        let source = self.rows[row].matched.as_ref().map(|matched| &matched.source);
        let named = |label: &String| self.rows.iter().position(|row| row.label == *label);
        source.and_then(named).unwrap_or(row)
    }

    /// A control has sizes of its own, which a trial of the network's or the encoding's would overwrite.
    fn check_controls(&self, points: &[Vec<TrialPoint>]) -> Result<(), ConfigError> {
        let settings = points.iter().flatten().flat_map(|point| &point.values.0);
        let mut of_network =
            settings.filter(|(setting, _)| ["model", "encoding"].contains(&setting.key_path()[0].as_str()));
        match of_network.next() {
            Some((setting, value)) if self.rows.len() > self.combinations.len() => {
                let error = value.origin.error(format!("`{setting}` cannot be tuned together with matched controls"));
                Err(error.help("tune settings of `train`, or write the controls as rows with their sizes"))
            }
            _ => Ok(()),
        }
    }

    fn grid(&self, points: &[Vec<TrialPoint>]) -> Result<Vec<Vec<Row>>, ConfigError> {
        let Self { entry, matrix, combinations, .. } = *self;
        let mut all = Vec::new();
        for (combination, points) in combinations.iter().zip(points) {
            for point in points {
                all.push(matrix.combination(point.values.over(&entry.set).over(&combination.point))?);
            }
        }
        let mut rows = rows(&all, self.datasets)?;
        for i in 1..rows.len() {
            // A setting without effect on the row: the same run under another label.
            if let Some(first) = rows[..i].iter().position(|first| first.hash == rows[i].hash) {
                rows[i] = rows[first].clone();
            }
        }
        let number = points.first().map_or(1, Vec::len);
        let mut of_rows: Vec<Vec<Row>> = rows.chunks(number).map(<[Row]>::to_vec).collect();
        for i in combinations.len()..self.rows.len() {
            let control = &self.rows[i];
            let trials = of_rows[self.origin(i)].iter().map(|trial| control_of(control, trial, &trial.label));
            of_rows.push(trials.collect());
        }
        Ok(of_rows)
    }

    /// A trial of a row, with the row as it is if the trial is chosen.
    fn trial(&self, own: &Row, of: usize, point: &TrialPoint) -> Result<Trial, ConfigError> {
        let combination = self.matrix.combination(point.values.over(&self.combinations[of].point))?;
        let base = row(&combination, &Label::default(), self.datasets)?;
        let chosen = match own.matched {
            Some(_) => control_of(own, &base, &own.label),
            None => {
                Row { label: own.label.clone(), name: own.name.clone(), custom_name: own.custom_name.clone(), ..base }
            }
        };
        let values = point.values.0.iter().map(|(setting, value)| (setting.clone(), value.to_string()));
        Ok(Trial { values: values.collect(), place: point.place.clone(), row: chosen })
    }
}

/// A matched control with the settings of a trial of the row that it was made from.
fn control_of(control: &Row, trial: &Row, label: &str) -> Row {
    let RunConfig { model, encoding, .. } = control.run.clone();
    let run = RunConfig { model, encoding, ..trial.run.clone() };
    let hash = identity::hash(&run, &trial.data.content());
    let label = match &control.matched {
        Some(matched) if label != control.label => format!("{label}{}", matched.folder_words()),
        _ => label.to_owned(),
    };
    Row { label, hash, run, data: trial.data.clone(), ..control.clone() }
}

/// One trial of a row before it is resolved.
#[derive(Debug, Clone)]
struct TrialPoint {
    values: Point,
    place: Vec<usize>,
}

fn trials(entry: &TuneEntry, matrix: Matrix<'_>, rows: &[Combination]) -> Result<Vec<Vec<TrialPoint>>, ConfigError> {
    let mut axes: Vec<&Point> = vec![&entry.axes; rows.len()];
    for (number, one) in entry.conditional.iter().enumerate() {
        let own = matrix.matching(rows, &one.when)?;
        if own.is_empty() && !matrix.is_overridden(&one.when) {
            let place = at!["tune", "conditional", number];
            let error = matrix.document.error_at(&place, "this entry of `conditional` is about no row");
            return Err(error.help("`when` needs values as written in `axes`, options included"));
        }
        own.into_iter().for_each(|row| axes[row] = &one.axes);
    }
    axes.iter().try_for_each(|axes| matrix.limited(combinations(axes), "tune"))?;
    let count = |row: usize| match entry.search {
        SearchMethod::Grid => combinations(axes[row]),
        SearchMethod::Random(wanted) => combinations(axes[row]).min(wanted),
    };
    if let Some(row) = (1..rows.len()).find(|&row| count(row) != count(0)) {
        let message = format!("some rows have {} trials and others {}", count(0), count(row));
        let error = matrix.document.error_at(&at!["tune"], message);
        return Err(error.help("give every row equally many: more trials find better values by chance alone"));
    }
    matrix.check_size((0..rows.len()).map(count).sum(), entry.seeds.len(), &at!["tune", "seeds"])?;
    let mut tried: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let points = |axes: &&Point| -> Vec<TrialPoint> {
        let all = combinations(axes);
        let numbers = tried.entry(all).or_insert_with(|| searched(&entry.search, all));
        numbers.iter().map(|&number| trial_point(axes, number)).collect()
    };
    Ok(axes.iter().map(points).collect())
}

/// How many combinations of the values of some axes there are.
fn combinations(axes: &Point) -> usize {
    axes.0.iter().fold(1, |number: usize, (_, values)| number.saturating_mul(values.elements().len()))
}

/// The numbers of the combinations that are tried, of `all`, in their order.
fn searched(search: &SearchMethod, all: usize) -> Vec<usize> {
    let SearchMethod::Random(wanted) = *search else { return (0..all).collect() };
    let mut stream = streams::stream(0, &["tune", "random search"]);
    // One after another is taken out, by its place among those that are left.
    let taken_out: Vec<usize> = (wanted..all).rev().map(|left| below(&mut stream, left as u64 + 1) as usize).collect();
    let mut kept: Vec<usize> = (0..all.min(wanted)).collect();
    for &out in taken_out.iter().rev() {
        kept.iter_mut().filter(|place| **place >= out).for_each(|place| *place += 1);
    }
    kept
}

/// The combination of a number; the first axis varies slowest.
fn trial_point(axes: &Point, number: usize) -> TrialPoint {
    let (mut rest, mut values, mut place) = (number, Vec::new(), Vec::new());
    for (setting, list) in axes.0.iter().rev() {
        let list = list.elements();
        values.push((setting.clone(), list[rest % list.len()].clone()));
        place.push(rest % list.len());
        rest /= list.len();
    }
    values.reverse();
    place.reverse();
    TrialPoint { values: Point(values), place }
}
