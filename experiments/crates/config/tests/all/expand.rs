//! From a file to rows and cells.

use super::changes::{ENCODINGS, once, with};
use config::{Experiment, Mask, Role, Row, RunConfig};
use std::collections::HashSet;
use testing::{DATA, EXPERIMENT, hashes, load};

/// The small experiment on chess with these axes, the keys after them, and this reference. What an axis varies is not in the
/// base; where none varies encodings, there are none.
pub(crate) fn grid(axes: &str, reference: &str) -> String {
    let base = with(&[("base:\n", "base:\n  game: chess\n  encoding: none\n")]);
    let of_axes = [
        ("data", "  data: {chess: chess, shogi: shogi}\n"),
        ("encoding", "  encoding: none\n"),
        ("model", "  model:\n    chessformer: {layers: 2, width: 16, heads: 2, ff: 16}\n"),
        ("model.chessformer.layers", "layers: 2, "),
        ("model.chessformer.heads", "heads: 2, "),
        ("batch", "    batch: 4\n"),
        ("steps", "    steps: 8\n"),
        ("optimizer", "    optimizer: nadam\n"),
        ("learning_rate", "    learning_rate: 1e-3\n"),
        ("mask", "    mask: train\n"),
        ("eval.test_positions", "    test_positions: 8\n"),
    ];
    let is_axis = |name: &str| axes.lines().any(|line| line.starts_with(&format!("  {name}:")));
    let varied = of_axes.iter().filter(|(name, _)| is_axis(name));
    let text = varied.fold(base, |base, (_, text)| base.replace(text, ""));
    let text = once(&text, "{encoding: none}", reference);
    once(&text, &format!("  game: [chess, shogi]\n{ENCODINGS}"), axes)
}

pub(crate) fn compared(experiment: &Experiment) -> Vec<&Row> {
    experiment.rows.iter().filter(|row| row.role != Role::Twin).collect()
}

pub(crate) fn labels(experiment: &Experiment) -> Vec<&str> {
    compared(experiment).iter().map(|row| row.label.as_str()).collect()
}

#[test]
fn each_games_reference_has_a_twin_unless_it_is_switched_off() {
    let twins = |experiment: &Experiment| -> Vec<String> {
        experiment.rows.iter().filter(|row| row.run.twin).map(|row| row.label.clone()).collect()
    };
    assert_eq!(twins(&load(EXPERIMENT)), ["chess-none-twin", "shogi-none-twin"]);
    assert_eq!(twins(&load(&format!("{EXPERIMENT}twin: true\n"))), twins(&load(EXPERIMENT)));
    assert_eq!(twins(&load(&format!("{EXPERIMENT}twin: false\n"))), [""; 0]);
}

#[test]
fn axes_multiply_in_the_order_of_the_file_format() {
    let experiment = load(EXPERIMENT);
    let rows = ["chess-none", "chess-absolute", "chess-shaw", "shogi-none", "shogi-absolute", "shogi-shaw"];
    assert_eq!(labels(&experiment), rows);
    let references = experiment.rows.iter().filter(|row| row.role == Role::Reference);
    assert_eq!(references.map(|row| row.label.as_str()).collect::<Vec<_>>(), ["chess-none", "shogi-none"]);
}

#[test]
fn every_row_of_a_seed_comes_before_the_next_seed() {
    let cells = load(EXPERIMENT).cells();
    let seeds: Vec<u64> = cells.iter().map(|cell| cell.run.seed).collect();
    let rows = 6 + 2;
    assert_eq!(seeds, [vec![0; rows], vec![1; rows], vec![2; rows]].concat());
    let folders: HashSet<_> = cells.iter().map(|cell| cell.dir("runs".as_ref())).collect();
    assert_eq!(folders.len(), cells.len());
    assert!(cells[0].dir("runs".as_ref()).starts_with(format!("runs/small/chess-none-{}", cells[0].hash)));
}

#[test]
fn labels_say_what_varies_and_no_more() {
    let axes = "  encoding: [none, [{absolute: {at: gate}}, shaw], {absolute: {at: input}}]
  batch: [4, 8]
exclude: [{encoding: none, batch: 8}]
";
    let rows = [
        "chess-none-batch4",
        "chess-absolute-gate+shaw-batch4",
        "chess-absolute-gate+shaw-batch8",
        "chess-absolute-input-batch4",
        "chess-absolute-input-batch8",
    ];
    assert_eq!(labels(&load(&grid(axes, "{encoding: none}"))), rows);
}

