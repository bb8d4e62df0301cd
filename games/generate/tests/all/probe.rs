//! Probes: every label is what the rules say, and the same settings make the same bytes.

use dataset::store::GameRow;
use dataset::{
    Batch, Dataset, LoaderConfig, PerSplit, Split, SplitBy, SplitPlan, TrainLoader, Unit, evaluation_batches,
};
use games::attacks::Tactics;
use games::chess::Chess;
use games::chess::endgame::{Ending, Solved, Value};
use games::map_labels::MapTask;
use games::placement::Placement;
use games::{Game, GameKind, GameResult, InputName, Position, Side, with_game};
use generate::probe::{ProbeSettings, Task, Unseen, UnseenKind, probe};
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU16;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

fn folder() -> TempDir {
    TempDir::new().expect("a temporary folder")
}

/// Makes `dir/out` and opens it.
fn probed(dir: &Path, task: Task, game: GameKind, positions: u64, out: &str) -> Dataset {
    opened(&settings(dir, task, game, positions, out))
}

fn opened(settings: &ProbeSettings) -> Dataset {
    probe(settings, &mut |_| {}).unwrap_or_else(|error| panic!("{error}"));
    Dataset::open(&settings.output).unwrap_or_else(|error| panic!("{error}"))
}

fn settings(dir: &Path, task: Task, game: GameKind, positions: u64, out: &str) -> ProbeSettings {
    ProbeSettings {
        task,
        unseen: None,
        every: None,
        game,
        positions,
        seed: 3,
        output: dir.join(out),
        name: out.to_owned(),
        made_by: "a test".to_owned(),
        split: SplitPlan::by_game(0, PerSplit { train: 0.8, validation: 0.1, test: 0.1 }),
    }
}

fn rows(dir: &Path, dataset: &Dataset) -> Vec<GameRow> {
    dataset.manifest().rows(dir).map(|row| row.expect("a good shard")).collect()
}

/// The position of a row and the moves of its target, which must be uniform.
fn target<G: Game>(row: &GameRow) -> (G::Position, BTreeSet<String>) {
    assert_eq!(row.plies, 1);
    let candidates = &row.policy.as_ref().expect("a policy")[0];
    assert!(candidates.iter().all(|(_, share)| *share == 1.0 / candidates.len() as f32), "{candidates:?}");
    let moves: BTreeSet<String> = candidates.iter().map(|(mv, _)| mv.clone()).collect();
    assert_eq!(moves.len(), candidates.len(), "no move twice");
    assert!(moves.contains(&row.moves));
    (G::Position::parse(row.start.as_deref().expect("a start")).expect("a legal position"), moves)
}

/// The texts of those legal moves after which `holds`.
fn moves_after<P: Position>(position: &P, holds: impl Fn(&P) -> bool) -> BTreeSet<String> {
    let legal = position.list_moves().into_iter();
    legal.filter(|&mv| holds(&position.after(mv))).map(|mv| position.move_text(mv)).collect()
}

fn is_mate<P: Position>(position: &P) -> bool {
    position.list_moves().is_empty() && position.in_check()
}

fn check_mates<G: Game>(row: &GameRow) {
    let (position, moves) = target::<G>(row);
    assert!(!moves.is_empty());
    assert_eq!(moves, moves_after(&position, is_mate), "{position:?}");
    let won = if position.side_to_move() == Side::First { GameResult::FirstWins } else { GameResult::SecondWins };
    assert_eq!((row.result, row.value.as_slice()), (won, [Some(1.0)].as_slice()));
}

fn check_legal<G: Game>(row: &GameRow) {
    let (position, moves) = target::<G>(row);
    assert_eq!(moves, moves_after(&position, |_| true), "{position:?}");
    assert_eq!((row.result, row.value.as_slice()), (GameResult::Unknown, [None].as_slice()));
}

/// The dataset of a probe, and its rows.
fn made(task: Task, game: GameKind, positions: u64) -> (Dataset, Vec<GameRow>) {
    let dir = folder();
    let dataset = probed(dir.path(), task, game, positions, "set");
    let rows = rows(&dir.path().join("set"), &dataset);
    assert_eq!(rows.len() as u64, positions);
    (dataset, rows)
}

