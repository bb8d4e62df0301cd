//! `posenc --version` names everything that results depend on, and manifests record the same source.

use crate::cli::{posenc_cell, run};
use config::SCHEMA_VERSION;
use config::numerics::BASE;
use records::Manifest;
use std::path::Path;
use testing::Bench;

#[test]
fn the_version_is_that_of_manifests() {
    let here = Path::new(".");
    let release = env!("CARGO_PKG_VERSION");
    assert_eq!(run(here, "-V").succeeds().stdout, format!("posenc {release}\n"));
    let long = run(here, "--version").succeeds().stdout;
    let lines: Vec<&str> = long.lines().collect();
    let [first, revision, libtorch, versions] = lines[..] else { panic!("four lines, not {lines:?}") };
    assert_eq!(first, format!("posenc {release}"));
    assert!(libtorch.starts_with("LibTorch 2."), "{libtorch}");
    assert_eq!(versions, format!("numerics version {BASE}, schema version {SCHEMA_VERSION}"));

    let bench = Bench::new();
    let dir = bench.cell("version", &bench.run(1));
    assert!(posenc_cell(&dir).output().expect("posenc starts").status.success());
    let manifest = Manifest::read(&dir).expect("readable").expect("there");
    let recorded = manifest.revision.expect("a revision");
    assert_eq!(revision, format!("revision {recorded}"));
    let is_hash = recorded.commit.len() == 40 && recorded.commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    assert!(is_hash || recorded.commit == format!("v{release}"), "{recorded:?}");
    assert_eq!(recorded.dirty, recorded.diff.is_some());
}
