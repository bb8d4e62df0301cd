//! From a combination to a complete run, and whatever makes one impossible: refused here, before the first step.

use super::data::{DataEntry, DataFolders, DataView};
use super::expand::Combination;
use super::phases;
use super::run::{BaseConfig, RunConfig, TrainConfig, architecture};
use super::shape::Shape;
use super::source::ConfigError;
use super::suggest::nearest;
use super::teach::{Contents, Lack, MissingTargets, lacks, wrong_classes};
use super::tree::Node;
use dataset::{DatasetError, Manifest, PerSplit, Split, Targets, ValueTarget, store};
use games::{Frame, GameKind};
use models::{Loss, ModelConfig, ModelError, Network};
use std::collections::BTreeMap;
use std::path::PathBuf;

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
    pub(crate) fn open(rows: &[Combination]) -> Result<Self, ConfigError> {
        let first_rows: BTreeMap<GameKind, &Combination> = rows.iter().rev().map(|row| (row.run.game, row)).collect();
        let games: Vec<&str> = first_rows.keys().map(|game| game.name()).collect();
        let is_one = |row: &&Combination| matches!(row.run.data, DataFolders::One(_));
        if let ([first, second, ..], Some(row)) = (&games[..], rows.first().filter(is_one)) {
            let message = format!("`base.data` is one folder, but {first} and {second} are played");
            let remedy = format!("name a folder for each: data: {{{first}: …, {second}: …}}");
            return Err(row.node(&["data"]).origin.error(message).help(remedy));
        }
        let open = |(game, row): (GameKind, &Combination)| Ok((game, open_one(row, game)?));
        Ok(Self { by_game: first_rows.into_iter().map(open).collect::<Result<_, _>>()? })
    }

    pub(crate) fn of(&self, game: GameKind) -> &OpenedData {
        &self.by_game[&game]
    }
}

fn open_one(row: &Combination, game: GameKind) -> Result<OpenedData, ConfigError> {
    let all = row.node(&["data"]);
    let Some(DataEntry { path: written, view }) = row.run.data.of(game) else {
        let message = format!("`base.data` names no dataset for {}", game.name());
        return Err(all.origin.error(message).help(format!("add `{}: <folder>`", game.name())));
    };
    let node = all.get(&[game.name()]).unwrap_or(all);
    let origin = &node.origin;
    let beside = node.nearest(&["path"]).origin.source.folder().join(written);
    // Cells run in processes of their own, so the path must not depend on where one stands.
    let folder = std::path::absolute(&beside).map_err(|error| origin.refused(error))?;
    let with_remedy = |reason: String| {
        let remedy = "the path is relative to the experiment file; `posenc data import` makes a dataset";
        origin.refused(reason).help(remedy)
    };
    let manifest = Manifest::read(&folder).map_err(|error| with_remedy(error.to_string()))?;
    if manifest.game != game {
        let (found, name) = (manifest.game.name(), game.name());
        return Err(with_remedy(format!("this is a dataset of {found}, but {name} is to be played")));
    }
    manifest.check_shards(&folder).map_err(|error| with_remedy(error.to_string()))?;
    viewed(folder, manifest, view.clone(), node)
}

/// Refuses a view that the dataset does not offer, and counts what it holds.
fn viewed(folder: PathBuf, manifest: Manifest, mut view: DataView, node: &Node) -> Result<OpenedData, ConfigError> {
    let refused = |key: &str, reason: String| node.nearest(&[key]).origin.refused(reason);
    let known: Vec<&str> = manifest.rating_buckets.iter().map(|bucket| bucket.name.as_str()).collect();
    if let Some(unknown) = view.bucket.iter().find(|name| !known.contains(&name.as_str())) {
        let message = format!("the dataset \"{}\" has no rating bucket \"{unknown}\"", manifest.name);
        let error = refused("bucket", message).valid(known.iter().copied());
        return Err(match (nearest(unknown, known.iter().copied()), known.is_empty()) {
            (Some(meant), _) => error.help(format!("did you mean `{meant}`?")),
            (None, true) => error.help("import it with --rating-buckets, or leave `bucket` out"),
            (None, false) => error.help("write one of the valid names"),
        });
    }
    // One spelling for one set of games.
    view.bucket =
        known.iter().filter(|name| view.bucket.iter().any(|wanted| wanted == *name)).map(|&n| n.into()).collect();
    let targets = Targets { value: view.value, ..Targets::default() };
    targets.check().map_err(|error| refused("value", error.to_string()).help("write a number from 0 to 1"))?;
    for (column, target) in targets.columns() {
        if !store::has_values(&folder, &manifest, column).map_err(|error| refused("value", error.to_string()))? {
            let dataset = manifest.name.clone();
            let error = refused("value", DatasetError::NoTarget { dataset, column, target }.to_string());
            return Err(error.help("leave `value` out, or write `value: result`"));
        }
    }
    // The stored value is what there is without a word about it.
    view.value = view.value.filter(|&target| target != ValueTarget::Score);
    let positions = match view.bucket.is_empty() {
        true => manifest.split.positions,
        false => store::positions_of(&folder, &manifest, &view.bucket)
            .map_err(|error| refused("bucket", error.to_string()))?,
    };
    if let Some(split) = Split::ALL.into_iter().find(|&split| !view.bucket.is_empty() && positions[split] == 0) {
        let error = refused("bucket", format!("these rating buckets hold no {} positions", split.name()));
        return Err(error.help("name more buckets, or import more games"));
    }
    let contents = Contents::of(&folder, &manifest, &view).map_err(|error| node.origin.refused(error))?;
    Ok(OpenedData { folder, manifest, view, positions, contents })
}

