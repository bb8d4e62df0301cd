//! A Maia network, which is not in the repository (`tests/data/ORIGIN.md` says where it is), and Lc0's outputs for it.

use config::Weights;
use games::{GameKind, InputName, MovesName};
use lc0::cell;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;
use tch::Device;
use train::inference::{Loaded, Request, positions};

pub const ABSENT: &str =
    "maia-1100.pb.gz is not here, so nothing was compared with Lc0: see labs/lc0/tests/data/ORIGIN.md";

/// A position with its moves, and what Lc0 said about it.
#[derive(Deserialize)]
pub struct Said {
    pub startfen: String,
    pub moves: Vec<String>,
    pub policy: BTreeMap<String, f64>,
    pub logit: BTreeMap<String, f64>,
    pub idx: BTreeMap<String, u16>,
    pub wdl: [f64; 3],
}

impl Said {
    pub fn request(&self) -> Request {
        let text = format!("{} moves {}", self.startfen, self.moves.join(" "));
        positions::read(&text, "", GameKind::Chess, InputName::Lc0_112, MovesName::FromTo).expect("a position")
    }
}

pub fn said() -> Vec<Said> {
    let text = include_str!("../data/maia-1100_oracle.jsonl");
    text.lines().map(|line| serde_json::from_str(line).expect("a line of the oracle")).collect()
}

/// The network as a cell in `dir`, if its file is here.
pub fn imported(dir: &Path) -> Option<Loaded> {
    let mut above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let root = above.find(|folder| folder.join("labs/lc0").is_dir()).expect("the tests lie in the project");
    let places = ["labs/lc0/tests/data", "../shared/data/chess"].map(|place| root.join(place).join("maia-1100.pb.gz"));
    let file = places.into_iter().find(|path| path.is_file())?;
    let imported = lc0::read(&file, &[]).expect("a network of Lc0");
    let run = cell::run_of(&imported, &file, None).expect("a run");
    cell::write(&imported, &run, &dir.join("maia")).expect("a cell");
    let loaded = Loaded::cell(&dir.join("maia"), Weights::Raw, Device::Cpu).expect("a cell with weights");
    assert_eq!(loaded.config.imported, run.imported);
    Some(loaded)
}
