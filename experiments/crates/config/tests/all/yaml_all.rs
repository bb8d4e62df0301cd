//! What is missing, and all that is wrong with a file, in one answer.

use super::changes::with;
use testing::{DATA, EXPERIMENT, assert_says, load_with};

fn complaint(text: &str) -> String {
    load_with(text, &[]).expect_err("it is refused")
}

#[test]
fn all_missing_keys_are_named_at_once() {
    let shown = "\
experiment.yaml: `seeds` is missing at the top of the file
  help: add `seeds: …`; it has no default
experiment.yaml: `primary` is missing at the top of the file
  help: add `primary: …`; it has no default";
    let without = |text: &str, lines: &[&str]| lines.iter().fold(text.to_owned(), |text, line| text.replace(line, ""));
    let of_file = ["seeds: [0, 1, 2]\n", "primary: {metric: policy_loss, at: last, weights: raw}\n"];
    let message = complaint(&without(EXPERIMENT, &of_file));
    assert_eq!(message.replace(&format!("{}/", DATA.path().display()), ""), shown);
    let (_, model) = EXPERIMENT.split_once("  model:\n").expect("a model");
    let (model, _) = model.split_once("  train:\n").expect("the next key");
    let of_base = ["  input: piece_tokens\n", "  model:\n", model, "    optimizer: nadam\n", "    every: 4\n"];
    let message = complaint(&without(EXPERIMENT, &of_base));
    for (key, map) in [("input", "base"), ("model", "base"), ("optimizer", "base.train"), ("every", "base.eval")] {
        assert_says(&message, &[&format!("`{key}` is missing in `{map}`")]);
    }
    assert_eq!(message.matches("is missing").count(), 4, "{message}");
}

/// The first line of each problem, less the file's path.
fn places(text: &str) -> Vec<String> {
    let message = complaint(text);
    let path = format!("{}/experiment.yaml:", DATA.path().display());
    message.lines().filter_map(|line| Some(line.strip_prefix(path.as_str())?.trim_start().to_owned())).collect()
}

const LABELS: &str = "chessformer: {layers: 2, width: 64, heads: 4, ff: 128, outputs: {per_square: {classes: 4}}}";

#[test]
fn base_axes_reference_and_primary_are_read_in_one_answer() {
    let text = format!(
        "\
base:
  game: chess
  data: chess
  input: piece_token
  model:
    {LABELS}
  train:
    steps: 120
    batch: 32
    optimizer: {{adamw: {{lr: 3}}}}
    learning_rate: {{warmup: 10, values: [1e-3], boundaries: []}}
    mask: nome
  eval: {{validation_positions: 256, test_position: 512, every: 60}}
axes:
  encoding: [none, absolut, shaw: {{term: [q]}}, rope, relative_bias]
seeds: [0]
reference: {{encoding: absolut}}
primary: {{metric: maploss, at: last, weights: raw}}
"
    );
    let after_base = [
        "15:20: unknown value `absolut` in `axes.encoding[1]`",
        "15:36: unknown key `term` in `axes.encoding[2].shaw`",
        "15:48: `layout` is missing in `axes.encoding[3]`",
        "15:48: `theta` is missing in `axes.encoding[3]`",
        "15:54: `share` is missing in `axes.encoding[4]`",
        "17:23: unknown value `absolut` in `reference.encoding`",
        "18:19: `maploss` is not a metric",
    ];
    let of_base = [
        "4:10: unknown value `piece_token` in `base.input`",
        "10:25: unknown key `lr` in `base.train.optimizer.adamw`",
        "12:11: unknown value `nome` in `base.train.mask`",
        "13:37: unknown key `test_position` in `base.eval`",
    ];
    assert_eq!(places(&text), [&of_base[..], &after_base[..]].concat());
    let repaired = [
        ("piece_token\n", "piece_tokens\n"),
        ("{adamw: {lr: 3}}", "adamw"),
        ("nome", "none"),
        ("test_position:", "test_positions:"),
    ];
    let right = repaired.iter().fold(text, |text, (old, new)| text.replace(old, new));
    assert_eq!(places(&right), after_base);
}

