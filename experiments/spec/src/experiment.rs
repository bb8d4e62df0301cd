//! An experiment, expanded and checked.

use super::axes::{AxisName, Point};
use super::base;
use super::cell::Cell;
use super::expand::{Combination, combinations};
use super::file::{ExperimentFile, Primary};
use super::identity;
use super::idle;
use super::interactions::{self, Interaction};
use super::label::labels;
use super::matched::{self, Matched};
use super::phases;
use super::primary;
use super::resolve::{self, Datasets, OpenedData};
use super::run::RunConfig;
use super::shape::Shape;
use super::source::{ConfigError, Source, at};
use super::syntax;
use games::GameKind;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// An experiment that can be run: every row is complete, declared and has its dataset.
#[derive(Debug, Clone, PartialEq)]
pub struct Experiment {
    /// Its file.
    pub path: PathBuf,
    /// Its name, a folder below the output folder.
    pub name: String,
    /// The question that it answers.
    pub question: Option<String>,
    /// What its author expects.
    pub expect: Option<String>,
    /// What it costs, in words.
    pub cost: Option<String>,
    /// The seeds, in the order in which they run.
    pub seeds: Vec<u64>,
    /// What decides.
    pub primary: Primary,
    /// The rows in the order of the file, then their matched controls, then the references' twins.
    pub rows: Vec<Row>,
    /// Gaps between rows that are compared over something else.
    pub interactions: Vec<Interaction>,
    /// What its file varies to no effect, a sentence each.
    pub idle: Vec<String>,
}

/// One row: a run that is repeated with every seed.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The game's and the varied axes' short names, e.g. `chess-shaw`.
    pub label: String,
    /// See [`identity::hash`].
    pub hash: String,
    /// The run with seed 0.
    pub run: RunConfig,
    /// Its network.
    pub shape: Shape,
    /// Its dataset.
    pub data: RowData,
    /// What it is compared as.
    pub role: Role,
    /// What its network was made equal to, if it is a matched control.
    pub matched: Option<Matched>,
}

/// What a row stands for in its game's comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// One of those that are compared.
    Candidate,
    /// The one that every difference is taken against.
    Reference,
    /// The reference with other parameter streams: how large a difference is when there is none.
    Twin,
}

/// What a row knows of its dataset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowData {
    /// Its name.
    pub name: String,
    /// Its content hash.
    pub content_hash: String,
    /// Positions of the training split, as far as the run takes them; the others likewise.
    pub train_positions: u64,
    /// Positions of the validation split.
    pub validation_positions: u64,
    /// Positions of the test split.
    pub test_positions: u64,
    /// The step behind the last one of each phase of training; none without phases.
    pub phase_ends: Vec<u64>,
}

impl Row {
    /// How often the training split is seen.
    #[must_use]
    pub fn epochs(&self) -> f64 {
        let seen = self.run.train.steps as f64 * self.run.train.batch as f64;
        seen / self.data.train_positions as f64
    }

    /// The row's folder name, as [`Cell::row`].
    #[must_use]
    pub fn folder(&self) -> String {
        format!("{}-{}", self.label, self.hash)
    }
}

impl Experiment {
    /// Reads a file, expands it and refuses whatever could not be run.
    ///
    /// # Errors
    /// On everything that can be known before the first step, with its place in the file and a remedy.
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        Self::from_source(&Source::read(path)?)
    }

    /// The same from a text.
    ///
    /// # Errors
    /// As [`Self::load`].
    pub fn from_source(source: &Source) -> Result<Self, ConfigError> {
        let file = base::read(source)?;
        check_name(&file.name, source)?;
        check_seeds(&file.seeds, source)?;
        let combinations = combinations(&file, source)?;
        if combinations.is_empty() {
            return Err(source.error_at(&at!["exclude"], "no row is left").help("exclude less"));
        }
        let mut rows = rows(&file, &combinations, source)?;
        refuse_duplicates(&rows, &combinations, source)?;
        mark_references(&mut rows, &file.reference, &combinations, source)?;
        primary::check(&file, &rows, &combinations, source)?;
        let interactions = interactions::interactions(&file, &rows, source)?;
        let idle = idle::idle(&file, &rows, &combinations);
        rows.extend(matched::controls(&file.controls, &rows, &combinations, source)?);
        if file.twin {
            add_twins(&mut rows);
        }
        let ExperimentFile { name, question, expect, cost, seeds, primary, .. } = file;
        Ok(Self {
            path: source.path().to_owned(),
            name,
            question,
            expect,
            cost,
            seeds,
            primary,
            rows,
            interactions,
            idle,
        })
    }

    /// Every cell, all rows of the first seed first: so a grid that is stopped half way holds complete pairs.
    #[must_use]
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
    #[must_use]
    pub fn games(&self) -> Vec<GameKind> {
        let mut games = Vec::new();
        for row in &self.rows {
            if !games.contains(&row.run.game) {
                games.push(row.run.game);
            }
        }
        games
    }

    /// The row that a game's differences are taken against.
    #[must_use]
    pub fn reference(&self, game: GameKind) -> Option<&Row> {
        self.rows.iter().find(|row| row.run.game == game && row.role == Role::Reference)
    }
}

