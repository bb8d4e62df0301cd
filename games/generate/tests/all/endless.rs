//! Positions without end: labels are what the rules say, batches are a function of the step, and no position comes twice.

use dataset::{Batch, Dataset, DatasetError, LoaderConfig, Split, Targets, TrainLoader, evaluation_batches};
use games::chess::endgame::Ending;
use games::map_labels::MapTask;
use games::{GameKind, InputName};
use generate::probe::{EndlessProbe, Task};
use std::collections::{BTreeSet, HashSet};
use std::num::NonZeroU16;
use std::sync::Arc;

const ATTACKED: Task = Task::Map(MapTask::AttackedSquares);

fn probe(task: Task, game: GameKind, every: Option<u16>) -> EndlessProbe {
    EndlessProbe { task, game, seed: 3, every: every.and_then(NonZeroU16::new) }
}

fn opened(probe: EndlessProbe, positions: u64) -> Arc<Dataset> {
    Arc::new(probe.open(positions, positions).unwrap_or_else(|error| panic!("{error}")))
}

fn loader(dataset: &Arc<Dataset>, batch: usize, workers: usize, start: u64) -> TrainLoader {
    let config = LoaderConfig { input: InputName::PieceTokens, batch, seed: 1, workers, block_games: 1 };
    TrainLoader::new(dataset, config, start).unwrap_or_else(|error| panic!("{error}"))
}

fn next(loader: &mut TrainLoader) -> Batch {
    loader.next().unwrap_or_else(|error| panic!("{error}"))
}

/// Rows with the mask of their legal moves, which tells apart positions of equal boards.
fn positions(batch: &Batch) -> Vec<u128> {
    let legal = batch.legal.chunks(batch.legal.len() / batch.size);
    let rows = batch.packed.chunks(batch.row_bytes).zip(legal);
    let hash = |(row, legal): (&[u8], &[u8])| {
        let mut bytes = [0; 16];
        blake3::Hasher::new().update(row).update(legal).finalize_xof().fill(&mut bytes);
        u128::from_le_bytes(bytes)
    };
    rows.map(hash).collect()
}

type Columns<'a> = (&'a [u8], &'a [u8], &'a [i64], &'a [f32], &'a [i8], &'a [u32]);

/// What differs between positions; values are NaN.
fn columns(batch: &Batch) -> Columns<'_> {
    (&batch.packed, &batch.legal, &batch.policy_index, &batch.policy_prob, &batch.map, &batch.game)
}

#[test]
fn batches_are_a_function_of_the_step() {
    for (task, game) in [(ATTACKED, GameKind::Chess), (Task::LegalMoves, GameKind::Shogi)] {
        let dataset = opened(probe(task, game, Some(8)), 50);
        let mut whole = loader(&dataset, 1_000, 1, 0);
        // The 17th batch is in the second block.
        let batches: Vec<Batch> = (0..18).map(|_| next(&mut whole)).collect();
        for start in [0, 7, 16, 17] {
            let mut resumed = loader(&dataset, 1_000, 1 + usize::from(start != 7), start);
            assert_eq!(columns(&next(&mut resumed)), columns(&batches[start as usize]), "{task:?} from {start} on");
        }
        let other = opened(EndlessProbe { seed: 4, ..probe(task, game, Some(8)) }, 50);
        assert_ne!(columns(&next(&mut loader(&other, 1_000, 1, 0))), columns(&batches[0]));
    }
}

