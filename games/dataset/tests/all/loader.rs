//! The loader: the same batches for everybody, and every batch what a replay says.

use crate::samples::{
    self, CHESS, SHOGI, bits, dataset, expect_one_order, imported, open, opened, places, refused, replayed, rewritten,
    rows, training as batches,
};
use dataset::store::GameRow;
use dataset::{Batch, Dataset, DatasetError, LoaderConfig, Split, TrainLoader, summarise};
use games::{Game, GameKind, GameResult, InputName, MovesName, Phase, Position, Side, shogi::Shogi, with_game};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

const SAMPLES: [(GameKind, &str); 2] = [(GameKind::Chess, CHESS), (GameKind::Shogi, SHOGI)];

/// Small blocks, so that a few batches go across blocks and epochs.
fn config(workers: usize) -> LoaderConfig {
    LoaderConfig { input: InputName::PieceTokens, batch: 100, seed: 3, workers, block_games: 5 }
}

fn evaluation(dataset: &Dataset, split: Split, max: u64) -> Vec<Batch> {
    samples::evaluation(dataset, split, InputName::PieceTokens, max)
}

#[test]
fn batches_depend_neither_on_workers_nor_on_where_a_run_stopped() {
    for (game, file) in SAMPLES {
        expect_one_order(&dataset(game, file), config(1), 80);
    }
}

#[test]
fn an_epoch_has_every_training_position_once() {
    for (game, file) in SAMPLES {
        let (dir, _) = imported(game, file);
        let dataset = open(dir.path());
        let single = LoaderConfig { batch: 1, ..config(1) };
        let positions = dataset.positions(Split::Train) as usize;
        let two_epochs = places(&batches(&dataset, single, 0, 2 * positions));
        let expected: BTreeSet<(u32, u16)> = rows(dir.path())
            .iter()
            .filter(|row| row.split == Split::Train)
            .flat_map(|row| (0..row.plies).map(|ply| (row.id, ply)))
            .collect();
        for epoch in two_epochs.chunks(positions) {
            assert_eq!(epoch.iter().copied().collect::<BTreeSet<_>>(), expected);
        }
        assert_ne!(two_epochs[..positions], two_epochs[positions..], "epochs have orders of their own");
    }
}

/// The order is part of every published run: it must not change by accident.
#[test]
fn the_order_is_pinned() {
    let dataset = dataset(GameKind::Chess, CHESS);
    let first: Vec<_> = places(&batches(&dataset, config(1), 0, 1)).into_iter().take(6).collect();
    assert_eq!(first, PINNED_TRAINING);
    let mut games: Vec<u32> =
        places(&evaluation(&dataset, Split::Test, u64::MAX)).into_iter().map(|place| place.0).collect();
    games.dedup();
    assert_eq!(games, PINNED_EVALUATION);
}

const PINNED_TRAINING: [(u32, u16); 6] = [(2, 29), (30, 100), (30, 50), (27, 70), (30, 87), (19, 72)];
const PINNED_EVALUATION: [u32; 5] = [14, 29, 7, 12, 0];

/// What a batch should hold at one place, by a replay of its own.
struct Expected {
    packed: Vec<u8>,
    legal: BTreeSet<u16>,
    policy: i64,
    outcome: i64,
    value: Option<f32>,
    phase: Phase,
    novel: bool,
}

fn expected<G: Game>(row: &GameRow, input: InputName, moves: MovesName) -> Vec<Expected> {
    replayed::<G::Position, _>(row, |line, played| {
        let (position, ply) = (line.position(), line.plies());
        let mut packed = vec![0xaa; G::input(input).row_bytes()];
        position.pack(input, line.repetitions(), &mut packed);
        let index = |mv| match moves {
            MovesName::FromTo => position.move_index(mv),
            other => position.label(mv, other, other.frames()[0]),
        };
        Expected {
            packed,
            legal: position.list_moves().into_iter().map(index).collect(),
            policy: if ply < usize::from(row.policy_from_ply) { -1 } else { index(played).into() },
            outcome: match (row.result, position.side_to_move()) {
                (GameResult::Draw, _) => 1,
                (GameResult::Unknown, _) => -1,
                (GameResult::FirstWins, Side::First) | (GameResult::SecondWins, Side::Second) => 0,
                _ => 2,
            },
            value: row.value[ply],
            phase: position.phase(),
            novel: row.seen_in_train.as_ref().is_some_and(|seen| !seen[ply]),
        }
    })
}

