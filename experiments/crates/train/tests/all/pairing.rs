//! Paired seeds: cells of one seed that differ in their encoding share their data and their other weights.

use config::RunConfig;
use std::path::Path;
use testing::{Bench, batches, encoding, lines, manifest};

#[test]
fn cells_that_differ_in_their_encoding_only_share_first_weights_and_batches() {
    let bench = Bench::new();
    let run = bench.run(12);
    let absolute = bench.trained("absolute", &run);
    let shaw = bench.trained("shaw", &RunConfig { encoding: vec![encoding("shaw: {}")], ..run.clone() });
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
fn another_seed_changes_weights_and_order_and_an_a_a_control_the_weights_only() {
    let bench = Bench::new();
    let run = bench.run(4);
    let one = bench.trained("one", &run);
    let two = bench.trained("two", &RunConfig { seed: 2, ..run.clone() });
    let control = bench.trained("control", &RunConfig { twin: true, ..run });
    let weights = |dir: &Path| manifest(dir).initial_weights.shared;
    assert!(weights(&one) != weights(&two) && batches(&one) != batches(&two));
    assert!(weights(&one) != weights(&control) && batches(&one) == batches(&control));
}
