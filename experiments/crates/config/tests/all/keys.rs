//! docs/settings.md has the keys of the schema, and the schema has the defaults of the code.

use super::schema::{SCHEMA, fits_part, meant};
use config::Experiment;
use config::schema::keys;
use serde_json::Value;
use std::fs;
use std::path::Path;
use testing::{load, load_with, root, small};

fn page() -> String {
    fs::read_to_string(root().join("docs/settings.md")).expect("docs/settings.md")
}

#[test]
fn the_page_has_the_keys_of_the_schema() {
    let page = page();
    let filled = keys::fill(&page).expect("every block names a map of keys, and ends");
    if page != filled {
        let written = Path::new(env!("CARGO_TARGET_TMPDIR")).join("settings.md");
        fs::write(&written, filled).expect("a file below target/");
        panic!("docs/settings.md is out of date: copy {} over it", written.display());
    }
}

#[test]
fn every_key_is_in_a_block_of_the_page() {
    let list = keys::list();
    assert!(list.lines().all(|line| line.chars().count() <= 80), "a line has more than 80 columns:\n{list}");
    let blocks: String = page().lines().filter(|line| line.starts_with("|`")).collect();
    let names = list.lines().filter(|line| !line.starts_with(' ')).filter_map(|line| Some(line.split_once(": ")?.0));
    let keys: Vec<&str> = names.filter_map(|name| name.rsplit('.').next()).collect();
    assert!(keys.len() > 300, "{} keys", keys.len());
    for key in keys {
        let written = [format!("|`{key}`|"), format!("{{{key}: "), format!(" {key}: ")];
        assert!(written.iter().any(|text| blocks.contains(text)), "`{key}` is in no block of docs/settings.md");
    }
}

/// The schema of a key, in whichever form of the map it stands.
fn below<'a>(part: &'a Value, key: &str) -> Option<&'a Value> {
    let part = meant(part);
    let mut forms = part["anyOf"].as_array().into_iter().flatten();
    part["properties"].get(key).or_else(|| forms.find_map(|form| below(form, key)))
}

#[test]
fn defaults_of_the_schema_are_those_of_the_code() {
    let runs = |experiment: &Experiment| experiment.rows.iter().map(|row| row.run.clone()).collect::<Vec<_>>();
    let plain = runs(&load(&small()));
    let mut checked = Vec::new();
    let paths: [&[&str]; 4] = [&[], &["train"], &["eval"], &["model", "chessformer"]];
    for path in paths {
        let base = below(&SCHEMA, "base").expect("a base");
        let map = path.iter().try_fold(base, |part, key| below(part, key)).expect("a map of keys");
        for (key, part) in meant(map)["properties"].as_object().expect("keys") {
            let Some(default) = meant(part).get("default") else { continue };
            fits_part(part, default).unwrap_or_else(|error| panic!("{path:?} {key}: {error}"));
            let set = format!("{}={default}", path.iter().copied().chain([key.as_str()]).collect::<Vec<_>>().join("."));
            let changed = load_with(&small(), &[set.as_str()]).unwrap_or_else(|error| panic!("{set}: {error}"));
            assert!(plain == runs(&changed), "{set} is not the default");
            checked.push(set);
        }
    }
    assert!(checked.len() >= 20, "{checked:?}");
}
