//! Settings of training that never acted.

use crate::report::folder::{Folder, SEEDS, close, line, row, says};
use report::text;
use serde_json::json;
use std::fs;

/// Gives the cells of a row a clip and lines of training: of 20 steps and of 80, with these shares of clipped ones.
fn trained(folder: &Folder, label: &str, shares: [f64; 2], boundaries: &[u64]) {
    let rate = json!({"warmup": 10, "values": [0.1, 0.01], "boundaries": boundaries});
    folder.run(label, &json!({"train": {"steps": 100, "clip": 10.0, "learning_rate": rate}}));
    for seed in SEEDS {
        let path = folder.cell(label, seed).join("metrics.jsonl");
        let lines = fs::read_to_string(&path).expect("metrics");
        let kept = lines.split_inclusive('\n').filter(|line| !line.contains("\"train\"")).map(str::to_owned);
        let clipped = |(step, share): (u64, f64)| line(step, "train", &json!({"clipped": share}));
        let lines: String = [20, 100].into_iter().zip(shares).map(clipped).chain(kept).collect();
        fs::write(&path, lines).expect("metrics");
    }
}

#[test]
fn a_boundary_that_was_not_reached_is_named_and_a_clip_that_never_acted_is_a_number() {
    let folder = Folder::finished();
    trained(&folder, "absolute", [0.0, 0.0], &[100]);
    trained(&folder, "shaw", [0.0, 0.0], &[99]);
    trained(&folder, "rope", [0.5, 0.125], &[99]);
    let report = folder.report();
    // A fifth of the steps at 50 %, the rest at 12.5 %.
    close(row(&report, "rope").clipped.expect("three seeds").mean, 0.2);
    close(row(&report, "shaw").clipped.expect("three seeds").mean, 0.0);
    let named: Vec<&String> = report.warnings.iter().filter(|warning| warning.contains("had no effect")).collect();
    let boundary = "chess: the boundary of `train.learning_rate` at step 100 (training ends at step 100) had no effect \
                    on absolute: remove it, or choose a value that acts";
    assert_eq!(named, [boundary]);
    says(&report, &["clipped %", "20.00 ± 0"]);
}

#[test]
fn cells_of_older_versions_are_not_said_to_have_clipped_nothing() {
    let folder = Folder::finished();
    folder.run("shaw", &json!({"train": {"steps": 100, "clip": 10.0}}));
    let report = folder.report();
    assert_eq!(row(&report, "shaw").clipped, None);
    assert!(!report.warnings.iter().any(|warning| warning.contains("had no effect")), "{:?}", report.warnings);
    assert!(!text::draw(&report).contains("clipped %"));
}
