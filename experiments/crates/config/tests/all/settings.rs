//! Every setting can be an axis, by its dotted name; and the command line overrides any.

use super::expand::{compared, grid, labels};
use config::{Experiment, Role, Row};
use testing::{DATA, EXPERIMENT, hashes, load, load_with, refused};

fn names(experiment: &Experiment) -> Vec<&str> {
    compared(experiment).iter().map(|row| row.name.as_str()).collect()
}

/// An experiment with a published network in place of the base's, and the heads that its datasets have targets for.
fn with_preset(text: &str) -> String {
    let (head, rest) = text.split_once("    chessformer: {").expect("a network");
    let (_, tail) = rest.split_once("}\n").expect("its end");
    format!("{head}    preset: cf-6m\n{tail}").replace("base:\n", "base:\n  missing_targets: skip\n")
}

#[test]
fn clipping_is_an_axis() {
    let experiment = load(&grid("  train.clip: [10, 0.5, null]\n", "{train.clip: 10}"));
    let clips: Vec<Option<f64>> = compared(&experiment).iter().map(|row| row.run.train.clip).collect();
    assert_eq!(clips, [Some(10.0), Some(0.5), None]);
    assert_eq!(names(&experiment), ["clip 10", "clip 0.5", "clip none"]);
    assert_eq!(labels(&experiment), ["chess-clip10", "chess-clip0.5", "chess-clipnone"]);
    assert_eq!(compared(&experiment)[0].role, Role::Reference);
}

#[test]
fn a_default_is_named_as_the_file_writes_it() {
    let experiment = load(&grid("  model.chessformer.edge: [shown, hidden]\n", "{model.chessformer.edge: shown}"));
    assert_eq!(names(&experiment), ["edge shown", "edge hidden"]);
}

#[test]
fn a_preset_is_its_sizes_written_out() {
    let of = |model: &str| {
        let axes = format!("  model: [{model}]\n");
        let text = grid(&axes, "{encoding: none}").replace("base:\n", "base:\n  missing_targets: skip\n");
        load(&text).rows.remove(0).run.model
    };
    let outputs = "outputs: {policy: {}, soft_policy: {temperature: 4}, result: {}, q: {}, short_term: {error: true}}";
    let written = format!("{{chessformer: {{layers: 8, width: 256, heads: 8, ff: 256, {outputs}}}}}");
    assert_eq!(of("{preset: cf-6m}"), of(&written));
}

#[test]
fn a_size_over_a_preset_is_an_axis() {
    let text = with_preset(&grid("  model.chessformer.layers: [1, 3]\n", "{model.chessformer.layers: 1}"));
    let sizes = |row: &&Row| {
        let models::ModelConfig::Chessformer(network) = &row.run.model else { panic!("a Chessformer") };
        (network.layers, network.width)
    };
    let experiment = load(&text);
    assert_eq!(compared(&experiment).iter().map(sizes).collect::<Vec<_>>(), [(1, 256), (3, 256)]);
    assert_eq!(names(&experiment), ["layers 1", "layers 3"]);
}

#[test]
fn heads_over_a_preset_replace_its_heads() {
    let axes = "  model.chessformer.outputs: [{policy: {}}, {policy: {}, result: {}}]\n";
    let text = with_preset(&grid(axes, "{model.chessformer.outputs: {policy: {}}}"));
    let heads = |experiment: &Experiment| -> Vec<Vec<&'static str>> {
        compared(experiment).iter().map(|row| row.run.outputs().names()).collect()
    };
    assert_eq!(heads(&load(&text)), [vec!["policy"], vec!["policy", "result"]]);
    // An option of one head leaves the others.
    let hidden = ["model.chessformer.outputs.moves_left.hidden=16"];
    let wider = load_with(&with_preset(EXPERIMENT), &hidden).expect("it can be run");
    assert_eq!(heads(&wider)[0], ["policy", "result", "moves_left"]);
}

