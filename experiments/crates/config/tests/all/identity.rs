//! The hash in a cell's folder name: what changes it, and what must not.

use config::identity::{LEFT_OUT, canonical, hash};
use config::start_weights::Start;
use config::{EvalConfig, RunConfig, TrainConfig};
use serde_json::Value;

const CONTENT: &str = "7f83b1657ff1fc53b92dc18148a1d65dfc2d4b1fa3d677284addd200126d9069";

const RUN: &str = "\
game: chess
data: /somewhere/chess
input: piece_tokens
model: {chessformer: {layers: 8, width: 256, heads: 8, ff: 256}}
encoding:
- shaw: {}
train:
  steps: 300
  batch: 64
  optimizer: {nadam: {}}
  learning_rate: {values: [0.001, 0.0003], boundaries: [240], warmup: 30}
eval: {validation_positions: 1024, test_positions: 4096, every: 100}
seed: 0
";

fn of(text: &str) -> String {
    hash(&RunConfig::from_yaml(text).unwrap_or_else(|error| panic!("{error}\n{text}")), CONTENT)
}

fn with(old: &str, new: &str) -> String {
    assert_eq!(RUN.matches(old).count(), 1, "{old:?} must stand once in the run");
    of(&RUN.replace(old, new))
}

#[test]
fn the_file_of_tables_counts_by_its_hash_and_not_by_its_place() {
    let started = |start: &str| with("steps: 300", &format!("steps: 300\n  start: {{{start}}}"));
    let hash = started("tables: /here/a.safetensors, blake3: aa");
    assert_eq!(hash, started("tables: /there/b.safetensors, blake3: aa, order: kept, frozen: false, scale: 1"));
    let defaults = "tables: a.safetensors, blake3: aa, board: null, fit: displacement, heads: false, rms: null";
    assert_eq!(hash, started(defaults));
    for other in
        ["order: shuffled", "frozen: true", "scale: 0.5", "board: board5", "fit: bilinear", "heads: true", "rms: 1"]
    {
        assert_ne!(hash, started(&format!("tables: /here/a.safetensors, blake3: aa, {other}")), "{other}");
    }
    assert_ne!(hash, started("tables: /here/a.safetensors, blake3: bb"));
    assert_ne!(hash, of(RUN));
    let network = started("network: /here/a.safetensors, blake3: aa");
    assert_eq!(network, started("network: /there/b.safetensors, blake3: aa"));
    assert_ne!(network, hash, "a trunk is not its tables");
}

#[test]
fn a_test_set_counts_by_its_content_and_not_by_its_place() {
    let run = |test: &str| {
        let text = RUN.replace("data: /somewhere/chess\n", &format!("data: /somewhere/chess\ntest_data: {test}\n"));
        RunConfig::from_yaml(&text).expect("the run is valid")
    };
    let both = dataset::content(CONTENT, Some("1234"));
    assert_eq!(both, format!("{CONTENT}, test 1234"));
    let of_both = hash(&run("/here/floodgate"), &both);
    assert_eq!(of_both, hash(&run("/there/other"), &both));
    assert_ne!(of_both, hash(&run("/here/floodgate"), &dataset::content(CONTENT, Some("1235"))));
    assert_ne!(of_both, of(RUN));
    assert_eq!(dataset::content(CONTENT, None), CONTENT);
}

/// If this fails, every cell that was ever trained gets another folder and is trained again. That is right when
/// the schema version or the version of all arithmetic was raised, and wrong otherwise.
#[test]
fn the_hash_is_stable() {
    let run = RunConfig::from_yaml(RUN).expect("the run is valid");
    let expected = concat!(
        r#"{"numerics":5,"run":{"data":"7f83b1657ff1fc53b92dc18148a1d65dfc2d4b1fa3d677284addd200126d9069","#,
        r#""encoding":[{"shaw":{}}],"eval":{"every":100,"test_positions":4096,"validation_positions":1024},"#,
        r#""game":"chess","input":"piece_tokens","#,
        r#""model":{"chessformer":{"ff":256,"heads":8,"layers":8,"width":256}},"#,
        r#""train":{"batch":64,"learning_rate":{"boundaries":[240],"values":[0.001,0.0003],"warmup":30},"#,
        r#""optimizer":{"nadam":{}},"steps":300}},"schema":1}"#,
    );
    assert_eq!(canonical(&run, CONTENT), expected);
    assert_eq!(of(RUN), "00741199485d");
}

