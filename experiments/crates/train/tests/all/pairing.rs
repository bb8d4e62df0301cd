//! Paired seeds: cells of one seed that differ in their encoding share their data and their other weights.

use config::RunConfig;
use records::Manifest;
use std::path::Path;
use testing::{Bench, encoding, lines, status};

fn manifest(dir: &Path) -> Manifest {
    Manifest::read(dir).expect("readable").expect("there")
}

#[test]
fn cells_that_differ_in_their_encoding_only_share_first_weights_and_batches() {
    let bench = Bench::new();
    let run = bench.run(12);
    let absolute = bench.trained("absolute", &run);
    let shaw = bench.trained("shaw", &RunConfig { encoding: vec![encoding("shaw: {}")], ..run.clone() });
    let batches = |dir: &Path| status(dir).result.expect("a result").batches;
    assert_eq!(batches(&absolute), batches(&shaw));
    let (first, second) = (manifest(&absolute).initial_weights, manifest(&shaw).initial_weights);
    assert_eq!(first.shared, second.shared);
    assert_ne!(first.encoding, second.encoding);
    // Both encodings start at zero, so before the first step the two are one function, rounding aside.
    let start = |dir: &Path| lines(dir)[0].metrics.clone();
    let same = |(name, value): (&str, f64)| start(&shaw).get(name).is_some_and(|other| (other - value).abs() < 1e-6);
    assert!(start(&absolute).iter().all(same), "{:?} is not {:?}", start(&absolute), start(&shaw));
    assert_ne!(lines(&absolute).pop().map(|line| line.metrics), lines(&shaw).pop().map(|line| line.metrics));
}

#[test]
fn another_seed_has_other_weights_and_another_order() {
    let bench = Bench::new();
    let run = bench.run(4);
    let (one, two) = (bench.trained("one", &run), bench.trained("two", &RunConfig { seed: 2, ..run.clone() }));
    assert_ne!(manifest(&one).initial_weights.shared, manifest(&two).initial_weights.shared);
    assert_ne!(status(&one).result.expect("a result").batches, status(&two).result.expect("a result").batches);
}

#[test]
fn a_twin_sees_the_same_data_with_other_weights() {
    let bench = Bench::new();
    let run = bench.run(4);
    let (one, twin) = (bench.trained("one", &run), bench.trained("twin", &RunConfig { twin: true, ..run.clone() }));
    assert_ne!(manifest(&one).initial_weights.shared, manifest(&twin).initial_weights.shared);
    assert_eq!(status(&one).result.expect("a result").batches, status(&twin).result.expect("a result").batches);
}
