//! `data` with options: rating buckets, value targets and generated positions, as an experiment writes them; and heads: what
//! the dataset must have for them, and what is said where it has not.

use super::changes::{DATASETS, with};
use config::{Experiment, Row, RunConfig};
use dataset::value::SHORT_TERM_DECAY;
use dataset::{Manifest, PerSplit, Split, ValueTarget};
use games::map_labels::MapTask;
use std::collections::BTreeMap;
use testing::{EXPERIMENT, assert_says, hashes, load_in};

/// The small experiment with this `data`, on chess.
fn experiment(data: &str) -> String {
    EXPERIMENT
        .replace("data: {chess: chess, shogi: shogi}", &format!("data: {data}"))
        .replace("game: [chess, shogi]", "game: [chess]")
}

fn load(text: &str) -> Result<Experiment, String> {
    load_in(DATASETS.path(), text, &[])
}

fn loaded(data: &str, sets: &[&str]) -> Result<Experiment, String> {
    load_in(DATASETS.path(), &experiment(data), sets)
}

fn row(data: &str) -> Row {
    loaded(data, &[]).unwrap_or_else(|error| panic!("{data}: {error}")).rows.remove(0)
}

#[test]
fn the_long_form_without_options_is_the_short_form() {
    let short = row("{chess: rated}");
    for data in ["rated", "{path: rated}", "{chess: {path: rated}}", "{chess: {path: rated, value: score}}"] {
        let long = row(data);
        assert_eq!((&long.hash, &long.run), (&short.hash, &short.run), "{data}");
    }
    assert!(!short.run.to_yaml().expect("YAML").contains("below"));
}

fn positions(row: &Row) -> [u64; 3] {
    [row.data.train_positions, row.data.validation_positions, row.data.test_positions]
}

/// Positions by split and bucket, counted in the rows.
fn counted() -> BTreeMap<String, PerSplit<u64>> {
    let dir = DATASETS.path().join("rated");
    let mut found = BTreeMap::<String, PerSplit<u64>>::new();
    for row in Manifest::read(&dir).expect("a dataset").rows(&dir) {
        let row = row.expect("a good shard");
        let bucket = row.rating_bucket.expect("every game is rated");
        found.entry(bucket).or_default()[row.split] += row.moves.split(' ').count() as u64;
    }
    found
}

#[test]
fn a_bucket_is_what_the_rows_say_it_is() {
    let counted = counted();
    let sum = |names: &[&str]| Split::ALL.map(|split| names.iter().map(|&name| counted[name][split]).sum::<u64>());
    let whole = row("rated");
    assert_eq!(positions(&whole), sum(&["below-1000", "1000-1500", "1500-2000", "2000-up"]));
    let one = row("{chess: {path: rated, bucket: 1500-2000}}");
    assert_eq!(positions(&one), sum(&["1500-2000"]));
    let two = row("{path: rated, bucket: [2000-up, 1000-1500]}");
    assert_eq!(positions(&two), sum(&["1000-1500", "2000-up"]));
    // The order of the names, and one named twice, change nothing; another choice is another cell.
    assert_eq!(row("{path: rated, bucket: [1000-1500, 2000-up, 1000-1500]}").hash, two.hash);
    let hashes = [&whole.hash, &one.hash, &two.hash];
    assert!(hashes.iter().all(|hash| hashes.iter().filter(|other| other == &hash).count() == 1), "{hashes:?}");
    assert_eq!(one.epochs(), 32.0 / sum(&["1500-2000"])[0] as f64);
}

#[test]
fn value_targets_have_names_and_options() {
    let target = |data: &str| row(data).run.view.value;
    let smooth = |decay| Some(ValueTarget::ShortTerm { decay });
    assert_eq!(target("rated"), None);
    assert_eq!(target("{path: rated, value: result}"), Some(ValueTarget::Result));
    assert_eq!(target("{path: rated, value: short_term}"), smooth(SHORT_TERM_DECAY));
    assert_eq!(target("{path: rated, value: {short_term: {decay: 0.5}}}"), smooth(0.5));
    let hash = |data: &str| row(data).hash;
    let all = [
        hash("rated"),
        hash("{path: rated, value: result}"),
        hash("{path: rated, value: short_term}"),
        hash("{path: rated, value: {short_term: {decay: 0.5}}}"),
    ];
    assert!((1..all.len()).all(|i| !all[..i].contains(&all[i])), "{all:?}");
}