#[test]
fn mates_are_all_mates_that_there_are() {
    for game in GameKind::ALL {
        let (_, rows) = made(Task::MateInOne, game, 60);
        rows.iter().for_each(|row| with_game!(game, G => check_mates::<G>(row)));
        assert!(rows.iter().any(|row| row.policy.as_ref().is_some_and(|plies| plies[0].len() > 1)));
    }
}

#[test]
fn legal_moves_are_all_legal_moves() {
    for game in GameKind::LISTED {
        let (_, rows) = made(Task::LegalMoves, game, 200);
        rows.iter().for_each(|row| with_game!(game, G => check_legal::<G>(row)));
    }
}

fn check_map<G: Tactics>(row: &GameRow, task: MapTask) {
    let position = G::Position::parse(row.start.as_deref().expect("a start")).expect("a legal position");
    assert_eq!(row.map.as_deref().expect("a map"), [task.labels::<G>(&position)], "{position:?}");
    assert_eq!((row.plies, row.policy_from_ply, row.policy.as_ref()), (1, 1, None), "no move is a target");
    assert_eq!((row.result, row.value.as_slice()), (GameResult::Unknown, [None].as_slice()));
    assert!(position.parse_move(&row.moves).is_ok());
}

#[test]
fn maps_are_what_the_rules_say() {
    for (game, task) in GameKind::LISTED.into_iter().flat_map(|game| MapTask::ALL.map(|task| (game, task))) {
        if game.is_board() && task == MapTask::Pins {
            continue;
        }
        let (dataset, rows) = made(Task::Map(task), game, 60);
        let map = dataset.manifest().map.as_ref().expect("a map");
        assert_eq!((map.task.as_str(), map.shape), (task.name(), task.shape()));
        rows.iter().for_each(|row| with_game!(game, G => check_map::<G>(row, task)));
        // A class of pins would be rare if positions were not chosen for it.
        let cells = &dataset.manifest().counts.map_classes;
        assert!(task != MapTask::Pins || cells[1..].iter().all(|&pinned| pinned >= 20), "{cells:?}");
        // Few pieces can go to very many squares; every other class occurs.
        assert!(task == MapTask::Mobility || cells.iter().all(|&count| count > 0), "{task:?}: {cells:?}");
        assert!(cells.len() > 1 && cells[0] > 0 && cells[1] > 0, "{task:?}: {cells:?}");
        let source = &dataset.manifest().source;
        let is_placed = source.contains("random placements of the pieces of chess and shogi");
        assert_eq!(is_placed, game.is_board(), "{source}");
    }
}

fn refused(game: GameKind, task: Task, every: Option<NonZeroU16>) -> String {
    let dir = folder();
    let settings = ProbeSettings { every, ..settings(dir.path(), task, game, 10, "refused") };
    probe(&settings, &mut |_| {}).expect_err("no dataset").to_string()
}

#[test]
fn what_a_board_does_not_have_is_refused() {
    for task in [Task::MateInOne, Task::Map(MapTask::Pins)] {
        let error = refused(GameKind::Board6, task, None);
        let expected = format!("no piece of board6 can be in check, so {} has no positions", task.name());
        assert!(error.contains(&expected), "{error}");
    }
    let error = refused(GameKind::Board6, Task::LegalMoves, NonZeroU16::new(8));
    assert!(error.contains("each position of board6 is one random placement: leave it out"), "{error}");
}

#[test]
fn endings_are_labelled_by_their_tables() {
    for ending in [Ending::Kpk, Ending::Krk, Ending::Kqk] {
        let dir = folder();
        let dataset = probed(dir.path(), Task::Endgame(ending), GameKind::Chess, 600, "set");
        let solved = Solved::new(ending);
        let mut results = BTreeSet::new();
        for row in rows(&dir.path().join("set"), &dataset) {
            let (position, moves) = target::<Chess>(&row);
            let value = solved.value(&position).expect("a position of the ending");
            let kept = moves_after(&position, |after| solved.value(after).is_some_and(|after| value.is_kept_by(after)));
            assert_eq!(moves, kept, "{position:?}");
            let points = match value {
                Value::Win(_) => 1.0,
                Value::Draw => 0.5,
                Value::Loss(_) => 0.0,
            };
            assert_eq!(row.value, [Some(points)]);
            // White is the strong side, and the weak one never wins.
            let decided = if value == Value::Draw { GameResult::Draw } else { GameResult::FirstWins };
            assert_eq!(row.result, decided);
            results.insert(row.result.name());
        }
        assert_eq!(results.len(), 2, "{ending:?}: wins and draws");
    }
}

