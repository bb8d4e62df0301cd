//! Heads in experiment files: what the dataset must have for them, and what is said where it has not.

use super::changes::{DATASETS, with};
use config::Experiment;
use testing::{EXPERIMENT, hashes, load_in};

fn load(text: &str) -> Result<Experiment, String> {
    load_in(DATASETS.path(), text, &[])
}

/// The small experiment with these heads.
fn with_heads(outputs: &str) -> String {
    with(&[("ff: 16}", &format!("ff: 16, outputs: {outputs}}}")[..])])
}

#[test]
fn a_head_without_targets_is_left_out_where_the_file_says_so() {
    let skip = |outputs| with_heads(outputs).replace("base:\n", "base:\n  missing_targets: skip\n");
    let heads = "{policy: {}, soft_policy: {}, result: {}, q: {}, short_term: {}, moves_left: {}}";
    let experiment = load(&skip(heads)).expect("the rest can be learnt");
    assert!(experiment.rows.iter().all(|row| row.run.outputs().names() == ["policy", "result", "moves_left"]));
    let plain = load(&with_heads("{policy: {}, result: {}, moves_left: {}}")).expect("all of it can be learnt");
    assert_eq!(hashes(&experiment), hashes(&plain), "what is left out decides no number");
}

#[test]
fn the_published_network_has_the_heads_that_games_have_targets_for() {
    let preset = with(&[
        ("chessformer: {layers: 2, width: 16, heads: 2, ff: 16}", "preset: cf-6m"),
        ("base:\n", "base:\n  missing_targets: skip\n"),
    ]);
    let experiment = load(&preset).expect("what is left");
    assert_eq!(experiment.rows[0].run.outputs().names(), ["policy", "result"]);
    assert_eq!(experiment.rows[0].shape.macs.paper, 213_909_504);
}

#[test]
fn a_map_without_a_policy_tells_no_squares_apart() {
    let text = with_heads("{per_square: {classes: 3}}")
        .replace("{chess: chess, shogi: shogi}", "Squares")
        .replace("game: [chess, shogi]", "game: [chess]")
        .replace("metric: policy_loss", "metric: map_accuracy");
    let experiment = load(&text).expect("the head fits the map");
    let sources = &experiment.rows[0].shape.facts.position_sources;
    assert_eq!(sources[..], [games::input::MARK], "neither the head nor a mask without a policy tells squares apart");
}

#[test]
fn a_mask_is_declared_where_a_policy_is_masked() {
    let declared = |mask: &str| -> Vec<String> {
        let experiment = load(&EXPERIMENT.replace("mask: train", &format!("mask: {mask}"))).expect("valid");
        let sources = &experiment.rows[0].shape.facts.position_sources;
        sources.iter().filter(|source| source.contains("legal-move mask")).cloned().collect()
    };
    assert_eq!(declared("train"), ["legal-move mask in training"]);
    assert_eq!(declared("eval"), ["legal-move mask in evaluation (metrics have it, the network does not)"]);
    assert!(declared("none").is_empty());
}
