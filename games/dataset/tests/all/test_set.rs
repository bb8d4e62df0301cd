//! A test set of one's own: its positions leave training and validation, and it stays whole.

use crate::samples::{
    CHESS, LICHESS, LICHESS_438, SHOGI, all_targets, evaluation, imported, imported_with, open, opened, places,
    read_manifest, refused, replayed, rows, sample, training,
};
use dataset::filter::Buckets;
use dataset::{Dataset, LoaderConfig, PerSplit, Split, SplitPlan, Targets, content};
use games::chess::ChessPosition;
use games::{GameKind, InputName};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

const HCPE: &str = "shogi_selfplay_40games.hcpe";

/// A folder with a dataset of this sample, all of it for tests.
pub(crate) fn all_test(game: GameKind, file: &str) -> TempDir {
    let split = SplitPlan::by_game(0, PerSplit { train: 0.0, validation: 0.0, test: 1.0 });
    imported_with(game, sample(file), |options| options.split = split).0
}

/// The keys of the positions of games of chess by game and ply, by a replay that knows nothing of the loader.
fn keys(dir: &Path) -> BTreeMap<(u32, u16), (Split, u64)> {
    let rows = rows(dir);
    let of_row = rows.iter().flat_map(|row| {
        replayed::<ChessPosition, _>(row, |line, _| ((row.id, line.plies() as u16), (row.split, line.key())))
    });
    of_row.collect()
}

#[test]
fn positions_of_the_test_games_leave_training_and_nothing_else_does() {
    let ((own, _), test) = (imported(GameKind::Chess, LICHESS_438), all_test(GameKind::Chess, LICHESS));
    let tested: HashSet<u64> = keys(test.path()).into_values().map(|(_, key)| key).collect();
    let of_own = keys(own.path());
    let in_test =
        |wanted: Split| of_own.values().filter(|(split, key)| *split == wanted && tested.contains(key)).count() as u64;
    let [from_train, from_validation] = [in_test(Split::Train), in_test(Split::Validation)];
    assert!(from_train > 300 && from_validation > 50, "openings are shared: {from_train}, {from_validation}");
    let (before, whole) = (opened(own.path()), opened(test.path()));
    let mut dataset = opened(own.path());
    dataset.set_test(opened(test.path())).expect("both are games of chess");
    let set = dataset.test_set().expect("it has one");
    assert_eq!((set.left_out_of_train, set.left_out_of_validation), (from_train, from_validation));
    assert_eq!(dataset.positions(Split::Train), before.positions(Split::Train) - from_train);
    assert_eq!(dataset.positions(Split::Validation), before.positions(Split::Validation) - from_validation);
    assert_eq!(dataset.positions(Split::Test), whole.positions(Split::Test));
    assert_eq!(dataset.content(), format!("{}, test {}", before.content(), whole.content()));
    assert_eq!(dataset.content(), content(&before.content(), Some(&set.content_hash)));

    // One epoch has every position that is left, once.
    let expected: BTreeSet<(u32, u16)> = of_own
        .iter()
        .filter(|(_, (split, key))| *split == Split::Train && !tested.contains(key))
        .map(|(&place, _)| place)
        .collect();
    let dataset = Arc::new(dataset);
    let batches = |workers: usize| {
        let input = InputName::PieceTokens;
        let config = LoaderConfig { input, batch: 100, seed: 3, workers, block_games: 50 };
        training(&dataset, config, 0, expected.len().div_ceil(100))
    };
    let order = places(&batches(1));
    assert_eq!(order[..expected.len()].iter().copied().collect::<BTreeSet<_>>(), expected);
    assert_eq!(order, places(&batches(3)), "the number of workers does not matter");

    // The test games are those of the other dataset, in the order in which it is tested alone.
    let evaluated = |dataset: &Dataset, split| evaluation(dataset, split, InputName::PieceTokens, u64::MAX);
    let [found, alone] = [&*dataset, &whole].map(|dataset| evaluated(dataset, Split::Test));
    assert_eq!(places(&found), places(&alone));
    assert!(found.iter().chain(&alone).all(|batch| batch.novel.iter().all(|&novel| novel)));
    let validation = places(&evaluated(&dataset, Split::Validation));
    assert_eq!(validation.len() as u64, dataset.positions(Split::Validation));
}

#[test]
fn buckets_choose_among_the_games_to_train_on() {
    let test = all_test(GameKind::Chess, LICHESS);
    let buckets = Buckets::new(vec![1500]);
    let (own, _) = imported_with(GameKind::Chess, sample(LICHESS_438), |options| options.buckets = buckets);
    let [mut first, mut last] = [opened(own.path()), opened(own.path())];
    first.restrict(&["below-1500"]).expect("a bucket");
    first.set_test(opened(test.path())).expect("games of chess");
    last.set_test(opened(test.path())).expect("games of chess");
    last.restrict(&["below-1500"]).expect("a bucket");
    let positions = |dataset: &Dataset| Split::ALL.map(|split| dataset.positions(split));
    assert_eq!(positions(&first), positions(&last));
    let validation =
        |dataset: &Dataset| places(&evaluation(dataset, Split::Validation, InputName::PieceTokens, u64::MAX));
    assert!(validation(&first) == validation(&last) && !validation(&first).is_empty());
    assert_eq!(first.positions(Split::Test), opened(test.path()).positions(Split::Test));
    let all = opened(own.path()).positions(Split::Train);
    assert!((1..all).contains(&first.positions(Split::Train)));
}

#[test]
fn datasets_that_do_not_fit_are_refused_by_name() {
    let (chess, shogi) = (imported(GameKind::Chess, CHESS).0, imported(GameKind::Shogi, SHOGI).0);
    let own = || opened(chess.path());
    refused(
        own().set_test(opened(shogi.path())),
        &["test set: `game` is chess", "and shogi in the test set \"sample\""],
    );
    let same = all_test(GameKind::Chess, CHESS);
    refused(own().set_test(opened(same.path())), &["train positions", "occur in the test set", "take other games"]);
    let dir = chess.path().join("dataset");
    let mut steep = read_manifest(&dir);
    steep.value_curve.per_point *= 2.0;
    let steep = Dataset::load(&dir, steep.sealed()).expect("another curve");
    refused(own().set_test(steep), &["`value_curve.per_point` is 3.68208e-3", "and 7.36416e-3 in the test set"]);
    let split = SplitPlan::by_game(0, PerSplit { train: 1.0, validation: 0.0, test: 0.0 });
    let (untested, _) = imported_with(GameKind::Chess, sample(LICHESS), |options| options.split = split);
    refused(own().set_test(opened(untested.path())), &["\"sample\" has no test games"]);
}

/// dlshogi's practice: games to train on, single positions to test on.
#[test]
fn games_can_be_tested_on_single_positions_within_what_these_have() {
    let (own, test) = (imported(GameKind::Shogi, SHOGI).0, all_targets(GameKind::Shogi, sample(HCPE)));
    let mut dataset = opened(own.path());
    dataset.set_test(opened(test.path())).expect("both are of shogi");
    let batches = evaluation(&dataset, Split::Test, InputName::PieceTokens, u64::MAX);
    assert_eq!(places(&batches).len() as u64, open(test.path()).positions(Split::Test));
    let parts = ["the dataset \"sample\" holds single positions"];
    refused(dataset.set_sequence(8), &parts);
    refused(dataset.set_targets(Targets { plies_left: true, ..Targets::default() }), &parts);
    dataset.set_targets(Targets { points: true, ..Targets::default() }).expect("results are there");
}