/// How many targets the widest row of a batch has, after checking that every row has some.
fn widest(batch: &Batch) -> usize {
    let rows = batch.policy_prob.chunks(batch.candidates);
    for row in rows {
        assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-5, "{row:?}");
    }
    batch.candidates
}

#[test]
fn networks_are_given_every_right_move() {
    let dir = folder();
    for (task, out) in [(Task::MateInOne, "mates"), (Task::LegalMoves, "moves")] {
        let dataset = Arc::new(probed(dir.path(), task, GameKind::Chess, 200, out));
        assert_eq!(dataset.unit(), Unit::Position);
        assert_eq!(dataset.manifest().split.by, SplitBy::Position);
        let config = LoaderConfig { input: InputName::PieceTokens, batch: 64, seed: 1, workers: 1, block_games: 64 };
        let mut loader = TrainLoader::new(&dataset, config, 0).expect("training positions");
        assert!(widest(&loader.next().expect("a batch")) > 1);
        let test =
            evaluation_batches(&dataset, Split::Test, InputName::PieceTokens, 50, u64::MAX).expect("test positions");
        for batch in test {
            assert!(batch.expect("a batch").novel.iter().all(|&novel| novel), "split by position");
        }
    }
}

#[test]
fn the_same_settings_make_the_same_bytes() {
    let dir = folder();
    for (task, game) in [
        (Task::MateInOne, GameKind::Chess),
        (Task::LegalMoves, GameKind::Shogi),
        (Task::Endgame(Ending::Krk), GameKind::Chess),
        (Task::Map(MapTask::Pins), GameKind::Chess),
        (Task::Map(MapTask::Mobility), GameKind::Shogi),
        (Task::Map(MapTask::AttackedSquares), GameKind::Board11),
    ] {
        let [first, second, third] = [1, 2, 3].map(|number| format!("{}-{number}", task.name()));
        let dataset = probed(dir.path(), task, game, 100, &first);
        probed(dir.path(), task, game, 100, &second);
        for file in dataset.manifest().shards.iter().map(|shard| shard.file.as_str()) {
            let bytes = |set: &str| std::fs::read(dir.path().join(set).join(file)).expect("a shard");
            assert_eq!(bytes(&first), bytes(&second));
        }
        // A larger one holds the smaller one.
        let starts = |set: &str, dataset: &Dataset| -> BTreeSet<String> {
            rows(&dir.path().join(set), dataset).into_iter().filter_map(|row| row.start).collect()
        };
        let larger = probed(dir.path(), task, game, 150, &third);
        assert!(starts(&first, &dataset).is_subset(&starts(&third, &larger)));
    }
}

#[test]
fn a_game_gives_several_positions_to_one_split() {
    let dir = folder();
    for (task, game) in [
        (Task::MateInOne, GameKind::Chess),
        (Task::LegalMoves, GameKind::Shogi),
        (Task::Map(MapTask::AttackedSquares), GameKind::Chess),
        (Task::Map(MapTask::Pins), GameKind::Shogi),
    ] {
        let out = format!("{}-every", task.name());
        let every = NonZeroU16::new(8);
        let dataset = opened(&ProbeSettings { every, ..settings(dir.path(), task, game, 200, &out) });
        let rows = rows(&dir.path().join(&out), &dataset);
        let mut by_game: BTreeMap<u64, Vec<&GameRow>> = BTreeMap::new();
        for row in &rows {
            by_game.entry(row.group.expect("a group")).or_default().push(row);
        }
        let sampled = dataset.manifest().sampled.expect("it is recorded");
        assert_eq!((Some(sampled.every), sampled.games), (every, by_game.len() as u64));
        assert!(by_game.len() < rows.len(), "{task:?}: {} games", by_game.len());
        for rows in by_game.values() {
            assert!(rows.iter().all(|row| row.split == rows[0].split), "{task:?}");
        }
        // In an evaluation the positions of a game are one cluster.
        let test = evaluation_batches(&dataset, Split::Test, InputName::PieceTokens, 50, u64::MAX).expect("positions");
        let clusters: Vec<u32> = test.flat_map(|batch| batch.expect("a batch").game).collect();
        let tested = by_game.values().filter(|rows| rows[0].split == Split::Test);
        assert!(clusters.len() > tested.clone().count(), "{task:?}: several positions of a game");
        assert_eq!(clusters.into_iter().collect::<BTreeSet<u32>>().len(), tested.count(), "{task:?}");
        match task {
            Task::MateInOne => rows.iter().for_each(check_mates::<Chess>),
            Task::LegalMoves => rows.iter().for_each(|row| with_game!(game, G => check_legal::<G>(row))),
            Task::Map(map) => rows.iter().for_each(|row| with_game!(game, G => check_map::<G>(row, map))),
            Task::Endgame(_) => {}
        }
    }
}

