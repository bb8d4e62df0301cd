//! Datasets made of datasets: split, merged, averaged, verified, exported.

use crate::samples::{
    self, CHESS, LICHESS_438, SHOGI, all_targets as imported, evaluation, exported, identity, names, on_disk, open,
    opened, refused, replayed, rows, sample, verified,
};
use dataset::store::GameRow;
use dataset::{
    Dataset, ExportFormat, LoaderConfig, Merge, PerSplit, RemakeOptions, Split, SplitBy, SplitPlan, Targets,
    TrainLoader, Unit, ValueTarget, average, remake, summarise,
};
use games::{Game, GameKind, GameResult, InputName, Position, with_game};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

fn plan(by: SplitBy, opening_plies: u16) -> SplitPlan {
    SplitPlan { by, opening_plies, seed: 3, fractions: PerSplit { train: 0.6, validation: 0.2, test: 0.2 } }
}

fn remade(sources: &[&Path], dir: &Path, split: SplitPlan) -> RemakeOptions {
    samples::remade(sources.iter().map(|dir| on_disk(dir)).collect(), dir, split)
}

#[test]
fn openings_stay_together() {
    let games = imported(GameKind::Chess, sample(LICHESS_438));
    let dir = tempfile::tempdir().expect("a temporary folder");
    let manifest =
        remake(&remade(&[games.path()], dir.path(), plan(SplitBy::Opening, 4)), &mut |_| {}).expect("good games");
    assert_eq!((manifest.split.by, manifest.split.opening_plies), (SplitBy::Opening, Some(4)));
    let (before, after) = (rows(games.path()), rows(dir.path()));
    assert_eq!(before.len(), after.len());
    let mut splits = BTreeMap::<String, BTreeSet<Split>>::new();
    for row in &after {
        let mut passed = replayed::<games::chess::ChessPosition, _>(row, |line, _| line.position().to_text());
        let opening = passed.swap_remove(usize::from(row.plies - 1).min(4));
        splits.entry(identity(GameKind::Chess, &opening)).or_default().insert(row.split);
    }
    assert!(splits.values().all(|splits| splits.len() == 1), "an opening is in one split");
    assert!(splits.len() > 50, "there are many openings");
    let moves = |rows: &[GameRow]| rows.iter().map(|row| row.moves.clone()).collect::<BTreeSet<_>>();
    assert_eq!(moves(&before), moves(&after));
}

#[test]
fn merging_keeps_every_game_once() {
    let (chess, lichess) = (imported(GameKind::Chess, sample(CHESS)), imported(GameKind::Chess, sample(LICHESS_438)));
    let dir = tempfile::tempdir().expect("a temporary folder");
    let sources = [chess.path(), lichess.path(), chess.path()];
    let manifest = remake(&remade(&sources, dir.path(), plan(SplitBy::Game, 0)), &mut |_| {}).expect("good games");
    let games = rows(chess.path()).len() + rows(lichess.path()).len();
    assert_eq!((manifest.counts.kept, manifest.counts.duplicates), (games as u64, 36));
    assert!(verified(&dir.path().join("dataset"), false).described.is_empty());
    // The numbers that manifests state are not believed, and their sum may be no u64.
    let dir = tempfile::tempdir().expect("a temporary folder");
    let mut options = remade(&sources, dir.path(), plan(SplitBy::Game, 0));
    options.sources.iter_mut().for_each(|source| source.manifest.counts.kept = u64::MAX);
    assert_eq!(remake(&options, &mut |_| {}).expect("good games").counts.kept, games as u64);
    let shogi = imported(GameKind::Shogi, sample(SHOGI));
    let other = tempfile::tempdir().expect("a temporary folder");
    let mixed = remake(&remade(&[chess.path(), shogi.path()], other.path(), plan(SplitBy::Game, 0)), &mut |_| {});
    refused(mixed, &["cannot be mixed"]);
}

/// What averaging should make of rows: by text, count, mean value, mean result, policy.
type Means = BTreeMap<String, (u32, Option<f64>, Option<f64>, BTreeMap<String, f64>)>;

