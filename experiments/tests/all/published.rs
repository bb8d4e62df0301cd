//! The tables of the result pages are those of the published bundles.
//!
//! A line `<!-- BUNDLE, GAME: COLUMN -->` before a table says that a column holds the primary metric of a bundle's rows on a
//! game, as its report prints it, with the verdict as ▲ (better), ▼ (worse), (▲) or (▼) (depends on tuning) or nothing.
//! `BUNDLE less BUNDLE` is the difference of each row between two of them, as `posenc compare` prints it; `BUNDLE on LABELS` is the
//! policy loss on other labels. `BUNDLE gaps` is the gaps of its interactions. `COLUMN of REST` takes only rows whose label
//! continues with REST after the table's label: `steps 250, layers 1`.

use bundle::{Limits, Part, Unpacked};
use grid::tuning::Search;
use grid::{CellBundle, Prepared, RunSelection};
use report::ranks::{self, Leaders};
use report::{Report, markdown, side_by_side};
use spec::{Experiment, RunConfig};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Of each row its primary metric and its verdict.
type Rows = BTreeMap<String, (String, String)>;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the project").to_owned()
}

fn cells(line: &str) -> Vec<&str> {
    line.trim().trim_matches('|').split('|').map(str::trim).collect()
}

/// The differences of each row between two bundles, by game.
fn between(one: &Path, other: &Path) -> BTreeMap<String, Rows> {
    let mut games = BTreeMap::new();
    for table in side_by_side::compare(&[report_of(one), report_of(other)]) {
        let place = table.header.iter().position(|name| name == "difference, 95 % interval");
        let (Some(place), Some((game, _))) = (place, table.title.split_once(": ")) else { continue };
        let rows = table.rows.iter().map(|row| (row[0].clone(), (row[place].clone(), String::new())));
        games.insert(game.to_owned(), rows.collect());
    }
    games
}

/// The report of a published bundle.
fn report_of(bundle: &Path) -> Report {
    let unpacked = Unpacked::of(bundle, Limits::default(), Part::Records).expect("a bundle");
    Report::of(unpacked.run_dir()).expect("a report")
}

/// The tables of a bundle that a marker names, by game.
fn reported(bundle: &Path) -> BTreeMap<String, Rows> {
    if let Some((one, other)) = bundle.to_string_lossy().split_once(" less ") {
        return between(Path::new(one), &root().join(other));
    }
    if let Some((bundle, labels)) = bundle.to_string_lossy().split_once(" on ") {
        let title = format!("other labels: policy loss on {labels}\n");
        return tables(Path::new(bundle), &title, "policy_loss [nats]", None);
    }
    if let Some(bundle) = bundle.to_string_lossy().strip_suffix(" gaps") {
        return gaps(Path::new(bundle));
    }
    tables(bundle, "differences to the reference in ", "", Some("verdict"))
}

/// The gaps of a bundle's interactions, keyed by gap and value: `shaw less absolute (layers 1), steps 250`.
fn gaps(bundle: &Path) -> BTreeMap<String, Rows> {
    let title = "interactions: does the gap change?";
    let mut games: BTreeMap<String, Rows> = BTreeMap::new();
    for column in ["first value", "second value"] {
        for (game, rows) in tables(bundle, title, column, None) {
            let values = rows.into_iter().flat_map(|(gap, shown)| {
                let values = shown.0.split("; ").map(str::to_owned).collect::<Vec<_>>();
                values.into_iter().map(move |shown| (gap.clone(), shown))
            });
            let named = values.filter_map(|(gap, shown)| {
                let (value, interval) = shown.split_once(": ")?;
                Some((format!("{gap}, {value}"), (interval.to_owned(), String::new())))
            });
            games.entry(game).or_default().extend(named);
        }
    }
    games
}