#[test]
fn values_of_every_axis_get_labels_that_differ() {
    let axes = "  encoding: [none, {shaw: {terms: [q]}}]
  learning_rate: [1e-3, {values: [1e-3], warmup: 2}, 5e-4]
  optimizer: [nadam, {adamw: {weight_decay: 0}}, adamw]
  model:
    - chessformer: {layers: 1, width: 16, heads: 2, ff: 16}
    - chessformer: {layers: 1, width: 32, heads: 2, ff: 16}
";
    let model = "{chessformer: {layers: 1, width: 16, heads: 2, ff: 16}}";
    let reference = format!("{{encoding: none, learning_rate: 5e-4, optimizer: nadam, model: {model}}}");
    let experiment = load(&grid(axes, &reference));
    let distinct: HashSet<_> = labels(&experiment).into_iter().collect();
    assert_eq!((distinct.len(), labels(&experiment).len()), (36, 36), "{distinct:?}");
    let fit = |label: &str| label.chars().all(|c| c.is_ascii_alphanumeric() || "+-._".contains(c));
    assert!(distinct.iter().all(|label| fit(label)), "{distinct:?}");
}

#[test]
fn networks_of_several_makes_have_short_labels() {
    let model = |options: &str| format!("{{chessformer: {{layers: 1, width: 16, heads: 2, ff: 16{options}}}}}");
    let long = ", embedding: {new: {dense: 4}}, ff_kind: swiglu, ff_bias: false, norm: pre, normalisation: layer";
    let axes = format!(
        "  encoding: [none]\n  model:\n    - {{preset: chess-encoder}}\n    - {}\n    - {}\n    - {}\n    - {{resnet: {{blocks: 1, channels: 8}}}}\n",
        model(""),
        model(&format!("{long}, activation: gelu, qkv_bias: true, outputs: {{policy: {{}}}}")),
        model(&format!("{long}, activation: gelu, qkv_bias: true, outputs: {{policy: {{}}, moves_left: {{}}}}")),
    );
    let experiment = load(&grid(&axes, &format!("{{model: {}}}", model(""))));
    let all = labels(&experiment);
    assert!(all.contains(&"chess-chess-encoder") && all.contains(&"chess-resnet"), "{all:?}");
    assert!(all.iter().all(|label| label.len() < 100), "{all:?}");
    assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len(), "{all:?}");
}

#[test]
fn zipped_axes_advance_together() {
    let axes = "  encoding: [none, shaw]
  batch: [4, 8]
  steps: [8, 12]
zip: [[encoding, batch]]
";
    let rows = [
        "chess-none-batch4-steps8",
        "chess-none-batch4-steps12",
        "chess-shaw-batch8-steps8",
        "chess-shaw-batch8-steps12",
    ];
    assert_eq!(labels(&load(&grid(axes, "{encoding: none, steps: 8}"))), rows);
}

#[test]
fn include_extends_the_rows_that_it_fits_to() {
    // As GitHub Actions has it: the first entry contradicts no row and fits all, the second only shaw's, where it
    // overwrites what the first one added.
    let axes = "  encoding: [none, shaw]
include:
  - {mask: eval}
  - {encoding: shaw, mask: train}
";
    let experiment = load(&grid(axes, "{encoding: none}"));
    let masks: Vec<Mask> = compared(&experiment).iter().map(|row| row.run.train.mask).collect();
    assert_eq!(masks, [Mask::Eval, Mask::Train]);
}

#[test]
fn include_adds_a_row_where_it_fits_to_none() {
    let axes = "  encoding: [none, shaw]
include:
  - {encoding: smolgen, batch: 8}
";
    let rows = ["chess-none-batch4", "chess-shaw-batch4", "chess-smolgen-batch8"];
    assert_eq!(labels(&load(&grid(axes, "{encoding: none}"))), rows);
}

#[test]
fn without_axes_the_entries_of_include_are_the_rows() {
    let text = grid("include:\n  - {encoding: none}\n  - {encoding: shaw}\n", "{encoding: none}");
    assert_eq!(labels(&load(&text.replace("axes:\n", ""))), ["chess-none", "chess-shaw"]);
}

