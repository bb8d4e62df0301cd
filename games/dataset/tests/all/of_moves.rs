//! What batches say about moves when they are asked: rights behind the move played, and which moves repeat a position; and
//! the board on which moves are numbered.

use crate::samples::{
    self, CHESS, LICHESS_438, SHOGI, bits, dataset as whole, evaluation, imported, imported_with, open, opened,
    refused, rows, sample, training,
};
use dataset::filter::Buckets;
use dataset::{Batch, LoaderConfig, Split, Targets, evaluation_batches};
use games::chess::ChessPosition;
use games::{GameKind, InputName, MovesName, Position as _};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

fn asked() -> Targets {
    Targets { rights: true, repeats: true, ..Targets::default() }
}

/// What a position's batch row should say.
struct Expected {
    legal: BTreeSet<u16>,
    /// Index and earlier occurrences of the moves that lead to a position that was there before.
    repeated: Vec<(u16, usize)>,
    played: i64,
    rights: i64,
}

/// A game by the rules alone: whoever compares positions compares their FENs without the counters.
fn replayed(game: &dataset::store::GameRow, input: InputName, moves: MovesName) -> Vec<Expected> {
    let same = |position: &ChessPosition| position.to_text().rsplitn(3, ' ').last().expect("a FEN").to_owned();
    let mut seen = Vec::new();
    samples::replayed::<ChessPosition, _>(game, |line, mv| {
        let position = line.position();
        seen.push(same(position));
        let label = |mv| position.label(mv, moves, input.frame());
        let legal = position.list_moves();
        let after = |mv| {
            let after = same(&position.after(mv));
            seen.iter().filter(|before| **before == after).count()
        };
        let repeated = legal.iter().map(|&mv| (label(mv), after(mv))).filter(|&(_, times)| times > 0);
        let is_target = line.plies() >= usize::from(game.policy_from_ply);
        let unless_known = |value: u16| if is_target { i64::from(value) } else { -1 };
        Expected {
            legal: legal.iter().map(|&mv| label(mv)).collect(),
            repeated: repeated.collect(),
            played: unless_known(label(mv)),
            rights: unless_known(position.rights_after(mv, input.frame()).expect("chess has rights")),
        }
    })
}

fn check(batch: &Batch, games: &BTreeMap<u32, Vec<Expected>>, bytes: usize) -> usize {
    let mut repeats = 0;
    assert_eq!((batch.rights.len(), batch.repeats.len()), (batch.size, batch.size * 2 * bytes));
    for i in 0..batch.size {
        let expected = &games[&batch.game[i]][usize::from(batch.ply[i])];
        let set = |mask: &[u8]| bits(mask).collect::<BTreeSet<u16>>();
        let often = |least: usize| -> BTreeSet<u16> {
            let moves = expected.repeated.iter().filter(|(_, times)| *times >= least);
            moves.map(|&(index, _)| index).collect()
        };
        assert_eq!(set(&batch.legal[i * bytes..][..bytes]), expected.legal);
        assert_eq!((batch.policy_index[i], batch.rights[i]), (expected.played, expected.rights));
        let (once, twice) = batch.repeats[i * 2 * bytes..][..2 * bytes].split_at(bytes);
        assert_eq!((set(once), set(twice)), (often(1), often(2)));
        repeats += often(1).len();
    }
    repeats
}

#[test]
fn rights_and_repetitions_are_those_of_the_rules_on_either_board() {
    let (dir, _) = imported(GameKind::Chess, CHESS);
    let rows = rows(dir.path());
    for (input, moves) in [
        (InputName::ClsTokens, MovesName::Uci1968Sid),
        (InputName::ClsTokens, MovesName::FromTo),
        (InputName::ClsTokensWhite, MovesName::Uci1968Dm),
    ] {
        let mut dataset = opened(dir.path());
        dataset.set_moves(moves).expect("chess has it");
        dataset.set_targets(asked()).expect("chess has them");
        let games: BTreeMap<_, _> = rows.iter().map(|row| (row.id, replayed(row, input, moves))).collect();
        let bytes = dataset.legal_bytes();
        let mut batches = evaluation(&dataset, Split::Test, input, u64::MAX);
        let config = LoaderConfig { input, batch: 100, seed: 3, workers: 2, block_games: 5 };
        batches.extend(training(&Arc::new(dataset), config, 0, 15));
        let repeats: usize = batches.iter().map(|batch| check(batch, &games, bytes)).sum();
        assert!(repeats > 20, "{repeats} repetitions are too few to see anything");
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let mut shogi = Arc::into_inner(whole(GameKind::Shogi, SHOGI)).expect("nobody else has it");
    refused(shogi.set_targets(asked()), &["shogi has no rights"]);
    shogi.set_targets(Targets { rights: false, ..asked() }).expect("repetitions it has");
    let chess = whole(GameKind::Chess, CHESS);
    refused(evaluation_batches(&chess, Split::Test, InputName::ClsTokensWhite, 64, 100), &["uci_1968_dm"]);
}

#[test]
fn a_part_of_training_has_the_games_of_its_buckets_and_no_others() {
    let buckets = Buckets::new(vec![1000, 1500, 2000]);
    let (dir, _) = imported_with(GameKind::Chess, sample(LICHESS_438), |options| options.buckets = buckets);
    let dataset = open(dir.path());
    let names = ["below-1000", "1000-1500", "1500-2000", "2000-up"];
    let parts = names.map(|name| dataset.training_part(&[name]));
    let positions = parts.each_ref().map(|part| part.positions(Split::Train));
    assert!(positions.iter().all(|&positions| positions > 0));
    assert_eq!(positions.iter().sum::<u64>(), dataset.positions(Split::Train));
    assert!(parts.iter().all(|part| part.games(Split::Test) == 0 && part.games(Split::Validation) == 0));
    let both = dataset.training_part(&names[1..3]);
    assert_eq!(both.positions(Split::Train), positions[1] + positions[2]);
    let bucket_of: BTreeMap<u32, String> =
        rows(dir.path()).into_iter().map(|row| (row.id, row.rating_bucket.expect("rated"))).collect();
    for (name, part) in names.into_iter().zip(parts) {
        let config = LoaderConfig { input: InputName::ClsTokens, batch: 50, seed: 1, workers: 1, block_games: 5 };
        for batch in training(&Arc::new(part), config, 0, 10) {
            assert!(batch.game.iter().all(|game| bucket_of[game] == name), "{name}");
        }
    }
}
