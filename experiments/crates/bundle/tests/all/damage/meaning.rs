//! Formats whose meaning is changed. Hashes, checksums and lengths are made again, so that readers get to the values.

use super::counts::Counts;
use super::documents::{self, text};
use super::fixtures::{CELL, CONFIG, bundle, bytes_of, crc, events, gzip, network, packed, run_folder};
use super::{laws, messages, seeded};
use crate::cli::{EXPERIMENT, datasets};
use config::experiment::MOST_CELLS;
use config::name::is_name;
use config::{Experiment, RunConfig, Source};
use proptest::prelude::*;
use records::folder::is_plain;
use records::strength::Strength;
use records::{Manifest, Status, StepTimes, TuningRecord, lines};
use serde_json::Value;
use std::fmt::Display;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// Inputs where each is drawn as a report.
const REPORTS: u32 = 120;

const USUAL: u32 = 1_000;

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
        let folder = dir.join(file);
        let mut counts = Counts::default();
        counts.add(read(folder.parent().expect("a folder")).map_err(|error| error.to_string()));
        counts
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
        let mut counts = Counts::default();
        counts.add(read.map_err(|error| error.to_string()));
        counts
    });
}

#[test]
fn a_changed_status_is_drawn() {
    change_record(&format!("{CELL}/status.json"), Status::read);
}

#[test]
fn a_changed_manifest_is_drawn() {
    change_record(&format!("{CELL}/manifest.json"), Manifest::read);
}

#[test]
fn a_changed_strength_is_drawn() {
    change_record(&format!("{CELL}/strength.json"), Strength::read);
}

#[test]
fn changed_step_times_are_drawn() {
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
            let mut counts = Counts::default();
            counts.add(lines::read(&path).map_err(|error| error.to_string()));
            counts
        });
    }
}

#[test]
fn a_changed_configuration_is_refused_or_the_same_once_it_was_written() {
    let document: Value = serde_yaml::from_str(CONFIG).expect("YAML");
    seeded::hold("config.yaml", USUAL, &documents::texts(document), laws::run_config);
}

/// Without the check a network was declared for an input that its game lacks, which panicked.
#[test]
fn a_configuration_with_another_games_input_or_moves_is_refused() {
    let shogi = CONFIG.replace("game: chess", "game: shogi");
    let refused = |text: &str| RunConfig::from_yaml(text).expect_err("another game's").to_string();
    let input = refused(&shogi.replace("input: piece_tokens", "input: lc0_112"));
    assert!(input.contains("shogi has no input lc0_112"), "{input}");
    let moves = refused(&format!("{shogi}moves: chessdecoder_1924\n"));
    assert!(moves.contains("shogi has no moves chessdecoder_1924"), "{moves}");
}

/// An experiment file: refused, or a grid of limited size whose names are plain.
fn experiment(dir: &Path, text: &[u8]) -> Counts {
    let source = Source::new(&dir.join("experiment.yaml"), std::str::from_utf8(text).expect("a text"));
    let mut counts = Counts::default();
    let read = Experiment::from_source(&source).map_err(|error| error.to_string());
    if let Some(experiment) = counts.add(read) {
        assert!(is_name(&experiment.name));
        assert!(experiment.rows.iter().all(|row| is_plain(&row.folder())));
        assert!(experiment.cells().len() <= MOST_CELLS);
    }
    counts
}

#[test]
fn a_changed_experiment_is_refused_or_a_grid() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    datasets(dir.path());
    let document: Value = serde_yaml::from_str(EXPERIMENT).expect("YAML");
    seeded::hold("experiment.yaml", USUAL, &documents::texts(document), |text| experiment(dir.path(), text));
}

#[test]
fn a_changed_bundle_is_refused_or_drawn_and_leaves_nothing() {
    let bundles = documents::values(Value::from(bundle())).prop_map(|files| packed(&files));
    seeded::hold("bundle", REPORTS, &bundles, laws::packed);
}

/// The records of an event file.
fn records(mut file: &[u8]) -> Vec<&[u8]> {
    let mut records = Vec::new();
    while let Some((length, rest)) = file.split_first_chunk::<8>() {
        let length = u64::from_le_bytes(*length) as usize;
        records.push(&rest[4..4 + length]);
        file = &rest[length + 8..];
    }
    records
}

/// The event file of these records: each between its length and checksums.
fn event_file(records: &[Vec<u8>]) -> Vec<u8> {
    let checksum = |bytes: &[u8]| crc(bytes, 0x82f6_3b78).rotate_right(15).wrapping_add(0xa282_ead8).to_le_bytes();
    let framed = |record: &Vec<u8>| {
        let length = (record.len() as u64).to_le_bytes();
        [&length[..], &checksum(&length), record.as_slice(), &checksum(record)].concat()
    };
    records.iter().flat_map(framed).collect()
}

#[test]
fn changed_events_are_refused_or_read() {
    let good = events();
    let records = records(&good);
    assert_eq!(event_file(&records.iter().map(|record| record.to_vec()).collect::<Vec<_>>()), good);
    let files = messages::changed(&messages::joined(&records)).prop_map(|all| event_file(&messages::parts(&all)));
    seeded::hold("events", USUAL, &files, laws::events);
}

#[test]
fn a_changed_network_is_refused_or_finite_and_of_its_shapes() {
    let files = messages::changed(&network()).prop_map(|message| gzip(&message));
    seeded::hold("Lc0's network", USUAL, &files, laws::network);
}

#[test]
fn a_changed_header_of_weights_is_refused_or_of_the_networks_shapes() {
    let good = laws::good_weights();
    let (length, rest) = good.split_first_chunk::<8>().expect("a length");
    let (header, data) = rest.split_at(u64::from_le_bytes(*length) as usize);
    let (header, data): (Value, Vec<u8>) = (serde_json::from_slice(header).expect("JSON"), data.to_vec());
    let files = documents::values(header).prop_map(move |header| {
        let header = text(&header);
        [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), data.as_slice()].concat()
    });
    seeded::hold("header of safetensors", USUAL, &files, laws::weights);
}
