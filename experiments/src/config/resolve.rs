//! From a combination to a complete run, and whatever makes one impossible: refused here, before the first step.

use super::axes::{AxisName, Point};
use super::dataset::{check_shards, read_manifest};
use super::expand::{Combination, base_path};
use super::file::ExperimentFile;
use super::run::{RunConfig, TrainConfig};
use super::shape::Shape;
use super::source::{ConfigError, Source, Step, YamlPath, at};
use super::syntax::refused;
use super::values::DataFolders;
use dataset::Manifest;
use games::GameKind;
use models::ModelError;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The datasets of an experiment, opened once each.
#[derive(Debug)]
pub(crate) struct Datasets {
    by_game: BTreeMap<GameKind, (PathBuf, Manifest)>,
}

impl Datasets {
    /// Reads the manifests of the games that the rows play, and checks their shards.
    pub(crate) fn open(file: &ExperimentFile, rows: &[Combination], source: &Source) -> Result<Self, ConfigError> {
        let mut games: Vec<GameKind> = rows.iter().filter_map(|row| row.point.game).collect();
        games.sort_unstable();
        games.dedup();
        if let (DataFolders::One(_), [first, second, ..]) = (&file.base.data, &games[..]) {
            let message = format!("`base.data` is one folder, but {} and {} are played", first.name(), second.name());
            let remedy = format!("name a folder for each: data: {{{}: …, {}: …}}", first.name(), second.name());
            return Err(source.error_at(&at!["base", "data"], message).help(remedy));
        }
        let open = |game: GameKind| Ok((game, open_one(file, game, source)?));
        Ok(Self { by_game: games.into_iter().map(open).collect::<Result<_, _>>()? })
    }

    pub(crate) fn of(&self, game: GameKind) -> &(PathBuf, Manifest) {
        &self.by_game[&game]
    }
}

fn open_one(file: &ExperimentFile, game: GameKind, source: &Source) -> Result<(PathBuf, Manifest), ConfigError> {
    let mut place = at!["base", "data"];
    let Some(written) = file.base.data.of(game) else {
        let message = format!("`base.data` names no dataset for {}", game.name());
        return Err(source.error_at(&place, message).help(format!("add `{}: <folder>`", game.name())));
    };
    if matches!(file.base.data, DataFolders::PerGame(_)) {
        place.push(Step::from(game.name()));
    }
    let beside = source.path().parent().unwrap_or(Path::new("")).join(written);
    let wrong = |reason: String| refused(source, &place, reason);
    // Cells run in processes of their own, so the path must not depend on where one stands.
    let folder = std::path::absolute(&beside).map_err(|error| wrong(error.to_string()))?;
    let with_remedy = |reason: String| {
        let remedy = "the path is relative to the experiment file; `posenc data import` makes a dataset";
        wrong(reason).help(remedy)
    };
    let manifest = read_manifest(&folder).map_err(|error| with_remedy(format!("{error:#}")))?;
    if manifest.game != game {
        let (found, name) = (manifest.game.name(), game.name());
        return Err(with_remedy(format!("this is a dataset of {found}, but {name} is to be played")));
    }
    check_shards(&folder, &manifest).map_err(|error| with_remedy(error.to_string()))?;
    Ok((folder, manifest))
}

/// The run of a combination, without a seed (it is 0).
pub(crate) fn run(
    file: &ExperimentFile,
    row: &Combination,
    datasets: &Datasets,
    source: &Source,
) -> Result<RunConfig, ConfigError> {
    let Point { game: _, encoding, model, input, optimizer, learning_rate, batch, steps, mask } = row.point.clone();
    let base = &file.base;
    let missing = |axis| missing(row, axis, source);
    let game = required_game(row, source)?;
    let input = input.ok_or_else(|| missing(AxisName::Input))?;
    game.offered(input).map_err(|error| refused(source, &origin(row, AxisName::Input), error))?;
    Ok(RunConfig {
        game,
        data: datasets.of(game).0.clone(),
        input,
        moves: base.moves,
        model: model.ok_or_else(|| missing(AxisName::Model))?,
        encoding: encoding.ok_or_else(|| missing(AxisName::Encoding))?.0,
        train: TrainConfig {
            steps: steps.ok_or_else(|| missing(AxisName::Steps))?,
            batch: batch.ok_or_else(|| missing(AxisName::Batch))?,
            optimizer: optimizer.ok_or_else(|| missing(AxisName::Optimizer))?.0,
            learning_rate: learning_rate.ok_or_else(|| missing(AxisName::LearningRate))?.0,
            clip: base.train.clip,
            mask: mask.unwrap_or_default(),
            loss: base.train.loss,
            log_every: base.train.log_every,
            checkpoint_every: base.train.checkpoint_every,
        },
        eval: base.eval.clone(),
        seed: 0,
        twin: false,
    })
}

