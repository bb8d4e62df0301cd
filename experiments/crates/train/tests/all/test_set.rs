//! A cell that is tested on another dataset than the one it is trained on.

use config::RunConfig;
use dataset::Manifest as Dataset;
use records::positions::{file, read};
use records::{Manifest, Part};
use testing::{Bench, lines, openings, train};

#[test]
fn it_resumes_to_the_same_bits_and_records_both_datasets() {
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
fn it_does_not_resume_on_another_test_set() {
    let bench = Bench::new();
    let run = RunConfig { test_data: Some(openings(bench.path())), ..bench.run(29) };
    let dir = bench.crashed_of("other", &run, 28);
    let changed = RunConfig { test_data: None, ..run };
    std::fs::write(dir.join("config.yaml"), changed.to_yaml().expect("YAML")).expect("written");
    let error = train(&dir).expect_err("other data").to_string();
    assert!(error.contains("dataset: began with") && error.contains(", test "), "{error}");
}
