//! Soft policies and single positions, from the file to the batch.

use crate::samples::{
    CHESS, SHOGI, identity, imported_with, names, open, options, refused, replayed, rows, sample, training,
};
use dataset::store::GameRow;
use dataset::{
    Batch, Filters, ImportOptions, LoaderConfig, Split, SplitBy, Unit, agreement, evaluation_batches, import,
};
use games::{Game, GameKind, InputName, Position, with_game};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

const HCPE3: &str = "shogi_selfplay_40games.hcpe3";
const HCPE: &str = "shogi_selfplay_40games.hcpe";
const PSV: &str = "shogi_selfplay_40games.psv";
const LC0: &str = "lc0_v6_selfplay.tar";

fn imported(game: GameKind, file: &str) -> (tempfile::TempDir, dataset::ImportReport) {
    imported_with(game, sample(file), |options| options.policy_from_ply = 0)
}

/// Per ply, the targets that a row asks for: index and probability.
fn targets<G: Game>(row: &GameRow) -> Vec<BTreeMap<i64, f32>> {
    replayed::<G::Position, _>(row, |line, mv| {
        let position = line.position();
        let index = |text: &str| i64::from(position.move_index(position.parse_move(text).expect("legal")));
        match row.policy.as_ref().map(|policy| &policy[line.plies()]).filter(|candidates| !candidates.is_empty()) {
            None => BTreeMap::from([(i64::from(position.move_index(mv)), 1.0)]),
            Some(candidates) => candidates.iter().map(|(mv, probability)| (index(mv), *probability)).collect(),
        }
    })
}

fn given(batch: &Batch, i: usize) -> BTreeMap<i64, f32> {
    let range = i * batch.candidates..(i + 1) * batch.candidates;
    let pairs = batch.policy_index[range.clone()].iter().copied().zip(batch.policy_prob[range].iter().copied());
    for (index, probability) in pairs.clone() {
        assert_eq!(index < 0, probability == 0.0, "padding has no probability");
    }
    pairs.filter(|&(index, _)| index >= 0).collect()
}

fn check_batches(dir: &Path, game: GameKind) -> usize {
    let dataset = open(dir);
    let expected: BTreeMap<u32, Vec<BTreeMap<i64, f32>>> =
        rows(dir).iter().map(|row| (row.id, with_game!(game, G => targets::<G>(row)))).collect();
    let config = LoaderConfig { input: InputName::PieceTokens, batch: 64, seed: 1, workers: 1, block_games: 8 };
    let training = training(&dataset, config, 0, 20).into_iter();
    let test = evaluation_batches(&dataset, Split::Test, InputName::PieceTokens, 50, u64::MAX).expect("test games");
    let mut widest = 0;
    for batch in training.chain(test.map(|batch| batch.expect("good games"))) {
        assert_eq!(batch.policy_index.len(), batch.size * batch.candidates);
        let most = (0..batch.size).map(|i| given(&batch, i).len()).max().expect("no batch is empty");
        assert_eq!(batch.candidates, most.max(1), "a batch is as wide as it must be");
        widest = widest.max(most);
        for i in 0..batch.size {
            assert_eq!(given(&batch, i), expected[&batch.game[i]][usize::from(batch.ply[i])]);
        }
    }
    widest
}

#[test]
fn visit_shares_become_soft_targets() {
    // Lc0 weighs many moves.
    for (game, file, games, moves) in [(GameKind::Shogi, HCPE3, 40, 1), (GameKind::Chess, LC0, 80, 6)] {
        let (dir, report) = imported(game, file);
        assert_eq!((report.manifest.counts.read, report.manifest.counts.rejected), (games, 0), "{file}");
        assert_eq!(report.manifest.unit, Unit::Game);
        let rows = rows(dir.path());
        let weighed: Vec<_> =
            rows.iter().flat_map(|row| row.policy.iter().flatten()).filter(|c| !c.is_empty()).collect();
        assert!(!weighed.is_empty(), "{file}");
        for candidates in weighed {
            let sum: f64 = candidates.iter().map(|&(_, probability)| f64::from(probability)).sum();
            assert!((sum - 1.0).abs() < 1e-5 && candidates.iter().all(|&(_, p)| p > 0.0), "{candidates:?}");
        }
        assert!(check_batches(dir.path(), game) >= moves, "{file}");
    }
}

