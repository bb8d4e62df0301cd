//! Inputs with ratings: a row shows who plays whom.

use crate::samples::{CHESS, LICHESS, SHOGI, dataset, evaluation, imported, open, rows};
use dataset::{Split, evaluation_batches};
use games::{GameKind, InputName};
use std::collections::BTreeMap;

const INPUT: InputName = InputName::PieceTokensRated;

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
    for batch in evaluation(&dataset, Split::Test, INPUT, 500) {
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
    for (rated, plain) in batches(INPUT).iter().zip(&batches(InputName::PieceTokens)) {
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
        let Err(refused) = evaluation_batches(&dataset, Split::Test, INPUT, 64, 100) else { panic!("no ratings") };
        let refused = refused.to_string();
        assert!(refused.contains("no game of the dataset \"sample\" has one: take piece_tokens"), "{refused}");
    }
}

#[test]
fn lines_have_the_ratings_if_the_input_shows_them() {
    let dataset = dataset(GameKind::Chess, LICHESS);
    let lines = |input| dataset.lines(Split::Test, 3, input).expect("a test split");
    assert!(lines(INPUT).iter().all(|line| line.contains(" ratings ")), "{:?}", lines(INPUT));
    assert!(lines(InputName::PieceTokens).iter().all(|line| !line.contains("ratings")));
}