#[test]
fn what_positions_took_to_make_is_the_sum_over_sessions() {
    let of_session = |from: u64, to: u64, workers| {
        let dataset = opened(probe(ATTACKED, GameKind::Chess, Some(8)), 50);
        let mut loader = loader(&dataset, 1_000, workers, from);
        (from..to).for_each(|_| drop(next(&mut loader)));
        dataset.made(1_000 * from..1_000 * to).expect("it is endless")
    };
    let whole = of_session(0, 34, 1);
    assert_eq!(whole.positions, 3 * 16_384);
    assert!(whole.games > 0 && whole.games < whole.positions / 8, "{whole:?}");
    // Stopped within a block, which is made again and counts once. Several threads make the next block in advance.
    for (stop, workers) in [(7, 1), (20, 2), (33, 2)] {
        assert_eq!(of_session(0, stop, workers) + of_session(stop, 34, workers), whole, "stopped after {stop} batches");
    }
}

#[test]
fn no_position_comes_twice_or_is_held_out() {
    let games = GameKind::ALL.map(|game| (game, Some(4), 400, 4_096, 8));
    let boards = [GameKind::Board5, GameKind::Board11].map(|board| (board, None, 200, 2_048, 1));
    for (game, every, held_out, size, batches) in games.into_iter().chain(boards) {
        let dataset = opened(probe(ATTACKED, game, every), held_out as u64);
        let mut seen = HashSet::new();
        for split in [Split::Validation, Split::Test] {
            let batches = evaluation_batches(&dataset, split, InputName::PieceTokens, held_out, held_out as u64);
            for batch in batches.expect("positions") {
                let batch = batch.expect("a batch");
                assert!(batch.size == held_out && batch.novel.iter().all(|&novel| novel), "{game:?}");
                seen.extend(positions(&batch));
            }
        }
        assert_eq!(seen.len(), 2 * held_out, "{game:?}");
        let mut loader = loader(&dataset, size, 1, 0);
        for _ in 0..batches {
            let batch = next(&mut loader);
            assert!(positions(&batch).into_iter().all(|position| seen.insert(position)), "{game:?}");
        }
        if every.is_some() {
            let made = dataset.made(0..u64::MAX).expect("it is endless");
            assert_eq!(made.positions, 2 * 16_384);
            assert!(made.games < made.positions / 8, "{made:?}");
        }
    }
}

/// `scripts/long-check endless` sets `POSENC_ENDLESS` to 2,000 batches (4,096,000 positions) of attacked squares, one of a
/// game and one every 8 plies, and prints the rates of all tasks.
#[test]
fn many_positions_differ() {
    let long =
        std::env::var("POSENC_ENDLESS").ok().map(|batches| batches.parse::<usize>().expect("a number of batches"));
    let tasks = MapTask::ALL.map(Task::Map).into_iter().chain([Task::LegalMoves, Task::MateInOne]);
    let tasks: Vec<Task> = tasks.filter(|&task| task == ATTACKED || long.is_some()).collect();
    for (game, task) in GameKind::ALL.into_iter().flat_map(|game| tasks.iter().map(move |&task| (game, task))) {
        for every in [None, Some(8)] {
            let dataset = opened(probe(task, game, every), 1_000);
            let begun = std::time::Instant::now();
            let mut loader = loader(&dataset, 2_048, 1, 0);
            let (mut seen, mut count) = (HashSet::new(), 0);
            let mut hashing = std::time::Duration::ZERO;
            let batches = long.filter(|_| task == ATTACKED).unwrap_or(if long.is_some() { 16 } else { 2 });
            for _ in 0..batches {
                let batch = next(&mut loader);
                let made = std::time::Instant::now();
                count += batch.size;
                seen.extend(positions(&batch));
                hashing += made.elapsed();
            }
            let rate = count as f64 / (begun.elapsed() - hashing).as_secs_f64();
            println!(
                "{} of {}, every {every:?}: {rate:.0} positions/s, {:?}",
                task.name(),
                game.name(),
                dataset.made(0..u64::MAX)
            );
            assert_eq!(seen.len(), count, "{} of {}", task.name(), game.name());
        }
    }
}

