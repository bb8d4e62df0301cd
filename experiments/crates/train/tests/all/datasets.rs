//! Cells that are tested on another dataset than their own, train on positions which their loader makes, or on parts and
//! value targets that their experiment names.

use crate::heads::{last, with_heads};
use config::{Generate, RunConfig, Weights};
use dataset::value::short_term;
use dataset::{Manifest as Dataset, Split, ValueTarget, evaluation_batches};
use games::GameKind;
use records::Part;
use records::positions::{file, read};
use std::collections::BTreeMap;
use std::path::PathBuf;
use tempfile::TempDir;
use testing::{Bench, EXPERIMENT, load_in, manifest, openings, rated, train};
use train::Setup;
use train::inference::Loaded;
use train::inference::results::on_labels;

const MAP: &str = r#"{"per_square": {"classes": 4}}"#;

fn generate(seed: u64) -> Option<Generate> {
    let probe = "attacked-squares".to_owned();
    Some(Generate { probe, game: GameKind::Chess, seed, every: std::num::NonZeroU16::new(8) })
}

fn run_of_made(bench: &Bench) -> RunConfig {
    RunConfig { data: PathBuf::new(), generate: generate(1), ..with_heads(bench.run(29), MAP) }
}

#[test]
fn a_cell_tested_on_another_dataset_resumes_to_the_same_bits_and_records_both() {
    let bench = Bench::new();
    let test = openings(bench.path());
    let run = RunConfig { test_data: Some(test.clone()), ..bench.run(29) };
    let [dir, _] = bench.resumed(&run, 28);
    let [own, other] = [&run.data, &test].map(|folder| Dataset::read(folder).expect("a dataset"));
    let manifest = manifest(&dir);
    let (facts, set) = (&manifest.dataset, manifest.dataset.test.as_ref().expect("the test set"));
    assert_eq!((&facts.content_hash, &set.content_hash), (&own.content_hash, &other.content_hash));
    assert_eq!(manifest.identity.dataset, format!("{}, test {}", own.content_hash, other.content_hash));
    // Every game begins at the start; some first moves are shared too.
    let left_out = [set.left_out_of_train, set.left_out_of_validation];
    assert!(left_out[0] >= own.split.games.train && left_out[1] >= own.split.games.validation, "{left_out:?}");
    let used = [facts.train_positions + left_out[0], facts.validation_positions + left_out[1], facts.test_positions];
    assert_eq!(used, [own.split.positions.train, own.split.positions.validation, 256]);
    let tested = last(&dir, Part::Test);
    assert_eq!(tested.metrics.get("positions"), Some(60.0), "15 games of four plies");
    assert_eq!(read(&dir.join(file(Weights::Raw))).expect("positions").len(), 60);
}

/// Neither dataset has scores.
#[test]
fn values_on_other_labels_are_those_that_the_network_learnt() {
    let bench = Bench::new();
    let mut run = with_heads(bench.run(4), r#"{"policy": {}, "q": {"buckets": 8}}"#);
    run.view.value = Some(ValueTarget::Result);
    let cell = Loaded::cell(&bench.trained("results", &run), Weights::Raw, tch::Device::Cpu).expect("it is done");
    let found = on_labels(&cell, &openings(bench.path())).expect("results are enough");
    assert!(found.get("q_targets").is_some() && found.get("q_targets") == found.get("positions"), "{found:?}");
}

#[test]
fn a_cell_of_made_positions_resumes_to_the_same_bits_without_a_folder() {
    let bench = Bench::new();
    let cells = bench.resumed(&run_of_made(&bench), 28);
    let [manifest, resumed] = cells.each_ref().map(|dir| manifest(dir));
    let facts = &manifest.dataset;
    let probe = generate(1).expect("a source").probe().expect("a task");
    assert_eq!((&facts.name, &facts.content_hash), (&probe.name(), &probe.content_hash()));
    assert_eq!([facts.train_positions, facts.validation_positions, facts.test_positions], [29 * 8, 60, 60]);
    assert_eq!(facts.novel_test_positions, 1.0);
    let [made, made_by_both] = [manifest.finish, resumed.finish].map(|finish| finish.expect("it is finished").made);
    assert_eq!(made, made_by_both);
    let made = made.expect("positions are made");
    assert!(made.games < made.positions && made.positions >= 29 * 8, "{made:?}");
    let epochs = last(&cells[0], Part::Train).epochs;
    assert!(epochs > 0.9 && epochs <= 1.0, "{epochs}");
}

#[test]
fn no_cell_resumes_on_another_test_set_or_other_positions() {
    let bench = Bench::new();
    let refuses = |folder: &str, run: &RunConfig, changed: RunConfig| {
        let dir = bench.crashed_of(folder, run, 28);
        std::fs::write(dir.join("config.yaml"), changed.to_yaml().expect("YAML")).expect("written");
        let error = train(&dir).expect_err("other data").to_string();
        assert!(error.contains("dataset: began with"), "{error}");
        error
    };
    let run = RunConfig { test_data: Some(openings(bench.path())), ..bench.run(29) };
    let error = refuses("test-set", &run, RunConfig { test_data: None, ..run.clone() });
    assert!(error.contains(", test "), "{error}");
    let run = run_of_made(&bench);
    refuses("positions", &run, RunConfig { generate: generate(2), ..run.clone() });
}

#[test]
fn a_cell_gets_what_its_experiment_asked_for() {
    let folder = TempDir::new().expect("a temporary folder");
    let dir = rated(folder.path());
    let data = "data: {path: rated, bucket: [1500-2000, 2000-up], value: {short_term: {decay: 0.5}}}";
    let experiment =
        EXPERIMENT.replace("data: {chess: chess, shogi: shogi}", data).replace("game: [chess, shogi]", "game: [chess]");
    let asked = load_in(folder.path(), &experiment, &[]).expect("an experiment").rows.remove(0);
    let text = asked.run.to_yaml().expect("YAML");
    assert_eq!(RunConfig::from_yaml(&text).expect("its own text"), asked.run);
    let cell = TempDir::new().expect("a temporary folder");
    std::fs::write(cell.path().join("config.yaml"), text).expect("a file");
    let setup = Setup::load(cell.path(), tch::Device::Cpu, 1, false).expect("it can be used");
    assert_eq!(setup.dataset.positions(Split::Train), asked.data.train_positions);
    assert_eq!(setup.dataset.positions(Split::Test), asked.data.test_positions);

    let manifest = Dataset::read(&dir).expect("a dataset");
    let rows = manifest.rows(&dir).map(|row| row.expect("a good shard"));
    let rows: BTreeMap<u32, _> = rows.map(|row| (row.id, row)).collect();
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
