//! Small files from outside that would take all memory or time are refused at once.

use config::{RunConfig, Source};
use std::path::Path;
use std::time::{Duration, Instant};
use testing::{EXPERIMENT, refused, refused_with};

#[test]
fn deep_nesting_is_refused_at_once() {
    let start = Instant::now();
    let deep = "[".repeat(100_000);
    refused(&format!("name: small\nquestion: {deep}\n"), &["experiment.yaml:2:", "nested too deeply"]);
    let config = RunConfig::from_yaml(&format!("game: {deep}")).expect_err("too deep").to_string();
    assert!(config.contains("nested too deeply"), "{config}");
    refused_with(EXPERIMENT, &[&format!("train.steps={deep}")], &["nested too deeply"]);
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

#[test]
fn axes_whose_product_is_too_large_are_refused_at_once() {
    let axis = |name: &&str| format!("train.{name}: {:?}\n  ", (1..=100).collect::<Vec<u8>>());
    let with = |names: &[&str]| {
        let many: String = names.iter().map(axis).collect();
        EXPERIMENT.replacen("axes:\n  ", &format!("axes:\n  {many}"), 1)
    };
    let names = ["log_every", "checkpoint_every", "encoding_rate"];
    refused(&with(&names), &["its axes give more than 1000000 combinations"]);
    refused(&with(&names[..2]), &["60000 rows with 3 seeds are too many cells", "a grid may have 100000"]);
}

#[test]
fn a_byte_order_mark_is_left_out() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let path = dir.path().join("x.yaml");
    std::fs::write(&path, format!("\u{feff}{EXPERIMENT}")).expect("written");
    assert_eq!(Source::read(&path).expect("a text").text(), EXPERIMENT);
}

#[cfg(unix)]
#[test]
fn only_regular_files_are_read() {
    let from = EXPERIMENT.replace("base:\n", "base:\n  from: /dev/zero\n");
    refused(&from, &["/dev/zero cannot be read", "must be a regular file"]);
    let error = Source::read(Path::new("/dev/zero")).expect_err("endless").to_string();
    assert!(error.contains("must be a regular file"), "{error}");
    assert!(RunConfig::read_text(Path::new("/dev/zero")).is_err());
}