/// The game of a row, which everything else depends on.
pub(crate) fn required_game(row: &Combination, source: &Source) -> Result<GameKind, ConfigError> {
    row.point.game.ok_or_else(|| missing(row, AxisName::Game, source))
}

fn missing(row: &Combination, axis: AxisName, source: &Source) -> ConfigError {
    let own_row = row.origins.values().find(|path| path.first() == Some(&Step::from("include")));
    let place = own_row.map_or_else(|| at!["base"], |path| path[..2].to_vec());
    let message = format!("`{axis}` is missing: no axis varies it and `base` does not fix it");
    let key = super::source::dotted(&base_path(axis));
    source.error_at(&place, message).help(format!("add `{key}`, or `axes.{axis}`; it has no default"))
}

/// Refuses a run that cannot be trained, and says what its network looks like.
pub(crate) fn shape(row: &Combination, run: &RunConfig, source: &Source) -> Result<Shape, ConfigError> {
    sizes(row, run, source)?;
    let optimizer = |error| refused(source, &origin(row, AxisName::Optimizer), error);
    run.train.optimizer.check().map_err(optimizer)?;
    Shape::of(run).map_err(|error| {
        let place = match &error {
            ModelError::Encoding(_) => origin(row, AxisName::Encoding),
            ModelError::HeadsDoNotDivide { .. } => [origin(row, AxisName::Model), at!["chessformer", "heads"]].concat(),
            ModelError::Zero { name } => {
                let option: YamlPath = name.split('.').map(Step::from).collect();
                [origin(row, AxisName::Model), at!["chessformer"], option].concat()
            }
            ModelError::DuplicateName(_) => origin(row, AxisName::Model),
        };
        source.error_at(&place, error.to_string())
    })
}

/// Where the value of an axis stands.
fn origin(row: &Combination, axis: AxisName) -> YamlPath {
    row.origins.get(&axis).cloned().unwrap_or_else(|| base_path(axis))
}

fn sizes(row: &Combination, run: &RunConfig, source: &Source) -> Result<(), ConfigError> {
    let train = &run.train;
    let eval = |key: &str| at!["base", "eval", key];
    let at_least_one = [
        (origin(row, AxisName::Steps), train.steps),
        (origin(row, AxisName::Batch), train.batch as u64),
        (at!["base", "train", "log_every"], train.log_every),
        (at!["base", "train", "checkpoint_every"], train.checkpoint_every),
        (eval("validation_positions"), run.eval.validation_positions as u64),
        (eval("test_positions"), run.eval.test_positions as u64),
        (eval("every"), run.eval.every),
        (eval("batch"), run.eval.batch as u64),
    ];
    if let Some((path, _)) = at_least_one.into_iter().find(|&(_, value)| value == 0) {
        return Err(refused(source, &path, "0 is too few").help("write a whole number, 1 or more"));
    }
    if let Some(clip) = train.clip.filter(|clip| !(clip.is_finite() && *clip > 0.0)) {
        let error = refused(source, &at!["base", "train", "clip"], format!("{clip} is no norm to clip to"));
        return Err(error.help("write a number above 0, or leave `clip` out"));
    }
    let weights = [("policy", train.loss.policy), ("value", train.loss.value)];
    for (name, weight) in weights {
        if !(weight.is_finite() && weight >= 0.0) {
            let error = refused(source, &at!["base", "train", "loss", name], format!("{weight} is no weight"));
            return Err(error.help("write a number, 0 or more"));
        }
    }
    if weights.iter().all(|(_, weight)| *weight == 0.0) {
        let error = refused(source, &at!["base", "train", "loss"], "both losses have the weight 0");
        return Err(error.help("give at least one of them a weight above 0"));
    }
    Ok(())
}
