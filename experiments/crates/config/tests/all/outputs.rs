//! Heads in experiment files: what the dataset must have for them, and what is said where it has not.

use config::Experiment;
use dataset::{GeneratedOptions, Label, MadePosition, MapInfo, PerSplit, SplitBy, SplitPlan, write_made};
use games::chess::Chess;
use games::maps::MapShape;
use games::{Game, GameKind, Position};
use std::path::Path;
use std::sync::LazyLock;
use tempfile::TempDir;
use testing::{EXPERIMENT, assert_says, datasets, hashes, load_in};

/// Datasets of games without scores, and one of maps.
static DATA: LazyLock<TempDir> = LazyLock::new(|| {
    let dir = datasets();
    maps(dir.path(), MapShape::Squares, 3);
    maps(dir.path(), MapShape::Pairs, 2);
    dir
});

/// `dir/Squares` or `dir/Pairs`: the first positions of chess with one label everywhere.
fn maps(dir: &Path, shape: MapShape, classes: u16) {
    let cells = shape.cells(GameKind::Chess.geometry().squares());
    let start = <Chess as Game>::Position::start();
    let positions = start.list_moves().into_iter().map(|mv| {
        let position = start.after(mv);
        let mv = position.list_moves()[0];
        MadePosition::new::<Chess>(&position, Label::Map { mv, labels: vec![1; cells] })
    });
    let options = GeneratedOptions {
        output: dir.join(format!("{shape:?}")),
        name: format!("{shape:?}"),
        game: GameKind::Chess,
        maker: "a test".to_owned(),
        source: "a test".to_owned(),
        licence: "CC0-1.0".to_owned(),
        made_by: "a test".to_owned(),
        split: SplitPlan {
            by: SplitBy::Position,
            ..SplitPlan::by_game(0, PerSplit { train: 0.4, validation: 0.3, test: 0.3 })
        },
    };
    let info = MapInfo { task: "ones".to_owned(), classes, shape, names: Vec::new() };
    write_made(&options, Some(info), None, 20, positions).expect("the maps can be written");
}

fn load(text: &str) -> Result<Experiment, String> {
    load_in(DATA.path(), text, &[])
}

/// The small experiment with these heads.
fn with_heads(outputs: &str) -> String {
    let sizes = "heads: 2, ff: 16}";
    assert_eq!(EXPERIMENT.matches(sizes).count(), 1);
    EXPERIMENT.replace(sizes, &format!("heads: 2, ff: 16, outputs: {outputs}}}"))
}

/// The same on one of the datasets of maps.
fn on_maps(shape: MapShape, outputs: &str) -> String {
    with_heads(outputs)
        .replace("{chess: chess, shogi: shogi}", &format!("{shape:?}"))
        .replace("game: [chess, shogi]", "game: [chess]")
        .replace("metric: policy_loss", "metric: map_accuracy")
}

fn refused(text: &str, parts: &[&str]) {
    assert_says(&load(text).expect_err("the experiment is wrong"), parts);
}

#[test]
fn a_head_without_targets_is_refused_with_the_column_and_the_remedy() {
    let heads = "{policy: {}, result: {}, q: {}}";
    let parts = [
        "experiment.yaml:7:",
        "the head `q` has nothing to learn from: the column `value` of the dataset \"chess\" is empty",
        "scores or values",
        "missing_targets: skip",
    ];
    refused(&with_heads(heads), &parts);
    refused(&with_heads("{policy: {}, short_term: {}}"), &["`short_term`", "column `value`"]);
    refused(&with_heads("{policy: {}, soft_policy: {}}"), &["`soft_policy`", "column `policy_probs`", "MultiPV"]);
    refused(&with_heads("{policy: {}, value_result: {}}"), &["`value_result`", "column `value`"]);
    let results = "{chess: {path: chess, value: result}, shogi: {path: shogi, value: result}}";
    let by_result = with_heads("{policy: {}, value_shares: {}}").replace("{chess: chess, shogi: shogi}", results);
    refused(&by_result, &["`value_shares`", "column `draw`", "Lc0's chunks"]);
    refused(&with_heads("{policy: {}, pairs: {}}"), &["`pairs`", "column `map`", "map: attackers"]);
    refused(&with_heads("{policy: {}, per_square: {classes: 3}}"), &["`per_square`", "column `map`"]);
    assert!(load(&with_heads("{policy: {}, result: {}, moves_left: {}}")).is_ok(), "games have an end");
}

