//! Published bundles have the hashes of their lists, and their cells the names that their configurations have today.

use bundle::collect::Content;
use bundle::{Limits, Publication, Unpacked, UnpackedPart};
use config::{Experiment, RunConfig};
use grid::tuning::TuningSearch;
use grid::{CellBundle, Prepared, RunSelection, authenticity};
use report::Report;
use report::ranks::{self, Leaders};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use testing::root;

fn records(path: &Path) -> Unpacked {
    let unpacked = Unpacked::of(path, Limits::default(), UnpackedPart::Records);
    unpacked.unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The records of a published bundle.
fn records_of(name: &str) -> Unpacked {
    records(&root().join(format!("runs/published/{name}.tar.zst")))
}

fn published() -> Vec<PathBuf> {
    let folder = root().join("runs/published");
    let bundles = fs::read_dir(&folder).expect("published runs").flatten().map(|entry| entry.path());
    let bundles: Vec<PathBuf> = bundles.filter(|path| path.to_string_lossy().ends_with(bundle::PACKED)).collect();
    assert!(!bundles.is_empty(), "{} has no bundles", folder.display());
    bundles
}

/// Finished cells are those that their folders name, and the other configurations can be read.
#[test]
fn every_published_bundle_has_the_identity_of_the_page_and_its_cells_the_hashes_of_their_folders() {
    let page = fs::read_to_string(root().join("runs/published/README.md")).expect("runs/published/README.md");
    let listed: BTreeMap<String, String> = page.lines().filter_map(identity).collect();
    let (mut found, mut checked, mut manifests) = (BTreeMap::new(), 0, 0);
    for path in published() {
        let unpacked = records(&path);
        let finished = authenticity::check(&unpacked.verified().plan, unpacked.run_dir());
        let finished = finished.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert!(finished > 0, "{}", path.display());
        checked += finished;
        manifests += cells_of_the_same_batches_today(unpacked.run_dir());
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        found.insert(name, unpacked.verified().identity.clone());
    }
    assert_eq!(listed, found, "runs/published/README.md, on the left, lists the identities of the bundles beside it");
    assert!(checked >= 6897 && manifests >= 6902, "{checked} finished cells, {manifests} manifests");
}

/// The bundle and the identity in a line of the page's table: ``| `zoo.tar.zst` | `<64 digits>` |``.
fn identity(line: &str) -> Option<(String, String)> {
    let (name, identity) = line.strip_prefix("| `")?.strip_suffix("` |")?.split_once("` | `")?;
    name.ends_with(bundle::PACKED).then(|| (name.to_owned(), identity.to_owned()))
}

/// The number of cells with a manifest below a folder. Batches of large datasets are in another order today; those of datasets
/// with groups of rows are not. A run folder keeps the cells of its trials deeper than those of its rows.
fn cells_of_the_same_batches_today(folder: &Path) -> usize {
    let Ok(config) = fs::read_to_string(folder.join("config.yaml")) else {
        let below = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        return below.filter(|path| path.is_dir()).map(|path| cells_of_the_same_batches_today(&path)).sum();
    };
    RunConfig::from_yaml(&config).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let Ok(manifest) = fs::read_to_string(folder.join("manifest.json")) else { return 0 };
    let manifest: Value = serde_json::from_str(&manifest).expect("a manifest");
    let content = manifest["identity"]["dataset"].as_str().expect("a content hash");
    let rows = manifest["dataset"]["train_positions"].as_u64().expect("a number of positions");
    assert!(rows < dataset::EXACT_BELOW || content.contains("-groups"), "{}: {rows} positions", folder.display());
    1
}

/// Kendall's τ of study 1 with attacked squares, of the 14 encodings that both have; SciPy computes it from the means in the
/// two files report.csv.
#[test]
fn the_order_of_encodings_on_attacked_squares_agrees_with_study_1() {
    let reports = ["study-encodings", "zoo"].map(|name| Report::of(records_of(name).run_dir()).expect("a report"));
    let tables = ranks::tables(&reports, &Leaders::BestThird);
    let shown: Vec<&[String]> = tables.iter().map(|table| &table.rows[0][..4]).collect();
    assert_eq!(shown, [["zoo", "map_loss", "14", "0.89"], ["zoo", "map_loss", "14", "0.74"]]);
}

#[test]
fn published_cells_are_taken_by_a_run_of_their_file() {
    let path = root().join("runs/published/study-encodings-pairs.tar.zst");
    let unpacked = Unpacked::of(&path, Limits::default(), UnpackedPart::Everything).expect("a bundle");
    let identity = unpacked.verified().identity.clone();
    let experiment = Experiment::load(&root().join("experiments/studies/encodings-pairs.yaml")).expect("an experiment");
    let out = tempfile::tempdir().expect("a folder for the test");
    let selection = RunSelection {
        out: out.path().to_owned(),
        bundles: vec![CellBundle { folder: unpacked.folder().to_owned(), path, identity: identity.clone() }],
        ..RunSelection::default()
    };
    let search = TuningSearch::new(&experiment, &[]).expect("a search").expect("trials");
    let prepared = Prepared::new(search.grid(), &selection).expect("every cell is what it says");
    assert_eq!((prepared.reused, prepared.tasks.len()), (30, 30));
    let manifest = records::Manifest::read(&prepared.tasks[0].dir).expect("readable").expect("a manifest");
    assert_eq!(manifest.copied_from.last().and_then(|from| from.blake3.as_ref()), Some(&identity));
}

#[test]
fn a_run_folder_in_which_no_cell_has_ended_is_not_published() {
    let unpacked = records_of("study-encodings-pairs");
    let dir = tempfile::tempdir().expect("a folder for the test");
    fs::copy(unpacked.run_dir().join("grid.json"), dir.path().join("grid.json")).expect("copied");
    let publication = Publication { partial: true, ..Publication::default() };
    let refused = bundle::collect(dir.path(), &publication).expect_err("there are no cells").to_string();
    assert!(refused.contains("there is nothing to publish"), "{refused}");
}

/// The losses of a budget that the bundle does not have are predicted, with a hash that follows from its list of hashes.
#[test]
fn predictions_name_the_cells_that_they_are_made_from_and_their_hash() {
    let unpacked = records_of("study-data-attacked-chess");
    let publication = Publication { partial: true, extrapolate: Some(1_024_000), ..Publication::default() };
    let contents = bundle::collect(unpacked.run_dir(), &publication).expect("a collection");
    let text = |name: &str| match &contents.files[name] {
        Content::Bytes(bytes) => String::from_utf8(bytes.clone()).expect("UTF-8"),
        Content::File(path) => panic!("{} is not kept as bytes", path.display()),
    };
    let predictions: Value = serde_json::from_str(&text("predictions.json")).expect("JSON");
    let rows = predictions["rows"].as_array().expect("rows");
    let mut cells: Vec<String> = Vec::new();
    for row in rows {
        let predicted = &row["with_floor"];
        let [low, loss, high] = ["low", "loss", "high"].map(|name| predicted[name].as_f64().expect("a loss"));
        assert!(0.0 < low && low < loss && loss < high, "{row}");
        let names = row["cells"].as_array().expect("cells").iter().filter_map(Value::as_str);
        cells.extend(names.map(|cell| format!("cells/{cell}/metrics.jsonl")));
    }
    cells.sort();
    let sums = text(bundle::SUMS);
    let listed =
        |cell: &String| sums.lines().find(|line| line.ends_with(cell.as_str())).expect("a hash").to_owned() + "\n";
    let list: String = cells.iter().map(listed).collect();
    assert_eq!(predictions["made_from"]["cells"], cells.len());
    assert_eq!(predictions["made_from"]["blake3"], blake3::hash(list.as_bytes()).to_hex().to_string());
    assert!(text("README.md").contains("`predictions.json`"));

    // `posenc verify` makes them again from the cells.
    let compare = |text: &str| {
        fs::write(unpacked.run_dir().join(bundle::predictions::FILE), text).expect("written");
        bundle::predictions::compare(unpacked.run_dir()).expect("readable").expect("predictions")
    };
    let honest = compare(&text("predictions.json"));
    assert_eq!((honest.compared, honest.differences), (7 * rows.len(), Vec::new()));
    for (place, value, difference) in [
        ("/rows/0/with_floor/low", json!(0.001), "the lower end is 0.001, the cells give "),
        ("/rows/0/row", "other".into(), "the cells do not predict it"),
        ("/rows/0/cells/0", "other-0123456789ab/seed-0".into(), "it names other cells"),
        ("/made_from/cells", 1.into(), "made from 1 cells, "),
        ("/metric", "map_loss_novel".into(), "it is of "),
    ] {
        let mut lie = predictions.clone();
        *lie.pointer_mut(place).expect(place) = value;
        let differences = compare(&lie.to_string()).differences;
        assert!(differences.len() == 1 && differences[0].contains(difference), "{place}: {differences:?}");
    }
}
