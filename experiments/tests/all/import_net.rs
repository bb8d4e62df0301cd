//! Networks of Lc0 as people import, ask, play and export them.

#[path = "../../../labs/lc0/tests/all/maia.rs"]
pub mod maia;
#[path = "../../../labs/lc0/tests/all/random.rs"]
pub mod random;
#[path = "../../../labs/lc0/tests/all/samples.rs"]
pub mod samples;
#[path = "../../../labs/lc0/tests/all/wire.rs"]
pub mod wire;

use self::maia::{ABSENT, imported, said};
use self::random::Net;
use self::samples::{FORMAT, oldest, with_everything};
use self::wire::file;
use crate::cli::{run, run_args};
use config::Weights;
use games::Position as _;
use games::chess::{Chess, ChessPosition};
use lc0::cell;
use play::{Agent, Player};
use std::fs;
use tch::Device;
use testing::assert_says;
use train::inference::{Loaded, Situation};

#[test]
fn the_command_makes_a_cell_and_overwrites_none() {
    let dir = tempfile::tempdir().expect("a folder");
    let (net, out) = (dir.path().join("net.pb"), dir.path().join("runs/net/seed-0"));
    fs::create_dir_all(out.parent().expect("a parent")).expect("folders");
    fs::write(&net, file(FORMAT, &oldest())).expect("written");
    let import = || run(&dir, "data import-net net.pb --out runs/net/seed-0");
    let parts = ["network:    resnet, 2 blocks of 2 channels", "parameters: ", "posenc play runs/net/seed-0"];
    let said = import().succeeds().says(&parts).stdout;
    let next = said.lines().find_map(|line| line.strip_prefix("  posenc predict ")).expect("a command");
    run(&dir, &format!("predict {next}")).succeeds();
    for command in ["inspect runs/net/seed-0", "eval runs/net/seed-0 --calibration"] {
        run(&dir, command).fails_with(&["an imported network names no dataset", "again with --data DATASET"]);
    }
    let config = fs::read_to_string(out.join("config.yaml")).expect("config.yaml");
    assert_says(&config, &["imported:\n  file: net.pb\n  blake3: "]);
    assert!(out.join("checkpoints/final.safetensors").is_file());
    import().fails_with(&["exists already"]);
    run(&dir, "data import-net net.pb --out other --threads 0").misused_with(&["--threads"]);
    fs::write(&net, "no network").expect("written");
    fs::remove_dir_all(&out).expect("removed");
    import().fails_with(&["net.pb is not imported"]);
    assert!(!out.exists());
}

#[test]
fn an_attention_body_is_imported_without_a_head_and_asked_as_lc0_asks() {
    let dir = tempfile::tempdir().expect("a folder");
    fs::write(dir.path().join("net.pb"), Net::new(with_everything(), 21).file(false)).expect("written");
    run(&dir, "data import-net net.pb --out net --without policy_heads.opponent")
        .succeeds()
        .says(&["network:    chessformer, ", "encoding:   absolute(gate"]);
    let fen = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3";
    let asked = |fill: &[&str]| run_args(&dir, &[&["predict", "net", "--json", "--fen", fen], fill].concat()).json();
    let (bare, filled) = (asked(&[]), asked(&["--history-fill", "fen_only"]));
    assert_ne!(bare["wdl"], filled["wdl"]);
    assert_eq!(bare, asked(&["--history-fill", "no"]));
    let further: Vec<&str> =
        filled["moves"][0]["further_probabilities"].as_object().expect("policies").keys().map(String::as_str).collect();
    assert_eq!(further, ["mine", "optimistic_st"]);
    let shares = [&filled["q.wdl"]["win"], &filled["q.wdl"]["draw"], &filled["q.wdl"]["loss"]];
    let [win, draw, loss] = shares.map(|share| share.as_f64().expect("a share"));
    assert!((win + draw + loss - 1.0).abs() < 1e-9);
    assert!((filled["q"].as_f64().expect("a reward") - (win - loss)).abs() < 1e-6);
}

#[test]
fn the_command_writes_a_file_and_overwrites_none() {
    let dir = tempfile::tempdir().expect("a folder");
    let [net, folder, out] = ["net.pb", "cell", "back.pb.gz"].map(|name| dir.path().join(name));
    fs::write(&net, Net::new(with_everything(), 33).file(false)).expect("written");
    let imported = lc0::read(&net, &[]).expect("a network");
    cell::write(&imported, &cell::run_of(&imported, &net, None).expect("a run"), &folder).expect("a cell");
    let export = || run(&dir, "export cell --lc0 back.pb.gz");
    export().succeeds().says(&["largest rounding error in the file"]);
    let again = lc0::read(&out, &[]).expect("a network");
    assert_eq!(again.encoding, Loaded::cell(&folder, Weights::Raw, Device::Cpu).expect("a cell").config.encoding);
    export().fails_with(&["back.pb.gz exists already"]);
}

const RUN: &str = "
game: chess
data: .
input: lc0_112
model: {chessformer: {layers: 2, width: 16, heads: 2, ff: 24, norm: post, normalisation: layer_1e-6,
  value: {embedding: 3, hidden: 5}, outputs: {policy: {}, result: {}}}}
encoding: [{relative_bias: {share: displacement}}]
train: {steps: 1, batch: 8, optimizer: {adamw: {}}, learning_rate: {values: [0.001]}}
eval: {validation_positions: 8, test_positions: 8, every: 1}
seed: 0
";

#[test]
fn a_relative_bias_is_written_and_the_file_compared_with_the_cell() {
    let dir = tempfile::tempdir().expect("a folder");
    fs::create_dir(dir.path().join("cell")).expect("a folder");
    fs::write(dir.path().join("cell/config.yaml"), RUN).expect("written");
    fs::write(dir.path().join("positions"), "startpos\nstartpos moves e2e4 c7c5 g1f3\n").expect("written");
    let export = |further: &str| run(&dir, &format!("export cell --random 5 --lc0 net.pb.gz {further}"));
    export("--positions positions").fails_with(&["--positions has no effect without --check"]);
    // Without positions of its own it takes those of the dataset, which is not there.
    export("--check").fails_with(&["the default positions; --positions names others"]);
    assert!(!dir.path().join("net.pb.gz").exists());
    let said = export("--check --positions positions").succeeds();
    said.says(&["largest rounding error in the file", "read back, 2 positions: largest differences", "of q"]);
    let read = lc0::read(&dir.path().join("net.pb.gz"), &[]).expect("a network");
    assert_eq!(read.encoding.iter().map(encodings::EncodingConfig::label).collect::<Vec<_>>(), ["smolgen(1/16/8)"]);
    assert_eq!(run(&dir, "export cell --out folder --check").code, Some(2));
}

#[test]
fn maia_as_an_agent_plays_the_moves_that_lc0_likes_most_with_it() {
    let dir = tempfile::tempdir().expect("a folder");
    let Some(loaded) = imported(dir.path()) else {
        eprintln!("{ABSENT}");
        return;
    };
    let said = said();
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
