//! What holds of every reader of run folders and bundles, whatever bytes it gets: one law each, which panics where it is
//! broken.
//!
//! No reader panics, and a refusal says why. An accepted plan leads to no place outside its run folder, and what is accepted
//! is drawn in every format. The seeded tests of this folder and the targets in `fuzz/` both call these laws.

use super::counts::Counts;
use super::settings::run_config;
use bundle::{Limits, Unpacked, UnpackedPart};
use config::RunConfig;
use config::experiment::MOST_CELLS;
use records::folder::{CONFIG_FILE, METRICS_FILE};
use records::{Manifest, Plan, Status, lines, manifest};
use report::{Report, csv, html, latex, markdown, text};
use std::cell::Cell;
use std::collections::HashSet;
use std::fs;
use std::path::{Component, Path, PathBuf};
use tempfile::TempDir;

/// Limits for bundles of a few kilobytes.
const LIMITS: Limits = Limits { bytes: 1 << 20, records: 1 << 20, files: 1000 };

thread_local! {
    /// The format of the next report of a long run.
    static TURN: Cell<usize> = const { Cell::new(0) };
    /// The folder for this thread's files.
    static FOLDER: TempDir = tempfile::tempdir().expect("a temporary folder");
}

fn folder() -> PathBuf {
    FOLDER.with(|folder| folder.path().to_owned())
}

/// `grid.json`: each cell has a folder for itself in its row's folder in the run folder.
pub fn plan(bytes: &[u8]) -> Counts {
    let run_dir = Path::new("runs/x");
    Counts::of(Plan::parse(bytes, &run_dir.join("grid.json")), |plan| {
        assert!(plan.rows.len().saturating_mul(plan.seeds.len()) <= MOST_CELLS);
        let mut cells = HashSet::new();
        for (.., cell) in plan.cells(run_dir) {
            let inside = cell.strip_prefix(run_dir).expect("in the run folder").components();
            let inside: Vec<Component<'_>> = inside.collect();
            assert!(matches!(inside[..], [Component::Normal(_), Component::Normal(_)]), "{cell:?}");
            assert!(cells.insert(cell.clone()), "two cells have the folder {cell:?}");
        }
    })
}

pub fn metric_lines(bytes: &[u8]) -> Counts {
    let path = folder().join(METRICS_FILE);
    fs::write(&path, bytes).expect("written");
    Counts::of(lines::read(&path), |read| {
        assert_eq!(read.len(), bytes.iter().filter(|&&byte| byte == b'\n').count());
        assert!(lines::hash(&path).is_ok());
    })
}

/// A packed bundle: unpacked as it is for `posenc report` and `posenc run --from`, nothing is left elsewhere, and it is
/// drawn or refused.
pub fn packed(bytes: &[u8]) -> Counts {
    let path = folder().join("bundle.tar.zst");
    fs::write(&path, bytes).expect("written");
    let parent = folder().join("unpacked");
    fs::create_dir_all(&parent).expect("a folder");
    let counts = Counts::of(Unpacked::below(&parent, &path, LIMITS, UnpackedPart::Everything), |unpacked| {
        assert!(unpacked.run_dir().starts_with(&parent));
        assert_eq!(files(unpacked.run_dir()), unpacked.verified().files + 1, "the listed files and the list");
        // A plan may have an unknown metric.
        drop(draw(unpacked.run_dir()));
        unpacked.verified().plan.cells(unpacked.run_dir()).for_each(|(.., cell)| taken(&cell));
    });
    assert_eq!(fs::read_dir(&parent).expect("a folder").count(), 0, "nothing is left");
    counts
}

/// The number of files below a folder.
fn files(dir: &Path) -> usize {
    let entries = fs::read_dir(dir).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries.map(|path| if path.is_dir() { files(&path) } else { 1 }).sum()
}

/// Reads a cell's records as `posenc run --from` does before it takes the cell.
fn taken(cell: &Path) {
    drop(Status::read(cell));
    drop(Manifest::read(cell));
    drop(manifest::files_of_weights(cell));
    drop(lines::hash(&cell.join(METRICS_FILE)));
    if let Ok(text) = RunConfig::read_text(&cell.join(CONFIG_FILE)) {
        run_config(text.as_bytes());
    }
}

/// Draws the report of a run folder in every format; no text of strangers controls a terminal. A long run draws each report in
/// one format, all in turn. An error if it gives no report: the error must have a text.
pub fn draw(run_dir: &Path) -> Result<(), String> {
    let report = match Report::of(run_dir) {
        Ok(report) => report,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return Err(error.to_string());
        }
    };
    let formats = [text::draw, markdown::draw, latex::draw, html::draw, csv::draw];
    let chosen = match std::env::var_os("POSENC_CASES") {
        Some(_) => {
            let turn = TURN.get();
            TURN.set((turn + 1) % formats.len());
            &formats[turn..=turn]
        }
        None => &formats[..],
    };
    for drawn in chosen.iter().map(|draw| draw(&report)) {
        let shown = drawn.replace("\r\n", "\n");
        assert!(!shown.is_empty() && !shown.contains(|c: char| c.is_control() && c != '\n'), "{shown:?}");
    }
    Ok(())
}
