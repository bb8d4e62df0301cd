//! `posenc bench` and `posenc devices`.

use crate::cli::{self, run};
use std::path::Path;
use testing::Bench;

#[test]
fn steps_are_timed_against_the_control() {
    let rows = run(".", "bench step --model cf-6m --batch 1 --encodings shaw,none --rounds 1 --json").json();
    let rows = rows.as_array().expect("rows");
    let names: Vec<_> = rows.iter().map(|row| row["name"].as_str().expect("a name")).collect();
    assert!(names.len() == 2 && names[0] == "none" && names[1].starts_with("shaw"), "{names:?}");
    assert_eq!(rows[0]["ratio"], 1.0);
    // CF-6M: three tables of 225 displacements in each of 8 layers of width 256.
    let [none, shaw] = [0, 1].map(|row| rows[row]["parameters"].as_u64().expect("a number"));
    assert_eq!(shaw - none, 1_382_400);
    assert!(rows.iter().all(|row| row["positions_per_s"].as_f64().is_some_and(|rate| rate > 0.0)));
}

#[test]
fn a_step_is_counted_without_a_gpu() {
    let count = "bench step --model cf-6m --batch 2 --encodings shaw --count";
    let rows = run(".", &format!("{count} --json")).json();
    let of = |row: usize, key: &str| rows[row][key].as_f64().expect("a number");
    // Per block five products forward and nine backward, and Shaw's.
    assert!(of(0, "products") > 100.0 && of(1, "products") > of(0, "products"), "{rows}");
    assert!(of(0, "operators") > of(0, "products") && of(1, "bytes") > of(0, "bytes"), "{rows}");
    // Weights are read forward and backward, and the optimiser reads and writes them.
    assert!(of(0, "bytes") > 10.0 * 4.0 * of(0, "parameters"), "{rows}");
    for row in 0..2 {
        assert_eq!((of(row, "uploads"), of(row, "reads"), rows[row]["peak_bytes"].as_f64()), (0.0, 0.0, None));
        let best = rows[row]["best_positions_per_s"].as_array().expect("GPUs").clone();
        let rates: Vec<f64> = best.iter().map(|gpu| gpu[1].as_f64().expect("a rate")).collect();
        assert!(rates.len() == 3 && rates[0] < rates[1] && rates[1] < rates[2], "{best:?}");
    }
    // A GPU's operations are counted, whatever computes otherwise.
    let words: Vec<&str> = count.split(' ').collect();
    let said = cli::answer(cli::posenc(Path::new("."), &words).env("POSENC_KERNELS", "off")).succeeds();
    said.says(&["operators", "H200", "one step of 2 positions", "counted\nunfused, whatever POSENC_KERNELS says"])
        .says(&[0, 1].map(|row: usize| rows[row]["operators"].to_string()).each_ref().map(String::as_str));
}

#[test]
fn the_loader_is_timed() {
    let bench = Bench::new();
    let loader = format!("bench loader --data {} --seconds 0.05", bench.path().join("data").display());
    let rate = run(".", &format!("{loader} --workers 2 --json")).json();
    assert!(rate["one_worker"].as_f64().is_some_and(|per_s| per_s > 1000.0), "{rate}");
    assert_eq!(rate["workers"], 2);
    // One worker is measured once.
    let rate = run(".", &format!("{loader} --workers 1 --json")).json();
    assert_eq!(rate["one_worker"], rate["many_workers"]);
    let rows = run(".", &format!("{loader} --workers 1")).succeeds().says(&["positions/s"]).stdout.lines().count();
    assert_eq!(rows, 4, "a header, its line, a measurement and its positions");
}

#[test]
fn a_dataset_is_repeated_and_measured() {
    let bench = Bench::new();
    let (data, out) = (bench.path().join("data"), bench.path().join("repeated"));
    let command = format!("bench data {} --positions 2000 --out {} --seconds 0.01", data.display(), out.display());
    for _ in 0..2 {
        let found = run(".", &format!("{command} --json")).json();
        assert!(found["positions"].as_u64().is_some_and(|positions| (2_000..4_000).contains(&positions)), "{found}");
        assert!(found["positions_per_s"].as_f64().is_some_and(|per_s| per_s > 1000.0), "{found}");
        assert!(found["made_bytes_per_s"].as_f64().is_some_and(|per_s| per_s > 1000.0), "{found}");
    }
    run(".", &command).succeeds().says(&["first open s", "rows in memory, made at ", "posenc check assumes 40)"]);
    run(".", &format!("bench data {} --positions 5", data.display())).misused_with(&["--out"]);
}

#[test]
fn wrong_names_are_answered_with_the_right_ones() {
    run(".", "bench step --model cf-7m").fails_with(&["the presets are cf-6m"]);
    run(".", "bench step --model cf-6m --encodings show").fails_with(&["relative_bias"]);
    run(".", "bench loader --data nowhere").fails_with(&["nowhere"]);
    for wrong in ["--device gpu", "--game go", "--batch 0", "--rounds 0", "--threads 0"] {
        let refused = run(".", &format!("bench step --model cf-6m --encodings none {wrong}"));
        refused.misused_with(&[&wrong[..wrong.find(' ').expect("a value")]]);
    }
}

#[test]
fn devices_name_the_processor_and_libtorch() {
    run(".", "devices").succeeds().says(&["CPU", "LibTorch", "2.11.0"]);
    let found = run(".", "devices --json").json();
    assert_eq!(found["libtorch"]["version"], "2.11.0");
    assert!(found["cpu"]["cores"].as_u64().is_some_and(|cores| cores > 0));
}
