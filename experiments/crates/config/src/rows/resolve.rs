//! From a combination to a complete run. What cannot be trained is refused here, before the first step.

use super::expand::Combination;
use super::network_cost::NetworkCost;
use super::opened_datasets::{Datasets, OpenedData, stored};
use super::phase_steps;
use crate::checks::targets::{self, OnMissingTargets, wrong_classes};
use crate::settings::data::DataView;
use crate::settings::precision::MicroBatch;
use crate::settings::run::{BaseConfig, RunConfig, TrainConfig};
use crate::settings::start_weights::Start;
use crate::yaml::source::ConfigError;
use facts::grouped;
use models::{Loss, ModelConfig, ModelError, Network};

/// The run of a combination, without a seed (it is 0).
pub(crate) fn run(row: &Combination, datasets: &Datasets) -> Result<RunConfig, ConfigError> {
    let BaseConfig { game, input, moves, ref model, ref encoding, ref train, ref eval, .. } = row.run;
    let data = datasets.of(game);
    game.offered(input).map_err(|error| row.refused(&["input"], error))?;
    game.vocabulary(moves).map_err(|error| row.refused(&["moves"], error))?;
    moves.supports(input).map_err(|error| row.refused(&["input"], error))?;
    let model = with_targets(model.clone(), row, data)?;
    // A computed map that no head reads decides nothing.
    let reads_map = model.outputs().per_square.is_some() || model.outputs().pairs.is_some();
    let view = DataView { map: data.view.map.filter(|_| reads_map), ..data.view.clone() };
    for manifest in std::iter::once(&data.manifest).chain(data.test.iter().map(|test| &test.manifest)) {
        let offered = if reads_map { manifest.offered(input) } else { stored(manifest, &data.view).offered(input) };
        offered.map_err(|error| row.refused(&["input"], error))?;
    }
    let learning_rate = train.learning_rate.clone().ending_at(train.steps);
    Ok(RunConfig {
        game,
        data: data.folder.clone(),
        test_data: data.test.as_ref().map(|test| test.folder.clone()),
        generate: data.generate.clone(),
        view,
        input,
        moves,
        model,
        encoding: encoding.clone(),
        train: TrainConfig {
            learning_rate: learning_rate.map_err(|error| row.refused(&["train", "learning_rate"], error))?,
            phases: phase_steps::resolved(row, data)?,
            start: train.start.as_ref().map(|own| start(own, row, datasets)).transpose()?,
            ..train.clone()
        },
        eval: eval.clone(),
        seed: 0,
        twin: false,
        imported: None,
    })
}

/// The file that a run starts with: its place on this disk and its hash. Refuses one that cannot be read or has another
/// hash.
fn start(start: &Start, row: &Combination, datasets: &Datasets) -> Result<Start, ConfigError> {
    if let Some(fault) = start.fault() {
        return Err(row.refused(&["train", "start"], fault));
    }
    let (key, name) =
        if start.is_network() { ("network", "weights.safetensors") } else { ("tables", "tables.safetensors") };
    let origin = &row.node(&["train", "start", key]).origin;
    let file = origin.absolute(start.file())?;
    let remedy = format!("name {name} of a folder that `posenc export` wrote, relative to this file");
    let unreadable = |error| origin.refused(format!("{} cannot be read: {error}", file.display())).help(remedy);
    let blake3 = datasets.hash_of(&file).map_err(unreadable)?;
    if !start.blake3.is_empty() && start.blake3 != blake3 {
        let message = format!("{} has the BLAKE3 {blake3}, not {}", file.display(), start.blake3);
        return Err(origin.refused(message).help("restore the file, or leave `blake3` out"));
    }
    let mut found = Start { blake3, ..start.clone() };
    *found.file_mut() = file;
    Ok(found)
}

/// The network with the heads that its dataset has targets for. A head without targets is refused, unless the experiment
/// leaves it out.
fn with_targets(mut network: ModelConfig, row: &Combination, data: &OpenedData) -> Result<ModelConfig, ConfigError> {
    if network.check().is_err() {
        // It is refused when its cost is computed, with the invalid option.
        return Ok(network);
    }
    let outputs = &row.node(&["model", network.name(), "outputs"]).origin;
    if let Some(reason) = wrong_classes(network.outputs(), &data.manifest) {
        return Err(outputs.refused(reason));
    }
    let mut missing = Vec::new();
    let test = data.test.as_ref().map(|test| ("be tested on", &test.manifest, test.contents));
    for (what, manifest, contents) in std::iter::once(("learn from", &data.manifest, data.contents)).chain(test) {
        let targets = targets::missing(network.outputs(), manifest, contents).into_iter();
        missing.extend(targets.map(|target| (what, &manifest.name, target)));
    }
    match (missing.first(), row.run.missing_targets) {
        (None, _) => {}
        (Some(_), OnMissingTargets::Skip) => {
            missing.iter().for_each(|(.., target)| network.outputs_mut().remove(target.head));
        }
        (Some((what, name, target)), OnMissingTargets::Error) => {
            let (head, column, wanted) = (target.head.name(), target.column, target.wanted);
            let message = format!(
                "the head `{head}` has nothing to {what}: the column `{column}` of the dataset \"{name}\" is empty"
            );
            return Err(outputs.error(message).help(format!(
                "take a dataset with {wanted}; or leave `{head}` out of the model's `outputs`; or write \
                 `base.missing_targets: skip`, which leaves out every such head"
            )));
        }
    }
    Ok(network)
}

