//! Maia through `import-net` says what Lc0 says with it: of every legal move, on real games with their history.

use config::Weights;
use games::chess::ChessPosition;
use games::{GameKind, InputName, MovesName, Position as _};
use lc0::cell;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tch::Device;
use train::inference::Request;
use train::inference::positions;
use train::inference::predict::{Meaning, Prediction, predictions};
use train::inference::{Answers, Loaded};

const NET: &str = "maia-1100.pb.gz";

/// Lc0 and LibTorch add in different orders.
const LOGIT_TOLERANCE: f64 = 5e-4;
const PROBABILITY_TOLERANCE: f64 = 1e-4;

#[derive(Deserialize)]
struct Stored {
    startfen: String,
    moves: Vec<String>,
    policy: BTreeMap<String, f64>,
    logit: BTreeMap<String, f64>,
    idx: BTreeMap<String, u16>,
    wdl: [f64; 3],
}

/// The network's file, which is no part of the project: see `tests/data/ORIGIN.md`.
fn net() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let places = [root.join("tests/data"), root.join("../../../shared/data/chess")];
    places.into_iter().map(|place| place.join(NET)).find(|path| path.is_file())
}

fn stored() -> Vec<Stored> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/maia-1100_oracle.jsonl");
    let text = std::fs::read_to_string(path).expect("the oracle");
    text.lines().map(|line| serde_json::from_str(line).expect("a line of the oracle")).collect()
}

/// The position as Lc0 asked its network: what is before a start FEN is made up from it, where `lc0_112` has nothing.
fn asked(stored: &Stored) -> Request {
    let text = format!("{} moves {}", stored.startfen, stored.moves.join(" "));
    let mut asked =
        positions::read(&text, "", GameKind::Chess, InputName::Lc0_112, MovesName::FromTo).expect("a position");
    let packed = asked.row.clone();
    positions::fill_history(std::slice::from_mut(&mut asked), InputName::Lc0_112).expect("an input with history");
    if stored.startfen == ChessPosition::start().to_text() {
        assert_eq!(packed, asked.row, "with a whole game both are one");
    }
    asked
}

#[test]
fn maia_says_what_lc0_says_with_it() {
    let Some(file) = net() else {
        eprintln!("{NET} is not here, so nothing was compared with Lc0: see labs/lc0/tests/data/ORIGIN.md");
        return;
    };
    let dir = tempfile::tempdir().expect("a folder");
    let out = dir.path().join("maia");
    let imported = lc0::read(&file, &[]).expect("a network of Lc0");
    let run = cell::run_of(&imported, &file, None).expect("a run");
    cell::write(&imported, &run, &out).expect("a cell");
    let loaded = Loaded::cell(&out, Weights::Raw, Device::Cpu).expect("a cell with weights");
    assert_eq!(loaded.config.imported, run.imported);
    let stored = stored();
    assert_eq!(stored.len(), 60);
    let asked: Vec<Request> = stored.iter().map(asked).collect();
    let answers = Answers::of(&loaded, &asked).expect("answers");
    let found = predictions(&asked, &answers.outputs, 1.0).expect("predictions");
    let mut largest = [0f64; 3];
    for (stored, found) in stored.iter().zip(&found) {
        let own = differences(stored, found);
        largest = std::array::from_fn(|i| largest[i].max(own[i]));
        let what = format!("{} {:?}: {own:?}", stored.startfen, stored.moves);
        assert!(own[0] < LOGIT_TOLERANCE && own[1] < PROBABILITY_TOLERANCE && own[2] < PROBABILITY_TOLERANCE, "{what}");
    }
    println!("largest differences of logits, probabilities, win/draw/loss: {largest:?}");
}

/// The largest difference of a logit, of a move's probability, and of win, draw and loss.
fn differences(stored: &Stored, found: &Prediction) -> [f64; 3] {
    let by_index: BTreeMap<u16, &String> = stored.idx.iter().map(|(text, &index)| (index, text)).collect();
    assert_eq!(by_index.len(), found.moves.len(), "the same legal moves");
    let mut largest = [0f64; 3];
    for mv in &found.moves {
        let text = by_index[&mv.index];
        let share = mv.policy.expect("a policy");
        largest[0] = largest[0].max((f64::from(share.logit) - stored.logit[text]).abs());
        largest[1] = largest[1].max((share.probability - stored.policy[text]).abs());
    }
    let Some((_, Meaning::Wdl(wdl))) = found.others.first() else { panic!("win, draw and loss come first") };
    largest[2] = wdl.iter().zip(stored.wdl).map(|(found, stored)| (found - stored).abs()).fold(0.0, f64::max);
    largest
}
