//! Cells that are tested on another dataset than their own, or train on positions which their loader makes.

use crate::heads::with_heads;
use config::{Generate, RunConfig};
use dataset::Manifest as Dataset;
use games::GameKind;
use records::positions::{file, read};
use records::{Manifest, Part};
use std::path::PathBuf;
use testing::{Bench, lines, openings, train};

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
    let manifest = Manifest::read(&dir).expect("readable").expect("a manifest");
    let (facts, set) = (&manifest.dataset, manifest.dataset.test.as_ref().expect("the test set"));
    assert_eq!((&facts.content_hash, &set.content_hash), (&own.content_hash, &other.content_hash));
    assert_eq!(manifest.identity.dataset, format!("{}, test {}", own.content_hash, other.content_hash));
    // Every game begins at the start; some first moves are shared too.
    let left_out = [set.left_out_of_train, set.left_out_of_validation];
    assert!(left_out[0] >= own.split.games.train && left_out[1] >= own.split.games.validation, "{left_out:?}");
    let used = [facts.train_positions + left_out[0], facts.validation_positions + left_out[1], facts.test_positions];
    assert_eq!(used, [own.split.positions.train, own.split.positions.validation, 256]);
    let tested = lines(&dir).into_iter().rfind(|line| line.split == Part::Test).expect("a test line");
    assert_eq!(tested.metrics.get("positions"), Some(60.0), "15 games of four plies");
    let positions = read(&dir.join(file(config::Weights::Raw))).expect("positions");
    assert_eq!(positions.len(), 60);
}

#[test]
fn a_cell_of_made_positions_resumes_to_the_same_bits_without_a_folder() {
    let bench = Bench::new();
    let cells = bench.resumed(&run_of_made(&bench), 28);
    let read = |dir: &PathBuf| Manifest::read(dir).expect("readable").expect("a manifest");
    let [manifest, resumed] = cells.each_ref().map(read);
    let facts = &manifest.dataset;
    let probe = generate(1).expect("a source").probe().expect("a task");
    assert_eq!((&facts.name, &facts.content_hash), (&probe.name(), &probe.content_hash()));
    assert_eq!([facts.train_positions, facts.validation_positions, facts.test_positions], [29 * 8, 60, 60]);
    assert_eq!(facts.novel_test_positions, 1.0);
    let [made, made_by_both] = [manifest.finish, resumed.finish].map(|finish| finish.expect("it is finished").made);
    assert_eq!(made, made_by_both);
    let made = made.expect("positions are made");
    assert!(made.games < made.positions && made.positions >= 29 * 8, "{made:?}");
    let last = lines(&cells[0]).into_iter().rfind(|line| line.split == Part::Train).expect("a line");
    assert!(last.epochs > 0.9 && last.epochs <= 1.0, "{}", last.epochs);
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
