//! Loaded weights are those that the cell ended with.

use config::Weights;
use games::{GameKind, InputName, MovesName};
use models::AverageConfig;
use models::average::SwaConfig;
use serde_json::Value;
use std::fs;
use std::path::Path;
use tch::Device;
use testing::{Bench, flip};
use train::checkpoint::{load_final, save_final};
use train::inference::{Loaded, Origin, Request, positions};

fn start() -> Request {
    positions::read("startpos", "", GameKind::Chess, InputName::PieceTokens, MovesName::FromTo).expect("a position")
}

#[test]
fn a_finished_cell_has_its_final_weights_and_an_interrupted_one_its_newest_checkpoints() {
    let bench = Bench::new();
    let done = bench.trained("done", &bench.run(4));
    let loaded = Loaded::cell(&done, Weights::Raw, Device::Cpu).expect("it is done");
    assert_eq!(loaded.origin, Origin::Final);
    assert_eq!(loaded.arena.values().expect("weights"), load_final(&done, loaded.layout()).expect("its weights"));

    let error = Loaded::cell(&done, Weights::Averaged, Device::Cpu).expect_err("it averages nothing").to_string();
    assert!(error.contains("its run has no `averaging`"), "{error}");

    let crashed = bench.crashed("crashed");
    let loaded = Loaded::cell(&crashed, Weights::Raw, Device::Cpu).expect("it has checkpoints");
    assert_eq!(loaded.origin, Origin::Checkpoint { step: 20 });
    let answers = train::inference::Answers::of(&loaded, &[start()]).expect("a forward pass");
    assert_eq!(answers.output("result").map(tch::Tensor::size), Some(vec![1, 3]));

    let mut run = bench.run(29);
    run.train.averaging = Some(AverageConfig::Swa(SwaConfig { every: 25, max_n: 2 }));
    let early = bench.crashed_of("early", &run, 28);
    let error = Loaded::cell(&early, Weights::Averaged, Device::Cpu).expect_err("it averages later").to_string();
    assert!(error.contains("has no averaged weights yet: its checkpoint of step 20"), "{error}");

    fs::remove_dir_all(crashed.join("checkpoints")).expect("removed");
    let error = Loaded::cell(&crashed, Weights::Raw, Device::Cpu).expect_err("nothing is left").to_string();
    assert!(error.contains("has no weights yet"), "{error}");
    fs::remove_dir_all(done.join("checkpoints")).expect("removed");
    let error = Loaded::cell(&done, Weights::Raw, Device::Cpu).expect_err("its weights are removed").to_string();
    assert!(error.contains("is finished, but has no weights: they were removed; to train it again"), "{error}");
}

fn without(path: &Path, key: &str) {
    let mut value: Value = serde_json::from_slice(&fs::read(path).expect("a record")).expect("JSON");
    value.as_object_mut().expect("an object").remove(key).expect("the key is there");
    fs::write(path, value.to_string()).expect("written");
}

#[test]
fn weights_that_the_cell_did_not_end_with_and_that_are_not_numbers_are_refused() {
    let bench = Bench::new();
    let mut run = bench.run(4);
    run.train.averaging = Some(AverageConfig::Swa(SwaConfig { every: 2, max_n: 2 }));
    let cell = bench.trained("done", &run);
    let load = |which| Loaded::cell(&cell, which, Device::Cpu);
    let whole = load(Weights::Raw).expect("it is done");
    let recorded = records::Status::read(&cell).expect("readable").and_then(|status| status.result).expect("a result");
    assert_eq!(whole.weights_hash().expect("weights"), recorded.weights);
    load(Weights::Averaged).expect("it averages");

    let files = ["final.safetensors", "final-averaged.safetensors"].map(|name| cell.join("checkpoints").join(name));
    for (file, which) in files.iter().zip([Weights::Raw, Weights::Averaged]) {
        // Of its last number.
        flip(file, |length| length - 4);
        let error = load(which).expect_err("another weight").to_string();
        let names = ["manifest.json records the BLAKE3", "found", "copy the cell's folder again"];
        assert!(error.contains(&*file.to_string_lossy()) && names.iter().all(|name| error.contains(name)), "{error}");
    }
    without(&cell.join("manifest.json"), "finish");
    let error = load(Weights::Raw).expect_err("another weight").to_string();
    assert!(error.contains(&format!("status.json records the BLAKE3 {}", recorded.weights)), "{error}");
    load(Weights::Averaged).expect("nothing records it any more");
    without(&cell.join("status.json"), "result");
    load(Weights::Raw).expect("nothing records them any more");

    let mut weights = whole.arena.values().expect("weights");
    let param = whole.layout().params().last().expect("a parameter");
    weights[param.offset] = f32::NAN;
    save_final(&cell, whole.layout(), &weights).expect("written");
    let error = load(Weights::Raw).expect_err("not a number").to_string();
    assert!(error.contains(&format!("1 of the {} numbers of {}", param.len(), param.name)), "{error}");
}
