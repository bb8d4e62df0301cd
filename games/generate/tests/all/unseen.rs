//! Datasets whose test positions are of a kind that training does not have.

use crate::probe::{opened, rows, settings};
use dataset::store::GameRow;
use dataset::{PerSplit, Split, SplitPlan};
use games::attacks::Tactics;
use games::maps::MapTask;
use games::placement::Placement;
use games::{GameKind, Position as _, with_game};
use generate::probe::{ProbeSettings, Task, Unseen, UnseenKind, probe};
use std::path::Path;
use tempfile::TempDir;

const TASK: MapTask = MapTask::AttackedSquares;

fn unseen(dir: &Path, game: GameKind, unseen: Unseen) -> ProbeSettings {
    let name = format!("{}-{}", unseen.kind.name(), unseen.control);
    let split = SplitPlan::by_game(0, PerSplit { train: 0.6, validation: 0.2, test: 0.2 });
    ProbeSettings { unseen: Some(unseen), split, ..settings(dir, Task::Map(TASK), game, 300, &name) }
}

fn made(settings: &ProbeSettings) -> Vec<GameRow> {
    rows(&settings.output, &opened(settings))
}

/// Whether a row shows what only test positions show, after its labels were checked.
fn shows<G: Tactics>(row: &GameRow, kind: UnseenKind) -> bool {
    let position = G::Position::parse(row.start.as_deref().expect("a start")).expect("a legal position");
    assert_eq!(row.map.as_deref().expect("a map"), [TASK.labels::<G>(&position)]);
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
            let dir = TempDir::new().expect("a temporary folder");
            let [made, control] =
                [false, true].map(|control| made(&unseen(dir.path(), game, Unseen { kind, control })));
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
    let dir = TempDir::new().expect("a temporary folder");
    let of_edges = Unseen { kind: UnseenKind::EdgeSliders, control: false };
    let settings = ProbeSettings { task: Task::LegalMoves, ..unseen(dir.path(), GameKind::Chess, of_edges) };
    let error = probe(&settings, &mut |_| {}).expect_err("legal moves are no map").to_string();
    assert!(error.contains("legal-moves does not label maps of the board: leave it out"), "{error}");
}
