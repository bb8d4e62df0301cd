//! From a combination to a complete run, and whatever makes one impossible: refused here, before the first step.

use super::axes::{AxisName, Point};
use super::data::{DataEntry, DataFolders, DataView};
use super::expand::{Combination, base_path};
use super::file::ExperimentFile;
use super::phases;
use super::run::{RunConfig, TrainConfig, architecture};
use super::shape::Shape;
use super::source::{ConfigError, Source, Step, YamlPath, at};
use super::suggest::nearest;
use super::syntax::refused;
use super::teach::{Contents, Lack, MissingTargets, lacks, wrong_classes};
use super::training;
use dataset::{DatasetError, Manifest, PerSplit, Split, Targets, ValueTarget, store};
use games::{Frame, GameKind};
use models::{Loss, ModelConfig, ModelError};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The datasets of an experiment, opened once each.
#[derive(Debug)]
pub(crate) struct Datasets {
    by_game: BTreeMap<GameKind, OpenedData>,
}

/// A dataset that can be used, and what is taken of it.
#[derive(Debug)]
pub(crate) struct OpenedData {
    pub(crate) folder: PathBuf,
    pub(crate) manifest: Manifest,
    pub(crate) view: DataView,
    /// Positions of each split that are taken.
    pub(crate) positions: PerSplit<u64>,
    /// What there are targets for.
    contents: Contents,
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

    pub(crate) fn of(&self, game: GameKind) -> &OpenedData {
        &self.by_game[&game]
    }
}