#[test]
fn datasets_agree_about_the_policy_targets_that_both_have() {
    let made = |policy_from_ply: u16, skip_plies: u16| {
        let change = |options: &mut ImportOptions| {
            (options.policy_from_ply, options.filters.skip_plies) = (policy_from_ply, Some(skip_plies));
        };
        imported_with(GameKind::Chess, sample(CHESS), change).0
    };
    let (all, chosen, marked) = (made(0, 0), made(12, 9), made(9, 20));
    let targets = |from: u16| -> BTreeSet<String> {
        let rows = rows(all.path());
        let tests = rows.iter().filter(|row| row.split == Split::Test);
        let positions = tests.flat_map(|row| {
            replayed::<games::chess::ChessPosition, _>(row, |line, _| (line.plies(), line.position().to_text()))
        });
        let positions = positions.filter(|(ply, _)| *ply >= usize::from(from));
        positions.map(|(_, text)| identity(GameKind::Chess, &text)).collect()
    };
    let compared = |first: &Path, second: &Path| {
        let found = agreement(&first.join("dataset"), &second.join("dataset")).expect("the same positions");
        assert_eq!(found.entropy, [0.0, 0.0], "hard targets are one move");
        found.positions
    };
    assert_eq!(compared(all.path(), all.path()), targets(0).len() as u64);
    assert_eq!(compared(chosen.path(), all.path()), targets(12).len() as u64);
    assert_eq!(compared(all.path(), marked.path()), targets(20).len() as u64);
}

#[test]
fn positions_without_games_are_rows_of_one_ply() {
    for file in [HCPE, PSV] {
        let (dir, report) = imported(GameKind::Shogi, file);
        let manifest = &report.manifest;
        assert_eq!((manifest.unit, manifest.split.by), (Unit::Position, SplitBy::Position));
        let rows = rows(dir.path());
        assert!(rows.iter().all(|row| row.plies == 1 && row.group.is_some() && row.start.is_some()));
        let mut splits = BTreeMap::<u64, BTreeSet<Split>>::new();
        let mut texts = BTreeMap::<String, u64>::new();
        for row in &rows {
            let group = row.group.expect("checked");
            splits.entry(group).or_default().insert(row.split);
            let start = row.start.as_deref().expect("checked");
            let text = start.rsplit_once(' ').expect("a move number").0.to_owned();
            assert_eq!(*texts.entry(text).or_insert(group), group);
        }
        assert!(splits.values().all(|splits| splits.len() == 1), "equal positions share a split");
        assert_eq!(texts.len(), splits.len(), "different positions have different groups");
        assert!(splits.len() < rows.len(), "some positions occur twice");
        assert_eq!((manifest.split.novel_test_positions, manifest.split.novel_validation_positions), (1.0, 1.0));
        assert_eq!(check_batches(dir.path(), GameKind::Shogi), 1);
    }
}

#[test]
fn filters_on_games_are_refused_for_positions() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let of_file = |file: &str| options(GameKind::Shogi, sample(file), dir.path());
    let of_positions = || ImportOptions { policy_from_ply: 0, ..of_file(HCPE) };
    let fails = |options: ImportOptions, parts: &[&str]| refused(import(&options, &mut |_| {}), parts);
    let filters = Filters { min_plies: Some(10), ..Filters::default() };
    fails(ImportOptions { filters, ..of_file(HCPE) }, &["filters: ", "these filters need records of games"]);
    let mixed = ImportOptions { inputs: vec![sample(HCPE), sample(SHOGI)], ..of_positions() };
    fails(mixed, &["import them one by one"]);
    let filters = || Filters { skip_plies: Some(20), ..Filters::default() };
    let skipped = ImportOptions { filters: filters(), ..of_positions() };
    fails(skipped, &["hcpe does not say the ply of a position"]);
    for file in [HCPE, PSV] {
        fails(of_file(file), &["single positions have no earlier plies"]);
    }
    assert_eq!(names(dir.path()), [""; 0], "nothing was left behind");
    let psv = ImportOptions { inputs: vec![sample(PSV)], filters: filters(), ..of_positions() };
    let counts = import(&psv, &mut |_| {}).expect("PSV has plies").manifest.counts;
    assert_eq!(counts.filtered_games["skip_plies"], 40 * 20, "the first plies of every game");
}
