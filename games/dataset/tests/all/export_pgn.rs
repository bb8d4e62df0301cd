//! PGN out and in again: every column that PGN can hold comes back as it was.

use crate::damage::small;
use crate::samples::{
    self, CHESS, LICHESS, LICHESS_438, all_targets, imported_bytes, imported_with, on_disk, rewritten, rows, sample,
};
use dataset::ExportFormat;
use dataset::store::GameRow;
use games::chess::lc0::ValueSource;
use games::{GameKind, GameResult, Termination};
use std::path::Path;

fn exported(dir: &Path) -> Vec<u8> {
    let (bytes, done) = samples::exported(dir, ExportFormat::Pgn);
    assert_eq!((done.written, done.left_out), (on_disk(dir).manifest.counts.kept, 0));
    bytes
}

/// The dataset of the games that an export holds.
fn again(text: &[u8]) -> tempfile::TempDir {
    imported_bytes(GameKind::Chess, "out.pgn", text, |options| options.policy_from_ply = 0).0
}

#[test]
fn the_largest_number_of_a_row_has_a_round() {
    let dir = small();
    rewritten(dir.path(), |row| row.id = u32::MAX);
    let text = String::from_utf8(exported(dir.path())).expect("text");
    assert!(text.contains("[Round \"4294967296\"]"), "{text}");
}

/// A row without what PGN has no place for: where it came from.
fn without_source(row: GameRow) -> GameRow {
    GameRow { source_file: String::new(), source_game: 0, ..row }
}

#[test]
fn every_column_that_pgn_can_hold_comes_back() {
    let (mut values, mut clocks, mut rated, mut timed) = (0, 0, 0, 0);
    for file in [CHESS, LICHESS, LICHESS_438].map(sample) {
        let before = all_targets(GameKind::Chess, file.clone());
        let text = exported(before.path());
        let after = again(&text);
        let (before, rows_after) = (rows(before.path()), rows(after.path()));
        assert_eq!(before.len(), rows_after.len());
        for (one, two) in before.into_iter().zip(rows_after) {
            values += one.value.iter().flatten().count();
            clocks += one.clock.iter().flatten().flatten().count();
            rated += usize::from(one.ratings.iter().all(Option::is_some));
            timed += usize::from(one.time_control.is_some());
            // Value for value in f32, mates and scores without end among them; the split too, because it hangs on
            // seed and game alone.
            assert_eq!(without_source(one), without_source(two), "{}", file.display());
        }
        assert_eq!(exported(after.path()), text, "and the text is the same again");
    }
    assert!(values > 1_000 && clocks > 1_000 && rated > 400 && timed > 400, "{values} {clocks} {rated} {timed}");
}

#[test]
fn times_keep_every_digit() {
    let text = "[Event \"t\"]\n[Result \"1-0\"]\n[Termination \"time forfeit\"]\n[WhiteElo \"2100\"]\n[TimeControl \"5400+30\"]\n\n\
        1. e4 { [%eval 0.2] [%clk 1:29:59.125] [%emt 0:00:00.9] } 1... e5 { [%clk 123:00:07.3] } \
        2. Nf3 { [%eval #-4] [%emt 0:01:00] } 2... Nc6 1-0\n";
    let first = again(text.as_bytes());
    let out = exported(first.path());
    let shown = String::from_utf8(out.clone()).expect("text").replace('\n', " ");
    for part in [
        "{ [%eval 0.20] [%clk 1:29:59.125] [%emt 0:00:00.9] }",
        "{ [%clk 123:00:07.3] }",
        // A mate is a certain loss, whatever its length.
        "{ [%eval -300.00] [%emt 0:01:00] }",
        "[WhiteElo \"2100\"] [TimeControl \"5400+30\"] [Termination \"time forfeit\"]",
    ] {
        assert!(shown.contains(part), "{part:?} is not in {shown}");
    }
    assert!(!shown.contains("BlackElo"));
    let (one, two) = (rows(first.path()).remove(0), rows(again(&out).path()).remove(0));
    assert_eq!(one.clock, Some(vec![Some(5399.125), Some(442_807.3), None, None]));
    assert_eq!(one.time, Some(vec![Some(0.9), None, Some(60.0), None]));
    assert_eq!((one.termination, one.ratings), (Termination::Time, [Some(2100), None]));
    assert_eq!(without_source(one), without_source(two));
}

#[test]
fn endings_come_back_where_pgn_has_a_word() {
    for (result, word, expected) in [
        ("1-0", "adjudication", Termination::Adjudication),
        ("0-1", "rules infraction", Termination::IllegalMove),
        ("1/2-1/2", "time forfeit", Termination::Time),
        ("1-0", "abandoned", Termination::Other),
        ("0-1", "normal", Termination::Resignation),
        ("1/2-1/2", "normal", Termination::Other),
        ("*", "unterminated", Termination::Other),
    ] {
        let text = format!("[Result \"{result}\"]\n[Termination \"{word}\"]\n\n1. e4 e5 {result}\n");
        let first = again(text.as_bytes());
        let ending = |dir: &Path| rows(dir).remove(0).termination;
        assert_eq!(ending(first.path()), expected);
        assert_eq!(ending(again(&exported(first.path())).path()), expected, "{result} {word}");
    }
}

/// Lc0's values are no scores: they come back within half a point, their draws and policies not at all.
#[test]
fn values_that_were_no_scores_are_rounded() {
    let input = sample("lc0_v6_selfplay.tar");
    let (dir, _) = imported_with(GameKind::Chess, input, |options| options.value = ValueSource::Root);
    let after = again(&exported(dir.path()));
    let (before, after) = (rows(dir.path()), rows(after.path()));
    let mut differing = 0;
    for (one, two) in before.iter().zip(&after) {
        assert_eq!((&one.moves, one.result), (&two.moves, two.result));
        assert!(two.draw.is_none() && two.policy.is_none() && one.draw.is_some());
        assert!(
            one.result == GameResult::Unknown
                || one.termination == two.termination
                || two.termination == Termination::Resignation
        );
        for (a, b) in one.value.iter().zip(&two.value) {
            let (a, b) = (a.expect("Lc0"), b.expect("as a score"));
            // Half a point at the steepest place of the curve: 0.00368208 / 4 / 2.
            assert!((a - b).abs() < 4.7e-4, "{a} and {b}");
            differing += usize::from(a != b);
        }
    }
    assert!(differing > 0);
}