fn open_one(file: &ExperimentFile, game: GameKind, source: &Source) -> Result<OpenedData, ConfigError> {
    let mut place = at!["base", "data"];
    let Some(DataEntry { path: written, view }) = file.base.data.of(game) else {
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
    let manifest = Manifest::read(&folder).map_err(|error| with_remedy(error.to_string()))?;
    if manifest.game != game {
        let (found, name) = (manifest.game.name(), game.name());
        return Err(with_remedy(format!("this is a dataset of {found}, but {name} is to be played")));
    }
    manifest.check_shards(&folder).map_err(|error| with_remedy(error.to_string()))?;
    viewed(folder, manifest, view.clone(), &place, source)
}

/// Refuses a view that the dataset does not offer, and counts what it holds.
fn viewed(
    folder: PathBuf,
    manifest: Manifest,
    mut view: DataView,
    place: &YamlPath,
    source: &Source,
) -> Result<OpenedData, ConfigError> {
    let at_key = |key: &str| [place.clone(), at![key]].concat();
    let known: Vec<&str> = manifest.rating_buckets.iter().map(|bucket| bucket.name.as_str()).collect();
    if let Some(unknown) = view.bucket.iter().find(|name| !known.contains(&name.as_str())) {
        let message = format!("the dataset \"{}\" has no rating bucket \"{unknown}\"", manifest.name);
        let error = refused(source, &at_key("bucket"), message).valid(known.iter().copied());
        return Err(match (nearest(unknown, known.iter().copied()), known.is_empty()) {
            (Some(meant), _) => error.help(format!("did you mean `{meant}`?")),
            (None, true) => error.help("import it with --rating-buckets, or leave `bucket` out"),
            (None, false) => error.help("write one of the valid names"),
        });
    }
    // One spelling for one set of games.
    view.bucket =
        known.iter().filter(|name| view.bucket.iter().any(|wanted| wanted == *name)).map(|&n| n.into()).collect();
    let wrong = |key: &str, reason: String| refused(source, &at_key(key), reason);
    let targets = Targets { value: view.value, ..Targets::default() };
    targets.check().map_err(|error| wrong("value", error.to_string()).help("write a number from 0 to 1"))?;
    for (column, target) in targets.columns() {
        if !store::says(&folder, &manifest, column).map_err(|error| wrong("value", error.to_string()))? {
            let dataset = manifest.name.clone();
            let error = wrong("value", DatasetError::NoTarget { dataset, column, target }.to_string());
            return Err(error.help("leave `value` out, or write `value: result`"));
        }
    }
    // The stored value is what there is without a word about it.
    view.value = view.value.filter(|&target| target != ValueTarget::Score);
    let positions = match view.bucket.is_empty() {
        true => manifest.split.positions,
        false => {
            store::positions_of(&folder, &manifest, &view.bucket).map_err(|error| wrong("bucket", error.to_string()))?
        }
    };
    if let Some(split) = Split::ALL.into_iter().find(|&split| !view.bucket.is_empty() && positions[split] == 0) {
        let error = wrong("bucket", format!("these rating buckets hold no {} positions", split.name()));
        return Err(error.help("name more buckets, or import more games"));
    }
    let contents = Contents::of(&folder, &manifest, &view).map_err(|error| refused(source, place, error))?;
    Ok(OpenedData { folder, manifest, view, positions, contents })
}

/// The run of a combination, without a seed (it is 0).
pub(crate) fn run(
    file: &ExperimentFile,
    row: &Combination,
    datasets: &Datasets,
    source: &Source,
) -> Result<RunConfig, ConfigError> {
    let Point { encoding, model, input, optimizer, learning_rate, batch, steps, mask, moves, phases, .. } =
        row.point.clone();
    let base = &file.base;
    let missing = |axis| missing(row, axis, source);
    let game = required_game(row, source)?;
    let input = input.ok_or_else(|| missing(AxisName::Input))?;
    game.offered(input).map_err(|error| refused(source, &origin(row, AxisName::Input), error))?;
    let moves = moves.unwrap_or_default();
    game.vocabulary(moves).map_err(|error| refused(source, &origin(row, AxisName::Moves), error))?;
    moves.serves(input).map_err(|error| refused(source, &origin(row, AxisName::Input), error))?;
    if input.frame() != Frame::SideToMove && datasets.of(game).manifest.map.is_some() {
        let message =
            format!("{} never turns the board, but the labels of this dataset's map are of the mover's", input.name());
        return Err(refused(source, &origin(row, AxisName::Input), message).help("take another input"));
    }
    let total = steps.ok_or_else(|| missing(AxisName::Steps))?;
    Ok(RunConfig {
        game,
        data: datasets.of(game).folder.clone(),
        view: datasets.of(game).view.clone(),
        input,
        moves,
        model: taught(model.ok_or_else(|| missing(AxisName::Model))?, file, row, datasets.of(game), source)?,
        encoding: encoding.ok_or_else(|| missing(AxisName::Encoding))?.0,
        train: TrainConfig {
            steps: total,
            batch: batch.ok_or_else(|| missing(AxisName::Batch))?,
            optimizer: optimizer.ok_or_else(|| missing(AxisName::Optimizer))?.0,
            learning_rate: training::learning_rate(learning_rate, total, row, source)?,
            clip: base.train.clip,
            averaging: base.train.averaging,
            micro_batch: base.train.micro_batch,
            dtype: base.train.dtype,
            mask: mask.unwrap_or_default(),
            phases: phases::resolved(
                phases.unwrap_or_default(),
                total,
                &base.train.loss,
                row,
                datasets.of(game),
                source,
            )?,
            loss: base.train.loss.clone(),
            log_every: base.train.log_every,
            checkpoint_every: base.train.checkpoint_every,
        },
        eval: base.eval.clone(),
        seed: 0,
        twin: false,
        imported: None,
    })
}

/// The network with the heads that its dataset has targets for: all of them, or the experiment says otherwise.
fn taught(
    model: ModelConfig,
    file: &ExperimentFile,
    row: &Combination,
    data: &OpenedData,
    source: &Source,
) -> Result<ModelConfig, ConfigError> {
    if model.resolve().is_err() {
        // It is refused where its shape is asked for, with the option to blame.
        return Ok(model);
    }
    let mut network = architecture(&model);
    let place = || [origin(row, AxisName::Model), at![network.name(), "outputs"]].concat();
    if let Some(reason) = wrong_classes(network.outputs(), &data.manifest) {
        return Err(refused(source, &place(), reason));
    }
    let lacks = lacks(network.outputs(), &data.manifest, data.contents);
    match (lacks.first(), file.base.missing_targets) {
        (None, _) => {}
        (Some(_), MissingTargets::Skip) => {
            lacks.iter().for_each(|lack| network.outputs_mut().remove(lack.head));
        }
        (Some(lack), MissingTargets::Error) => {
            let Lack { head, column, wanted } = lack;
            let head = head.name();
            let name = &data.manifest.name;
            let message = format!(
                "the head `{head}` has nothing to learn from: the column `{column}` of the dataset \"{name}\" says nothing"
            );
            return Err(source.error_at(&place(), message).help(format!(
                "take a dataset with {wanted}; or leave `{head}` out of the model's `outputs`; or write \
                 `base.missing_targets: skip`, which leaves out every such head"
            )));
        }
    }
    Ok(network.into())
}

/// The game of a row, which everything else depends on.
pub(crate) fn required_game(row: &Combination, source: &Source) -> Result<GameKind, ConfigError> {
    row.point.game.ok_or_else(|| missing(row, AxisName::Game, source))
}

pub(super) fn missing(row: &Combination, axis: AxisName, source: &Source) -> ConfigError {
    let own_row = row.origins.values().find(|path| path.first() == Some(&Step::from("include")));
    let place = own_row.map_or_else(|| at!["base"], |path| path[..2].to_vec());
    let message = format!("`{axis}` is missing: no axis varies it and `base` does not fix it");
    let key = super::source::dotted(&base_path(axis));
    source.error_at(&place, message).help(format!("add `{key}`, or `axes.{axis}`; it has no default"))
}

/// Refuses a run that cannot be trained, and says what its network looks like.
pub(crate) fn shape(row: &Combination, run: &RunConfig, source: &Source) -> Result<Shape, ConfigError> {
    sizes(row, run, source)?;
    phases::check_weights(row, run, source)?;
    training::check(row, run, source)?;
    Shape::of(run).map_err(|error| {
        let place = match (&error, error.option()) {
            (ModelError::Encoding(_) | ModelError::EncodingOnConvolutions(_), _) => origin(row, AxisName::Encoding),
            (ModelError::TokensOnConvolutions, _) => origin(row, AxisName::Input),
            (_, None) => origin(row, AxisName::Model),
            (_, Some(option)) => {
                let option: YamlPath = option.split('.').map(Step::from).collect();
                [origin(row, AxisName::Model), at![run.model.architecture().name()], option].concat()
            }
        };
        source.error_at(&place, error.to_string())
    })
}

/// Where the value of an axis stands.
pub(super) fn origin(row: &Combination, axis: AxisName) -> YamlPath {
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
    let batches = [(origin(row, AxisName::Batch), train.batch), (eval("batch"), run.eval.batch)];
    let plies = run.plies();
    if let Some((path, batch)) = batches.into_iter().find(|(_, batch)| !batch.is_multiple_of(plies)) {
        let error =
            refused(source, &path, format!("{batch} positions are no whole number of sequences of {plies} plies"));
        return Err(error.help(format!("write a multiple of {plies}, such as {}", batch.next_multiple_of(plies))));
    }
    if let Some(clip) = train.clip.filter(|clip| !(clip.is_finite() && *clip > 0.0)) {
        let error = refused(source, &at!["base", "train", "clip"], format!("{clip} is no norm to clip to"));
        return Err(error.help("write a number above 0, or leave `clip` out"));
    }
    weights(run, source)
}

fn weights(run: &RunConfig, source: &Source) -> Result<(), ConfigError> {
    let weights = &run.train.loss;
    for &loss in Loss::all() {
        let weight = weights.of(loss);
        if !(weight.is_finite() && weight >= 0.0) {
            let place = at!["base", "train", "loss", loss.name()];
            let error = refused(source, &place, format!("{weight} is no weight"));
            return Err(error.help("write a number, 0 or more"));
        }
    }
    let own = Loss::of_network(&run.model.architecture());
    if !own.is_empty() && own.iter().all(|&loss| weights.of(loss) == 0.0) {
        let names: Vec<&str> = own.iter().map(|loss| loss.name()).collect();
        let message = format!("all losses of this network have the weight 0 ({})", names.join(", "));
        let error = refused(source, &at!["base", "train", "loss"], message);
        return Err(error.help("give at least one of them a weight above 0"));
    }
    Ok(())
}
