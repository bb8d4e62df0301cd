//! What is missing, and all that is wrong with a file, in one answer.

use super::yaml_errors::{complaint, refuses, with};
use testing::{DATA, EXPERIMENT, assert_says, refused};

#[test]
fn a_missing_key_is_named() {
    refuses(
        "    test_positions: 8\n",
        "",
        &["experiment.yaml:14:3: `test_positions` is missing in `base.eval`", "add `base.eval.test_positions`"],
    );
    refuses(
        "  eval:\n    validation_positions: 8\n    test_positions: 8\n    every: 4\n",
        "",
        &["experiment.yaml:3:1: `eval` is missing in `base`", "   3 | base:\n     | ^^^^\n  help: add `base.eval`"],
    );
    refuses("seeds: [0, 1, 2]\n", "", &["`seeds` is missing", "no default"]);
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
    let message = complaint(&without(EXPERIMENT, &of_file)).expect("it is refused");
    assert_eq!(message.replace(&format!("{}/", DATA.path().display()), ""), shown);
    let (_, model) = EXPERIMENT.split_once("  model:\n").expect("a model");
    let (model, _) = model.split_once("  train:\n").expect("the next key");
    let of_base = ["  input: piece_tokens\n", "  model:\n", model, "    optimizer: nadam\n", "    every: 4\n"];
    let message = complaint(&without(EXPERIMENT, &of_base)).expect("it is refused");
    let missing = ["`input` is missing in `base`", "`model` is missing in `base`"];
    assert_says(&message, &missing);
    assert_says(&message, &["`optimizer` is missing in `base.train`", "`every` is missing in `base.eval`"]);
    assert_eq!(message.matches("is missing").count(), 4, "{message}");
}

#[test]
fn a_size_without_its_architecture_is_told_where_it_belongs() {
    let text = with("chessformer: {layers: 2, width: 16, heads: 2, ff: 16}", "layers: 2");
    refused(&text, &["unknown value `layers` in `base.model`", "did you mean `base.model.chessformer.layers`?"]);
}

#[test]
fn all_problems_are_shown_at_once() {
    let wrong = [
        ("name: small", "name: small\nlayers: 3"),
        ("steps: 8", "steps: many\n    batch_size: 4"),
        ("    batch: 4\n", ""),
        ("optimizer: nadam", "optimizer: adam"),
        ("learning_rate: 1e-3", "lr: 1e-3"),
        ("seeds: [0, 1, 2]", "seeds: 3"),
        ("reference: {encoding: none}", "reference: {depth: 2}"),
    ];
    let text = wrong.iter().fold(EXPERIMENT.to_owned(), |text, (old, new)| text.replace(old, new));
    let parts = [
        "experiment.yaml:2:1: unknown key `layers` at the top of the file",
        "did you mean `base.model.chessformer.layers`?",
        "`base.train.steps`: expected a whole number, 1 or more, found string \"many\"",
        "unknown key `batch_size` in `base.train`",
        "did you mean `batch`?",
        "unknown value `adam` in `base.train.optimizer`",
        "did you mean `adamw`?",
        "unknown key `lr` in `base.train`",
        "did you mean `learning_rate`?",
        "`seeds`: expected a list, found integer `3`",
        "unknown key `depth` in `reference`",
        "did you mean `model.chessformer.layers`?",
    ];
    refused(&text, &parts);
    let message = complaint(&text).expect("it is refused");
    assert!(!message.contains("is missing"), "a misspelt key is there:\n{message}");
    let encodings = with("- shaw: {terms: [q, k]}", "- shawn\n    - absolut: {at: input}\n    - shaw: {term: [q]}");
    let parts =
        ["`axes.encoding[2]`", "`shaw`?", "`axes.encoding[3]`", "`absolute`?", "unknown key `term`", "`terms`?"];
    refused(&encodings, &parts);
    let included = format!("{encodings}include: [{{encoding: {{shaw: {{terms: [q, k]}}}}, train.clip: 1}}]\n");
    let message = complaint(&included).expect("it is refused");
    assert!(!message.contains("is missing"), "the entry would fit a valid row:\n{message}");
}
