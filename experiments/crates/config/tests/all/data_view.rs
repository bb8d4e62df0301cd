//! `data` with options: rating buckets and value targets, as an experiment writes them and as a cell gets them.

use crate::cli::{EXPERIMENT, datasets};
use config::{Experiment, Row, RunConfig, Source};
use dataset::filter::Buckets;
use dataset::store::read_shard;
use dataset::value::{SHORT_TERM_DECAY, short_term};
use dataset::{ImportOptions, Manifest, PerSplit, Split, SplitPlan, ValueTarget, evaluation_batches, import};
use games::GameKind;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;
use tempfile::TempDir;
use train::Setup;

/// Datasets `chess` and `shogi` without scores and buckets, and `rated` with both: 438 games of Lichess.
static DATA: LazyLock<TempDir> = LazyLock::new(|| {
    let dir = TempDir::new().expect("a temporary folder");
    datasets(dir.path());
    let games = Path::new(env!("CARGO_MANIFEST_DIR")).join("../games/dataset/tests/data/chess_lichess_438.pgn.zst");
    let options = ImportOptions {
        buckets: Buckets::new(vec![1000, 1500, 2000]),
        split: SplitPlan::by_game(0, PerSplit { train: 0.6, validation: 0.2, test: 0.2 }),
        ..ImportOptions::new(GameKind::Chess, vec![games], dir.path().join("rated"))
    };
    import(&options, &mut |_| {}).expect("the records are good");
    dir
});

fn loaded(data: &str) -> Result<Experiment, String> {
    let text = EXPERIMENT
        .replace("data: {chess: chess, shogi: shogi}", &format!("data: {data}"))
        .replace("game: [chess, shogi]", "game: [chess]");
    let source = Source::new(&DATA.path().join("experiment.yaml"), &text);
    Experiment::from_source(&source).map_err(|error| error.to_string())
}

/// The first row with this `data`.
fn row(data: &str) -> Row {
    loaded(data).unwrap_or_else(|error| panic!("{data}: {error}")).rows.remove(0)
}

fn refuses(data: &str, parts: &[&str]) {
    let message = loaded(data).expect_err(data);
    for part in parts {
        assert!(message.contains(part), "{part:?} is not in:\n{message}");
    }
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

/// Positions by split and bucket, counted in the rows.
fn counted() -> BTreeMap<String, PerSplit<u64>> {
    let dir = DATA.path().join("rated");
    let mut found = BTreeMap::<String, PerSplit<u64>>::new();
    for shard in Manifest::read(&dir).expect("a dataset").shards {
        let add = &mut |row: dataset::store::GameRow| {
            let bucket = row.rating_bucket.expect("every game is rated");
            found.entry(bucket).or_default()[row.split] += row.moves.split(' ').count() as u64;
        };
        read_shard(&dir.join(shard.file), add).expect("a good shard");
    }
    found
}

#[test]
fn a_bucket_is_what_the_rows_say_it_is() {
    let counted = counted();
    let positions = |row: &Row| [row.data.train_positions, row.data.validation_positions, row.data.test_positions];
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
fn a_cell_gets_what_its_experiment_asked_for() {
    let asked = row("{path: rated, bucket: [1500-2000, 2000-up], value: {short_term: {decay: 0.5}}}");
    let text = asked.run.to_yaml().expect("YAML");
    assert_eq!(RunConfig::from_yaml(&text).expect("its own text"), asked.run);
    let cell = TempDir::new().expect("a temporary folder");
    std::fs::write(cell.path().join("config.yaml"), text).expect("a file");
    let setup = Setup::load(cell.path(), tch::Device::Cpu, 1, false).expect("it can be used");
    assert_eq!(setup.dataset.positions(Split::Train), asked.data.train_positions);
    assert_eq!(setup.dataset.positions(Split::Test), asked.data.test_positions);

    let dir = DATA.path().join("rated");
    let mut rows = BTreeMap::new();
    for shard in Manifest::read(&dir).expect("a dataset").shards {
        read_shard(&dir.join(shard.file), &mut |row| drop(rows.insert(row.id, row))).expect("a good shard");
    }
    let batches = evaluation_batches(&setup.dataset, Split::Test, asked.run.input, 64, 2_000).expect("test games");
    let mut known = 0;
    for batch in batches.map(|batch| batch.expect("good games")) {
        for i in 0..batch.size {
            let row = &rows[&batch.game[i]];
            assert!(["1500-2000", "2000-up"].contains(&row.rating_bucket.as_deref().expect("rated")));
            let stored: Vec<f32> = row.value.iter().map(|value| value.unwrap_or(f32::NAN)).collect();
            let expected = short_term(&stored, 0.5)[usize::from(batch.ply[i])];
            assert_eq!(batch.value[i].to_bits(), expected.to_bits());
            known += usize::from(!expected.is_nan());
        }
    }
    assert!(known > 100, "{known}");
}

#[test]
fn what_the_dataset_does_not_offer_is_refused_with_its_place() {
    refuses(
        "{chess: {path: rated, bucket: 1500-200}}",
        &[
            "experiment.yaml:4:",
            "`base.data.chess.bucket`",
            "no rating bucket \"1500-200\"",
            "valid: below-1000, 1000-1500, 1500-2000, 2000-up",
            "did you mean `1500-2000`?",
        ],
    );
    refuses("{path: chess, bucket: 1500-2000}", &["`base.data.bucket`", "--rating-buckets"]);
    refuses("{path: rated, bucket: []}", &["the list is empty; expected the name of a rating bucket"]);
    for value in ["score", "short_term"] {
        refuses(
            &format!("{{path: chess, value: {value}}}"),
            &["`base.data.value`", "column \"value\"", &format!("\"{value}\""), "`value: result`"],
        );
    }
    refuses("{path: rated, value: {short_term: {decay: 1.5}}}", &["`base.data.value`", "1.5", "0…1"]);
    refuses("{path: rated, value: reslt}", &["unknown value `reslt`", "did you mean `result`?"]);
    refuses("{path: rated, valeu: result}", &["unknown key `valeu`", "did you mean `value`?"]);
    refuses("{chess: {path: rated, bukket: x}}", &["unknown key `bukket`", "did you mean `bucket`?"]);
    refuses("{bucket: 1500-2000}", &["`path` is missing"]);
    refuses("{chess: rated, value: result}", &["beside each other"]);
    refuses("{path: rated, path: chess}", &["`path` stands twice"]);
    refuses("{path: rated, value: 3}", &["expected score, result, short_term"]);
}