/// The column `value` of the tables of a bundle's games whose title begins so, with the verdict in another column. Without a name the
/// column is that of the metric, with which the title ends.
fn tables(bundle: &Path, title: &str, value: &str, verdict: Option<&str>) -> BTreeMap<String, Rows> {
    let text = markdown::draw(&report_of(bundle));
    let mut games = BTreeMap::new();
    for game in text.split("\n## ").skip(1) {
        let Some((_, table)) = game.split_once(&format!("\n### {title}")) else { continue };
        let metric = table.lines().next().unwrap_or_default();
        let mut lines = table.lines().skip_while(|line| !line.starts_with('|'));
        let header = cells(lines.next().expect("a header"));
        let place = |wanted: &str| header.iter().position(|name| *name == wanted).expect("a column");
        let column = place(if value.is_empty() { metric } else { value });
        let verdict = verdict.map(place);
        let row = |line: &str| {
            let row = cells(line);
            let verdict = verdict.map_or_else(String::new, |place| row[place].to_owned());
            (row[0].trim_end_matches(" †").to_owned(), (row[column].to_owned(), verdict))
        };
        let mut rows = Rows::new();
        for (name, (value, verdict)) in lines.skip(1).take_while(|line| line.starts_with('|')).map(row) {
            // The report has a row for each change of a gap.
            let joined = rows.get(&name).map(|(other, _)| format!("{other}; {value}"));
            rows.insert(name, (joined.unwrap_or(value), verdict));
        }
        games.insert(game.lines().next().unwrap_or_default().to_owned(), rows);
    }
    games
}

/// A verdict as pages write it.
fn mark(verdict: &str) -> &'static [&'static str] {
    match verdict {
        "better" => &["▲"],
        "worse" => &["▼"],
        "depends on tuning" => &["(▲)", "(▼)"],
        _ => &[""],
    }
}

/// The columns that a page takes from bundles, each with its table.
fn columns(page: &str) -> Vec<(PathBuf, String, String, Vec<&str>)> {
    let lines: Vec<&str> = page.lines().collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(marker) = line.strip_prefix("<!-- runs/").and_then(|rest| rest.strip_suffix(" -->")) else { continue };
        let (bundle, rest) = marker.split_once(", ").expect("a bundle and a game");
        let (game, column) = rest.split_once(": ").expect("a game and a column");
        let table =
            lines[at..].iter().skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
        found.push((Path::new("runs").join(bundle), game.to_owned(), column.to_owned(), table.copied().collect()));
    }
    found
}

#[test]
fn the_tables_of_the_pages_are_those_of_the_bundles() {
    let mut pages = vec![root().join("docs/results.md")];
    let more = fs::read_dir(root().join("docs/results")).into_iter().flatten().flatten();
    pages.extend(more.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|kind| kind == "md")));
    let mut bundles: BTreeMap<PathBuf, BTreeMap<String, Rows>> = BTreeMap::new();
    let mut compared = 0;
    for page in pages {
        let text = fs::read_to_string(&page).expect("a page");
        for (bundle, game, column, table) in columns(&text) {
            let games = bundles.entry(bundle.clone()).or_insert_with(|| reported(&root().join(&bundle)));
            let rows = games.get(&game).unwrap_or_else(|| panic!("{}: no {game}", bundle.display()));
            let (column, rest) = column.split_once(" of ").unwrap_or((&column, ""));
            let place = cells(table[0]).iter().position(|name| *name == column);
            let place = place.unwrap_or_else(|| panic!("{}: no column {column}", page.display()));
            for line in &table[2..] {
                let line = cells(line);
                let label = line[0].replace(['`', '*'], "");
                // A label can go on with other axes of its row.
                let has_rest = |known: &str| rest.is_empty() || format!("{known},").contains(&format!(", {rest},"));
                let of_label =
                    |known: &&String| has_rest(known) && (**known == label || known.starts_with(&format!("{label}, ")));
                let known = rows.keys().find(of_label).unwrap_or_else(|| panic!("{column}: no row {label}"));
                let (value, verdict) = &rows[known];
                let expected: Vec<String> =
                    mark(verdict).iter().map(|mark| format!("{value} {mark}").trim().to_owned()).collect();
                let shown = line[place].replace('*', "");
                assert!(expected.contains(&shown), "{}, {column}, {label}: {shown}, not {expected:?}", page.display());
                compared += 1;
            }
        }
    }
    assert!(compared > 0, "no page has a table of a bundle");
}

fn published() -> Vec<PathBuf> {
    let folder = root().join("runs/published");
    let bundles = fs::read_dir(&folder).expect("published runs").flatten().map(|entry| entry.path());
    let bundles: Vec<PathBuf> = bundles.filter(|path| path.to_string_lossy().ends_with(bundle::PACKED)).collect();
    assert!(!bundles.is_empty(), "{} has no bundles", folder.display());
    bundles
}

