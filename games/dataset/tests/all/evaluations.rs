//! Import of Lichess' evaluations.

use crate::samples::{imported_bytes, rows};
use dataset::Unit;
use games::GameKind;

const LINES: &str = concat!(
    r#"{"fen":"8/8/8/4k3/8/8/4P3/4K3 w - -","evals":[{"pvs":[{"cp":100,"line":"e2e4"}],"knodes":9,"depth":20}]}"#,
    "\n",
    r#"{"fen":"8/8/8/4k3/8/8/4P3/4K3 b - -","evals":[{"pvs":[{"cp":100,"line":"e5e4"}],"knodes":9,"depth":20}]}"#,
    "\n",
    r#"{"fen":"8/8/4k3/8/8/8/4P3/4K3 b - -","evals":[{"pvs":[{"mate":9,"line":"e6e5"}],"knodes":9,"depth":20}]}"#,
    "\n{\"fen\":\"8/8 w - -\",\"evals\":[]}\n"
);

#[test]
fn scores_of_white_become_values_of_the_mover() {
    for (name, bytes) in [
        ("lichess_db_eval.jsonl", LINES.as_bytes().to_vec()),
        ("lichess_db_eval.jsonl.zst", zstd::bulk::compress(LINES.as_bytes(), 0).expect("zstd")),
    ] {
        let (dir, report) = imported_bytes(GameKind::Chess, name, bytes, |options| options.policy_from_ply = 0);
        let counts = &report.manifest.counts;
        assert_eq!((report.manifest.unit, counts.kept, counts.rejected), (Unit::Position, 3, 1), "{name}");
        let mut found: Vec<_> = rows(dir.path()).into_iter().map(|row| (row.moves, row.value[0])).collect();
        found.sort_by(|a, b| a.0.cmp(&b.0));
        let win = 1.0 / (1.0 + (-0.368_208_f64).exp());
        let expected = [("e2e4", win), ("e5e4", 1.0 - win), ("e6e5", 0.0)];
        for ((mv, value), (expected, wanted)) in found.iter().zip(expected) {
            let value = value.expect("a value");
            assert!(mv == expected && (f64::from(value) - wanted).abs() < 1e-6, "{mv}: {value}");
        }
    }
}
