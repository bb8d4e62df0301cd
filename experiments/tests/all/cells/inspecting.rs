//! What is exported is what was trained.

use crate::cells::support::Bench;
use games::{GameKind, InputName, MovesName};
use spec::Weights;
use std::fs;
use tch::Device;
use train::checkpoint::load_final;
use train::inspect::{InspectError, Loaded, Origin, Request, positions};

fn start() -> Request {
    positions::read("startpos", "", GameKind::Chess, InputName::PieceTokens, MovesName::FromTo).expect("a position")
}

#[test]
fn a_finished_cell_has_its_final_weights_and_an_interrupted_one_its_newest_checkpoints() {
    let bench = Bench::new();
    let done = bench.trained("done", &bench.run(4));
    let loaded = Loaded::cell(&done, Weights::Raw, Device::Cpu).expect("it is done");
    assert_eq!(loaded.origin, Origin::Final);
    let finals = load_final(&done, loaded.layout()).expect("its weights");
    assert_eq!(loaded.arena.values().expect("weights"), finals);

    let error = Loaded::cell(&done, Weights::Averaged, Device::Cpu).expect_err("it averages nothing");
    assert!(matches!(error, InspectError::NoAverage { .. }), "{error}");

    let crashed = bench.crashed("crashed");
    let loaded = Loaded::cell(&crashed, Weights::Raw, Device::Cpu).expect("it has checkpoints");
    assert_eq!(loaded.origin, Origin::Checkpoint { step: 20 });
    let answers = train::inspect::Answers::of(&loaded, &[start()]).expect("a forward pass");
    assert_eq!(answers.output("result").map(tch::Tensor::size), Some(vec![1, 3]));

    fs::remove_dir_all(crashed.join("checkpoints")).expect("removed");
    let error = Loaded::cell(&crashed, Weights::Raw, Device::Cpu).expect_err("nothing is left");
    assert!(matches!(error, InspectError::NoWeights { .. }), "{error}");
}