fn means<G: Game>(rows: &[GameRow]) -> Means {
    let mut all = BTreeMap::<String, Vec<(Option<f32>, Option<f64>, String)>>::new();
    for row in rows {
        replayed::<G::Position, _>(row, |line, mv| {
            let position = line.position();
            let first = position.side_to_move() == games::Side::First;
            let result = match row.result {
                GameResult::Unknown => None,
                GameResult::Draw => Some(0.5),
                GameResult::FirstWins => Some(f64::from(u8::from(first))),
                GameResult::SecondWins => Some(f64::from(u8::from(!first))),
            };
            let seen = all.entry(identity(G::KIND, &position.to_text())).or_default();
            seen.push((row.value[line.plies()], result, position.move_text(mv)));
        });
    }
    let mean = |values: Vec<f64>| (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64);
    let of = |seen: Vec<(Option<f32>, Option<f64>, String)>| {
        let count = seen.len();
        let value = mean(seen.iter().filter_map(|(value, ..)| value.map(f64::from)).collect());
        let result = mean(seen.iter().filter_map(|&(_, result, _)| result).collect());
        let mut policy = BTreeMap::<String, f64>::new();
        seen.into_iter().for_each(|(.., mv)| *policy.entry(mv).or_default() += 1.0 / count as f64);
        (count as u32, value, result, policy)
    };
    all.into_iter().map(|(key, seen)| (key, of(seen))).collect()
}

fn close(found: Option<f32>, expected: Option<f64>) -> bool {
    match (found, expected) {
        (Some(found), Some(expected)) => (f64::from(found) - expected).abs() < 1e-6,
        (found, expected) => found.is_none() && expected.is_none(),
    }
}

#[test]
fn averages_are_means_over_the_whole_dataset() {
    for (game, file) in
        [(GameKind::Chess, sample(CHESS)), (GameKind::Shogi, sample(SHOGI)), (GameKind::Chess, sample(LICHESS_438))]
    {
        let games = imported(game, file);
        let dir = tempfile::tempdir().expect("a temporary folder");
        let done =
            average(&remade(&[games.path()], dir.path(), plan(SplitBy::Game, 0)), Merge::Mean, 1 << 30, &mut |_| {});
        let done = done.expect("good games");
        let expected = with_game!(game, G => means::<G>(&rows(games.path())));
        let rows = rows(dir.path());
        assert_eq!((rows.len(), done.runs), (expected.len(), 0));
        assert_eq!(done.positions, expected.values().map(|(count, ..)| u64::from(*count)).sum::<u64>());
        assert!(
            expected.values().any(|(count, .., policy)| *count > 1 && policy.len() > 1),
            "the test is about merging"
        );
        for row in rows {
            let start = row.start.as_deref().expect("a position");
            let (count, value, result, policy) = &expected[&identity(game, start)];
            assert_eq!(row.count, Some(*count));
            assert!(close(row.value[0], *value) && close(row.mean_result.as_ref().expect("one ply")[0], *result));
            let found: BTreeMap<String, f64> = match row.policy {
                None => BTreeMap::from([(row.moves.clone(), 1.0)]),
                Some(policy) => policy[0].iter().map(|(mv, p)| (mv.clone(), f64::from(*p))).collect(),
            };
            assert_eq!(found.keys().collect::<Vec<_>>(), policy.keys().collect::<Vec<_>>());
            assert!(found.iter().all(|(mv, p)| (p - policy[mv]).abs() < 1e-6));
        }
    }
}

#[test]
fn averages_do_not_depend_on_the_memory() {
    let games = imported(GameKind::Chess, sample(LICHESS_438));
    let made = |memory: usize| {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let options = remade(&[games.path()], dir.path(), plan(SplitBy::Game, 0));
        let done = average(&options, Merge::Mean, memory, &mut |_| {}).expect("good games");
        let left = names(&dir.path().join("dataset"));
        assert!(left.iter().all(|name| !name.starts_with('.')), "no run is left: {left:?}");
        (done.manifest.content_hash, done.runs)
    };
    let (whole, none) = made(1 << 30);
    assert_eq!(none, 0);
    // A position takes more than 110 bytes: less than a tenth of the data, and so little that runs are merged in two steps.
    let positions = samples::read_manifest(&games.path().join("dataset")).counts.positions as usize;
    let (tenth, runs) = made(positions * 110 / 10);
    assert!(runs >= 10, "{runs} runs");
    assert_eq!(tenth, whole);
    let (tiny, runs) = made(positions * 110 / 300);
    assert!(runs > 128, "{runs} runs");
    assert_eq!(tiny, whole);
}

#[test]
fn averaged_datasets_are_positions() {
    let games = imported(GameKind::Chess, sample(CHESS));
    let dir = tempfile::tempdir().expect("a temporary folder");
    average(&remade(&[games.path()], dir.path(), plan(SplitBy::Game, 0)), Merge::Mean, 1 << 30, &mut |_| {})
        .expect("good games");
    let dataset = open(dir.path());
    assert_eq!((dataset.unit(), dataset.manifest().split.by), (Unit::Position, SplitBy::Position));
    let found = verified(&dir.path().join("dataset"), true);
    assert_eq!((found.described.as_slice(), found.also_in_train), (&[][..], PerSplit::default()));
    let config = |input| LoaderConfig { input, batch: 32, seed: 0, workers: 1, block_games: 100 };
    let mut loader = TrainLoader::new(&dataset, config(InputName::PieceTokens), 0).expect("training rows");
    assert_eq!(loader.next().expect("good rows").size, 32);
    refused(TrainLoader::new(&dataset, config(InputName::Lc0_112), 0), &["lc0_112 shows earlier positions"]);
}