#[test]
fn a_size_of_the_network_is_an_axis() {
    let text = grid("  model.chessformer.layers: [1, 3]\n", "{model.chessformer.layers: 1}");
    let experiment = load(&text);
    assert_eq!(names(&experiment), ["layers 1", "layers 3"]);
    // The same cells as with whole networks as values.
    let models = "  model:\n    - chessformer: {layers: 1, width: 16, heads: 2, ff: 16}\n    - chessformer: {layers: 3, width: 16, heads: 2, ff: 16}\n";
    let whole = load(&grid(models, "{model.chessformer.layers: 1}"));
    assert_eq!(hashes(&experiment), hashes(&whole));
    assert_eq!(labels(&whole), labels(&experiment));
}

#[test]
fn an_option_inside_an_encoding_is_an_axis() {
    let text = grid("  encoding.shaw.terms: [[q], [q, k]]\n", "{encoding.shaw.terms: [q]}")
        .replace("  encoding: none\n", "  encoding: shaw\n");
    assert_eq!(compared(&load(&text)).len(), 2);
    let stacked = text.replace("  encoding: shaw\n", "  encoding: [{absolute: {at: gate}}, shaw]\n");
    let numbered = stacked.replace("encoding.shaw.terms", "encoding.1.shaw.terms");
    assert_eq!(compared(&load(&numbered)).len(), 2);
}

#[test]
fn a_narrow_axis_changes_the_values_of_a_wide_one() {
    let axes = "  model:\n    - chessformer: {layers: 1, width: 16, heads: 2, ff: 16}\n    - chessformer: {layers: 1, width: 32, heads: 2, ff: 16}\n  model.chessformer.heads: [1, 2]\n";
    let experiment = load(&grid(axes, "{model.chessformer.width: 16, model.chessformer.heads: 1}"));
    let expected = ["heads 1, width 16", "heads 2, width 16", "heads 1, width 32", "heads 2, width 32"];
    assert_eq!(names(&experiment), expected);
}

#[test]
fn dotted_names_stand_wherever_a_setting_is_named() {
    let axes = "  encoding: [none, shaw]
  train.clip: [10, 1]
  steps: [8, 12]
zip: [[train.clip, train.steps]]
conditional:
  - when: {train.clip: 1}
    axes: {train.log_every: [2, 4]}
exclude: [{train.log_every: 4, encoding: {shaw: {}}}]
include: [{train.clip: 1, train.dtype: bf16}]
controls:
  - {row: {encoding: none, train.clip: 10}, match: {params: {encoding: shaw, train.clip: 10}, by: ffn}}
interactions:
  - gap: {axis: encoding, values: [none, shaw]}
    by: [{axis: train.clip, values: [10, 1]}, {axis: train.log_every, values: [50, 2]}, {axis: train.dtype, values: [f32, bf16]}]
";
    let experiment = load(&grid(axes, "{encoding: none, train.clip: 10}"));
    let shown = |row: &&Row| {
        let train = &row.run.train;
        format!("{:?} {} {} {}", train.clip.unwrap_or_default(), train.steps, train.log_every, train.dtype.name())
    };
    let compared = compared(&experiment);
    let own: Vec<String> = compared.iter().filter(|row| row.matched.is_none()).map(shown).collect();
    let [first, second, third] = ["10.0 8 50 f32", "1.0 12 2 bf16", "1.0 12 4 bf16"];
    assert_eq!(own, [first, second, third, first, second]);
    assert_eq!(experiment.rows.iter().filter(|row| row.matched.is_some()).count(), 1);
    assert_eq!(experiment.interactions.len(), 1);
    assert_eq!(experiment.interactions[0].by, ["clip 10, log_every 50, dtype f32", "clip 1, log_every 2, dtype bf16"]);
}

#[test]
fn groups_may_be_written_as_maps() {
    let dotted = load(&grid("  train.clip: [10, 1]\n", "{train.clip: 10}"));
    let nested = load(&grid("  train: {clip: [10, 1]}\n", "{train: {clip: 10}}"));
    assert_eq!(dotted.rows, nested.rows);
}