#[test]
fn a_head_without_targets_is_left_out_where_the_file_says_so() {
    let skip = |outputs| with_heads(outputs).replace("base:\n", "base:\n  missing_targets: skip\n");
    let heads = "{policy: {}, soft_policy: {}, result: {}, q: {}, short_term: {}, moves_left: {}}";
    let experiment = load(&skip(heads)).expect("the rest can be learnt");
    assert!(experiment.rows.iter().all(|row| row.run.outputs().names() == ["policy", "result", "moves_left"]));
    let plain = load(&with_heads("{policy: {}, result: {}, moves_left: {}}")).expect("all of it can be learnt");
    assert_eq!(hashes(&experiment), hashes(&plain), "what is left out decides no number");
    refused(&skip("{q: {}}"), &["outputs names no head"]);
}

#[test]
fn the_published_network_wants_values_and_distributions() {
    let preset = EXPERIMENT.replace("chessformer: {layers: 2, width: 16, heads: 2, ff: 16}", "preset: cf-6m");
    refused(&preset, &["the head `soft_policy` has nothing to learn from"]);
    let experiment = load(&preset.replace("base:\n", "base:\n  missing_targets: skip\n")).expect("what is left");
    assert_eq!(experiment.rows[0].run.outputs().names(), ["policy", "result"]);
    assert_eq!(experiment.rows[0].shape.macs.paper, 213_909_504);
}

#[test]
fn maps_are_learnt_by_the_head_of_their_shape_and_classes() {
    let squares = |outputs| on_maps(MapShape::Squares, outputs);
    let pairs = |outputs| on_maps(MapShape::Pairs, outputs);
    let experiment = load(&squares("{per_square: {classes: 3}}")).expect("the head fits the map");
    let sources = &experiment.rows[0].shape.facts.position_sources;
    assert_eq!(sources[..], [games::input::MARK], "neither the head nor a mask without a policy tells squares apart");
    assert!(load(&pairs("{pairs: {}}")).is_ok());
    refused(&squares("{per_square: {classes: 4}}"), &["has 3 classes, not 4", "per_square: {classes: 3}"]);
    refused(&squares("{per_square: {classes: 1}}"), &["classes"]);
    refused(&squares("{pairs: {}}"), &["`pairs`", "a map of pairs of squares"]);
    refused(&pairs("{per_square: {classes: 2}}"), &["`per_square`", "a map of squares"]);
    refused(&squares("{policy: {}, per_square: {classes: 3}}"), &["the head `policy`", "column `moves`"]);
    refused(&squares("{result: {}, per_square: {classes: 3}}"), &["the head `result`", "column `result`"]);
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

#[test]
fn the_primary_metric_must_be_of_a_head_that_every_row_has() {
    let text = EXPERIMENT.replace("metric: policy_loss", "metric: map_accuracy");
    refused(&text, &["chess-none has no head that `map_accuracy` is about", "policy, result"]);
    refused(&with_heads("{result: {}}"), &["no head that `policy_loss` is about"]);
    refused(&with_heads("{policy: {}}").replace("metric: policy_loss", "metric: q_loss"), &["q_loss"]);
}

#[test]
fn options_that_cannot_be_are_pointed_at() {
    refused(&with_heads("{}"), &["outputs names no head"]);
    refused(&with_heads("{policy: {}, soft_policy: {temperature: 0}}"), &["temperature is 0", "0.1 to 1000"]);
    refused(&with_heads("{policy: {}, moves_left: {hidden: 0}}"), &["outputs.moves_left.hidden is 0"]);
    refused(&with_heads("{policy: {}, qq: {}}"), &["unknown key `qq`", "soft_policy"]);
    refused(&with_heads("{per_square: {}}"), &["classes"]);
    let weight = |loss: &str| EXPERIMENT.replace("    mask: train\n", &format!("    mask: train\n    loss: {loss}\n"));
    refused(&weight("{soft_policy: -1}"), &["base.train.loss.soft_policy", "-1 is not a weight"]);
    refused(&weight("{policy: 0, value: 0}"), &["all losses of this network have the weight 0 (policy, value)"]);
    refused(&weight("{polcy: 1}"), &["unknown key `polcy`", "policy"]);
}
