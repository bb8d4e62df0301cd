//! Forced lines: one of a game, the only moves that mate, whatever the number of processes.

use crate::fake::{Faults, can_mate, engine};
use dataset::{Filters, ImportOptions, PerSplit, SplitPlan};
use engines::forced::{ForcedSettings, MULTI_PV, csv, forced_lines};
use games::chess::{Chess, ChessPosition};
use games::{GameKind, Position as _};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Games of people that end with mate.
const GAMES: usize = 12;

/// A dataset of such games, all of them for tests.
pub(crate) fn dataset(dir: &Path) -> PathBuf {
    filtered(dir, Filters::default())
}

/// The same without what filters leave out.
pub(crate) fn filtered(dir: &Path, filters: Filters) -> PathBuf {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games/dataset/tests/data/chess_lichess_438.pgn.zst");
    let bytes = dataset::unpacked(&file).expect("games");
    let text = String::from_utf8(bytes).expect("UTF-8");
    let mated = text.split("[Event ").filter(|game| game.contains("# "));
    let chosen: String = mated.take(GAMES).map(|game| format!("[Event {game}")).collect();
    fs::write(dir.join("games.pgn"), chosen).expect("written");
    let options = ImportOptions {
        source: "Lichess".to_owned(),
        licence: "CC0-1.0".to_owned(),
        made_by: "a test".to_owned(),
        filters,
        split: SplitPlan::by_game(0, PerSplit { train: 0.0, validation: 0.0, test: 1.0 }),
        ..ImportOptions::new(GameKind::Chess, vec![dir.join("games.pgn")], dir.join("games"))
    };
    dataset::import(&options, &mut |_| {}).expect("the games are good");
    dir.join("games")
}

fn settings(dir: &Path, from: &Path, processes: usize) -> ForcedSettings {
    ForcedSettings {
        game: GameKind::Chess,
        from: from.to_owned(),
        engine: engine(dir, GameKind::Chess, &Faults { solves: true, ..Faults::default() }, MULTI_PV),
        nodes: 5,
        processes,
        per_length: 100,
    }
}

#[test]
fn every_line_is_forced_and_ends_with_mate() {
    let dir = TempDir::new().expect("a temporary folder");
    let from = dataset(dir.path());
    let lines = forced_lines(&settings(dir.path(), &from, 2)).expect("lines");
    assert_eq!(lines, forced_lines(&settings(dir.path(), &from, 1)).expect("lines"));
    assert!(!lines.is_empty() && lines.len() <= GAMES, "{lines:?}");
    for line in &lines {
        assert_eq!(line.plies(), 3, "the engine sees two moves ahead: {line:?}");
        let mut position = ChessPosition::parse(&line.before).expect("a position");
        for (ply, text) in line.moves.iter().enumerate() {
            if ply == 1 {
                let mating = position.list_moves().into_iter().filter(|&mv| {
                    let after = position.after(mv);
                    let answers = after.list_moves();
                    let is_mated = |&answer: &_| can_mate::<Chess>(&after.after(answer), 1);
                    if answers.is_empty() { after.in_check() } else { answers.iter().all(is_mated) }
                });
                let mating: Vec<String> = mating.map(|mv| position.move_text(mv)).collect();
                assert_eq!(mating.join(" "), *text, "{line:?}");
            }
            position.play(position.parse_move(text).expect("a legal move"));
        }
        assert!(position.list_moves().is_empty() && position.in_check(), "{line:?}");
    }
    let few = forced_lines(&ForcedSettings { per_length: 1, ..settings(dir.path(), &from, 1) }).expect("lines");
    assert_eq!(few, lines[..1]);
    let table = csv(&few);
    assert!(table.starts_with("PuzzleId,FEN,Moves,") && table.ends_with(",,,plies_3\n"), "{table}");
    let shogi = ForcedSettings { game: GameKind::Shogi, ..settings(dir.path(), &from, 1) };
    assert!(forced_lines(&shogi).expect_err("another game").to_string().contains("expected a dataset of shogi"));
}