#[test]
fn what_gives_one_position_only_is_refused() {
    let error = refused(GameKind::Chess, Task::Endgame(Ending::Krk), NonZeroU16::new(8));
    assert!(error.contains("are drawn one by one, not from games: leave it out"), "{error}");
    let error = refused(GameKind::Chess, Task::LegalMoves, NonZeroU16::new(120));
    assert!(error.contains("120 plies are a whole game: take fewer than 120"), "{error}");
}

/// The task of datasets whose test positions are of a kind that training does not have.
const UNSEEN_IN: MapTask = MapTask::AttackedSquares;

fn unseen(dir: &Path, game: GameKind, unseen: Unseen) -> ProbeSettings {
    let name = format!("{}-{}", unseen.kind.name(), unseen.control);
    let split = SplitPlan::by_game(0, PerSplit { train: 0.6, validation: 0.2, test: 0.2 });
    ProbeSettings { unseen: Some(unseen), split, ..settings(dir, Task::Map(UNSEEN_IN), game, 300, &name) }
}

/// Whether a row shows what only test positions show, after its labels were checked.
fn shows<G: Tactics>(row: &GameRow, kind: UnseenKind) -> bool {
    let position = G::Position::parse(row.start.as_deref().expect("a start")).expect("a legal position");
    assert_eq!(row.map.as_deref().expect("a map"), [UNSEEN_IN.labels::<G>(&position)]);
    let last = G::GEOMETRY.files() - 1;
    Placement::of::<G>(&position).any(|file, piece| match kind {
        UnseenKind::EdgeSliders => (file == 0 || file == last) && G::SLIDERS.contains(&piece),
        UnseenKind::TranslatedBoards => file + 2 > last,
    })
}

#[test]
fn only_test_positions_have_what_is_unseen() {
    for game in GameKind::ALL {
        for kind in [UnseenKind::EdgeSliders, UnseenKind::TranslatedBoards] {
            let dir = folder();
            let [made, control] = [false, true].map(|control| {
                let settings = unseen(dir.path(), game, Unseen { kind, control });
                rows(&settings.output, &opened(&settings))
            });
            let shows = |row: &GameRow| with_game!(game, G => shows::<G>(row, kind));
            let tests = |rows: &[GameRow]| -> Vec<String> {
                let tests = rows.iter().filter(|row| row.split == Split::Test);
                tests.filter_map(|row| row.start.clone()).collect()
            };
            let (of_made, of_control) = (tests(&made), tests(&control));
            let both = of_made.len().min(of_control.len());
            assert!(both > 30, "{game:?} {kind:?}: {both} test positions");
            assert_eq!(of_made[..both], of_control[..both], "the control is tested on the same positions");
            assert!(made.iter().all(|row| shows(row) == (row.split == Split::Test)), "{game:?} {kind:?}");
            let learnt = control.iter().filter(|row| row.split != Split::Test).filter(|row| shows(row)).count();
            assert!(learnt > 50, "{game:?} {kind:?}: {learnt} of the control's training positions show it");
        }
    }
}

#[test]
fn tasks_without_a_map_are_refused() {
    let dir = folder();
    let of_edges = Unseen { kind: UnseenKind::EdgeSliders, control: false };
    let settings = ProbeSettings { task: Task::LegalMoves, ..unseen(dir.path(), GameKind::Chess, of_edges) };
    let error = probe(&settings, &mut |_| {}).expect_err("legal moves are no map").to_string();
    assert!(error.contains("legal-moves does not label maps of the board: leave it out"), "{error}");
}
