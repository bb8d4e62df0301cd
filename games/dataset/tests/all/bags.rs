//! Import of DeepMind's bags. None is at hand, so a small writer makes them as the format is described.

#[path = "../../../tests/all/bag/writer.rs"]
mod writer;

use crate::samples::{self, imported_bytes, on_disk, remade, rows};
use dataset::store::GameRow;
use dataset::{ImportReport, Merge, PerSplit, SplitPlan, Unit, average};
use games::GameKind;
use std::path::Path;
use writer::{action_value, bag, nested};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const ENDING: &str = "8/8/8/4k3/8/8/4P3/4K3 b - - 3 40";

fn imported(name: &str, records: &[Vec<u8>]) -> (tempfile::TempDir, ImportReport) {
    let bytes = bag(records, name.ends_with("bagz"));
    imported_bytes(GameKind::Chess, name, bytes, |options| options.policy_from_ply = 0)
}

/// Start, move, value and whether the move is a target.
fn fields(row: &GameRow) -> (&str, &str, Option<f32>, bool) {
    assert_eq!((row.plies, row.value.len()), (1, 1));
    (row.start.as_deref().expect("a FEN"), &row.moves, row.value[0], row.policy_from_ply == 0)
}

#[test]
fn every_kind_of_bag_becomes_rows_of_positions() {
    for ending in ["bag", "bagz"] {
        let values = [
            [nested(START), 0.25f64.to_be_bytes().to_vec()].concat(),
            [nested(ENDING), 0.75f64.to_be_bytes().to_vec()].concat(),
        ];
        let (dir, report) = imported(&format!("test-state_value_data.{ending}"), &values);
        assert_eq!((report.manifest.unit, report.manifest.counts.kept), (Unit::Position, 2));
        let rows = rows(dir.path());
        let [first, second] = &rows[..] else { panic!("{} rows", rows.len()) };
        let ((fen, _, value, is_target), (other, _, low, _)) = (fields(first), fields(second));
        // The first legal move stands in where none is known, and is no target.
        assert_eq!((fen, value, is_target), (START, Some(0.25), false));
        assert_eq!((other, low), (ENDING, Some(0.75)));

        let cloned = [[nested(START), b"g1f3".to_vec()].concat(), [nested(ENDING), b"e5e4".to_vec()].concat()];
        let (dir, _) = imported(&format!("test-behavioral_cloning_data.{ending}"), &cloned);
        let rows = samples::rows(dir.path());
        assert_eq!(
            rows.iter().map(fields).collect::<Vec<_>>(),
            [(START, "g1f3", None, true), (ENDING, "e5e4", None, true)]
        );

        let (dir, _) = imported(&format!("test-action_value_data.{ending}"), &[action_value(START, "a2a3", 0.5)]);
        let rows = samples::rows(dir.path());
        // A move that was only tried is no target.
        assert_eq!(rows.iter().map(fields).collect::<Vec<_>>(), [(START, "a2a3", Some(0.5), false)]);
    }
}

#[test]
fn what_is_wrong_in_a_bag_is_counted() {
    let records = [
        action_value(START, "e2e4", 0.5),
        action_value(START, "e2e5", 0.5),
        action_value("8/8/8/8/8/8/8/8 w - - 0 1", "e2e4", 0.5),
        action_value(START, "d2d4", 0.5),
    ];
    let (dir, report) = imported("action_value.bag", &records);
    let counts = &report.manifest.counts;
    assert_eq!((counts.read, counts.kept, counts.rejected), (4, 2, 2));
    let kinds: Vec<(&str, u64)> = counts.rejected_by_kind.iter().map(|(kind, &count)| (kind.as_str(), count)).collect();
    assert_eq!(kinds, [("illegal_move", 1), ("start_position", 1)]);
    assert_eq!(rows(dir.path()).iter().map(|row| row.moves.as_str()).collect::<Vec<_>>(), ["e2e4", "d2d4"]);
}

fn averaged(dir: &Path, merge: Merge) -> Vec<GameRow> {
    let out = tempfile::tempdir().expect("a temporary folder");
    let split = SplitPlan::by_game(0, PerSplit { train: 1.0, validation: 0.0, test: 0.0 });
    let options = remade(vec![on_disk(dir)], out.path(), split);
    average(&options, merge, 1 << 20, &mut |_| {}).unwrap_or_else(|error| panic!("{error}"));
    let mut rows = rows(out.path());
    rows.sort_by_key(|row| std::cmp::Reverse(row.count));
    rows
}

#[test]
fn the_best_of_all_moves_becomes_the_target_with_its_value() {
    let records = [
        action_value(START, "a2a3", 0.45),
        action_value(START, "e2e4", 0.5625),
        action_value(ENDING, "e5e4", 0.125),
        action_value(START, "d2d4", 0.5),
        action_value(ENDING, "e5d4", 0.25),
    ];
    let (dir, _) = imported("action_value.bag", &records);
    let best = averaged(dir.path(), Merge::Best);
    let found: Vec<_> = best.iter().map(|row| (fields(row).1, fields(row).2, fields(row).3, row.count)).collect();
    assert_eq!(found, [("e2e4", Some(0.5625), true, Some(3)), ("e5d4", Some(0.25), true, Some(2))]);
    assert!(best.iter().all(|row| row.policy.is_none()), "one move, all of the weight");
    // The mean takes no part in choosing: moves that were tried are no targets, and values are averaged.
    let mean = averaged(dir.path(), Merge::Mean);
    let [start, ending] = &mean[..] else { panic!("{} rows", mean.len()) };
    assert!((start.value[0].expect("a value") - (0.45 + 0.5625 + 0.5) / 3.0).abs() < 1e-6);
    assert_eq!((ending.value[0], fields(start).3, fields(ending).3), (Some(0.1875), false, false));
}
