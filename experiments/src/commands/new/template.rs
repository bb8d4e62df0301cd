//! The text of a new experiment file.

use super::answers::{Depths, Encodings};
use super::datasets::Dataset;
use config::{Mask, listed};
use encodings::{EncodingConfig, EncodingInfo};
use models::HeadName;
use serde_json::json;
use std::io;
use std::path::{Component, Path, PathBuf, absolute};

/// Steps that a new experiment takes at most: minutes on a CPU.
const MOST_STEPS: u64 = 2000;

/// Sizes of batches, the largest first; the smallest gives too few steps on tiny datasets only.
const BATCHES: [u64; 4] = [64, 32, 16, 8];

/// With a smaller batch, steps below which the next one is taken.
const FEW_STEPS: u64 = 100;

pub(super) struct Plan {
    /// The file as a shell reads it.
    pub(super) file: String,
    /// The file's name without its ending, as that of the experiment.
    pub(super) name: String,
    pub(super) question: String,
    pub(super) datasets: Vec<Dataset>,
    pub(super) head: HeadName,
    pub(super) encodings: Encodings,
    pub(super) depths: Depths,
    pub(super) seeds: u64,
}

pub(super) fn text(plan: &Plan, folder: &Path) -> anyhow::Result<String> {
    let head = plan.head;
    let RunSizes { batch, steps, validation, test } = RunSizes::of(&plan.datasets);
    let part = |parts: u64| (steps / parts).max(1);
    let (warmup, log_every, every) = (steps / 15, part(20), part(8));
    let (name, data) = (&plan.name, data(&plan.datasets, folder)?);
    let (outputs, question) = (outputs(head, &plan.datasets), &plan.question);
    let is_masked = head == HeadName::Policy && plan.datasets.iter().all(|data| !data.is_of_legal_moves);
    let mask = if is_masked { Mask::Train } else { Mask::None };
    let metric = head.measures().losses[0].metric.name;
    let games: Vec<&str> = plan.datasets.iter().map(|data| data.game.name()).collect();
    let (one_game, game_axis) = match games[..] {
        [game] => (format!("  # The game.\n  game: {game}\n"), String::new()),
        _ => (String::new(), format!("  game: [{}]\n", games.join(", "))),
    };
    let (layers, depth_axis) = match &plan.depths.0[..] {
        [layers] => (format!("layers: {layers}, "), String::new()),
        several => {
            let several: Vec<String> = several.iter().map(ToString::to_string).collect();
            let axis = format!(
                "  # The number of layers; each depth has its reference.\n  model.chessformer.layers: [{}]\n",
                several.join(", ")
            );
            (String::new(), axis)
        }
    };
    let encodings: String = plan.encodings.0.iter().map(|info| format!("    - {}\n", written(info))).collect();
    let seeds: Vec<String> = (0..plan.seeds).map(|seed| seed.to_string()).collect();
    let seeds = seeds.join(", ");
    let reference = reference(&plan.encodings.0);
    let file = &plan.file;
    Ok(format!(
        "\
# {question}
#   posenc check {file}    lists rows, parameters and warnings; trains nothing
#   posenc run {file}      trains into runs/{name}; the same command resumes
# docs/settings.md explains every key. `posenc schema` makes editors check the file.

# The question that the grid answers; reports print it.
question: {quoted_question}
# What you expect, written before the run:
# expect: …

# What all rows have in common.
base:
{one_game}  # The dataset; its path is relative to this file.
  data: {data}
  # How a position becomes tokens: `posenc list inputs`.
  input: piece_tokens
  # The network, and the head that the dataset teaches.
  model:
    chessformer: {{{layers}width: 64, heads: 4, ff: 128, outputs: {outputs}}}
  train:
    # Optimiser steps, and positions a step. More than one pass over the training positions may memorise them.
    steps: {steps}
    batch: {batch}
    # The optimiser, and the learning rate: a warm-up, then a cosine until the last step.
    optimizer: nadam
    learning_rate: {{warmup: {warmup}, cosine: {{from: 3e-3, to: 1e-4}}}}
    # When illegal moves are masked: train, eval or none.
    mask: {mask}
    # Steps between two lines of training metrics.
    log_every: {log_every}
  # Positions of the evaluations, and the steps between two on validation.
  eval: {{validation_positions: {validation}, test_positions: {test}, every: {every}}}

# Every combination is a row. Any setting of `base` can be an axis, by its dotted name: train.clip: [null, 10].
axes:
{game_axis}  # The position encodings: `posenc list encodings`.
  encoding:
{encodings}{depth_axis}
# Every row is trained with each seed; a verdict needs three or more.
seeds: [{seeds}]
# The row that the others are compared with.
reference: {{encoding: {reference}}}
# The metric of the verdicts, on test positions after the last step.
primary: {{metric: {metric}, at: last, weights: raw}}

# Encodings learn at different rates, and without tuning a verdict holds at one learning rate. Trials on other seeds choose
# a rate for each row, which multiplies the cost:
# tune: {{axes: {{train.encoding_rate: [1, 4, 16, 64]}}, seeds: [100]}}
# A difference that is too small to matter; write it before the run:
# equivalent_within: {{{metric}: 0.02}}
# Names of rows for tables, figures and folders:
# names: {{My reference: {{encoding: {reference}}}}}
",
        quoted_question = json!(question),
        mask = mask.name()
    ))
}

/// The sizes that the smallest dataset allows, so that no row is trained on a position twice and every position that is
/// asked for is there.
struct RunSizes {
    batch: u64,
    steps: u64,
    validation: u64,
    test: u64,
}

