//! Datasets whose label is a map of the board.

use crate::samples::{self, CHESS, SHOGI, evaluation, imported, made, opened, refused, remade, training, verified};
use dataset::store::GameRow;
use dataset::{
    Batch, Dataset, DatasetFolder, GeneratedOptions, Label, LoaderConfig, MadePosition, Manifest, MapInfo, Merge,
    PerSplit, Split, SplitPlan, TrainLoader, average, evaluation_batches, remake, write_made,
};
use games::attacks::Tactics;
use games::chess::{Chess, ChessPosition};
use games::map_labels::{MapShape, MapTask, NO_LABEL};
use games::shogi::Shogi;
use games::{Game as _, GameKind, InputName, Position};
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU16;
use std::path::Path;
use std::sync::Arc;

const SQUARES: usize = Chess::GEOMETRY.squares();

fn options(dir: &Path, name: &str) -> GeneratedOptions {
    made(dir, name, PerSplit { train: 0.5, validation: 0.25, test: 0.25 })
}

fn info(task: MapTask) -> MapInfo {
    MapInfo::of(task, GameKind::Chess)
}

/// A position with a move and its map.
type Mapped = (ChessPosition, <ChessPosition as Position>::Move, Vec<i8>);

/// The positions of a walk through the opening, from the middle on.
fn positions(task: MapTask, count: usize) -> Vec<Mapped> {
    let (mut position, mut walk) = (ChessPosition::start(), Vec::new());
    for ply in 0..count {
        let legal = position.list_moves();
        let mv = legal[ply * 7 % legal.len()];
        walk.push((position.clone(), mv, task.labels::<Chess>(&position)));
        position.play(mv);
    }
    walk
}

fn written(dir: &Path, name: &str, info: MapInfo, positions: Vec<Mapped>) -> Manifest {
    let wanted = positions.len() as u64;
    let made = |(position, mv, labels): Mapped| MadePosition::new::<Chess>(&position, Label::Map { mv, labels });
    let made = positions.into_iter().map(made);
    write_made(&options(dir, name), Some(info), None, wanted, made).unwrap_or_else(|error| panic!("{error}"))
}

fn rows(dir: &Path, manifest: &Manifest) -> BTreeMap<u32, GameRow> {
    manifest.rows(dir).map(|row| row.expect("a good shard")).map(|row| (row.id, row)).collect()
}

fn expect_right_labels(batch: &Batch, rows: &BTreeMap<u32, GameRow>, task: MapTask) {
    assert_eq!(batch.map_cells, task.shape().cells(SQUARES));
    assert_eq!(batch.map.len(), batch.size * batch.map_cells);
    for (id, labels) in batch.game.iter().zip(batch.map.chunks(batch.map_cells)) {
        let position = <Chess as games::Game>::Position::parse(rows[id].start.as_deref().expect("a start"));
        assert_eq!(labels, task.labels::<Chess>(&position.expect("a position")));
    }
    // No move of these rows was chosen, and nobody is known to win.
    assert!(batch.policy_index.iter().all(|&index| index == -1));
    assert!(batch.outcome.iter().all(|&outcome| outcome == -1) && batch.value.iter().all(|value| value.is_nan()));
}

#[test]
fn batches_hold_the_maps_of_their_positions() {
    for task in MapTask::ALL {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let manifest = written(dir.path(), "set", info(task), positions(task, 60));
        let dataset = Arc::new(Dataset::load(&dir.path().join("set"), manifest.clone()).expect("a dataset"));
        let rows = rows(&dir.path().join("set"), &manifest);
        assert_eq!(rows.len(), 60);
        for workers in [1, 2] {
            let config = LoaderConfig { input: InputName::PieceTokens, batch: 8, seed: 1, workers, block_games: 16 };
            let mut loader = TrainLoader::new(&dataset, config, 0).expect("training positions");
            (0..12).for_each(|_| expect_right_labels(&loader.next().expect("a batch"), &rows, task));
        }
        for split in [Split::Validation, Split::Test] {
            let batches = evaluation_batches(&dataset, split, InputName::PieceTokens, 5, u64::MAX);
            for batch in batches.expect("positions") {
                expect_right_labels(&batch.expect("a batch"), &rows, task);
            }
        }
        // What the manifest counts is what the rows hold.
        let labels = || rows.values().flat_map(|row| row.map.iter().flatten().flatten());
        let counted = manifest.map.as_ref().expect("a map").counted(&manifest.counts.map_classes);
        for (class, (_, cells)) in (0i8..).zip(counted) {
            assert_eq!(cells, labels().filter(|&&label| label == class).count() as u64, "{} {class}", task.name());
        }
        let unlabelled = labels().any(|&label| label == NO_LABEL);
        assert_eq!(unlabelled, matches!(task, MapTask::Mobility | MapTask::Pins));
        assert_eq!(verified(&dir.path().join("set"), true).described, [""; 0]);
    }
}