#[test]
fn an_error_in_a_value_of_another_file_names_that_file() {
    let other = DATA.path().join("other.yaml");
    std::fs::write(&other, EXPERIMENT.replace("batch: 4", "batch: 4\n    clip: many")).expect("written");
    let (_, tail) = EXPERIMENT.split_once("axes:").expect("axes");
    let parts =
        ["other.yaml:11:11: `base.train.clip`: expected a number, found string \"many\"", "  11 |     clip: many"];
    refused(&format!("name: small\nbase: {{from: other.yaml}}\naxes:{tail}"), &parts);
    // A varied option is not taken from there, the rest of its map is.
    std::fs::write(&other, EXPERIMENT).expect("written");
    let text = format!(
        "name: small\nbase: {{from: other.yaml}}\naxes:\n  model.chessformer.layers: [1, 2]{}",
        tail.replace("{encoding: none}", "{encoding: none, model.chessformer.layers: 1}")
    );
    assert_eq!(compared(&load(&text)).len(), 12);
}

#[test]
fn rows_are_named_by_what_sets_them_apart() {
    let axes = "  encoding: [{relative_bias: {share: displacement}}, shaw]\n  optimizer: [nadam, {nadam: {groups: [{part: encoding, learning_rate: 20}]}}]\n";
    let experiment = load(&grid(axes, "{encoding: shaw, optimizer: nadam}"));
    let expected = ["relative_bias", "relative_bias, encoding rate × 20", "shaw", "shaw, encoding rate × 20"];
    assert_eq!(names(&experiment), expected);
    let folders =
        ["chess-relative_bias", "chess-relative_bias-encoding-rate-x20", "chess-shaw", "chess-shaw-encoding-rate-x20"];
    assert_eq!(labels(&experiment), folders);
}

#[test]
fn the_command_line_sets_values_in_every_row() {
    let by_hand = load(&EXPERIMENT.replace("steps: 8", "steps: 12"));
    let set = load_with(EXPERIMENT, &["train.steps=12"]).expect("it can be run");
    assert_eq!(by_hand.rows, set.rows, "the same cells as those of the file with this value");
    assert_ne!(load(EXPERIMENT).rows[0].hash, set.rows[0].hash, "a part of the identity");
    let short = load_with(EXPERIMENT, &["steps=12"]).expect("it can be run");
    assert_eq!(short.rows, set.rows);
}

#[test]
fn what_the_command_line_sets_is_not_varied() {
    let set = load_with(EXPERIMENT, &["encoding={rope: {layout: axial_2d, theta: 10}}"]).expect("it can be run");
    assert_eq!(labels(&set), ["chess-rope", "shogi-rope"]);
    assert!(set.rows.iter().all(|row| row.role != Role::Compared), "one row a game, its reference, and the twin");
    let deep = load_with(EXPERIMENT, &["encoding=[shaw, none]", "model.chessformer.layers=1", "train.mask=eval"]);
    let row = &deep.expect("it can be run").rows[0];
    assert_eq!(row.run.encoding.len(), 1);
    let trunk = |experiment: &Experiment| experiment.rows[0].cost.facts.trunk;
    assert!(row.cost.facts.trunk < trunk(&set));
}

#[test]
fn what_the_command_line_sets_names_the_run_folder() {
    let name = |sets: &[&str]| load_with(EXPERIMENT, sets).expect("it can be run").name;
    assert_eq!(name(&[]), "small");
    assert_eq!(name(&["train.steps=12"]), "small+train.steps=12");
    for same in [["steps=12", "train.batch=8"], ["batch=8", "train.steps=12"]] {
        assert_eq!(name(&same), "small+train.batch=8+train.steps=12");
    }
    assert_eq!(name(&["steps=9", "steps=12"]), "small+train.steps=12", "the last value counts");
    // Values that are no plain words have a hash.
    let rope = name(&["encoding={rope: {layout: axial_2d, theta: 10}}"]);
    let (words, hash) = rope.rsplit_once('-').expect("a hash");
    assert_eq!((words, hash.len()), ("small+encoding=rope-layout-axial_2d-theta-10", 8));
    let stack = "[{absolute: {at: gate}}, {relative_bias: {share: displacement}}, {shaw: {terms: [q, k, v]}}, lepe, \
                 {rope: {layout: axial_2d, theta: 100}}]";
    let long = name(&[&format!("encoding={stack}")]);
    assert!(long.len() < 120 && long.chars().all(|c| c.is_ascii_alphanumeric() || "+-_.=".contains(c)), "{long}");
}
