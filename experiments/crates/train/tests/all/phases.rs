//! A curriculum: each phase has batches of its buckets only, for its epochs, and a killed cell resumes in the middle of one.

use config::{LossChanges, Phase, RunConfig, TrainConfig};
use dataset::{Dataset, Split};
use records::{MetricLine, Part};
use std::path::Path;
use testing::{Bench, assert_same_bits, batches, lines, rated, train};

fn phase(bucket: &[&str], epochs: Option<f64>) -> Phase {
    Phase { bucket: bucket.iter().map(ToString::to_string).collect(), epochs, ..Phase::default() }
}

#[test]
fn a_killed_curriculum_goes_on_to_the_same_batches() {
    let bench = Bench::new();
    let rated = rated(bench.path());
    let dataset = Dataset::open(&rated).expect("a dataset");
    let steps_of = |buckets: &[&str], steps: f64| {
        let positions = dataset.training_part(buckets).positions(Split::Train);
        let phase = phase(buckets, Some((steps * 8.0 - 1.0) / positions as f64));
        assert_eq!(phase.steps(positions, 8), Some(steps as u64));
        phase
    };
    // Seven steps, nine, and the rest: the crash is at the end of the second phase, the last checkpoint within it.
    let middle = ["1000-1500", "1500-2000"];
    let phases = vec![steps_of(&["below-1000"], 7.0), steps_of(&middle, 9.0), phase(&["2000-up"], None)];
    let usual = bench.run(29);
    let run = RunConfig { data: rated, train: TrainConfig { phases, ..usual.train.clone() }, ..usual };
    let undisturbed = bench.trained("whole", &run);
    let crashed = bench.crashed_of("crashed", &run, 16);
    train(&crashed).expect("it resumes");
    assert_eq!(batches(&undisturbed), batches(&crashed));
    let three = RunConfig { train: TrainConfig { workers: Some(3), ..run.train.clone() }, ..run.clone() };
    assert_same_bits(&undisturbed, &bench.trained("three workers", &three));
    let mixed = RunConfig { train: TrainConfig { phases: Vec::new(), ..run.train.clone() }, ..run };
    assert_ne!(batches(&undisturbed), batches(&bench.trained("mixed", &mixed)));
}

/// A run of 29 steps with lines of every step, and phases.
fn in_phases(bench: &Bench, phases: Vec<Phase>) -> RunConfig {
    let run = bench.run(29);
    RunConfig { train: TrainConfig { phases, log_every: 1, ..run.train.clone() }, ..run }
}

fn training_lines(dir: &Path) -> Vec<MetricLine> {
    lines(dir).into_iter().filter(|line| line.split == Part::Train).collect()
}

fn value_weight(value: f64) -> LossChanges {
    serde_json::from_value(serde_json::json!({"value": value})).expect("a weight")
}

#[test]
fn a_phase_has_its_weights_and_its_rate_and_the_batches_that_there_are_without() {
    let bench = Bench::new();
    let first = Phase { steps: Some(13), loss: value_weight(0.0), ..Phase::default() };
    let second = Phase { loss: value_weight(2.5), learning_rate: Some(0.25), ..Phase::default() };
    let run = in_phases(&bench, vec![first, second]);
    let dir = bench.trained("phases", &run);
    let lines = training_lines(&dir);
    assert_eq!(lines.len(), 29);
    for line in &lines {
        let of = |name: &str| line.metrics.get(name).unwrap_or_else(|| panic!("no {name}"));
        let (weight, factor) = if line.step <= 13 { (0.0, 1.0) } else { (2.5, 0.25) };
        assert_eq!(of("value_loss.weighted"), weight * of("value_loss"), "step {}", line.step);
        assert_eq!(of("policy_loss.weighted"), of("policy_loss"));
        assert!((of("loss") - of("policy_loss") - weight * of("value_loss")).abs() < 1e-5);
        assert_eq!(of("learning_rate"), factor * run.train.learning_rate.at(line.step - 1));
    }

    // One phase after the other on the same games is one way through them.
    let plain = bench.trained("plain", &in_phases(&bench, vec![]));
    assert_eq!(batches(&dir), batches(&plain));
    // Up to the first phase's end it is the run that has its weights all along.
    let usual = in_phases(&bench, vec![]);
    let loss = usual.train.loss.with(&value_weight(0.0));
    let without_value =
        bench.trained("without", &RunConfig { train: TrainConfig { loss, ..usual.train.clone() }, ..usual });
    let until = |dir: &Path, step: usize| {
        training_lines(dir)[..step].iter().map(|line| line.metrics.clone()).collect::<Vec<_>>()
    };
    assert_eq!(until(&dir, 13), until(&without_value, 13));
    assert_ne!(until(&dir, 15), until(&without_value, 15));
    // Phases that change nothing are none.
    let same =
        bench.trained("same", &in_phases(&bench, vec![Phase { steps: Some(7), ..Phase::default() }, Phase::default()]));
    assert_same_bits(&same, &plain);
}

#[test]
fn phases_of_weights_go_on_to_the_same_bits() {
    let bench = Bench::new();
    // Checkpoints are of steps 10 and 20; the crash is in the third phase, the way back leads into the second.
    let phase = |steps, value| Phase { steps, loss: value_weight(value), ..Phase::default() };
    let slow = Phase { learning_rate: Some(0.5), ..phase(None, 3.0) };
    let run = in_phases(&bench, vec![phase(Some(15), 0.0), phase(Some(8), 2.0), slow]);
    bench.resumed(&run, 27);
}
