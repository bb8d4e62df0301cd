//! What holds of every reader of run folders, bundles and networks, whatever bytes it gets: one law each, which panics where
//! it is broken.
//!
//! No reader panics, and a refusal says why. An accepted plan leads to no place outside its run folder, an accepted
//! network has finite weights of its declared shapes, and what is accepted is drawn in every format. The seeded tests of
//! this folder and the targets in `fuzz/` both call these laws.

use super::counts::Counts;
use bundle::{Limits, Part, Unpacked};
use config::experiment::MOST_CELLS;
use config::identity::hash;
use config::{RunConfig, Shape};
use nn::{Init, Layout, LayoutBuilder};
use records::folder::{CHECKPOINTS, CONFIG_FILE, FINAL, METRICS_FILE};
use records::{Manifest, Plan, Status, lines, manifest};
use report::{Report, csv, html, latex, markdown, text};
use std::collections::HashSet;
use std::fmt::Display;
use std::fs;
use std::path::{Component, Path, PathBuf};
use tempfile::TempDir;
use train::checkpoint::{load_final, save_final};
use train::setup::declare;
use train::sinks::tensorboard;

/// Limits for bundles of a few kilobytes.
const LIMITS: Limits = Limits { bytes: 1 << 20, records: 1 << 20, files: 1000 };

thread_local! {
    /// The folder for this thread's files.
    static FOLDER: TempDir = tempfile::tempdir().expect("a temporary folder");
}

fn folder() -> PathBuf {
    FOLDER.with(|folder| folder.path().to_owned())
}

fn counted<T, E: Display>(read: Result<T, E>) -> (Counts, Option<T>) {
    let mut counts = Counts::default();
    let accepted = counts.add(read.map_err(|error| error.to_string()));
    (counts, accepted)
}

/// `grid.json`: each cell has a folder for itself in its row's folder in the run folder.
pub fn plan(bytes: &[u8]) -> Counts {
    let run_dir = Path::new("runs/x");
    let (counts, plan) = counted(Plan::parse(bytes, &run_dir.join("grid.json")));
    let Some(plan) = plan else { return counts };
    assert!(plan.rows.len().saturating_mul(plan.seeds.len()) <= MOST_CELLS);
    let mut cells = HashSet::new();
    for (row, &seed) in plan.rows.iter().flat_map(|row| plan.seeds.iter().map(move |seed| (row, seed))) {
        let cell = Plan::cell_dir(run_dir, row, seed);
        let inside: Vec<Component<'_>> = cell.strip_prefix(run_dir).expect("in the run folder").components().collect();
        assert!(matches!(inside[..], [Component::Normal(_), Component::Normal(_)]), "{cell:?}");
        assert!(cells.insert(cell.clone()), "two cells have the folder {cell:?}");
    }
    counts
}

pub fn metric_lines(bytes: &[u8]) -> Counts {
    let path = folder().join(METRICS_FILE);
    fs::write(&path, bytes).expect("written");
    let (counts, read) = counted(lines::read(&path));
    if let Some(read) = read {
        assert_eq!(read.len(), bytes.iter().filter(|&&byte| byte == b'\n').count());
        assert!(lines::hash(&path).is_ok());
    }
    counts
}

/// `config.yaml`: what is accepted is the same once it was written.
pub fn run_config(bytes: &[u8]) -> Counts {
    let text = std::str::from_utf8(bytes).map_err(|error| error.to_string());
    let (counts, run) = counted(text.and_then(|text| RunConfig::from_yaml(text).map_err(|error| error.to_string())));
    let Some(run) = run else { return counts };
    let written = run.to_yaml().expect("a text");
    let again = RunConfig::from_yaml(&written).unwrap_or_else(|error| panic!("{error} in\n{written}"));
    assert_eq!(again.to_yaml().expect("a text"), written);
    assert_eq!(hash(&again, "content"), hash(&run, "content"));
    if let Err(error) = Shape::of(&run) {
        assert!(!error.to_string().is_empty());
    }
    counts
}

