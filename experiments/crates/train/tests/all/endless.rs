//! A cell that trains on positions which its loader makes.

use crate::heads::with_heads;
use config::{Generate, RunConfig};
use games::GameKind;
use records::{Manifest, Part};
use std::path::PathBuf;
use testing::{Bench, lines, train};

const MAP: &str = r#"{"per_square": {"classes": 4}}"#;

fn generate(seed: u64) -> Option<Generate> {
    let probe = "attacked-squares".to_owned();
    Some(Generate { probe, game: GameKind::Chess, seed, every: std::num::NonZeroU16::new(8) })
}

#[test]
fn it_resumes_to_the_same_bits_without_a_folder() {
    let bench = Bench::new();
    let run = RunConfig { data: PathBuf::new(), generate: generate(1), ..with_heads(bench.run(29), MAP) };
    let cells = bench.resumed(&run, 28);
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
fn it_does_not_resume_on_other_positions() {
    let bench = Bench::new();
    let run = RunConfig { data: PathBuf::new(), generate: generate(1), ..with_heads(bench.run(29), MAP) };
    let dir = bench.crashed_of("other", &run, 28);
    let changed = RunConfig { generate: generate(2), ..run };
    std::fs::write(dir.join("config.yaml"), changed.to_yaml().expect("YAML")).expect("written");
    let error = train(&dir).expect_err("other data").to_string();
    assert!(error.contains("dataset: began with"), "{error}");
}