fn check(batch: &Batch, expected: &BTreeMap<u32, Vec<Expected>>, labels: usize) {
    let mask_bytes = labels.div_ceil(8);
    assert_eq!(batch.packed.len(), batch.size * batch.row_bytes);
    assert_eq!(batch.legal.len(), batch.size * mask_bytes);
    assert_eq!((batch.candidates, batch.policy_index.len()), (1, batch.size));
    assert_eq!((batch.map_cells, batch.map.len()), (0, 0), "it has no map");
    for i in 0..batch.size {
        let expected = &expected[&batch.game[i]][usize::from(batch.ply[i])];
        assert_eq!(batch.packed[i * batch.row_bytes..][..batch.row_bytes], expected.packed);
        let mask = &batch.legal[i * mask_bytes..][..mask_bytes];
        assert_eq!(bits(mask).collect::<BTreeSet<_>>(), expected.legal);
        assert_eq!(batch.policy_index[i], expected.policy);
        assert_eq!(batch.policy_prob[i], if expected.policy < 0 { 0.0 } else { 1.0 });
        assert!(expected.policy < 0 || expected.legal.contains(&(expected.policy as u16)));
        assert_eq!(batch.outcome[i], expected.outcome);
        assert_eq!(Some(batch.value[i]).filter(|value| !value.is_nan()), expected.value);
        assert_eq!(Phase::ALL[usize::from(batch.phase[i])], expected.phase);
        assert_eq!(batch.novel[i], expected.novel);
    }
}

#[test]
fn batches_hold_what_a_replay_says() {
    for (game, file) in SAMPLES {
        let (dir, _) = imported(game, file);
        let dataset = open(dir.path());
        let of_row = |row: &GameRow| with_game!(game, G => expected::<G>(row, config(1).input, MovesName::FromTo));
        let expected = rows(dir.path()).iter().map(|row| (row.id, of_row(row))).collect();
        let labels = game.from_to().len();
        let training = batches(&dataset, config(1), 0, 30);
        let test = evaluation(&dataset, Split::Test, u64::MAX);
        training.iter().chain(&test).for_each(|batch| check(batch, &expected, labels));
        assert!(training.iter().any(|batch| batch.policy_index.contains(&-1)), "early plies are positions too");
        assert!(training.iter().all(|batch| batch.novel.iter().all(|novel| !novel)));
    }
}

#[test]
fn masks_and_targets_follow_the_vocabulary() {
    let (dir, _) = imported(GameKind::Shogi, SHOGI);
    let rows = rows(dir.path());
    let config = LoaderConfig { input: InputName::Dlshogi62_57, ..config(2) };
    for (name, size) in [
        (MovesName::FromTo, 3_781),
        (MovesName::Dlshogi2187, 2_187),
        (MovesName::Shogi1496, 1_496),
        (MovesName::PythonDlshogi2187, 2_187),
    ] {
        let mut dataset = opened(dir.path());
        dataset.set_moves(name).unwrap_or_else(|error| panic!("{error}"));
        let games = rows.iter().map(|row| (row.id, expected::<Shogi>(row, config.input, name))).collect();
        let mut all = samples::evaluation(&dataset, Split::Test, config.input, u64::MAX);
        all.extend(batches(&Arc::new(dataset), config, 0, 8));
        all.iter().for_each(|batch| check(batch, &games, size));
    }
}

#[test]
fn a_vocabulary_of_another_game_is_refused() {
    let mut dataset = Arc::into_inner(dataset(GameKind::Chess, CHESS)).expect("nobody else has it");
    let parts = ["chess has no moves shogi_1496: its vocabularies are from_to"];
    refused(dataset.set_moves(MovesName::Shogi1496), &parts);
    assert_eq!(dataset.moves(), MovesName::FromTo);
}

