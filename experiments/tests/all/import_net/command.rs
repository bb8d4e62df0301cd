//! `posenc data import-net` and `posenc export --lc0`.

use super::random::Net;
use super::samples::{FORMAT, oldest, with_everything};
use super::wire::file;
use config::Weights;
use lc0::cell;
use std::fs;
use std::process::Command;
use tch::Device;
use train::inference::Loaded;

#[test]
fn the_command_makes_a_cell_and_overwrites_none() {
    let dir = tempfile::tempdir().expect("a folder");
    let (net, out) = (dir.path().join("net.pb"), dir.path().join("runs/net/seed-0"));
    fs::create_dir_all(out.parent().expect("a parent")).expect("folders");
    fs::write(&net, file(FORMAT, &oldest())).expect("written");
    let import = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_posenc"));
        command.args(["data", "import-net"]).arg(&net).arg("--out").arg(&out);
        command.output().expect("it starts")
    };
    let made = import();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    assert!(String::from_utf8_lossy(&made.stdout).contains(r#"{"resnet":{"blocks":2,"channels":2"#));
    let config = fs::read_to_string(out.join("config.yaml")).expect("config.yaml");
    assert!(config.contains("imported:\n  file: net.pb\n  blake3: "), "{config}");
    assert!(out.join("checkpoints/final.safetensors").is_file());
    let again = import();
    assert_eq!(again.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&again.stderr).contains("exists already"));
    fs::write(&net, "no network").expect("written");
    fs::remove_dir_all(&out).expect("removed");
    let refused = import();
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(refused.status.code() == Some(1) && said.contains("net.pb is not imported"), "{said}");
    assert!(!out.exists());
}

#[test]
fn an_attention_body_is_imported_without_a_head_and_asked_as_lc0_asks() {
    let dir = tempfile::tempdir().expect("a folder");
    let (net, out) = (dir.path().join("net.pb"), dir.path().join("net"));
    fs::write(&net, Net::new(with_everything(), 21).file(false)).expect("written");
    let posenc = |arguments: &[&str]| {
        let done = Command::new(env!("CARGO_BIN_EXE_posenc")).args(arguments).output().expect("it starts");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).expect("text")
    };
    let (file, cell) = (net.to_str().expect("a path"), out.to_str().expect("a path"));
    let said = posenc(&["data", "import-net", file, "--out", cell, "--without", "policy_heads.opponent"]);
    assert!(said.contains(r#"{"chessformer":{"#) && said.contains(r#"[{"absolute":{"at":"gate""#), "{said}");
    let fen = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3";
    let asked = |fill: &[&str]| -> serde_json::Value {
        let text = posenc(&[&["predict", cell, "--json", "--fen", fen], fill].concat());
        serde_json::from_str(&text).expect("JSON")
    };
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
    let run = cell::run_of(&imported, &net, None).expect("a run");
    cell::write(&imported, &run, &folder).expect("a cell");
    let export = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_posenc"));
        command.arg("export").arg(&folder).arg("--lc0").arg(&out).output().expect("it starts")
    };
    let made = export();
    let said = String::from_utf8_lossy(&made.stdout).into_owned();
    assert!(made.status.success() && said.contains("largest rounding error in the file"), "{said}");
    let again = lc0::read(&out, &[]).expect("a network");
    assert_eq!(again.encoding, Loaded::cell(&folder, Weights::Raw, Device::Cpu).expect("a cell").config.encoding);
    let refused = export();
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(refused.status.code() == Some(1) && said.contains("back.pb.gz exists already"), "{said}");
}
