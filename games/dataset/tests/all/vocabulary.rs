//! Batches number moves in the vocabulary that was asked for, in training and evaluation.

use crate::samples::{CHESS, SHOGI, evaluation, imported, open, replayed, rows, training};
use dataset::store::GameRow;
use dataset::{Batch, LoaderConfig, Split};
use games::shogi::{Shogi, ShogiPosition};
use games::{Game as _, GameKind, InputName, MovesName, Position as _};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

const INPUT: InputName = InputName::Dlshogi62_57;

/// What a position's row, mask and target should be.
struct Expected {
    packed: Vec<u8>,
    legal: BTreeSet<u16>,
    played: i64,
}

fn expected(row: &GameRow, moves: MovesName) -> Vec<Expected> {
    replayed::<ShogiPosition, _>(row, |line, mv| {
        let position = line.position();
        let mut packed = vec![0; Shogi::input(INPUT).row_bytes()];
        position.pack(INPUT, 0, &mut packed);
        let legal = position.list_moves().into_iter().map(|mv| position.index_in(mv, moves)).collect();
        let is_target = line.plies() >= usize::from(row.policy_from_ply);
        Expected { packed, legal, played: if is_target { position.index_in(mv, moves).into() } else { -1 } }
    })
}

fn check(batch: &Batch, games: &BTreeMap<u32, Vec<Expected>>, moves: usize) {
    let bytes = moves.div_ceil(8);
    assert_eq!(batch.legal.len(), batch.size * bytes);
    for i in 0..batch.size {
        let expected = &games[&batch.game[i]][usize::from(batch.ply[i])];
        assert_eq!(batch.packed[i * batch.row_bytes..][..batch.row_bytes], expected.packed);
        let mask = &batch.legal[i * bytes..][..bytes];
        let legal = (0..8 * bytes as u16).filter(|&index| mask[usize::from(index / 8)] >> (index % 8) & 1 == 1);
        assert_eq!(legal.collect::<BTreeSet<_>>(), expected.legal);
        assert_eq!(batch.policy_index[i], expected.played);
    }
}

#[test]
fn masks_and_targets_follow_the_vocabulary() {
    let (dir, _) = imported(GameKind::Shogi, SHOGI);
    let rows = rows(dir.path());
    for (name, size) in [
        (MovesName::FromTo, 3_781),
        (MovesName::Dlshogi2187, 2_187),
        (MovesName::Shogi1496, 1_496),
        (MovesName::PythonDlshogi2187, 2_187),
    ] {
        let mut dataset = Arc::into_inner(open(dir.path())).expect("nobody else has it");
        dataset.set_moves(name).unwrap_or_else(|error| panic!("{error}"));
        let games: BTreeMap<u32, Vec<Expected>> = rows.iter().map(|row| (row.id, expected(row, name))).collect();
        let mut batches = evaluation(&dataset, Split::Test, INPUT, u64::MAX);
        let config = LoaderConfig { input: INPUT, batch: 100, seed: 3, workers: 2, block_games: 5 };
        batches.extend(training(&Arc::new(dataset), config, 0, 8));
        batches.iter().for_each(|batch| check(batch, &games, size));
    }
}

#[test]
fn a_vocabulary_of_another_game_is_refused() {
    let (dir, _) = imported(GameKind::Chess, CHESS);
    let mut dataset = Arc::into_inner(open(dir.path())).expect("nobody else has it");
    let error = dataset.set_moves(MovesName::Shogi1496).expect_err("chess has no such moves").to_string();
    assert!(error.contains("chess has no moves shogi_1496: its vocabularies are from_to"), "{error}");
    assert_eq!(dataset.moves(), MovesName::FromTo);
}