#[test]
fn evaluations_take_whole_games_in_one_order() {
    let dataset = dataset(GameKind::Chess, CHESS);
    let all = evaluation(&dataset, Split::Test, u64::MAX);
    let positions = dataset.positions(Split::Test);
    assert_eq!(all.iter().map(|batch| batch.size as u64).sum::<u64>(), positions);
    assert!(all.split_last().is_some_and(|(last, full)| full.iter().all(|batch| batch.size == 64) && last.size <= 64));

    let all = places(&all);
    let some = places(&evaluation(&dataset, Split::Test, 500));
    assert!(some.len() <= 500 && !some.is_empty());
    assert_eq!(some, all[..some.len()]);
    assert_eq!(all[some.len()].1, 0, "a whole number of games");
    let one = places(&evaluation(&dataset, Split::Test, 1));
    assert_eq!(one.iter().map(|place| place.0).collect::<BTreeSet<_>>().len(), 1, "at least one game");

    let training: BTreeSet<u32> =
        places(&batches(&dataset, config(1), 0, 60)).into_iter().map(|place| place.0).collect();
    assert!(all.iter().all(|place| !training.contains(&place.0)), "test games are never trained on");
}

#[test]
fn sizes_of_nothing_are_refused() {
    let dataset = dataset(GameKind::Chess, CHESS);
    for wrong in [
        LoaderConfig { batch: 0, ..config(1) },
        LoaderConfig { workers: 0, ..config(1) },
        LoaderConfig { block_games: 0, ..config(1) },
    ] {
        let error = TrainLoader::new(&dataset, wrong, 0).err().expect("refused");
        assert!(matches!(error, DatasetError::Option { .. }), "{error}");
    }
}

/// Games may lie in a split without a used position.
#[test]
fn a_split_without_positions_is_empty() {
    let (dir, _) = imported(GameKind::Chess, CHESS);
    let mut manifest = rewritten(dir.path(), |row| {
        row.used = (row.split == Split::Train).then(|| vec![false; row.plies.into()]);
    });
    manifest.counts.positions -= std::mem::take(&mut manifest.split.positions.train);
    let dataset = Arc::new(Dataset::load(&dir.path().join("dataset"), manifest).expect("what the shards hold"));
    let error = TrainLoader::new(&dataset, config(1), 0).err().expect("nothing to train on");
    assert!(matches!(error, DatasetError::EmptySplit { split: Split::Train, .. }), "{error}");
}

#[test]
fn the_summary_adds_up() {
    for (game, file) in SAMPLES {
        let dataset = dataset(game, file);
        let info = summarise(&dataset).expect("good games");
        let counts = &info.manifest.counts;
        assert_eq!(Split::ALL.iter().map(|&split| info.splits[split].positions).sum::<u64>(), counts.positions);
        for split in Split::ALL {
            let part = &info.splits[split];
            assert_eq!(part.phases.values().sum::<u64>(), part.positions);
            assert_eq!(part.results.values().sum::<u64>(), part.games);
            assert_eq!(part.policy_targets, part.positions - 10 * part.games, "every game is longer than 10 plies");
            assert_eq!(part.novel_positions.is_none(), split == Split::Train);
        }
        assert!(info.plies.min <= info.plies.median && info.plies.median <= info.plies.max);
        assert_eq!(info.plies.mean, counts.positions as f64 / counts.kept as f64);
    }
}

/// The marks of positions that occur in training may be missing, and a value may be any number.
#[test]
fn a_strangers_dataset_has_a_summary() {
    let (dir, _) = imported(GameKind::Chess, CHESS);
    rewritten(dir.path(), |row| {
        row.seen_in_train = None;
        row.value[0] = Some(-50.0);
        row.draw = Some(vec![Some(-50.0); row.plies.into()]);
    });
    let info = summarise(&open(dir.path())).expect("good games");
    assert_eq!(info.splits.test.novel_positions, Some(0));
    for histogram in [info.values, info.draws] {
        assert!(histogram.bins().len() <= 20, "a value of -1e18 must not become as many bins");
    }
}
