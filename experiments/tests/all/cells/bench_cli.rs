//! `posenc bench` and `posenc devices`.

use serde_json::Value;
use std::process::{Command, Output};
use testing::Bench;

fn posenc(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_posenc")).args(arguments).output().expect("posenc starts")
}

fn stdout(output: Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn complaint(arguments: &[&str]) -> String {
    let output = posenc(arguments);
    assert_eq!(output.status.code(), Some(1));
    String::from_utf8(output.stderr).expect("UTF-8")
}

#[test]
fn steps_are_timed_against_the_control() {
    let text = stdout(posenc(&[
        "bench",
        "step",
        "--model",
        "cf-6m",
        "--batch",
        "1",
        "--encodings",
        "shaw,none",
        "--rounds",
        "1",
        "--json",
    ]));
    let rows: Vec<Value> = serde_json::from_str(&text).expect("JSON");
    let names: Vec<_> = rows.iter().map(|row| row["name"].as_str().expect("a name")).collect();
    assert_eq!(names.len(), 2);
    assert_eq!(names[0], "none");
    assert!(names[1].starts_with("shaw"));
    assert_eq!(rows[0]["ratio"], 1.0);
    let parameters = |row: &Value| row["parameters"].as_u64().expect("a number");
    // CF-6M: three tables of 225 displacements in each of 8 layers of width 256.
    assert_eq!(parameters(&rows[1]) - parameters(&rows[0]), 1_382_400);
    assert!(rows.iter().all(|row| row["positions_per_s"].as_f64().is_some_and(|rate| rate > 0.0)));
}

#[test]
fn the_loader_is_timed() {
    let bench = Bench::new();
    let data = bench.path().join("data");
    let data = data.to_str().expect("UTF-8");
    let text = stdout(posenc(&["bench", "loader", "--data", data, "--seconds", "0.05", "--workers", "2", "--json"]));
    let rate: Value = serde_json::from_str(&text).expect("JSON");
    assert!(rate["one_worker"].as_f64().is_some_and(|per_s| per_s > 1000.0), "{rate}");
    assert_eq!(rate["workers"], 2);
    let table = stdout(posenc(&["bench", "loader", "--data", data, "--seconds", "0.05"]));
    assert!(table.contains("positions/s"), "{table}");
}

#[test]
fn wrong_names_are_answered_with_the_right_ones() {
    let step = |model: &str, encodings: &str| complaint(&["bench", "step", "--model", model, "--encodings", encodings]);
    assert!(step("cf-7m", "all").contains("the presets are cf-6m"));
    assert!(step("cf-6m", "show").contains("relative_bias"));
    assert!(complaint(&["bench", "loader", "--data", "nowhere"]).contains("nowhere"));
    let device = posenc(&["bench", "step", "--model", "cf-6m", "--device", "gpu"]);
    assert_eq!(device.status.code(), Some(2));
    for option in ["--batch", "--rounds", "--threads"] {
        let none = posenc(&["bench", "step", "--model", "cf-6m", "--encodings", "none", option, "0"]);
        assert_eq!(none.status.code(), Some(2), "{option}");
        assert!(String::from_utf8_lossy(&none.stderr).contains(option));
    }
}

#[test]
fn devices_name_the_processor_and_libtorch() {
    let text = stdout(posenc(&["devices"]));
    assert!(text.contains("CPU") && text.contains("LibTorch") && text.contains("2.11.0"), "{text}");
    let found: Value = serde_json::from_str(&stdout(posenc(&["devices", "--json"]))).expect("JSON");
    assert_eq!(found["libtorch"]["version"], "2.11.0");
    assert!(found["cpu"]["cores"].as_u64().is_some_and(|cores| cores > 0));
}