#[test]
fn a_map_is_computed_for_a_dataset_without_one() {
    let heads = |heads: &str| format!("model.chessformer.outputs={{policy: {{}}, {heads}}}");
    let squares = heads("per_square: {classes: 4}");
    for data in ["{path: rated, map: attacked-squares}", "{train: chess, test: openings, map: attacked-squares}"] {
        let own = loaded(data, &[&squares]).unwrap_or_else(|error| panic!("{data}: {error}")).rows.remove(0);
        assert_eq!(own.run.view.map, Some(MapTask::AttackedSquares));
        let text = own.run.to_yaml().expect("YAML");
        assert!(text.contains("map: attacked-squares"), "{text}");
        assert_eq!(RunConfig::from_yaml(&text).expect("its own text"), own.run);
        // A map that no head reads decides nothing, and fits every input.
        let without = row(&data.replace(", map: attacked-squares", ""));
        let unread = loaded(data, &[]).expect("heads need not read it").rows.remove(0);
        assert_eq!((&unread.hash, &unread.run), (&without.hash, &without.run));
        let white = ["input=cls_tokens_white", "moves=uci_1968_sid"];
        loaded(data, &white).unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn a_test_set_of_its_own_takes_its_positions_from_training() {
    let (own, tested) = (row("chess"), row("{train: chess, test: openings}"));
    let of_game = row("{chess: {train: chess, test: openings}, shogi: shogi}");
    assert_eq!((&of_game.hash, &of_game.run), (&tested.hash, &tested.run));
    assert_eq!((&tested.run.data, &own.run.test_data), (&own.run.data, &None));
    assert_eq!(tested.run.test_data.as_deref(), Some(DATASETS.path().join("openings").as_path()));
    // They share the start, which every game begins with.
    let games = Manifest::read(&DATASETS.path().join("chess")).expect("a dataset").split.games;
    let set = tested.data.test.as_ref().expect("it has one");
    assert_eq!((set.left_out_of_train, set.left_out_of_validation), (games.train, games.validation));
    let [train, validation, _] = positions(&own);
    assert_eq!(positions(&tested), [train - games.train, validation - games.validation, 256]);
    let others = Manifest::read(&DATASETS.path().join("openings")).expect("a dataset").content_hash;
    assert_eq!(tested.data.content(), format!("{}, test {others}", own.data.content_hash));
    let again = row("{train: chess, test: rated}");
    assert!(again.hash != tested.hash && tested.hash != own.hash);
    assert_eq!(RunConfig::from_yaml(&tested.run.to_yaml().expect("YAML")).expect("its own text"), tested.run);

    // Buckets choose among the games to train on; phases count what is left of them.
    let one = row("{train: rated, test: openings, bucket: 1500-2000, value: result}");
    assert_eq!((one.run.view.value, one.data.test_positions), (Some(ValueTarget::Result), 256));
    let whole = row("{path: rated, bucket: 1500-2000}").data.train_positions;
    assert!((1..whole).contains(&one.data.train_positions));
    let sets = ["train.steps=100000", "train.phases=[{bucket: 1500-2000, epochs: 1}, {}]"];
    let phased = loaded("{train: rated, test: openings}", &sets).expect("it fits").rows.remove(0);
    assert_eq!(phased.data.phase_ends, [one.data.train_positions.div_ceil(4), 100_000]);
}

/// Games of four plies are six rows each in sequences of three.
#[test]
fn a_pass_of_a_decoder_has_all_rows_of_its_sequences() {
    let text = experiment("DATA")
        .replace("    - absolute: {at: input}\n    - shaw: {terms: [q, k]}\n", "")
        .replace("input: piece_tokens", "input: tokens_68\n  moves: chessdecoder_1924")
        .replace("chessformer: {layers: 2, width", "decoder: {layers: 1, width")
        .replace("batch: 4", "batch: 6")
        .replace("every: 4", "every: 4\n    batch: 6");
    let sets = ["train.steps=1000", "train.phases=[{epochs: 1}, {}]"];
    let games = Manifest::read(&DATASETS.path().join("chess")).expect("a dataset").split.games.train;
    for data in ["{chess: chess}", "{train: chess, test: openings}"] {
        let text = text.replace("DATA", data);
        let row =
            load_in(DATASETS.path(), &text, &sets).unwrap_or_else(|error| panic!("{data}: {error}")).rows.remove(0);
        assert_eq!((row.data.train_rows, &row.data.phase_ends[..]), (6 * games, &[games, 1000][..]), "{data}");
        assert_eq!(row.epochs(), 1000.0 / games as f64);
    }
    let without = text.replace("DATA", "{chess: chess}").replace("decoder: {", "decoder: {plies: 0, ");
    assert_says(&load(&without).expect_err("no plies"), &["model: plies is 0"]);
}

#[test]
fn a_head_needs_targets_in_the_test_set() {
    let heads =
        experiment("{train: rated, test: openings}").replace("ff: 16}", "ff: 16, outputs: {policy: {}, q: {}}}");
    let error = load(&heads).expect_err("openings have no scores");
    assert_says(&error, &["the head `q` has nothing to be tested on", "the dataset \"openings\" is empty"]);
    let skipped = heads.replace("  train:\n", "  missing_targets: skip\n  train:\n");
    let row = load(&skipped).expect("it fits without").rows.remove(0);
    assert!(row.run.outputs().policy.is_some() && row.run.outputs().q.is_none());
}

const GENERATED: &str = "{probe: attacked-squares, game: chess, seed: 1}";

/// The small experiment with this `data`, on chess, whose network has a head for maps of squares.
fn of_maps(data: &str) -> String {
    experiment(data)
        .replace("heads: 2, ff: 16}", "heads: 2, ff: 16, outputs: {per_square: {classes: 4}}}")
        .replace("metric: policy_loss", "metric: map_accuracy")
}

fn generated(data: &str) -> Row {
    let experiment = load(&of_maps(&format!("{{{data}}}")));
    experiment.unwrap_or_else(|error| panic!("{data}: {error}")).rows.remove(0)
}

#[test]
fn rows_have_positions_without_end_and_their_identity() {
    let row = generated(&format!("generate: {GENERATED}"));
    assert_eq!((positions(&row), row.epochs()), ([8 * 4, 8, 8], 1.0));
    let per_game = generated(&format!("chess: {{generate: {GENERATED}}}"));
    assert_eq!((&per_game.hash, &per_game.run), (&row.hash, &row.run));
    let text = row.run.to_yaml().expect("YAML");
    assert_eq!(RunConfig::from_yaml(&text).expect("readable"), row.run);
    for other in ["seed: 2", "seed: 1, every: 8"] {
        let other = generated(&format!("generate: {{probe: attacked-squares, game: chess, {other}}}"));
        assert_ne!(other.hash, row.hash);
    }
}

#[test]
fn every_budget_is_one_epoch_of_its_own_positions() {
    let text = of_maps(&format!("{{generate: {GENERATED}}}"))
        .replace("    steps: 8\n", "")
        .replace("axes:\n", "axes:\n  steps: [8, 16]\n");
    let experiment = load(&text).unwrap_or_else(|error| panic!("{error}"));
    // With the twin of one reference.
    assert_eq!(experiment.rows.len(), 7);
    for row in &experiment.rows {
        assert_eq!((row.data.train_positions, row.epochs()), (4 * row.run.train.steps, 1.0));
    }
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
    assert_eq!(experiment.rows[0].cost.macs.paper, 213_909_504);
}

#[test]
fn a_map_without_a_policy_tells_no_squares_apart() {
    let text = with_heads("{per_square: {classes: 3}}")
        .replace("{chess: chess, shogi: shogi}", "Squares")
        .replace("game: [chess, shogi]", "game: [chess]")
        .replace("metric: policy_loss", "metric: map_accuracy");
    let experiment = load(&text).expect("the head fits the map");
    let sources = &experiment.rows[0].cost.facts.position_sources;
    assert_eq!(sources[..], [games::input::MARK], "neither the head nor a mask without a policy tells squares apart");
}

#[test]
fn a_mask_is_declared_where_a_policy_is_masked() {
    let declared = |mask: &str| -> Vec<String> {
        let experiment = load(&EXPERIMENT.replace("mask: train", &format!("mask: {mask}"))).expect("valid");
        let sources = &experiment.rows[0].cost.facts.position_sources;
        sources.iter().filter(|source| source.contains("legal-move mask")).cloned().collect()
    };
    assert_eq!(declared("train"), ["legal-move mask in training"]);
    assert_eq!(declared("eval"), ["legal-move mask in evaluation (metrics have it, the network does not)"]);
    assert!(declared("none").is_empty());
}