/// Bytes of an experiment's name; it becomes a part of paths.
const LONGEST_NAME: usize = 80;

fn check_name(name: &str, source: &Source) -> Result<(), ConfigError> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let fits = name.len() <= LONGEST_NAME
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().all(allowed);
    if fits {
        return Ok(());
    }
    let error = source.error_at(&at!["name"], format!("\"{name}\" is no name for a folder"));
    Err(error
        .help(format!("use up to {LONGEST_NAME} letters, digits, `-`, `_` and `.`, beginning with a letter or digit")))
}

fn check_seeds(seeds: &[u64], source: &Source) -> Result<(), ConfigError> {
    if seeds.is_empty() {
        let error = source.error_at(&at!["seeds"], "there is no seed");
        return Err(error.help("list them: [0, 1, 2]; a verdict needs 3 or more"));
    }
    let twice = (1..seeds.len()).find(|&i| seeds[..i].contains(&seeds[i]));
    twice.map_or(Ok(()), |i| {
        let error = source.error_at(&at!["seeds", i], format!("the seed {} stands twice", seeds[i]));
        Err(error.help("a repeated seed repeats the same numbers; name each once"))
    })
}

fn rows(file: &ExperimentFile, combinations: &[Combination], source: &Source) -> Result<Vec<Row>, ConfigError> {
    for combination in combinations {
        resolve::required_game(combination, source)?;
    }
    let datasets = Datasets::open(file, combinations, source)?;
    let points: Vec<Point> = combinations.iter().map(|combination| combination.point.clone()).collect();
    let named = combinations.iter().zip(labels(&points));
    named.map(|(combination, label)| row(file, combination, label, &datasets, source)).collect()
}

fn row(
    file: &ExperimentFile,
    combination: &Combination,
    label: String,
    datasets: &Datasets,
    source: &Source,
) -> Result<Row, ConfigError> {
    let run = resolve::run(file, combination, datasets, source)?;
    let shape = resolve::shape(combination, &run, source)?;
    let opened = datasets.of(run.game);
    let OpenedData { manifest, positions, .. } = opened;
    let data = RowData {
        name: manifest.name.clone(),
        content_hash: manifest.content_hash.clone(),
        train_positions: positions.train,
        validation_positions: positions.validation,
        test_positions: positions.test,
        phase_ends: phases::ends(&run, opened)
            .map_err(|error| syntax::refused(source, &resolve::origin(combination, AxisName::Phases), error))?,
    };
    let hash = identity::hash(&run, &data.content_hash);
    Ok(Row { label, hash, run, shape, data, role: Role::Candidate, matched: None })
}

/// Two equal rows would compare a network with itself.
fn refuse_duplicates(rows: &[Row], combinations: &[Combination], source: &Source) -> Result<(), ConfigError> {
    let mut seen: HashMap<&str, usize> = HashMap::new();
    for (i, row) in rows.iter().enumerate() {
        if let Some(first) = seen.insert(&row.hash, i) {
            let own = &combinations[i].origins;
            let other = &combinations[first].origins;
            let differs = own.iter().find(|(axis, path)| other.get(*axis) != Some(*path)).map(|(_, path)| path.clone());
            let message = format!("two rows are the same run: {} and {}", rows[first].label, row.label);
            let error = source.error_at(&differs.unwrap_or_else(|| at!["axes"]), message);
            return Err(error.help("what differs between them has no effect; take one of the two out"));
        }
    }
    Ok(())
}

fn mark_references(
    rows: &mut [Row],
    wanted: &Point,
    combinations: &[Combination],
    source: &Source,
) -> Result<(), ConfigError> {
    let wanted = wanted.clone().normalised();
    let wrong = |message: String| source.error_at(&at!["reference"], message);
    let mut games: Vec<GameKind> = rows.iter().map(|row| row.run.game).collect();
    games.dedup();
    for game in games {
        let of_game = |i: &usize| rows[*i].run.game == game;
        let found: Vec<usize> =
            (0..rows.len()).filter(of_game).filter(|&i| wanted.matches(&combinations[i].point)).collect();
        match found[..] {
            [one] => rows[one].role = Role::Reference,
            [] => {
                let labels = (0..rows.len()).filter(of_game).map(|i| rows[i].label.clone());
                let error = wrong(format!("`reference` matches no row of {}", game.name())).valid(labels);
                return Err(error.help("write its values as in `axes` or `base`, options included"));
            }
            _ => {
                let labels: Vec<&str> = found.iter().map(|&i| rows[i].label.as_str()).collect();
                let several = labels.join(", ");
                let error = wrong(format!("`reference` matches {} rows of {}: {several}", found.len(), game.name()));
                return Err(error.help("name more values, so that one row is left for each game"));
            }
        }
    }
    Ok(())
}

fn add_twins(rows: &mut Vec<Row>) {
    let twins: Vec<Row> = rows
        .iter()
        .filter(|row| row.role == Role::Reference)
        .map(|row| {
            let run = RunConfig { twin: true, ..row.run.clone() };
            let hash = identity::hash(&run, &row.data.content_hash);
            Row { label: format!("{}-twin", row.label), hash, run, role: Role::Twin, ..row.clone() }
        })
        .collect();
    rows.extend(twins);
}