#[test]
fn maps_of_games_are_computed_when_they_are_read() {
    maps_of_games::<Chess>(GameKind::Chess, CHESS, MapTask::ALL);
    maps_of_games::<Shogi>(GameKind::Shogi, SHOGI, [MapTask::AttackedSquares, MapTask::Pins]);
}

fn maps_of_games<G: Tactics>(kind: GameKind, file: &str, tasks: impl IntoIterator<Item = MapTask>) {
    let (dir, report) = imported(kind, file);
    let rows = rows(&dir.path().join("dataset"), &report.manifest);
    for task in tasks {
        let labels =
            |row: &GameRow| samples::replayed::<G::Position, _>(row, |line, _| task.labels::<G>(line.position()));
        let labels: BTreeMap<u32, Vec<Vec<i8>>> = rows.iter().map(|(id, row)| (*id, labels(row))).collect();
        let mut dataset = opened(dir.path());
        dataset.set_map(task).expect("games have no map of their own");
        assert_eq!(dataset.manifest().map, Some(MapInfo::of(task, kind)));
        let dataset = Arc::new(dataset);
        let config = LoaderConfig { input: InputName::PieceTokens, batch: 64, seed: 1, workers: 1, block_games: 16 };
        let mut batches = evaluation(&dataset, Split::Test, InputName::PieceTokens, 200);
        batches.extend(training(&dataset, config, 0, 3));
        for batch in batches {
            assert_eq!(
                (batch.map_cells, batch.map.len()),
                (task.shape().cells(G::GEOMETRY.squares()), batch.size * batch.map_cells)
            );
            let places = batch.game.iter().zip(&batch.ply);
            for ((game, &ply), own) in places.zip(batch.map.chunks(batch.map_cells)) {
                assert_eq!(own, labels[game][usize::from(ply)], "{} of game {game}, ply {ply}", task.name());
            }
            // The policy is still there.
            assert!(batch.policy_index.iter().any(|&index| index >= 0));
        }
    }
}

#[test]
fn a_dataset_has_one_map() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let manifest = written(dir.path(), "set", info(MapTask::Pins), positions(MapTask::Pins, 20));
    let mut dataset = Dataset::load(&dir.path().join("set"), manifest).expect("a dataset");
    refused(dataset.set_map(MapTask::AttackedSquares), &["have a map of their own"]);
}

#[test]
fn wrong_labels_are_found() {
    let task = MapTask::AttackedSquares;
    let dir = tempfile::tempdir().expect("a temporary folder");
    let mut wrong = positions(task, 30);
    wrong[3].2[17] = (wrong[3].2[17] + 1) % 4;
    written(dir.path(), "wrong", info(task), wrong);
    let found = verified(&dir.path().join("wrong"), true);
    assert_eq!(found.problems, 1, "{:?}", found.described);
    assert!(found.described[0].starts_with("row 3, ply 0: cell 17 has label"), "{:?}", found.described);

    let other = MapInfo { names: vec!["a".to_owned(), "b".to_owned()], ..info(task) };
    written(dir.path(), "other", other, positions(task, 30));
    let found = verified(&dir.path().join("other"), true);
    assert!(found.described[0].contains("in another way than the rules"), "{:?}", found.described);

    let unknown = MapInfo { task: "beauty".to_owned(), ..info(task) };
    written(dir.path(), "unknown", unknown, positions(task, 30));
    let found = verified(&dir.path().join("unknown"), true);
    assert!(found.described[0].contains("\"beauty\""), "{:?}", found.described);
}

#[test]
fn maps_that_do_not_fit_their_description_are_refused() {
    let task = MapTask::AttackedSquares;
    let descriptions =
        [Some(MapInfo { shape: MapShape::Pairs, ..info(task) }), Some(MapInfo { classes: 3, ..info(task) }), None];
    for map in descriptions {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let manifest = Manifest { map, ..written(dir.path(), "set", info(task), positions(task, 30)) };
        let parts = ["is not what dataset.yaml describes", "make the dataset"];
        refused(Dataset::load(&dir.path().join("set"), manifest), &parts);
    }
}