#[test]
fn every_published_bundle_has_the_hashes_of_its_list_and_the_identity_of_the_page() {
    let page = fs::read_to_string(root().join("runs/published/README.md")).expect("runs/published/README.md");
    let listed: BTreeMap<String, String> = page.lines().filter_map(identity).collect();
    let found = published().into_iter().map(|path| {
        let verified = bundle::verify(&path, Limits::default(), None);
        let verified = verified.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        (path.file_name().expect("a name").to_string_lossy().into_owned(), verified.identity)
    });
    let found: BTreeMap<String, String> = found.collect();
    assert_eq!(listed, found, "runs/published/README.md, on the left, lists the identities of the bundles beside it");
}

/// The bundle and the identity in a line of the page's table: ``| `zoo.tar.zst` | `<64 digits>` |``.
fn identity(line: &str) -> Option<(String, String)> {
    let cells: Vec<&str> = cells(line).into_iter().map(|cell| cell.trim_matches('`')).collect();
    match cells[..] {
        [name, identity] if name.ends_with(bundle::PACKED) => Some((name.to_owned(), identity.to_owned())),
        _ => None,
    }
}

/// The folders of all cells below a folder: a run folder keeps the cells of its trials deeper than those of its rows.
fn cell_folders(folder: &Path, found: &mut Vec<PathBuf>) {
    if folder.join("config.yaml").is_file() {
        found.push(folder.to_owned());
        return;
    }
    let below = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    below.filter(|path| path.is_dir()).for_each(|path| cell_folders(&path, found));
}

#[test]
fn published_cells_have_the_names_that_their_configurations_have_today() {
    let mut compared = 0;
    for path in published() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let into = folder.path().join("bundle");
        bundle::verify(&path, Limits::default(), Some(&into)).expect("a bundle");
        let mut cells = Vec::new();
        cell_folders(&into, &mut cells);
        for cell in cells {
            let shown = cell.strip_prefix(&into).expect("a path below").display().to_string();
            let text = fs::read_to_string(cell.join("config.yaml")).expect("a configuration");
            let run = RunConfig::from_yaml(&text).unwrap_or_else(|error| panic!("{shown}: {error}"));
            let Ok(manifest) = fs::read_to_string(cell.join("manifest.json")) else { continue };
            let manifest: serde_json::Value = serde_json::from_str(&manifest).expect("a manifest");
            let content = manifest["identity"]["dataset"].as_str().expect("a content hash");
            let row = cell.parent().and_then(Path::file_name).expect("a row").to_string_lossy().into_owned();
            let named = row.rsplit_once('-').expect("a hash").1;
            assert_eq!(named, spec::identity::hash(&run, content), "{}: {shown}", path.display());
            compared += 1;
        }
    }
    assert!(compared >= 3540, "{compared} cells of published bundles");
}

/// Kendall's τ of study 1 with attacked squares, of the 14 encodings that both have; SciPy computes it from the means in the
/// two files report.csv.
#[test]
fn the_order_of_encodings_on_attacked_squares_agrees_with_study_1() {
    let reports =
        ["study-encodings", "zoo"].map(|name| report_of(&root().join(format!("runs/published/{name}.tar.zst"))));
    let tables = ranks::tables(&reports, &Leaders::BestThird);
    let shown: Vec<&[String]> = tables.iter().map(|table| &table.rows[0][..4]).collect();
    assert_eq!(shown, [["zoo", "map_loss", "14", "0.89"], ["zoo", "map_loss", "14", "0.74"]]);
}

#[test]
fn published_cells_are_taken_by_a_run_of_their_file() {
    let path = root().join("runs/published/study-encodings-pairs.tar.zst");
    let unpacked = Unpacked::of(&path, Limits::default(), Part::Everything).expect("a bundle");
    let identity = unpacked.verified().identity.clone();
    let experiment = Experiment::load(&root().join("experiments/study/encodings-pairs.yaml")).expect("an experiment");
    let out = tempfile::tempdir().expect("a folder for the test");
    let selection = RunSelection {
        out: out.path().to_owned(),
        only: Vec::new(),
        cells: Vec::new(),
        bundles: vec![CellBundle { folder: unpacked.folder().to_owned(), path, identity: identity.clone() }],
        smoke: false,
        replace: false,
    };
    let trials = Search::new(&experiment, &[]).expect("a search").and_then(|search| search.next_round());
    let prepared = Prepared::new(&trials.expect("trials"), &selection).expect("every cell is what it says");
    assert_eq!((prepared.reused, prepared.tasks.len()), (30, 30));
    let manifest = records::Manifest::read(&prepared.tasks[0].dir).expect("readable").expect("a manifest");
    assert_eq!(manifest.copied_from.last().and_then(|from| from.blake3.as_ref()), Some(&identity));
}