#[test]
fn the_same_run_in_other_words_has_the_same_hash() {
    let spellings = [
        with("{layers: 8, width: 256, heads: 8, ff: 256}", "{ff: 256, heads: 8, width: 256, layers: 8}"),
        with("ff: 256}", "ff: 256, norm: post, activation: mish, policy: {depth: 256}, value: {hidden: 128}}"),
        with("- shaw: {}", "- shaw"),
        with("optimizer: {nadam: {}}", "optimizer: nadam"),
        with("- shaw: {}", "- shaw: {share: displacement, cross: false, terms: [v, q, k]}"),
        with("nadam: {}", "nadam: {beta2: 0.98, epsilon: 1e-7}"),
        with("ff: 256}", "ff: 256, outputs: {result: {}, policy: {}}}"),
        with(
            "  steps: 300\n",
            "  mask: train\n  loss: {value: 1, soft_policy: 8, map: 1}\n  clip: null\n  log_every: 50\n  steps: 300\n",
        ),
        with("[0.001, 0.0003]", "[1e-3, 3.0E-4]"),
        with("seed: 0", "twin: false\nseed: 0\nmoves: from_to"),
        with("nadam: {}", "nadam: {weight_decay: 0, decay_encodings: false, groups: []}"),
        with("  steps: 300\n", "  steps: 300\n  dtype: f32\n"),
        with("  steps: 300\n", "  steps: 300\n  products: ieee\n  deterministic: false\n"),
    ];
    assert!(spellings.iter().all(|hash| *hash == of(RUN)), "{spellings:?} against {}", of(RUN));
}

/// Another value of every setting.
const OTHER: &str = "\
game: shogi
data: /elsewhere/shogi
test_data: /elsewhere/test
generate: {probe: pins, game: shogi}
view: {bucket: [a]}
input: piece_tokens_aux
moves: uci_1968_dm
model: {chessformer: {layers: 8, width: 256, heads: 8, ff: 255}}
encoding: [{none: {}}]
train:
  steps: 301
  batch: 65
  optimizer: {adamw: {}}
  learning_rate: {values: [0.1]}
  encoding_rate: 2
  start:
    {tables: b, network: b, board: shogi, fit: bicubic, heads: true, blake3: bb, order: shuffled, frozen: true, scale: 0.5, rms: 1}
  clip: 10
  averaging: {swa: {}}
  micro_batch: 16
  dtype: bf16
  products: tf32
  deterministic: true
  mask: eval
  phases: [{steps: 9}, {}]
  loss: {value: 0.5}
  log_every: 25
  checkpoint_every: 10
  workers: 3
eval: {validation_positions: 1025, test_positions: 4097, every: 50, batch: 128, pictures: none}
seed: 7
twin: true
imported: {file: a, blake3: b}
";

#[test]
fn a_hash_leaves_out_the_listed_settings_and_no_others() {
    let read = |run: &Value| {
        let run: RunConfig = serde_json::from_value(run.clone()).unwrap_or_else(|error| panic!("{error}: {run}"));
        assert_eq!(serde_json::from_value::<RunConfig>(run.to_json()).expect("its own JSON"), run);
        run
    };
    let started = RUN.replace("steps: 300", "steps: 300\n  start: {tables: a, blake3: aa}");
    let run = RunConfig::from_yaml(&started).expect("the run is valid");
    let other: Value = serde_yaml::from_str(OTHER).expect("YAML");
    let maps = [
        ("", RunConfig::DOCS),
        ("train.", TrainConfig::DOCS),
        ("train.start.", Start::DOCS),
        ("eval.", EvalConfig::DOCS),
    ];
    let settings = maps.iter().flat_map(|(key_path, keys)| keys.iter().map(move |(key, _)| format!("{key_path}{key}")));
    let settings: Vec<String> = settings.filter(|key| !["train", "eval", "train.start"].contains(&&key[..])).collect();
    for setting in &settings {
        let pointer = format!("/{}", setting.replace('.', "/"));
        let mut changed = run.to_json();
        let (map, key) = pointer.rsplit_once('/').expect("a key");
        let value = other.pointer(&pointer).unwrap_or_else(|| panic!("OTHER lacks `{setting}`"));
        changed.pointer_mut(map).expect("a map")[key] = value.clone();
        let changed = read(&changed);
        assert_ne!(changed, run, "{setting}");
        let counts = hash(&changed, CONTENT) != hash(&run, CONTENT);
        assert_eq!(counts, !LEFT_OUT.contains(&&setting[..]), "`{setting}` is hashed: {counts}");
    }
    assert!(LEFT_OUT.iter().all(|setting| settings.iter().any(|known| known == setting)), "{settings:?}");
    assert_eq!(with("  steps: 300\n", "  steps: 300\n  micro_batch: auto\n"), of(RUN));
    assert_ne!(hash(&run, "another content"), hash(&run, CONTENT));
}

