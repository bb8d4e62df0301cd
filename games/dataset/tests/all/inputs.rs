//! Inputs beyond the position: a row shows the positions that its game passed through, or who plays whom.

use crate::samples::{
    CHESS, LICHESS, SHOGI, dataset, evaluation, imported, open, refused, replayed_from, rows, training,
};
use dataset::store::GameRow;
use dataset::{Batch, LoaderConfig, Split, evaluation_batches};
use games::chess::{Chess, ChessPosition};
use games::{Game, GameKind, InputName, Line};
use std::collections::BTreeMap;
use std::path::Path;

const HISTORY: InputName = InputName::Lc0_112;
const RATED: InputName = InputName::PieceTokensRated;

/// The rows of every position by game and ply, by a replay that knows nothing of the loader.
fn with_history(dir: &Path) -> BTreeMap<(u32, u16), Vec<u8>> {
    let layout = Chess::input(HISTORY);
    let packed = |line: &Line<ChessPosition>| {
        let mut packed = vec![0xaa; layout.row_bytes()];
        line.pack(layout, &mut packed);
        packed
    };
    let rows = rows(dir);
    let of_row = |row: &GameRow| {
        let of_ply = |line: &Line<ChessPosition>| ((row.id, line.plies() as u16), packed(line));
        replayed_from::<ChessPosition, _>(|start| Line::for_input(start, layout), row, |line, _| of_ply(line))
    };
    rows.iter().flat_map(of_row).collect()
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
    let (dataset, expected) = (open(dir.path()), with_history(dir.path()));
    let later = expected.iter().filter(|&(&(_, ply), _)| ply >= 7);
    assert!(later.clone().count() > 1000, "the sample has long games");
    let squares = Chess::GEOMETRY.squares();
    assert!(later.into_iter().all(|(_, row)| row[7 * squares..8 * squares].iter().any(|&code| code > 0)));

    for workers in [1, 2] {
        let config = LoaderConfig { input: HISTORY, batch: 100, seed: 3, workers, block_games: 5 };
        training(&dataset, config, 0, 20).iter().for_each(|batch| check(batch, &expected));
    }
    evaluation(&dataset, Split::Test, HISTORY, 500).iter().for_each(|batch| check(batch, &expected));
}

/// The channels of a rating, counted by hand: one says that it is known, one follows for every 100 points from 1,000 on.
fn channels(rating: Option<i32>) -> u8 {
    rating.map_or(0, |rating| 1 + (1_000..=4_000).step_by(100).filter(|&from| rating >= from).count() as u8)
}

#[test]
fn batches_show_the_movers_rating_first() {
    let (dir, _) = imported(GameKind::Chess, LICHESS);
    let ratings: BTreeMap<u32, [Option<i32>; 2]> =
        rows(dir.path()).into_iter().map(|row| (row.id, row.ratings)).collect();
    let dataset = open(dir.path());
    let mut different = 0;
    for batch in evaluation(&dataset, Split::Test, RATED, 500) {
        for i in 0..batch.size {
            let row = &batch.packed[i * batch.row_bytes..][..batch.row_bytes];
            let shown = &row[row.len() - 2..];
            let [first, second] = ratings[&batch.game[i]].map(channels);
            let expected = if batch.ply[i] % 2 == 0 { [first, second] } else { [second, first] };
            assert_eq!(shown, expected, "game {}, ply {}", batch.game[i], batch.ply[i]);
            different += usize::from(first != second);
        }
    }
    assert!(different > 100, "the sample has games between players of different strength");
}

#[test]
fn everything_else_is_as_without_ratings() {
    let dataset = dataset(GameKind::Chess, LICHESS);
    let batches = |input| evaluation(&dataset, Split::Test, input, 200);
    for (rated, plain) in batches(RATED).iter().zip(&batches(InputName::PieceTokens)) {
        let without: Vec<u8> =
            rated.packed.chunks(rated.row_bytes).flat_map(|row| &row[..row.len() - 2]).copied().collect();
        assert_eq!(without, plain.packed);
        assert_eq!(rated.policy_index, plain.policy_index);
    }
}

#[test]
fn datasets_without_ratings_are_refused() {
    for (game, file) in [(GameKind::Chess, CHESS), (GameKind::Shogi, SHOGI)] {
        let dataset = dataset(game, file);
        let parts = ["no game of the dataset \"sample\" has one: take piece_tokens"];
        refused(evaluation_batches(&dataset, Split::Test, RATED, 64, 100), &parts);
    }
}

#[test]
fn lines_have_the_ratings_if_the_input_shows_them() {
    let dataset = dataset(GameKind::Chess, LICHESS);
    let lines = |input| dataset.lines(Split::Test, 3, input).expect("a test split");
    assert!(lines(RATED).iter().all(|line| line.contains(" ratings ")), "{:?}", lines(RATED));
    assert!(lines(InputName::PieceTokens).iter().all(|line| !line.contains("ratings")));
}