#[test]
fn batches_hold_what_rows_of_the_same_positions_hold() {
    for (task, game) in [(Task::MateInOne, GameKind::Chess), (ATTACKED, GameKind::Shogi)] {
        let dataset = opened(probe(task, game, None), 300);
        let mut stored =
            evaluation_batches(&dataset, Split::Test, InputName::PieceTokens, 300, 300).expect("positions");
        let stored = stored.next().expect("a batch").expect("readable");
        let made = next(&mut loader(&dataset, 300, 1, 0));
        assert_eq!(
            (made.row_bytes, made.legal.len(), made.map_cells),
            (stored.row_bytes, stored.legal.len(), stored.map_cells)
        );
        let outcomes = |batch: &Batch| batch.outcome.iter().copied().collect::<BTreeSet<_>>();
        assert_eq!(outcomes(&made), outcomes(&stored));
        let known = |batch: &Batch| batch.value.iter().filter(|value| !value.is_nan()).count();
        assert_eq!(known(&made), known(&stored));
        for batch in [&made, &stored] {
            for row in 0..batch.size {
                let targets = &batch.policy_index[row * batch.candidates..][..batch.candidates];
                let legal = &batch.legal[row * batch.legal.len() / batch.size..];
                for &index in targets.iter().filter(|&&index| index >= 0) {
                    assert!(legal[index as usize / 8] >> (index % 8) & 1 == 1, "targets are legal");
                }
                assert_eq!(targets.iter().any(|&index| index >= 0), task == Task::MateInOne);
            }
        }
    }
}

#[test]
fn larger_sets_begin_with_smaller_ones_and_the_identity_is_that_of_the_settings() {
    let probe = probe(ATTACKED, GameKind::Chess, Some(8));
    let [small, large] = [100, 200].map(|count| opened(probe, count));
    assert_eq!(small.content(), large.content());
    assert_eq!((small.content(), small.positions(Split::Test)), (probe.content_hash(), 100));
    let all = |dataset: &Dataset| -> BTreeSet<u128> {
        let batches =
            evaluation_batches(dataset, Split::Test, InputName::PieceTokens, 64, u64::MAX).expect("positions");
        batches.flat_map(|batch| positions(&batch.expect("a batch"))).collect()
    };
    assert!(all(&small).is_subset(&all(&large)));
    let others = [
        EndlessProbe { seed: 4, ..probe },
        EndlessProbe { every: None, ..probe },
        EndlessProbe { task: Task::LegalMoves, ..probe },
        EndlessProbe { game: GameKind::Shogi, ..probe },
    ];
    let hashes: BTreeSet<String> = others.iter().chain([&probe]).map(EndlessProbe::content_hash).collect();
    assert_eq!(hashes.len(), 5);
}

#[test]
fn what_has_an_end_or_other_targets_is_refused() {
    let text = |result: Result<(), DatasetError>| result.expect_err("refused").to_string();
    let ending = probe(Task::Endgame(Ending::Kpk), GameKind::Chess, None);
    assert!(text(ending.open(10, 10).map(drop)).contains("has few positions"));
    let whole = probe(ATTACKED, GameKind::Chess, Some(200));
    assert!(text(whole.open(10, 10).map(drop)).contains("200 plies are a whole game"));
    let placed = probe(ATTACKED, GameKind::Board5, Some(8));
    assert!(text(placed.open(10, 10).map(drop)).contains("is one random placement"));
    for (validation, test) in [(10, u64::MAX), (1 << 21, 10)] {
        let many = probe(ATTACKED, GameKind::Chess, None).open(validation, test).map(drop);
        assert!(text(many).contains("are too many; 1048576"), "{validation} {test}");
    }
    let mut dataset = probe(ATTACKED, GameKind::Chess, None).open(10, 10).expect("a dataset");
    let points = Targets { points: true, ..Targets::default() };
    assert!(text(dataset.set_targets(points)).contains("and no other"));
    let other = probe(ATTACKED, GameKind::Chess, None).open(10, 10).expect("a dataset");
    assert!(text(dataset.set_test(other)).contains("have a test set of their own"));
}
