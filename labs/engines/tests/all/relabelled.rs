//! Test positions with the labels of another search: the same positions for every engine, whatever the number of processes.

use crate::fake::{Faults, engine};
use crate::forced::{dataset, filtered};
use dataset::store::GameRow;
use dataset::{Dataset, DatasetError, Filters, Split, agreement};
use engines::relabelled::{RelabelSettings, relabelled};
use engines::{EngineSettings, GenerateError};
use games::chess::ChessPosition;
use games::{GameKind, Position as _};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use tempfile::TempDir;

fn settings(dir: &Path, from: &Path, name: &str) -> RelabelSettings {
    RelabelSettings {
        game: GameKind::Chess,
        from: from.to_owned(),
        from_name: "games".to_owned(),
        engine: engine(dir, GameKind::Chess, &Faults::default(), 3),
        nodes: 5,
        positions: 40,
        temperature: 60.0,
        seed: 1,
        processes: 2,
        output: dir.join(name),
        name: name.to_owned(),
        licence: "CC0-1.0".to_owned(),
        made_by: "a test".to_owned(),
    }
}

fn rows(settings: &RelabelSettings) -> Vec<GameRow> {
    let done = AtomicU64::new(0);
    relabelled(settings, &|count| {
        done.fetch_max(count, Ordering::Relaxed);
    })
    .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(done.into_inner(), settings.positions);
    let dataset = Dataset::open(&settings.output).unwrap_or_else(|error| panic!("{error}"));
    dataset.manifest().rows(&settings.output).map(|row| row.expect("a good shard")).collect()
}

fn starts(rows: &[GameRow]) -> BTreeSet<String> {
    rows.iter().filter_map(|row| row.start.clone()).collect()
}

#[test]
fn positions_are_those_of_the_seed_and_labels_those_of_the_search() {
    let dir = TempDir::new().expect("a temporary folder");
    let from = dataset(dir.path());
    let first = settings(dir.path(), &from, "first");
    let labelled = rows(&first);
    assert_eq!(starts(&labelled).len(), 40, "no position twice");
    for row in &labelled {
        let position = ChessPosition::parse(row.start.as_deref().expect("a start")).expect("a legal position");
        let policy = &row.policy.as_ref().expect("a policy")[0];
        assert!(row.split == Split::Test && row.plies == 1 && policy.len() <= 3, "{row:?}");
        assert_eq!(policy.iter().map(|(_, share)| share).sum::<f32>(), 1.0);
        assert!(policy.iter().all(|(mv, _)| position.parse_move(mv).is_ok()), "{row:?}");
        assert!(policy.iter().all(|(_, share)| *share <= policy[0].1) && policy[0].0 == row.moves, "{row:?}");
        assert!(row.value[0].is_some());
    }
    let alone = rows(&RelabelSettings { processes: 1, ..settings(dir.path(), &from, "alone") });
    assert_eq!(alone, labelled);
    // Another search is about the same positions, another seed about others.
    let sharper = rows(&RelabelSettings { temperature: 6.0, ..settings(dir.path(), &from, "sharper") });
    assert_eq!(starts(&sharper), starts(&labelled));
    let other = rows(&RelabelSettings { seed: 2, ..settings(dir.path(), &from, "other") });
    assert_ne!(starts(&other), starts(&labelled));

    let same = agreement(&first.output, &dir.path().join("alone")).expect("shared positions");
    assert_eq!((same.positions, same.same_best, same.accuracy, same.total_variation), (40, 1.0, [1.0, 1.0], 0.0));
    assert_eq!((same.divergence, same.floor), (0.0, same.entropy[0]), "a search that repeats itself has no noise");
    let sharp = agreement(&first.output, &dir.path().join("sharper")).expect("shared positions");
    assert!(sharp.same_best == 1.0 && sharp.total_variation > 0.1 && sharp.entropy[1] < sharp.entropy[0], "{sharp:?}");
}

#[test]
fn positions_that_filters_left_out_are_not_drawn() {
    let dir = TempDir::new().expect("a temporary folder");
    let from = filtered(dir.path(), Filters { skip_plies: Some(20), ..Filters::default() });
    for start in starts(&rows(&settings(dir.path(), &from, "later"))) {
        let fields: Vec<&str> = start.split(' ').collect();
        let number: u32 = fields[5].parse().expect("the number of a move");
        assert!(2 * (number - 1) + u32::from(fields[1] == "b") >= 20, "{start}");
    }
}

#[test]
fn a_position_in_which_the_engine_names_no_move_is_left_out() {
    let dir = TempDir::new().expect("a temporary folder");
    let from = dataset(dir.path());
    let faults = Faults { resigns_as_second: true, ..Faults::default() };
    let resigns = engine(dir.path(), GameKind::Chess, &faults, 3);
    let some = RelabelSettings { engine: resigns, ..settings(dir.path(), &from, "some") };
    let labelled = rows(&some);
    assert!((1..40).contains(&labelled.len()), "{}", labelled.len());
    assert!(starts(&labelled).iter().all(|start| start.contains(" w ")), "{labelled:?}");
    let source = Dataset::open(&some.output).expect("a dataset").manifest().source.clone();
    assert!(source.starts_with(&format!("{} test positions of games", labelled.len())), "{source}");
}

#[test]
fn too_many_positions_and_another_game_are_refused() {
    let dir = TempDir::new().expect("a temporary folder");
    let from = dataset(dir.path());
    let refused = |settings: RelabelSettings, part: &str| {
        let error = relabelled(&settings, &|_| {}).expect_err("refused").to_string();
        assert!(error.contains(part), "{error}");
        assert!(!settings.output.exists());
    };
    let many = RelabelSettings { positions: 100_000, ..settings(dir.path(), &from, "many") };
    refused(many, "the test positions of games");
    let shogi = RelabelSettings { game: GameKind::Shogi, ..settings(dir.path(), &from, "shogi") };
    refused(shogi, "expected a dataset of shogi, found one of chess");
    let absent = EngineSettings { program: dir.path().join("absent"), ..settings(dir.path(), &from, "games").engine };
    let taken = RelabelSettings { engine: absent, ..settings(dir.path(), &from, "games") };
    let error = relabelled(&taken, &|_| {}).expect_err("the folder is there");
    assert!(matches!(error, GenerateError::Dataset(DatasetError::OutputExists(_))), "{error}");
}
