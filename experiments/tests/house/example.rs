//! The worked example of CONTRIBUTING.md fits the sources; `scripts/long-check example` builds and tests it.

use crate::expect_none;
use crate::lines::{above_ceilings, lengths};
use crate::metadata::root;
use std::path::PathBuf;
use std::process::Command;

const PATCH: &str = "docs/add-encoding.patch";

#[test]
fn the_patch_that_adds_an_encoding_applies() {
    let mut git = Command::new("git");
    let output = match git.args(["apply", "--check", PATCH]).current_dir(root()).output() {
        Ok(output) => output,
        Err(error) => {
            eprintln!("skipped: git cannot be started: {error}");
            return;
        }
    };
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{PATCH} does not apply: {said}; apply it by hand, mend it and write it again");
}

#[test]
fn the_guides_name_every_file_of_the_patch() {
    let read = |path: &str| std::fs::read_to_string(root().join(path)).expect("a file");
    let (patch, guides) = (read(PATCH), ["CONTRIBUTING.md", "docs/architecture.md"].map(|page| (page, read(page))));
    let files: Vec<&str> = patch.lines().filter_map(|line| line.strip_prefix("+++ b/")).collect();
    assert!(!files.is_empty());
    for (file, (page, text)) in files.iter().flat_map(|file| guides.iter().map(move |guide| (file, guide))) {
        let names = [file.replace("neighbours", "NAME"), (*file).to_owned()];
        assert!(names.iter().any(|name| text.contains(&format!("`{name}`"))), "{file} is not in {page}");
    }
}

#[test]
fn the_patch_that_adds_an_encoding_fits_below_the_ceilings() {
    let patch = std::fs::read_to_string(root().join(PATCH)).expect("a file");
    let mut files = lengths();
    for of_file in patch.split("\n+++ b/").skip(1) {
        let (path, changes) = of_file.split_once('\n').expect("changes below the path");
        if path.ends_with(".rs") {
            files.push((PathBuf::from(path), changes.lines().filter(|line| line.starts_with('+')).count()));
        }
    }
    let remedy = "CEILINGS in experiments/tests/house/lines.rs must leave room for what CONTRIBUTING.md invites to.";
    expect_none("More lines than were agreed, with docs/add-encoding.patch:", remedy, &above_ceilings(&files));
}
