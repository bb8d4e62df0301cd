//! Sequences: the same rows as positions by themselves, in the order of their games, for everybody and from any batch on.

use crate::samples::{CHESS, expect_one_order, imported, opened, rows, training as batches};
use dataset::{Batch, Dataset, DatasetError, LoaderConfig, Split, TrainLoader, evaluation_batches};
use games::chess::ChessPosition;
use games::{Frame, GameKind, InputName, MovesName, Position};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

const INPUT: InputName = InputName::Tokens68;
const PLIES: usize = 3;

fn config(workers: usize) -> LoaderConfig {
    LoaderConfig { input: INPUT, batch: 99, seed: 3, workers, block_games: 5 }
}

fn dataset(dir: &Path, plies: usize) -> Arc<Dataset> {
    let mut dataset = opened(dir);
    dataset.set_moves(MovesName::Chessdecoder1924).expect("chess has them");
    dataset.set_sequence(plies).expect("whole games");
    Arc::new(dataset)
}

/// Everything about a row but the bytes behind its position; values by their bits.
type Row = (Vec<u8>, Vec<u8>, i64, i64, u32, u8, bool);

fn row(batch: &Batch, i: usize, behind: usize) -> Row {
    let part = |all: &[u8]| {
        let width = all.len() / batch.size;
        all[i * width..][..width].to_vec()
    };
    let mut packed = part(&batch.packed);
    packed.truncate(packed.len() - behind);
    assert_eq!(batch.candidates, 1);
    let value = batch.value[i].to_bits();
    (packed, part(&batch.legal), batch.policy_index[i], batch.outcome[i], value, batch.phase[i], batch.novel[i])
}

/// The rows by game and ply, padding left out.
fn by_place(batches: &[Batch], behind: usize) -> BTreeMap<(u32, u16), Row> {
    let rows = batches.iter().flat_map(|batch| (0..batch.size).map(move |i| (batch, i)));
    let rows = rows.filter(|(batch, i)| !batch.is_padding(*i));
    rows.map(|(batch, i)| ((batch.game[i], batch.ply[i]), row(batch, i, behind))).collect()
}

fn played(batch: &Batch, i: usize) -> u16 {
    let end = (i + 1) * batch.row_bytes;
    u16::from_le_bytes([batch.packed[end - 2], batch.packed[end - 1]])
}

#[test]
fn a_sequence_is_a_piece_of_a_game_with_its_moves() {
    let (dir, _) = imported(GameKind::Chess, CHESS);
    let dataset = dataset(dir.path(), PLIES);
    let games: BTreeMap<u32, _> = rows(dir.path()).into_iter().map(|row| (row.id, row)).collect();
    let mut padded = 0;
    for batch in batches(&dataset, config(1), 0, 20) {
        for first in (0..batch.size).step_by(PLIES) {
            let game = &games[&batch.game[first]];
            let start = usize::from(batch.ply[first]);
            assert!(start.is_multiple_of(PLIES) && !batch.is_padding(first), "sequences begin with a position");
            let mut position = ChessPosition::start();
            for (ply, text) in game.moves.split(' ').enumerate().take(start + PLIES) {
                let mv = position.parse_move(text).expect("legal");
                if ply >= start {
                    let i = first + ply - start;
                    assert_eq!((batch.game[i], usize::from(batch.ply[i])), (game.id, ply));
                    assert_eq!(played(&batch, i), position.label(mv, MovesName::Chessdecoder1924, Frame::FirstPlayer));
                }
                position.play(mv);
            }
            for i in first..first + PLIES {
                let over = start + i - first >= usize::from(game.plies);
                assert_eq!(batch.is_padding(i), over);
                if over {
                    padded += 1;
                    assert_eq!((batch.game[i], played(&batch, i)), (game.id, u16::MAX));
                    assert_eq!((batch.policy_index[i], batch.outcome[i]), (-1, -1));
                    assert!(batch.value[i].is_nan());
                    assert!(row(&batch, i, 2).1.iter().all(|&bits| bits == 0), "padding has no moves");
                }
            }
        }
    }
    assert!(padded > 0, "some game's length is no multiple of {PLIES}");
}

#[test]
fn an_epoch_has_the_rows_of_positions_by_themselves() {
    let (dir, _) = imported(GameKind::Chess, CHESS);
    let (alone, together) = (dataset(dir.path(), 1), dataset(dir.path(), PLIES));
    let (positions, rows) = (alone.rows(Split::Train), together.rows(Split::Train));
    assert_eq!(positions, alone.positions(Split::Train));
    assert!(rows > positions && rows.is_multiple_of(PLIES as u64));
    let single = |batch: u64| LoaderConfig { batch: batch as usize, ..config(1) };
    let expected = by_place(&batches(&alone, single(positions), 0, 1), 0);
    let epochs = batches(&together, single(rows), 0, 2);
    for epoch in &epochs {
        assert_eq!(by_place(std::slice::from_ref(epoch), 2), expected);
    }
    assert_ne!(epochs[0].game, epochs[1].game, "epochs have orders of their own");
}

#[test]
fn evaluations_have_the_same_positions() {
    let (dir, _) = imported(GameKind::Chess, CHESS);
    for max in [500, u64::MAX] {
        let of = |plies: usize| {
            let dataset = dataset(dir.path(), plies);
            let all = evaluation_batches(&dataset, Split::Test, INPUT, 60, max).expect("test games");
            let positions = all.positions();
            (positions, all.map(|batch| batch.expect("good games")).collect::<Vec<_>>())
        };
        let ((positions, alone), (same, together)) = (of(1), of(PLIES));
        assert_eq!(positions, same);
        let (alone, together) = (by_place(&alone, 0), by_place(&together, 2));
        assert_eq!(alone.len() as u64, positions);
        assert_eq!(alone, together);
    }
}

#[test]
fn batches_depend_neither_on_workers_nor_on_where_a_run_stopped() {
    let (dir, _) = imported(GameKind::Chess, CHESS);
    expect_one_order(&dataset(dir.path(), PLIES), config(1), 60);
}

#[test]
fn sequences_are_not_cut_and_need_games() {
    let (dir, _) = imported(GameKind::Chess, CHESS);
    let whole = dataset(dir.path(), PLIES);
    let error = TrainLoader::new(&whole, LoaderConfig { batch: 100, ..config(1) }, 0).err().expect("100 = 33·3 + 1");
    assert!(matches!(error, DatasetError::Option { option: "batch", .. }));
    assert!(error.to_string().contains("take 99"), "{error}");
    assert!(opened(dir.path()).set_sequence(0).is_err());
}