#[test]
fn every_option_of_a_setting_is_hashed() {
    let mut hashes = vec![
        of(RUN),
        with("ff: 256}", "ff: 256, norm: pre}"),
        with("ff: 256}", "ff: 256, outputs: {policy: {}}}"),
        with("ff: 256}", "ff: 256, outputs: {policy: {}, result: {}, soft_policy: {}}}"),
        with("ff: 256}", "ff: 256, outputs: {policy: {}, result: {}, soft_policy: {temperature: 3}}}"),
        with("ff: 256}", "ff: 256, outputs: {policy: {}, result: {}, q: {}}}"),
        with("ff: 256}", "ff: 256, outputs: {policy: {}, result: {}, q: {buckets: 32}}}"),
        with("- shaw: {}", "- shaw: {terms: [q, k]}"),
        with("- shaw: {}", "- absolute: {at: gate}\n- shaw: {}"),
        with("nadam: {}", "nadam: {beta2: 0.99}"),
        with("nadam: {}", "nadam: {groups: [{part: head, learning_rate: 0.5}]}"),
        with("nadam: {}", "nadam: {groups: [{match: policy.*, learning_rate: 0.5}]}"),
        with("nadam: {}", "nadam_torch: {}"),
        with("  steps: 300\n", "  steps: 300\n  averaging: {swa: {}}\n"),
        with("  steps: 300\n", "  steps: 300\n  averaging: {swa: {every: 50}}\n"),
        with("{values: [0.001, 0.0003], boundaries: [240], warmup: 30}", "{cosine: {from: 0.001, steps: 300}}"),
        with("warmup: 30", "warmup: 31"),
        with("  steps: 300\n", "  steps: 300\n  loss: {value: 0.5}\n"),
        with("  steps: 300\n", "  steps: 300\n  loss: {soft_policy: 1}\n"),
        with("  steps: 300\n", "  steps: 300\n  phases: [{steps: 9}, {}]\n"),
        with("  steps: 300\n", "  steps: 300\n  phases: [{epochs: 9}, {}]\n"),
        with("  steps: 300\n", "  steps: 300\n  phases: [{steps: 9}, {loss: {value: 0.5}}]\n"),
        with("  steps: 300\n", "  steps: 300\n  phases: [{steps: 9}, {learning_rate: 0.5}]\n"),
        with("  steps: 300\n", "  steps: 300\n  phases: [{steps: 9}, {bucket: 500-1000}]\n"),
    ];
    let count = hashes.len();
    hashes.sort();
    hashes.dedup();
    assert_eq!(hashes.len(), count);
}

#[test]
fn phases_of_games_alone_have_the_hash_that_they_always_had() {
    let phases = "  steps: 300\n  phases: [{bucket: 500-1000, epochs: 1}, {bucket: [a, b]}]\n";
    let text = RUN.replace("  steps: 300\n", phases);
    let canonical = canonical(&RunConfig::from_yaml(&text).expect("the run is valid"), "content");
    let part = r#""phases":[{"bucket":["500-1000"],"epochs":1.0},{"bucket":["a","b"]}]"#;
    assert!(canonical.contains(part), "{canonical}");
}
