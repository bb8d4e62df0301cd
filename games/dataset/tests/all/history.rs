//! Inputs with history: a row shows the positions that its game passed through.

use crate::samples::{CHESS, evaluation, imported, open, rows, training};
use dataset::{Batch, LoaderConfig, Split};
use games::chess::{Chess, ChessPosition};
use games::{Game, GameKind, InputName, Line, Position};
use std::collections::BTreeMap;

const INPUT: InputName = InputName::Lc0_112;

/// The rows of every position by game and ply, by a replay that knows nothing of the loader.
fn replayed(dir: &std::path::Path) -> BTreeMap<(u32, u16), Vec<u8>> {
    let layout = Chess::input(INPUT);
    let mut found = BTreeMap::new();
    for row in rows(dir) {
        let start = row.start.as_deref().map(|fen| ChessPosition::parse(fen).expect("a position"));
        let mut line = Line::for_input(start.unwrap_or_default(), layout);
        for (ply, text) in row.moves.split(' ').enumerate() {
            let mut packed = vec![0xaa; layout.row_bytes()];
            line.pack(layout, &mut packed);
            found.insert((row.id, ply as u16), packed);
            let mv = line.position().parse_move(text).expect("stored moves are legal");
            line.play(mv);
        }
    }
    found
}

fn check(batch: &Batch, expected: &BTreeMap<(u32, u16), Vec<u8>>) {
    for i in 0..batch.size {
        let row = &batch.packed[i * batch.row_bytes..][..batch.row_bytes];
        let place = (batch.game[i], batch.ply[i]);
        assert_eq!(row, expected[&place], "game and ply {place:?}");
    }
}

#[test]
fn batches_hold_the_history() {
    let (dir, _) = imported(GameKind::Chess, CHESS);
    let (dataset, expected) = (open(dir.path()), replayed(dir.path()));
    let later = expected.iter().filter(|&(&(_, ply), _)| ply >= 7);
    assert!(later.clone().count() > 1000, "the sample has long games");
    let squares = Chess::GEOMETRY.squares();
    assert!(later.into_iter().all(|(_, row)| row[7 * squares..8 * squares].iter().any(|&code| code > 0)));

    for workers in [1, 2] {
        let config = LoaderConfig { input: INPUT, batch: 100, seed: 3, workers, block_games: 5 };
        training(&dataset, config, 0, 20).iter().for_each(|batch| check(batch, &expected));
    }
    evaluation(&dataset, Split::Test, INPUT, 500).iter().for_each(|batch| check(batch, &expected));
}
