//! The small experiment with changes, and a folder with the datasets that the tests of this crate name.

use dataset::{GeneratedOptions, Label, MadePosition, MapInfo, PerSplit, SplitBy, SplitPlan, write_made};
use games::chess::Chess;
use games::map_labels::MapShape;
use games::{Game, GameKind, Position};
use std::path::Path;
use std::sync::LazyLock;
use tempfile::TempDir;
use testing::{EXPERIMENT, datasets, openings, rated};

/// The encodings of the small experiment.
pub(crate) const ENCODINGS: &str =
    "  encoding:\n    - none\n    - absolute: {at: input}\n    - shaw: {terms: [q, k]}\n";

/// A text with a piece replaced that stands in it once.
#[track_caller]
pub(crate) fn once(text: &str, old: &str, new: &str) -> String {
    assert_eq!(text.matches(old).count(), 1, "{old:?} must stand once in\n{text}");
    text.replace(old, new)
}

/// The small experiment after these changes, one after the other.
pub(crate) fn with(changes: &[(&str, &str)]) -> String {
    changes.iter().fold(EXPERIMENT.to_owned(), |text, (old, new)| once(&text, old, new))
}

/// Datasets `chess` and `shogi` without scores and buckets, `rated` with both, `openings` without and all for tests, and
/// `Squares` and `Pairs` of maps.
pub(crate) static DATASETS: LazyLock<TempDir> = LazyLock::new(|| {
    let dir = datasets();
    rated(dir.path());
    openings(dir.path());
    maps(dir.path(), MapShape::Squares, 3);
    maps(dir.path(), MapShape::Pairs, 2);
    dir
});

/// `dir/Squares` or `dir/Pairs`: the first positions of chess with one label everywhere.
fn maps(dir: &Path, shape: MapShape, classes: u16) {
    let cells = shape.cells(GameKind::Chess.geometry().squares());
    let start = <Chess as Game>::Position::start();
    let positions = start.list_moves().into_iter().map(|mv| {
        let position = start.after(mv);
        let mv = position.list_moves()[0];
        MadePosition::new::<Chess>(&position, Label::Map { mv, labels: vec![1; cells] })
    });
    let options = GeneratedOptions {
        output: dir.join(format!("{shape:?}")),
        name: format!("{shape:?}"),
        game: GameKind::Chess,
        maker: "a test".to_owned(),
        source: "a test".to_owned(),
        licence: "CC0-1.0".to_owned(),
        made_by: "a test".to_owned(),
        split: SplitPlan {
            by: SplitBy::Position,
            ..SplitPlan::by_game(0, PerSplit { train: 0.4, validation: 0.3, test: 0.3 })
        },
    };
    let info = MapInfo { task: "ones".to_owned(), classes, shape, names: Vec::new() };
    write_made(&options, Some(info), None, 20, positions).expect("the maps can be written");
}