#[test]
fn verify_finds_what_is_wrong() {
    let games = imported(GameKind::Chess, sample(LICHESS_438));
    let found = verified(&games.path().join("dataset"), false);
    let positions = samples::read_manifest(&games.path().join("dataset")).counts.positions;
    assert_eq!((found.problems, found.positions, found.games_in_two_splits), (0, positions, 0));
    let info = summarise(&open(games.path())).expect("good games");
    let novel = info.splits.test.novel_positions.expect("not training");
    assert_eq!(found.handed_out.test - found.also_in_train.test, novel);
    // Every game of a collection shares the start position with the others.
    let strict = verified(&games.path().join("dataset"), true);
    assert!(strict.described.iter().all(|problem| problem.contains("occur in training too")), "{strict:?}");
    assert_eq!(strict.problems, 2);
    let mut manifest = samples::read_manifest(&games.path().join("dataset"));
    manifest.split.novel_test_positions = 0.5;
    let parts = ["`split.novel_test_positions` is 0.5, but the shards hold "];
    refused(Dataset::load(&games.path().join("dataset"), manifest), &parts);
    samples::rewritten(games.path(), |row| {
        let plies = usize::from(row.plies);
        (row.value, row.draw, row.mean_result) =
            (vec![Some(1.5); plies], Some(vec![Some(-0.5); plies]), Some(vec![Some(7.0); plies]));
    });
    let found = verified(&games.path().join("dataset"), false);
    assert_eq!(found.problems, 3 * positions);
    for (column, problem) in ["value 1.5", "draw -0.5", "mean_result 7"].into_iter().zip(&found.described) {
        assert!(problem.ends_with(&format!("ply 0: the {column} does not lie in 0…1")), "{problem}");
    }
}

#[test]
fn shogi_records_come_back_but_for_scores_that_are_certain() {
    for (file, format) in
        [("shogi_selfplay_40games.hcpe", ExportFormat::Hcpe), ("shogi_selfplay_40games.psv", ExportFormat::Psv)]
    {
        let dataset = imported(GameKind::Shogi, sample(file));
        let (bytes, done) = exported(dataset.path(), format);
        let original = std::fs::read(sample(file)).expect("the sample is part of the project");
        let size = if format == ExportFormat::Hcpe { 38 } else { 40 };
        let (kept, lost) = (done.written as usize, done.left_out as usize);
        assert_eq!(kept + lost, original.len() / size);
        assert_eq!(lost, 0, "{file}");
        let score = |record: &[u8]| i16::from_le_bytes([record[32], record[33]]);
        let mut differing = 0;
        for (found, expected) in bytes.chunks(size).zip(original.chunks(size)) {
            // A value near 1 has no room for the score behind it; everything else comes back.
            let exact = score(expected) < 6_000 && score(expected) > -30_000;
            assert!(!exact || score(found) == score(expected), "{} for {}", score(found), score(expected));
            assert_eq!((&found[..32], &found[34..]), (&expected[..32], &expected[34..]), "{file}");
            differing += usize::from(!exact);
        }
        assert!(differing < kept / 20, "{differing} of {kept}");
    }
}

#[test]
fn value_targets_are_made_when_the_dataset_is_opened() {
    let games = imported(GameKind::Chess, sample(CHESS));
    let value = |target| {
        let mut dataset = opened(games.path());
        dataset.set_targets(Targets { value: Some(target), ..Targets::default() }).expect("it has scores");
        let batches = evaluation(&dataset, Split::Test, InputName::PieceTokens, u64::MAX);
        let of = |pick: fn(&dataset::Batch) -> Vec<f32>| batches.iter().flat_map(pick).collect::<Vec<f32>>();
        (of(|batch| batch.value.clone()), of(|batch| batch.outcome.iter().map(|&o| 1.0 - o as f32 / 2.0).collect()))
    };
    let (results, outcomes) = value(ValueTarget::Result);
    assert_eq!(results, outcomes, "this sample has no game without a result");
    let (scores, _) = value(ValueTarget::Score);
    let (same, _) = value(ValueTarget::ShortTerm { decay: 0.0 });
    assert!(scores.iter().zip(&same).all(|(a, b)| (a.is_nan() && b.is_nan()) || (a - b).abs() < 1e-6));
    let (smooth, _) = value(ValueTarget::ShortTerm { decay: 5.0 / 6.0 });
    assert!(scores.iter().zip(&smooth).any(|(a, b)| (a - b).abs() > 0.01));
}