#[test]
fn what_base_lacks_is_shown_beside_wrong_keys() {
    let text = format!(
        "\
base:
  data: chess
  model:
    {}
  train:
    steps: 120
    batch_size: 32
    optimizer: adam
    lr: 0.001
axes:
  encoding: [none, absolut, shaw]
  layers: [2, 4]
",
        LABELS.replace("layers", "depth").replace("width", "d_model")
    );
    let top = ["seeds", "reference", "primary"].map(|key| format!("`{key}` is missing at the top of the file"));
    let shown = |parts: &[&str]| parts.iter().map(|&part| part.to_owned()).collect::<Vec<String>>();
    let wrong_keys = [
        "4:19: unknown key `depth` in `base.model.chessformer`",
        "4:29: unknown key `d_model` in `base.model.chessformer`",
        "7:5: unknown key `batch_size` in `base.train`",
        "8:16: unknown value `adam` in `base.train.optimizer`",
        "9:5: unknown key `lr` in `base.train`",
    ];
    let missing =
        |key: &str| format!("1:1: `{key}` is missing in `base`: no axis varies it and `base` does not fix it");
    let lacking = ["game", "input", "eval"].map(missing);
    let value = shown(&["11:20: unknown value `absolut` in `axes.encoding[1]`"]);
    let axis = shown(&["12:3: unknown key `layers` in `axes`"]);
    assert_eq!(places(&text), [&axis[..], &top[..], &shown(&wrong_keys)[..], &lacking[..], &value[..]].concat());

    std::fs::write(DATA.path().join("whole.yaml"), EXPERIMENT).expect("written");
    let inherited = "\
base:
  from: whole.yaml
axes:
  encoding: [none, absolute: {at: input}, rope, relative_bias]
  depth: [2, 4]
  lr: [1e-3]
  game: [chess]
seeds: [0]
reference: {encoding: absolut}
primary: map_loss
";
    let expected = [
        "5:3: unknown key `depth` in `axes`",
        "6:3: unknown key `lr` in `axes`",
        "10:10: `primary`: expected a map of keys to values, found string \"map_loss\"",
        "4:43: `layout` is missing in `axes.encoding[2]`",
        "4:43: `theta` is missing in `axes.encoding[2]`",
        "4:49: `share` is missing in `axes.encoding[3]`",
        "9:23: unknown value `absolut` in `reference.encoding`",
    ];
    assert_eq!(places(inherited), expected);
    let alone = places("axes: {encoding: [none, absolute: {at: input}]}\n");
    let missing = ["base", "seeds", "reference", "primary"];
    assert_eq!(alone, missing.map(|key| format!("`{key}` is missing at the top of the file")));
}

#[test]
fn trials_and_interactions_are_read_whatever_the_rows_are() {
    let asked = "\
tune: {axes: {train.encoding_rate: [1, fast]}, seeds: [1]}
interactions:
  - {gap: {axis: encoding, values: [none]}, by: {axis: game, values: [chess, sogi]}}
";
    let expected = [
        "13:11: unknown value `nome` in `base.train.mask`",
        "27:40: `tune.axes.train.encoding_rate[1]`: expected a number, found string \"fast\"",
        "29:78: unknown value `sogi` in `interactions[0].by.values[1]`",
        "27:56: the seed 1 is also one of `seeds`",
        "29:11: `gap` lies between two values, in all of its places",
    ];
    assert_eq!(places(&format!("{}{asked}", with(&[("mask: train", "mask: nome")]))), expected);
}

#[test]
fn what_follows_from_a_problem_is_not_shown() {
    let wrong = with(&[("- shaw: {terms: [q, k]}", "- shawn: {terms: [q, k]}")]);
    let excluded = format!("{wrong}exclude: [{{encoding: {{shaw: {{terms: [q, k]}}}}}}]\n");
    assert_eq!(places(&excluded), ["23:7: unknown value `shawn` in `axes.encoding[2]`"]);
    let misspelt = with(&[("  encoding:\n", "  encodng:\n"), ("seeds: [0, 1, 2]\n", "")]);
    let expected = ["20:3: unknown key `encodng` in `axes`", "`seeds` is missing at the top of the file"];
    assert_eq!(places(&misspelt), expected);
}