#[test]
fn a_run_is_read_back_from_its_own_yaml() {
    for cell in load(EXPERIMENT).cells() {
        let text = cell.run.to_yaml().expect("a run can be written");
        assert_eq!(RunConfig::from_yaml(&text).expect("what was written can be read"), cell.run, "{text}");
    }
    let error = RunConfig::from_yaml("game: chess\nsteps: 3\n").unwrap_err().to_string();
    assert!(error.starts_with("config.yaml:2:1: unknown key `steps` at the top of the file\n"), "{error}");
    assert!(error.contains("   2 | steps: 3\n     | ^^^^^\n") && error.contains("`posenc run`"), "{error}");
}

#[test]
fn conditional_axes_vary_in_the_rows_that_they_name_and_in_no_other() {
    let conditional = "conditional:\n  - when: {encoding: {shaw: {terms: [q, k]}}}\n    axes: {batch: [2, 16]}\n";
    let experiment = load(&format!("{}{conditional}", EXPERIMENT.replace("game: [chess, shogi]", "game: [chess]")));
    let rows = ["chess-none-batch4", "chess-absolute-batch4", "chess-shaw-batch2", "chess-shaw-batch16"];
    assert_eq!(labels(&experiment), rows);
    // They can be excluded like any other row, and zipped with nothing.
    let excluded = format!("{conditional}exclude: [{{encoding: {{shaw: {{terms: [q, k]}}}}, batch: 2}}]\n");
    let experiment = load(&format!("{}{excluded}", EXPERIMENT.replace("game: [chess, shogi]", "game: [chess]")));
    assert_eq!(labels(&experiment).len(), 3);
}

#[test]
fn a_value_with_an_anchor_can_be_repeated() {
    let anchored = EXPERIMENT
        .replace("name: small\n", "name: small\nanchors:\n  terms: &terms [q, k]\n")
        .replace("{terms: [q, k]}", "{terms: *terms}");
    assert_ne!(anchored, EXPERIMENT);
    let (plain, anchored) = (load(EXPERIMENT), load(&anchored));
    assert_eq!(plain.rows, anchored.rows);
}

#[test]
fn a_base_comes_from_another_file_and_is_overridden_in_part() {
    let other = DATA.path().join("elsewhere");
    std::fs::create_dir_all(&other).expect("a folder");
    let text = EXPERIMENT.replace("chess: chess, shogi: shogi", "chess: ../chess, shogi: ../shogi");
    std::fs::write(other.join("other.yaml"), text).expect("written");
    let tail = EXPERIMENT.split_once("axes:").expect("axes").1;
    let own = "base:\n  from: elsewhere/other.yaml\n  train: {steps: 9}\n  eval: {every: 3}\naxes:";
    let experiment = load(&format!("name: small\n{own}{tail}"));
    let same = EXPERIMENT.replace("steps: 8", "steps: 9").replace("every: 4", "every: 3");
    assert_eq!(hashes(&experiment), hashes(&load(&same)));
    // What is varied here is not taken from there.
    let varied = format!(
        "name: small\n{own}{}",
        tail.replacen("\n", "\n  batch: [4, 8]\n", 1).replace("{encoding: none}", "{encoding: none, batch: 4}")
    );
    assert_eq!(compared(&load(&varied)).len(), 12);
}

#[test]
fn what_is_varied_without_effect_is_reported() {
    assert!(load(EXPERIMENT).no_effect.is_empty());
    let rates = "  encoding: [none, shaw]\n  learning_rate: [1e-3, {values: [1e-3, 1e-4], boundaries: [100]}]\n";
    let no_effect = |rates: &str| load(&grid(rates, "{encoding: none, learning_rate: 1e-3}")).no_effect;
    let found = no_effect(rates);
    assert!(found.len() == 1 && found[0].starts_with("the axis `learning_rate` has no effect"), "{found:?}");
    assert!(no_effect(&rates.replace("boundaries: [100]", "boundaries: [5]")).is_empty());
    let found = load(&format!("{EXPERIMENT}exclude: [{{encoding: {{absolute: {{at: input}}}}}}]\n")).no_effect;
    assert!(found.len() == 1 && found[0].starts_with("`axes.encoding[1]` is in no row"), "{found:?}");
}