/// Refuses a run that cannot be trained, and returns the cost of its network.
pub(crate) fn cost(row: &Combination, run: &RunConfig) -> Result<NetworkCost, ConfigError> {
    sizes(row, run)?;
    phase_steps::check_weights(row, run)?;
    optimizer(row, run)?;
    NetworkCost::of(run).map_err(|error| {
        let node = match (&error, error.option()) {
            (ModelError::Encoding(_) | ModelError::EncodingOnConvolutions(_), _) => row.node(&["encoding"]),
            (ModelError::TokensOnConvolutions, _) => row.node(&["input"]),
            (_, None) => row.node(&["model"]),
            (_, Some(option)) => {
                row.tree.nearest(&["model", run.model.name()].into_iter().chain(option.split('.')).collect::<Vec<_>>())
            }
        };
        node.origin.error(error.to_string())
    })
}

/// Refuses an optimiser or an average with invalid options.
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
    // A network that cannot be declared is refused when its cost is computed, with a better message.
    declared.map_or(Ok(()), |(_, layout)| optimizer.check_for(&layout).map_err(wrong))
}

/// The most memory of a batch, in bytes: more than machines have.
const MOST_OF_BATCH: u128 = 1 << 40;

/// The least memory of a batch: the packed rows, and the boards' channels of the positions that go through the network at once.
fn least_bytes(run: &RunConfig, batch: usize, at_once: usize) -> u128 {
    let input = run.spec().input;
    let channels = size_of::<f32>() * input.geometry.squares() * input.board_channels();
    batch as u128 * input.row_bytes() as u128 + at_once.min(batch) as u128 * channels as u128
}

fn sizes(row: &Combination, run: &RunConfig) -> Result<(), ConfigError> {
    let at_once = match run.train.micro_batch {
        None => run.train.batch,
        Some(MicroBatch::Of(positions)) => positions,
        Some(MicroBatch::Auto) => 1,
    };
    let batches = [(["train", "batch"], run.train.batch), (["eval", "batch"], run.eval.batch)];
    for ((key_path, batch), at_once) in batches.into_iter().zip([at_once, run.eval.batch]) {
        let bytes = least_bytes(run, batch, at_once);
        if bytes > MOST_OF_BATCH {
            let gigabytes = |bytes: u128| grouped(bytes / 1_000_000_000);
            let positions = grouped(batch as u128);
            let error =
                row.refused(&key_path, format!("{positions} positions need {} GB of memory or more", gigabytes(bytes)));
            return Err(error.help(format!("write a smaller number; {} GB is the limit", gigabytes(MOST_OF_BATCH))));
        }
    }
    // Another number is refused when the network's cost is computed.
    let plies = if run.model.check().is_ok() { run.plies() } else { 1 };
    if let Some((key_path, batch)) = batches.into_iter().find(|(_, batch)| !batch.is_multiple_of(plies)) {
        let error = row.refused(&key_path, format!("{batch} positions do not divide into sequences of {plies} plies"));
        return Err(error.help(format!("write a multiple of {plies}, such as {}", batch.next_multiple_of(plies))));
    }
    weights(row, run)
}

fn weights(row: &Combination, run: &RunConfig) -> Result<(), ConfigError> {
    let weights = &run.train.loss;
    for &loss in Loss::all() {
        let weight = weights.of(loss);
        if !(weight.is_finite() && weight >= 0.0) {
            let error = row.refused(&["train", "loss", loss.name()], format!("{weight} is not a weight"));
            return Err(error.help("write a number, 0 or more"));
        }
    }
    let own = run.model.losses();
    if !own.is_empty() && own.iter().all(|&loss| weights.of(loss) == 0.0) {
        let names: Vec<&str> = own.iter().map(|loss| loss.name()).collect();
        let message = format!("all losses of this network have the weight 0 ({})", names.join(", "));
        return Err(row.refused(&["train", "loss"], message).help("give at least one of them a weight above 0"));
    }
    Ok(())
}
