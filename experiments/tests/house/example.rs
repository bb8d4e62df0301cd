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
fn contributing_names_every_file_of_the_patch() {
    let read = |path: &str| std::fs::read_to_string(root().join(path)).expect("a file");
    let (patch, page) = (read(PATCH), read("CONTRIBUTING.md"));
    let files: Vec<&str> = patch.lines().filter_map(|line| line.strip_prefix("+++ b/")).collect();
    assert!(!files.is_empty());
    for file in files {
        assert!(page.contains(&format!("`{file}`")), "{file} is not in CONTRIBUTING.md");
    }
}
