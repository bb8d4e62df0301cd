//! A run folder and a bundle that are good and small: none of them has more than 20 KB.

use super::documents::text;
use crate::by_hand;
use config::RunConfig;
use serde_json::{Map, Value, json};
use testing::CONFIG;

const MOST_BYTES: usize = 20_000;

/// The hash in the folders' names.
const HASH: &str = "0123456789ab";

pub(crate) const CELL: &str = "chess-none-0123456789ab/seed-0";

/// The encoding of the second row.
const SHAW: &str = "{shaw: {terms: [q, k]}}";

/// The files of a run folder by path: two rows with three finished cells each, and all that a report reads beside them.
/// `metrics.jsonl` is the list of its lines.
pub(crate) fn run_folder() -> Map<String, Value> {
    let mut files = Map::new();
    files.insert("grid.json".to_owned(), plan());
    files.insert("tuning.json".to_owned(), tuning());
    files.insert("step-times.json".to_owned(), step_times());
    for (label, losses) in [("none", [2.40, 2.42, 2.41]), ("shaw", [2.30, 2.33, 2.31])] {
        for (seed, loss) in losses.into_iter().enumerate() {
            let cell = format!("{}/seed-{seed}", folder(label));
            files.insert(format!("{cell}/status.json"), status());
            files.insert(format!("{cell}/manifest.json"), manifest(label, seed));
            files.insert(format!("{cell}/metrics.jsonl"), json!(by_hand::few_lines(loss)));
        }
    }
    files.insert(format!("{CELL}/strength.json"), strength());
    for (path, value) in &files {
        assert!(bytes_of(path, value).len() < MOST_BYTES, "{path}");
    }
    files
}

/// The bytes of a file that holds this document.
pub(crate) fn bytes_of(path: &str, value: &Value) -> Vec<u8> {
    match value {
        Value::Array(lines) if path.ends_with(".jsonl") => {
            lines.iter().map(|line| text(line) + "\n").collect::<String>().into_bytes()
        }
        Value::String(content) if !path.ends_with(".json") => content.clone().into_bytes(),
        value => text(value).into_bytes(),
    }
}

fn folder(label: &str) -> String {
    format!("chess-{label}-{HASH}")
}

fn plan() -> Value {
    let [none, shaw] = ["none", "shaw"].map(folder);
    let row = |label: &str, role: &str| {
        let mut row = by_hand::row(label, &folder(label), role, 100);
        row["matched"] = json!({"quantity": "params", "goal": folder("none"), "ratio": 1.01});
        row
    };
    json!({
        "format": 1, "experiment": "damaged", "question": "Which one?", "expect": "shaw", "smoke": false,
        "primary": {"metric": "policy_loss", "at": "last", "weights": "raw", "difference": 0.01},
        "seeds": [0, 1, 2],
        "rows": [row("none", "reference"), row("shaw", "compared")],
        "interactions": [{
            "game": "chess", "gap": ["none", "shaw"], "by": ["nine", "ten"],
            "rows": [[&none, &shaw], [&none, &shaw]],
        }],
        "equivalent_within": {"policy_loss": 0.02},
    })
}

fn tuning() -> Value {
    let trial = |number: usize, score: f64| {
        json!({
            "values": [["train.encoding_rate", 4_u32.pow(number as u32).to_string()]],
            "place": [number], "scores": [[score, score + 0.1]],
        })
    };
    let trials: Vec<Value> = [2.5, 2.3, 2.4].into_iter().enumerate().map(|(i, score)| trial(i, score)).collect();
    let row = |label: &str| json!({"game": "chess", "folder": folder(label), "trials": trials, "chosen": 1});
    json!({
        "metric": "policy_loss", "lower_is_better": true, "weights": "raw", "seeds": [100, 101],
        "rounds": [{"folder": "tuning", "steps": 50}], "rows": [row("none"), row("shaw")],
    })
}

fn step_times() -> Value {
    let row = |label: &str, ratio: f64| json!({"folder": folder(label), "batch": 4, "median_s": 0.02, "ratio": ratio});
    json!({
        "device": "cpu", "cpu": "a processor", "threads": 1, "unix_s": 0, "rounds": 7,
        "rows": [row("none", 1.0), row("shaw", 1.5)],
    })
}

