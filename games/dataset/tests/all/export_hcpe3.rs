//! Games of shogi as HCPE3: written and read again.

use crate::samples::{all_targets, exported, imported_with, rows, sample};
use dataset::ExportFormat::Hcpe3;
use dataset::store::GameRow;
use games::shogi::hcpe::NotWritten;
use games::shogi::{Board, ShogiPosition, hcpe3};
use games::{GameKind, GameResult, Position as _, Termination};
use std::path::Path;

const FILE: &str = "shogi_selfplay_40games.hcpe3";

#[test]
fn hcpe3_comes_back_but_for_scores_that_are_certain() {
    let dataset = all_targets(GameKind::Shogi, sample(FILE));
    let (bytes, done) = exported(dataset.path(), Hcpe3);
    assert_eq!((done.written, done.left_out), (40, 0));
    let original = std::fs::read(sample(FILE)).expect("the sample");
    let games = |bytes: &[u8]| -> Vec<hcpe3::Game> {
        let records = hcpe3::records(bytes).map(|record| record.expect("bytes"));
        records.map(|record| hcpe3::Game::read(&record).expect("a whole game")).collect()
    };
    let (found, expected) = (games(&bytes), games(&original));
    assert_eq!(found.len(), expected.len());
    let (mut differing, mut moves) = (0, 0);
    for (mut found, expected) in found.into_iter().zip(expected) {
        for (found, expected) in found.turns.iter_mut().zip(&expected.turns) {
            let exact = (-30_000..6_000).contains(&expected.score);
            assert!(!exact || found.score == expected.score, "{} for {}", found.score, expected.score);
            found.score = expected.score;
            differing += usize::from(!exact);
            moves += 1;
        }
        assert_eq!(found, expected);
    }
    assert!(differing < moves / 20, "{differing} of {moves}");
}

/// Candidates of every move: an import of what was exported has the rows of the first import.
#[test]
fn soft_policies_come_back_through_hcpe3() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let sampled = std::fs::read(sample(FILE)).expect("the sample");
    let written: Vec<u8> = hcpe3::records(sampled.as_slice())
        .take(5)
        .flat_map(|record| {
            let record = record.expect("bytes");
            let parsed = hcpe3::parse(&record, 0).expect("a good game");
            let mut game = hcpe3::Game::read(&record).expect("a whole game");
            let mut position = ShogiPosition::start();
            for (ply, turn) in game.turns.iter_mut().enumerate() {
                let legal = position.list_moves();
                let visits = |i: usize| ((i * i + ply) % 331) as u16;
                let searched = legal.iter().enumerate().take(1 + ply % 40).map(|(i, &mv)| (mv, 1 + visits(i)));
                let played = position.parse_move(&parsed.moves[ply]).expect("legal");
                *turn = hcpe3::Turn::new(played, turn.score.clamp(-2_000, 2_000), searched);
                position.play(played);
            }
            game.write().expect("not too long")
        })
        .collect();
    let file = dir.path().join("games.hcpe3");
    std::fs::write(&file, written).expect("written");
    let first = all_targets(GameKind::Shogi, file);
    let (bytes, done) = exported(first.path(), Hcpe3);
    assert_eq!((done.written, done.left_out), (5, 0));
    let again = dir.path().join("again.hcpe3");
    std::fs::write(&again, bytes).expect("written");
    let second = all_targets(GameKind::Shogi, again);
    let unsourced = |dir: &Path| -> Vec<_> {
        rows(dir).into_iter().map(|row| GameRow { source_file: String::new(), ..row }).collect()
    };
    let (first, second) = (unsourced(first.path()), unsourced(second.path()));
    assert!(first.iter().any(|row| row.policy.iter().flatten().any(|candidates| candidates.len() >= 20)));
    assert_eq!(first, second);
}

#[test]
fn hcpe3_keeps_how_a_game_ended_and_leaves_out_what_it_cannot_say() {
    let turn = || {
        let position = ShogiPosition::start();
        hcpe3::Turn::new(position.parse_move("7g7f").expect("legal"), 0, [])
    };
    let board = Board::of(&ShogiPosition::start());
    let ends = [
        (GameResult::Draw, Termination::Repetition),
        (GameResult::SecondWins, Termination::PerpetualCheck),
        (GameResult::FirstWins, Termination::Declaration),
        (GameResult::FirstWins, Termination::PlyCap),
        (GameResult::Unknown, Termination::PlyCap),
    ];
    for end in ends {
        let game = hcpe3::Game::new(&board, end.0, end.1, vec![turn()]).expect("it has a code");
        let read = hcpe3::parse(&game.write().expect("short"), 0).expect("a good game");
        assert_eq!((read.result, read.termination), end);
    }
    let capped = hcpe3::Game::new(&board, GameResult::Draw, Termination::PlyCap, vec![turn()]).expect("a draw");
    let read = hcpe3::parse(&capped.write().expect("short"), 0).expect("a good game");
    assert_eq!((read.result, read.termination), (GameResult::Draw, Termination::Other));
    let unknown = hcpe3::Game::new(&board, GameResult::Unknown, Termination::Time, Vec::new());
    assert_eq!(unknown, Err(NotWritten::NoResult));
    // A filter's marks and a first target: such moves have no candidates.
    let (dir, _) = imported_with(GameKind::Shogi, sample(FILE), |options| {
        (options.filters.skip_plies, options.policy_from_ply) = (Some(3), 6);
    });
    let (bytes, _) = exported(dir.path(), Hcpe3);
    let record = hcpe3::records(bytes.as_slice()).next().expect("a game").expect("bytes");
    let searched: Vec<usize> =
        hcpe3::Game::read(&record).expect("whole").turns.iter().map(|turn| turn.visits.len()).collect();
    assert!(searched[..6].iter().all(|&moves| moves == 0) && searched[6..].iter().all(|&moves| moves == 1));
}