/// TensorBoard's event files: nothing is longer than the file.
pub fn events(bytes: &[u8]) -> Counts {
    let path = folder().join(format!("{}0000000001.host.1.0", tensorboard::PREFIX));
    fs::write(&path, bytes).expect("written");
    let (counts, file) = counted(tensorboard::read(&path));
    if let Some(file) = file {
        let tags = file.scalars.iter().map(|scalar| scalar.tag.len());
        let images = file.images.iter().map(|image| image.png.len() + image.tag.len());
        assert!(tags.chain(images).sum::<usize>() <= bytes.len());
    }
    counts
}

/// Lc0's weights files: finite weights that are those of the network that they declare.
pub fn network(bytes: &[u8]) -> Counts {
    let read = || -> Result<_, String> {
        let imported = lc0::of_bytes(bytes, &[]).map_err(|error| error.to_string())?;
        let run = lc0::cell::run_of(&imported, Path::new("net.pb.gz"), None).expect("a run");
        let (_, layout) = declare(&run).map_err(|error| error.to_string())?;
        let weights = lc0::cell::in_layout_order(&imported, &layout).map_err(|error| error.to_string())?;
        Ok((layout, weights))
    };
    let (counts, read) = counted(read());
    if let Some((layout, weights)) = read {
        assert_eq!(weights.len(), layout.len());
        assert!(weights.iter().all(|weight| weight.is_finite()));
    }
    counts
}

fn layout() -> Layout {
    let mut builder = LayoutBuilder::default();
    let mut body = builder.scope("body", nn::Part::Trunk);
    body.matrix("weight", &[4, 6], Init::ONES);
    body.f32_param("bias", &[6], Init::ZEROS);
    builder.scope("head", nn::Part::Head).matrix("weight", &[6, 2], Init::ONES);
    builder.finish().expect("a layout")
}

/// The bytes of a good file for [`weights`].
pub fn good_weights() -> Vec<u8> {
    let (cell, layout) = (folder(), layout());
    let values: Vec<f32> = (0..layout.len()).map(|i| i as f32).collect();
    fs::read(save_final(&cell, &layout, &values).expect("saved")).expect("a file")
}

/// `final.safetensors`: as many weights as the network has.
pub fn weights(bytes: &[u8]) -> Counts {
    let (cell, layout) = (folder(), layout());
    let dir = cell.join(CHECKPOINTS);
    fs::create_dir_all(&dir).expect("a folder");
    fs::write(dir.join(FINAL), bytes).expect("written");
    let (counts, weights) = counted(load_final(&cell, &layout));
    weights.iter().for_each(|weights| assert_eq!(weights.len(), layout.len()));
    counts
}

/// A packed bundle: unpacked as it is for `posenc report` and `posenc run --from`, nothing is left elsewhere, and it is
/// drawn or refused.
pub fn packed(bytes: &[u8]) -> Counts {
    let path = folder().join("bundle.tar.zst");
    fs::write(&path, bytes).expect("written");
    let parent = folder().join("unpacked");
    fs::create_dir_all(&parent).expect("a folder");
    let (counts, unpacked) = counted(Unpacked::below(&parent, &path, LIMITS, Part::Everything));
    if let Some(unpacked) = unpacked {
        assert!(unpacked.run_dir().starts_with(&parent));
        assert_eq!(files(unpacked.run_dir()), unpacked.verified().files + 1, "the listed files and the list");
        // A plan may have an unknown metric.
        drop(draw(unpacked.run_dir()));
        let plan = &unpacked.verified().plan;
        for (row, &seed) in plan.rows.iter().flat_map(|row| plan.seeds.iter().map(move |seed| (row, seed))) {
            taken(&Plan::cell_dir(unpacked.run_dir(), row, seed));
        }
    }
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

/// Draws the report of a run folder in every format; no text of strangers controls a terminal.
///
/// # Errors
/// If it gives no report: the error must have a text.
pub fn draw(run_dir: &Path) -> Result<(), String> {
    let report = match Report::of(run_dir) {
        Ok(report) => report,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return Err(error.to_string());
        }
    };
    for drawn in [text::draw, markdown::draw, latex::draw, html::draw, csv::draw].map(|draw| draw(&report)) {
        let shown = drawn.replace("\r\n", "\n");
        assert!(!shown.is_empty() && !shown.contains(|c: char| c.is_control() && c != '\n'), "{shown:?}");
    }
    Ok(())
}