#[test]
fn datasets_of_one_task_can_be_merged() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let source = |name: &str, task: MapTask, from: usize| {
        let manifest = written(dir.path(), name, info(task), positions(task, 40).split_off(from));
        DatasetFolder { dir: dir.path().join(name), manifest }
    };
    let (first, second) = (source("first", MapTask::Pins, 20), source("second", MapTask::Pins, 30));
    let cells = |source: &DatasetFolder| source.manifest.counts.map_classes[0];
    let sum = cells(&first) + cells(&second);
    let options = |sources: Vec<DatasetFolder>, name: &str| {
        remade(sources, &dir.path().join(name), options(dir.path(), name).split)
    };
    let merged = remake(&options(vec![first.clone(), second], "merged"), &mut |_| {}).expect("one task");
    assert_eq!((merged.map.as_ref(), merged.counts.map_classes[0]), (first.manifest.map.as_ref(), sum));
    assert_eq!(verified(&dir.path().join("merged/dataset"), false).described, [""; 0]);

    let other = source("other", MapTask::Attackers, 20);
    refused(remake(&options(vec![first, other], "mixed"), &mut |_| {}), &["maps of different tasks"]);
}

/// A dataset of random games with two positions each.
fn sampled(dir: &Path, name: &str, positions: &[Mapped]) -> DatasetFolder {
    let made = positions.iter().enumerate().map(|(i, (position, mv, labels))| {
        let label = Label::Map { mv: *mv, labels: labels.clone() };
        MadePosition::new::<Chess>(position, label).of_game(i as u64 / 2)
    });
    let (info, every) = (info(MapTask::Mobility), NonZeroU16::new(8));
    let manifest = write_made(&options(dir, name), Some(info), every, positions.len() as u64, made);
    DatasetFolder { dir: dir.join(name), manifest: manifest.expect("a dataset") }
}

#[test]
fn a_dataset_says_whether_its_positions_are_of_random_games() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let made = sampled(dir.path(), "set", &positions(MapTask::Mobility, 32));
    assert!(dataset::verify(&made.dir, false, &mut |_| {}).is_ok());
    let path = made.dir.join("dataset.yaml");
    let text = std::fs::read_to_string(&path).expect("the manifest");
    let without = text.replace("sampled:\n  every: 8\n  games: 16\n", "");
    assert_ne!(without, text);
    std::fs::write(&path, without).expect("written");
    // Intervals would count them as independent.
    let parts = ["`sampled` is absent, but the shards hold present"];
    refused(dataset::verify(&made.dir, false, &mut |_| {}), &parts);
}

#[test]
fn random_games_stay_whole_and_apart_in_datasets_of_datasets() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let all = positions(MapTask::Mobility, 60);
    // Both number their games from 0; the last two games of the first are the first two of the second.
    let (first, second) = (sampled(dir.path(), "first", &all[..32]), sampled(dir.path(), "second", &all[28..]));
    for (name, sources, games) in [("split", vec![first.clone()], 16), ("merged", vec![first.clone(), second], 30)] {
        let split = SplitPlan { seed: 3, ..options(dir.path(), name).split };
        let made = remade(sources, &dir.path().join(name), split);
        let manifest = remake(&made, &mut |_| {}).expect("one task");
        let sampled = manifest.sampled.expect("its positions are those of random games");
        assert_eq!((manifest.counts.kept, sampled.games, sampled.every.get()), (2 * games, games, 8), "{name}");
        let mut of_games = BTreeMap::<u64, Vec<Split>>::new();
        for row in rows(&made.output, &manifest).into_values() {
            of_games.entry(row.group.expect("a game")).or_default().push(row.split);
        }
        assert_eq!(of_games.len() as u64, games, "{name}");
        assert!(of_games.values().all(|splits| *splits == [splits[0]; 2]), "{name}: {of_games:?}");
        assert!(of_games.values().map(|splits| splits[0]).collect::<BTreeSet<Split>>().len() > 1, "{name}");
        assert_eq!(verified(&made.output, true).described, [""; 0], "{name}");
    }
    let mut denser = first.clone();
    denser.manifest.sampled = None;
    let mixed = remade(vec![first, denser], &dir.path().join("refused"), options(dir.path(), "refused").split);
    refused(remake(&mixed, &mut |_| {}), &["nor positions every N plies and others"]);
}

#[test]
fn averages_do_not_lose_maps_and_random_games() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let of_games = sampled(dir.path(), "set", &positions(MapTask::Mobility, 20));
    let (mut of_moves, mut alone) = (of_games.clone(), of_games);
    (of_moves.manifest.map, alone.manifest.sampled) = (None, None);
    for source in [of_moves, alone] {
        let options = remade(vec![source], &dir.path().join("refused"), options(dir.path(), "refused").split);
        refused(average(&options, Merge::Mean, 1 << 20, &mut |_| {}), &["which averages lose"]);
        assert!(!options.output.exists());
    }
}
