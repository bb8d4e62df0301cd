//! Positions with legal moves and policy targets, against the batches that show the same.

use crate::samples::{CHESS, SHOGI, all_targets, bits, dataset, evaluation, open, sample};
use dataset::{Batch, Dataset, LoaderConfig, PolicyPosition, Split, TrainLoader, evaluated_policy, sampled_policy};
use games::{Game, GameKind, InputName, Position as _, with_game};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The legal moves of a position and their targets, by game and ply.
type Targets = BTreeMap<(u32, u16), BTreeMap<u16, f64>>;

fn of_position<G: Game>(position: &PolicyPosition<'_, G>) -> ((u32, u16), BTreeMap<u16, f64>) {
    let indices = position.legal.iter().map(|&mv| position.position.move_index(mv));
    ((position.game, position.ply), indices.zip(position.target.iter().copied()).collect())
}

/// The rows of a batch that have a target.
fn of_batch(batch: &Batch, legal_bytes: usize) -> impl Iterator<Item = ((u32, u16), BTreeMap<u16, f64>)> {
    let row = move |i: usize| {
        let mask = &batch.legal[i * legal_bytes..][..legal_bytes];
        let mut moves: BTreeMap<u16, f64> = bits(mask).map(|index| (index, 0.0)).collect();
        for place in i * batch.candidates..(i + 1) * batch.candidates {
            if let Ok(index) = u16::try_from(batch.policy_index[place]) {
                *moves.get_mut(&index).expect("a target is legal") += f64::from(batch.policy_prob[place]);
            }
        }
        ((batch.game[i], batch.ply[i]), moves)
    };
    (0..batch.size).filter(|i| batch.policy_index[i * batch.candidates] >= 0).map(row)
}

/// The first training positions with a target, as the loader hands them out.
fn from_loader(dataset: &Arc<Dataset>, positions: usize) -> Targets {
    let seed = dataset.manifest().split.seed;
    let block_games = LoaderConfig::BLOCK_GAMES;
    let config = LoaderConfig { input: InputName::PieceTokens, batch: 1, seed, workers: 1, block_games };
    let mut loader = TrainLoader::new(dataset, config, 0).expect("training games");
    let mut found = Targets::new();
    while found.len() < positions {
        found.extend(of_batch(&loader.next().expect("good games"), dataset.legal_bytes()));
    }
    found
}

fn check(dataset: &Arc<Dataset>) {
    for positions in [1, 200] {
        let mut found = Targets::new();
        with_game!(dataset.game(), G => {
            sampled_policy::<G>(dataset, positions, |position| found.extend([of_position(&position)]))
        })
        .expect("training games");
        assert_eq!(found.len(), positions);
        assert_eq!(found, from_loader(dataset, positions));
    }
    let mut found = Vec::new();
    with_game!(dataset.game(), G => {
        evaluated_policy::<G>(dataset, Split::Test, 1000, |position| found.push(of_position(&position)))
    })
    .expect("test games");
    let batches = evaluation(dataset, Split::Test, InputName::PieceTokens, 1000);
    let expected: Vec<_> = batches.iter().flat_map(|batch| of_batch(batch, dataset.legal_bytes())).collect();
    assert!(!found.is_empty());
    assert_eq!(found, expected);
}

#[test]
fn sampled_positions_are_the_first_of_the_loader_and_evaluated_ones_those_of_the_batches() {
    check(&dataset(GameKind::Chess, CHESS));
    check(&dataset(GameKind::Shogi, SHOGI));
    // Targets of several moves.
    check(&open(all_targets(GameKind::Shogi, sample("shogi_selfplay_40games.hcpe3")).path()));
}

#[test]
fn a_sample_of_all_has_every_target_once() {
    let dataset = dataset(GameKind::Chess, CHESS);
    let mut found: Vec<(u32, u16)> = Vec::new();
    with_game!(dataset.game(), G => {
        sampled_policy::<G>(&dataset, usize::MAX, |position| found.push((position.game, position.ply)))
    })
    .expect("training games");
    let from_ply = dataset.manifest().policy_from_ply;
    assert!(found.iter().all(|&(_, ply)| ply >= from_ply), "{from_ply}");
    let all = found.len();
    found.sort_unstable();
    found.dedup();
    assert_eq!(found.len(), all);
    let before = dataset.games(Split::Train) as u64 * u64::from(from_ply);
    assert_eq!(all as u64, dataset.positions(Split::Train) - before);
}
