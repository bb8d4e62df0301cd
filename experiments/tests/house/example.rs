//! The worked example of CONTRIBUTING.md fits the sources; `scripts/long-check example` builds and tests it.

use crate::metadata::root;
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
