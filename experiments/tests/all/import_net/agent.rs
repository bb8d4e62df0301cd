//! Maia as an agent.

use config::Weights;
use games::Position as _;
use games::chess::{Chess, ChessPosition};
use lc0::cell;
use play::{Agent, Player};
use serde::Deserialize;
use std::collections::BTreeMap;
use tch::Device;
use testing::root;
use train::inference::{Loaded, Situation};

const NET: &str = "maia-1100.pb.gz";

/// A line of the oracle: a position with its moves, and the probability that Lc0 gives each answer.
#[derive(Deserialize)]
struct Said {
    startfen: String,
    moves: Vec<String>,
    policy: BTreeMap<String, f64>,
}

#[test]
fn maia_as_an_agent_plays_the_moves_that_lc0_likes_most_with_it() {
    let places = [root().join("labs/lc0/tests/data"), root().join("../shared/data/chess")];
    let Some(file) = places.into_iter().map(|place| place.join(NET)).find(|path| path.is_file()) else {
        eprintln!("{NET} is not here, so nothing was compared with Lc0: see labs/lc0/tests/data/ORIGIN.md");
        return;
    };
    let dir = tempfile::tempdir().expect("a folder");
    let out = dir.path().join("maia");
    let imported = lc0::read(&file, &[]).expect("a network of Lc0");
    cell::write(&imported, &cell::run_of(&imported, &file, None).expect("a run"), &out).expect("a cell");
    let loaded = Loaded::cell(&out, Weights::Raw, Device::Cpu).expect("a cell with weights");
    let text = std::fs::read_to_string(root().join("labs/lc0/tests/data/maia-1100_oracle.jsonl")).expect("the oracle");
    let said: Vec<Said> = text.lines().map(|line| serde_json::from_str(line).expect("a line of the oracle")).collect();
    let situations: Vec<Situation<Chess>> = said
        .iter()
        .map(|said| {
            let start = ChessPosition::parse(&said.startfen).expect("a position");
            let mut situation: Situation<Chess> = Situation::of_run(start, &loaded.config);
            for text in &said.moves {
                let mv = situation.position().parse_move(text).expect("a legal move");
                situation.play(mv);
            }
            situation
        })
        .collect();
    let mut stream = streams::stream(0, &["test"]);
    let player = Player::new(&loaded, Agent::POLICY);
    let decisions = player.decide(&situations.iter().collect::<Vec<_>>(), &mut stream).expect("decisions");
    for ((said, situation), decision) in said.iter().zip(&situations).zip(&decisions) {
        let best = said.policy.iter().max_by(|(_, a), (_, b)| a.total_cmp(b)).expect("a move").0;
        // Lc0 writes castling as the king's capture of its rook.
        let best = situation.position().parse_move(best).expect("a legal move");
        assert_eq!(decision.text(), Some(situation.position().move_text(best).as_str()), "{}", said.startfen);
    }
}