fn status() -> Value {
    json!({"state": "done", "step": 100, "steps": 100, "result": {"weights": "w", "batches": "b", "metrics": "m"}})
}

fn strength() -> Value {
    let evaluation = json!({
        "identity": "i", "measure": "puzzles", "name": "puzzles.csv", "agent": "policy", "value": 0.25, "of": 100,
        "details": null,
    });
    json!({"format": 1, "evaluations": [evaluation]})
}

fn manifest(label: &str, seed: usize) -> Value {
    let config = if label == "none" { CONFIG.replace(SHAW, "none") } else { CONFIG.to_owned() };
    let run = RunConfig { seed: seed as u64, ..RunConfig::from_yaml(&config).expect("a run") };
    let mut manifest = by_hand::manifest();
    let further = json!({
        "experiment": "damaged", "label": label, "hash": HASH, "posenc": "0.1.0", "schema": 1, "revision": null,
        "cpu": {"model": "a processor", "vendor": "GenuineIntel", "cores": 2, "capability": "AVX2"},
        "seeds": {"data_order": seed, "parameters": seed, "twin": false},
        "determinism": {
            "same_bits": true, "intra_op_threads": 1, "inter_op_threads": 1, "environment": [["OMP_NUM_THREADS", "1"]],
        },
        "smoke": false,
        "parameters": {"trunk": 1000, "encoding": 100, "head": 200},
        "macs": {"trunk": 1000, "encoding": 100, "head": 200, "paper": 1000},
        "injection_points": ["logits"], "position_sources": ["value head"], "tokens": 64,
        "initial_weights": {"shared": "s", "encoding": "e"},
        "copied_from": [{"path": "other.tar.zst", "blake3": "b"}],
        "config": run,
        "finish": {
            "unix_s": 2.0, "wall_s": 1.0, "positions_per_s": 10.0, "weights": "w",
            "files": [["final.safetensors", "h"]],
        },
    });
    manifest.as_object_mut().expect("a map").extend(further.as_object().cloned().expect("a map"));
    manifest
}

/// The files of a bundle by path.
pub(crate) fn bundle() -> Map<String, Value> {
    let in_bundle = |path: String| if path.contains('/') { format!("cells/{path}") } else { path };
    let mut files: Map<String, Value> =
        run_folder().into_iter().map(|(path, value)| (in_bundle(path), value)).collect();
    files.insert("ro-crate-metadata.json".to_owned(), json!({}));
    let config: Value = serde_yaml::from_str(CONFIG).expect("YAML");
    files.insert(format!("cells/{CELL}/config.yaml"), config);
    files.insert("report.csv".to_owned(), Value::from("game,row,metric,mean\nchess,none,policy_loss,2.41\n"));
    assert!(packed(&Value::from(files.clone())).len() < MOST_BYTES);
    files
}

/// The packed bundle of these files with the list of their hashes, as whoever changed them would make it. What is no map, and
/// names that no archive can hold, are left out.
pub(crate) fn packed(files: &Value) -> Vec<u8> {
    let files = files.as_object().into_iter().flatten();
    let files: Vec<(&str, Vec<u8>)> = files.map(|(path, value)| (path.as_str(), bytes_of(path, value))).collect();
    let content: Vec<(&str, &[u8])> = files.iter().map(|(path, bytes)| (*path, bytes.as_slice())).collect();
    let sums: String =
        content.iter().map(|(name, bytes)| format!("{}  {name}\n", blake3::hash(bytes).to_hex())).collect();
    let mut archive = Vec::new();
    for (path, mut bytes) in std::iter::once(("BLAKE3SUMS", sums.as_bytes())).chain(content.iter().copied()) {
        let size = bytes.len() as u64;
        drop(bundle::archive::append(&mut archive, path, size, &mut bytes));
    }
    bundle::archive::finish(&mut archive).expect("written");
    zstd::encode_all(archive.as_slice(), 1).expect("packed")
}
