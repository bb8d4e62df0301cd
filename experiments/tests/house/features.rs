//! Features of libraries: the same whatever crate a command names.

use crate::expect_none;
use crate::metadata::{packages, root, tree};
use crate::rooms::ONE_BUILD;
use std::collections::BTreeSet;

/// Every library in the tree of a selection of crates, with its features.
fn libraries(selection: &[&str]) -> BTreeSet<String> {
    let own = root().display().to_string();
    let library = |line: &String| line.trim_end_matches(" (*)").replace(" (proc-macro)", "");
    let crates = tree(&[&["--format", "{p} with the features [{f}]"][..], selection].concat());
    crates.iter().filter(|line| !line.contains(&own)).map(library).collect()
}

/// Otherwise `cargo test -p encodings` after `cargo build` compiles tch, and all that stands on it, a second time.
#[test]
fn one_set_of_features_serves_every_crate() {
    let of_all = libraries(&["--workspace"]);
    let mut breaches = vec![];
    for package in packages().iter().filter(|package| package.name != ONE_BUILD) {
        let alone = libraries(&["--package", &package.name]);
        breaches.extend(alone.difference(&of_all).map(|library| format!("`{}` alone builds {library}", package.name)));
    }
    let core = libraries(&["--package", "experiments", "--no-default-features"]);
    breaches.extend(core.difference(&of_all).map(|library| format!("the binary without labs builds {library}")));
    let remedy = "Add `one-build.workspace = true` to the crate, and to scripts/one-build/Cargo.toml the features that the \
                  library has in `cargo tree --workspace`.";
    expect_none("Libraries that cargo compiles once more for a crate by itself:", remedy, &breaches);
}