impl RunSizes {
    fn of(datasets: &[Dataset]) -> Self {
        let least = |of: fn(&Dataset) -> u64| datasets.iter().map(of).min().unwrap_or(1).max(1);
        let train = least(|data| data.positions.train);
        let is_enough = |batch: &u64| train / batch >= FEW_STEPS;
        let batch = BATCHES.into_iter().find(is_enough).unwrap_or(BATCHES[BATCHES.len() - 1]);
        Self {
            batch,
            steps: (train / batch).clamp(1, MOST_STEPS),
            validation: least(|data| data.positions.validation).min(4096),
            test: least(|data| data.positions.test).min(100_000),
        }
    }
}

/// The question that such a grid answers.
pub(super) fn question(head: HeadName, datasets: &[Dataset]) -> String {
    let games: Vec<&str> = datasets.iter().map(|data| data.game.name()).collect();
    let task = match head {
        HeadName::PerSquare => "labelling squares",
        HeadName::Pairs => "labelling pairs of squares",
        HeadName::Policy => "predicting moves",
        HeadName::Result => "predicting results",
        _ => "predicting values",
    };
    format!("Which position encoding is best at {task}, on {}?", listed(&games))
}

/// The head as the model has it.
fn outputs(head: HeadName, datasets: &[Dataset]) -> String {
    let classes = datasets.first().map_or(0, |data| data.classes);
    let options = if head == HeadName::PerSquare { format!("{{classes: {classes}}}") } else { "{}".to_owned() };
    format!("{{{}: {options}}}", head.name())
}

/// An encoding as a list has it: its name, or its example where it needs options.
fn written(info: &EncodingInfo) -> &'static str {
    if serde_json::from_value::<EncodingConfig>(json!(info.name)).is_ok() { info.name } else { info.example }
}

/// The value that names the reference: absolute positions if they are compared, otherwise the first encoding.
fn reference(encodings: &[EncodingInfo]) -> String {
    let value = encodings.iter().find(|info| info.name == "absolute").or(encodings.first()).map_or("none", written);
    if value.contains(':') { format!("{{{value}}}") } else { value.to_owned() }
}

/// The datasets as `data` names them, relative to the folder of the file.
fn data(datasets: &[Dataset], folder: &Path) -> anyhow::Result<String> {
    let path = |data: &Dataset| -> anyhow::Result<String> { Ok(quoted(&relative(&data.folder, folder)?)) };
    match datasets {
        [one] => path(one),
        several => {
            let entry = |data: &Dataset| Ok::<_, anyhow::Error>(format!("{}: {}", data.game.name(), path(data)?));
            Ok(format!("{{{}}}", several.iter().map(entry).collect::<anyhow::Result<Vec<_>>>()?.join(", ")))
        }
    }
}

/// A path as YAML, with quotes where it needs them.
fn quoted(path: &Path) -> String {
    let text = path.to_string_lossy();
    // Without a slash it could be another value: true, null, .5.
    let is_plain = text.contains('/')
        && text.starts_with(|c: char| c.is_ascii_alphabetic() || "./".contains(c))
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "-_./".contains(c));
    if is_plain { text.into_owned() } else { json!(text).to_string() }
}

/// A path from the working directory as a path from a folder; absolute where it was, or where the two have `..` in them.
fn relative(path: &Path, folder: &Path) -> io::Result<PathBuf> {
    let folder = absolute(if folder.as_os_str().is_empty() { Path::new(".") } else { folder })?;
    let whole = absolute(path)?;
    let leads_up = |path: &Path| path.components().any(|part| part == Component::ParentDir);
    if path.is_absolute() || leads_up(&folder) || leads_up(&whole) {
        return Ok(whole);
    }
    let common = whole.components().zip(folder.components()).take_while(|(a, b)| a == b).count();
    let up = folder.components().skip(common).map(|_| Component::ParentDir);
    let path: PathBuf = up.chain(whole.components().skip(common)).collect();
    Ok(if path.as_os_str().is_empty() { PathBuf::from(".") } else { path })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_yaml::with::singleton_map_recursive;

    #[test]
    fn paths_are_relative_to_the_file() {
        let from = |path: &str, folder: &str| relative(Path::new(path), Path::new(folder)).expect("a path");
        assert_eq!(from("data/a", ""), Path::new("data/a"));
        assert_eq!(from("data/a", "files"), Path::new("../data/a"));
        assert_eq!(from("files/data/a", "./files"), Path::new("data/a"));
        assert_eq!(from("files", "files"), Path::new("."));
        assert_eq!(from("/data/a", "files"), Path::new("/data/a"));
        assert!(from("../a", "files").is_absolute());
    }

    #[test]
    fn paths_with_other_characters_are_quoted() {
        assert_eq!(quoted(Path::new("../data/a-1_b.c")), "../data/a-1_b.c");
        for path in ["data/a b", "#a", "2024", "a: b", "データ", "true", "null", ".5"] {
            let read: String = serde_yaml::from_str(&quoted(Path::new(path))).expect("YAML");
            assert_eq!(read, path);
        }
    }

    #[test]
    fn every_encoding_can_be_written() {
        for info in EncodingConfig::REGISTRY {
            let document = serde_yaml::Deserializer::from_str(written(info));
            let written: EncodingConfig = singleton_map_recursive::deserialize(document).expect("an encoding");
            assert_eq!(written.info().name, info.name);
        }
    }
}
