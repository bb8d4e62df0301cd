//! Formats whose meaning is changed. Hashes, checksums and lengths are made again, so that readers get to the values.

use super::counts::Counts;
use super::documents::{self, text};
use super::fixtures::{CELL, bundle, bytes_of, packed, run_folder};
use super::{laws, seeded};
use proptest::prelude::*;
use records::strength::Strength;
use records::{Manifest, Status, StepTimes, TuningRecord, lines};
use serde_json::Value;
use std::fmt::Display;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// Inputs where each is drawn as a report.
const REPORTS: u32 = 120;

/// The run folder on disk.
fn written() -> TempDir {
    let dir = tempfile::tempdir().expect("a temporary folder");
    for (path, value) in &run_folder() {
        let to = dir.path().join(path);
        fs::create_dir_all(to.parent().expect("a folder")).expect("a folder");
        fs::write(to, bytes_of(path, value)).expect("written");
    }
    laws::draw(dir.path()).expect("a report of the folder as it is");
    dir
}

/// Changes a file of the run folder, and draws the report. `law` gets the folder, the text, and whether there was a report.
fn change(file: &str, law: impl Fn(&Path, &[u8], bool) -> Counts) {
    let dir = written();
    seeded::hold(file, REPORTS, &documents::texts(run_folder()[file].clone()), |text| {
        fs::write(dir.path().join(file), text).expect("written");
        let is_drawn = laws::draw(dir.path()).is_ok();
        law(dir.path(), text, is_drawn)
    });
}

/// The same of a record without which there is a report all the same; `read` reads it, in its folder.
fn change_record<T, E: Display>(file: &str, read: impl Fn(&Path) -> Result<T, E>) {
    change(file, |dir, _, is_drawn| {
        assert!(is_drawn, "no report because of {file}");
        Counts::of(read(dir.join(file).parent().expect("a folder")), drop)
    });
}

#[test]
fn a_changed_plan_is_refused_or_leads_nowhere_else() {
    change("grid.json", |_, text, is_drawn| {
        let counts = laws::plan(text);
        assert!(counts.accepted == 1 || !is_drawn, "a report of a refused plan");
        counts
    });
}

#[test]
fn changed_trials_are_refused_or_drawn() {
    change("tuning.json", |dir, _, is_drawn| {
        let read = TuningRecord::read(dir);
        assert_eq!(read.is_ok(), is_drawn);
        Counts::of(read, drop)
    });
}

#[test]
fn changed_records_are_drawn() {
    change_record(&format!("{CELL}/status.json"), Status::read);
    change_record(&format!("{CELL}/manifest.json"), Manifest::read);
    change_record(&format!("{CELL}/strength.json"), Strength::read);
    change_record("step-times.json", |dir| StepTimes::read(dir).ok_or("they cannot be read"));
}

#[test]
fn changed_metric_lines_are_drawn() {
    let file = format!("{CELL}/metrics.jsonl");
    let good = run_folder()[&file].as_array().expect("lines").clone();
    // The last lines of validation and of test.
    for place in [3, 4] {
        let dir = written();
        let path = dir.path().join(&file);
        let name = format!("metrics.jsonl, line {}", place + 1);
        seeded::hold(&name, REPORTS, &documents::texts(good[place].clone()), |line| {
            let line = std::str::from_utf8(line).expect("a text");
            let of = |(i, value): (usize, &Value)| if i == place { format!("{line}\n") } else { text(value) + "\n" };
            fs::write(&path, good.iter().enumerate().map(of).collect::<String>()).expect("written");
            laws::draw(dir.path()).expect("a report, whatever the cell measured");
            Counts::of(lines::read(&path), drop)
        });
    }
}

#[test]
fn a_changed_bundle_is_refused_or_drawn_and_leaves_nothing() {
    let bundles = documents::values(Value::from(bundle())).prop_map(|files| packed(&files));
    seeded::hold("bundle", REPORTS, &bundles, laws::packed);
}