/// The run of a combination, without a seed (it is 0).
pub(crate) fn run(row: &Combination, datasets: &Datasets) -> Result<RunConfig, ConfigError> {
    let BaseConfig { game, input, moves, ref model, ref encoding, ref train, ref eval, .. } = row.run;
    let data = datasets.of(game);
    game.offered(input).map_err(|error| row.refused(&["input"], error))?;
    game.vocabulary(moves).map_err(|error| row.refused(&["moves"], error))?;
    moves.serves(input).map_err(|error| row.refused(&["input"], error))?;
    if input.frame() != Frame::SideToMove && data.manifest.map.is_some() {
        let message =
            format!("{} never turns the board, but the labels of this dataset's map are of the mover's", input.name());
        return Err(row.refused(&["input"], message).help("take another input"));
    }
    let learning_rate = train.learning_rate.clone().ending_at(train.steps);
    Ok(RunConfig {
        game,
        data: data.folder.clone(),
        view: data.view.clone(),
        input,
        moves,
        model: taught(model.clone(), row, data)?,
        encoding: encoding.clone(),
        train: TrainConfig {
            learning_rate: learning_rate.map_err(|error| row.refused(&["train", "learning_rate"], error))?,
            phases: phases::resolved(row, data)?,
            ..train.clone()
        },
        eval: eval.clone(),
        seed: 0,
        twin: false,
        imported: None,
    })
}

/// The network with the heads that its dataset has targets for: all of them, or the experiment says otherwise.
fn taught(model: ModelConfig, row: &Combination, data: &OpenedData) -> Result<ModelConfig, ConfigError> {
    if model.resolve().is_err() {
        // It is refused where its shape is asked for, with the option to blame.
        return Ok(model);
    }
    let mut network = architecture(&model);
    let outputs = &row.node(&["model", network.name(), "outputs"]).origin;
    if let Some(reason) = wrong_classes(network.outputs(), &data.manifest) {
        return Err(outputs.refused(reason));
    }
    let lacks = lacks(network.outputs(), &data.manifest, data.contents);
    match (lacks.first(), row.run.missing_targets) {
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
            return Err(outputs.error(message).help(format!(
                "take a dataset with {wanted}; or leave `{head}` out of the model's `outputs`; or write \
                 `base.missing_targets: skip`, which leaves out every such head"
            )));
        }
    }
    Ok(network.into())
}

/// Refuses a run that cannot be trained, and says what its network looks like.
pub(crate) fn shape(row: &Combination, run: &RunConfig) -> Result<Shape, ConfigError> {
    sizes(row, run)?;
    phases::check_weights(row, run)?;
    optimizer(row, run)?;
    Shape::of(run).map_err(|error| {
        let node = match (&error, error.option()) {
            (ModelError::Encoding(_) | ModelError::EncodingOnConvolutions(_), _) => row.node(&["encoding"]),
            (ModelError::TokensOnConvolutions, _) => row.node(&["input"]),
            (_, None) => row.node(&["model"]),
            (_, Some(option)) => {
                let name = run.model.architecture().name();
                row.tree.nearest(&["model", name].into_iter().chain(option.split('.')).collect::<Vec<_>>())
            }
        };
        node.origin.error(error.to_string())
    })
}

/// Refuses an optimiser or an average that cannot be.
fn optimizer(row: &Combination, run: &RunConfig) -> Result<(), ConfigError> {
    let optimizer = &run.train.optimizer;
    let wrong = |error| row.refused(&["train", "optimizer"], error);
    optimizer.check().map_err(wrong)?;
    if let Some(averaging) = run.train.averaging {
        averaging.check().map_err(|error| row.refused(&["train", "averaging"], error))?;
    }
    if optimizer.groups().is_empty() {
        return Ok(());
    }
    let declared = Network::declare(&run.model, &run.encoding, &run.spec());
    // A network that cannot be declared is refused where its shape is asked for, with a better word about it.
    declared.map_or(Ok(()), |(_, layout)| optimizer.check_for(&layout).map_err(wrong))
}

fn sizes(row: &Combination, run: &RunConfig) -> Result<(), ConfigError> {
    let batches = [(["train", "batch"], run.train.batch), (["eval", "batch"], run.eval.batch)];
    let plies = run.plies();
    if let Some((way, batch)) = batches.into_iter().find(|(_, batch)| !batch.is_multiple_of(plies)) {
        let error = row.refused(&way, format!("{batch} positions are no whole number of sequences of {plies} plies"));
        return Err(error.help(format!("write a multiple of {plies}, such as {}", batch.next_multiple_of(plies))));
    }
    weights(row, run)
}

fn weights(row: &Combination, run: &RunConfig) -> Result<(), ConfigError> {
    let weights = &run.train.loss;
    for &loss in Loss::all() {
        let weight = weights.of(loss);
        if !(weight.is_finite() && weight >= 0.0) {
            let error = row.refused(&["train", "loss", loss.name()], format!("{weight} is no weight"));
            return Err(error.help("write a number, 0 or more"));
        }
    }
    let own = Loss::of_network(&run.model.architecture());
    if !own.is_empty() && own.iter().all(|&loss| weights.of(loss) == 0.0) {
        let names: Vec<&str> = own.iter().map(|loss| loss.name()).collect();
        let message = format!("all losses of this network have the weight 0 ({})", names.join(", "));
        let error = row.refused(&["train", "loss"], message);
        return Err(error.help("give at least one of them a weight above 0"));
    }
    Ok(())
}
