//! The long table of curves, and the recipes of docs/metrics.md that read it.

use crate::report::folder::{Folder, SEEDS};
use arrow_array::cast::AsArray as _;
use arrow_array::types::{Float64Type, UInt64Type};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use report::csv;
use report::curves::{self, COLUMNS};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

const PAGE: &str = include_str!("../../../../../../docs/metrics.md");

fn table(folder: &Folder) -> String {
    let mut table = Vec::new();
    curves::write(folder.path(), &mut table).expect("a table");
    String::from_utf8(table).expect("text")
}

#[test]
fn curves_have_a_line_for_every_number_of_every_cell() {
    let mut folder = Folder::finished();
    folder.edit(|plan| plan.rows[2].label = "rope, wide".to_owned());
    // A cell that has begun, one that has measured nothing, and one whose last line is being written.
    fs::remove_file(folder.cell("shaw", 2).join("metrics.jsonl")).expect("removed");
    let path = folder.cell("shaw", 1).join("metrics.jsonl");
    let line = r#"{"step":7,"split":"train","weights":"averaged","epochs":0.1,"metrics":{"loss":1.0,"gradient_norm":1e-7},"time":{"unix_s":0.0,"wall_s":1.0,"positions_per_s":10.0}}"#;
    fs::write(&path, format!("{line}\n{{\"step\":9,")).expect("metrics");

    let drawn = table(&folder);
    let lines: Vec<&str> = drawn.split_terminator("\r\n").collect();
    assert_eq!(lines[0], "game,row,role,seed,step,split,weights,metric,value");
    assert_eq!(lines[0].split(',').collect::<Vec<_>>(), COLUMNS);
    // One cell of the fixture has 1 + 1 + 2 + 1 + 18 numbers; shaw has one such cell and one with two numbers.
    assert_eq!(lines.len() - 1, 10 * 23 + 2);
    for line in [
        "chess,shaw,compared,0,50,validation,raw,policy_loss,3.3",
        "chess,shaw,compared,1,7,train,averaged,loss,1.0",
        "chess,shaw,compared,1,7,train,averaged,gradient_norm,1e-7",
        "chess,\"rope, wide\",compared,2,100,test,raw,policy_accuracy,0.4",
        "chess,absolute-twin,twin,0,100,train_sample,raw,policy_accuracy,0.5",
    ] {
        assert!(lines.contains(&line), "{line} is not in\n{drawn}");
    }
    fs::write(&path, "{}\n").expect("metrics");
    let error = curves::write(folder.path(), &mut Vec::new()).expect_err("a damaged line").to_string();
    assert!(error.contains("metrics.jsonl, line 1"), "{error}");
}

/// A grid in which the encoding and the number of layers differ. The A/A control's manifests hold no run.
fn of_two_axes() -> Folder {
    let folder = Folder::finished();
    for (label, layers) in [("absolute", 2), ("shaw", 4), ("rope", 2)] {
        let model = json!({"chessformer": {"layers": layers, "width": 48}});
        folder.run(label, &json!({"encoding": [{label: {}}], "model": model}));
    }
    folder
}

#[test]
fn varied_axes_are_columns() {
    let folder = of_two_axes();
    let drawn = table(&folder);
    let lines: Vec<&str> = drawn.split_terminator("\r\n").collect();
    assert_eq!(lines[0], format!("{},encoding,model.chessformer.layers", COLUMNS.join(",")));
    for line in [
        "chess,absolute,reference,0,50,validation,raw,policy_loss,3.4,absolute,2",
        "chess,shaw,compared,0,50,validation,raw,policy_loss,3.3,shaw,4",
        "chess,absolute-twin,twin,0,100,train_sample,raw,policy_accuracy,0.5,,",
    ] {
        assert!(lines.contains(&line), "{line} is not in\n{drawn}");
    }
    let report = csv::draw(&folder.report());
    let (header, lines) = report.split_once("\r\n").expect("lines");
    assert!(header.ends_with(",tied,encoding,model.chessformer.layers"), "{header}");
    let of_shaw: Vec<&str> = lines.lines().filter(|line| line.starts_with("by-hand,chess,shaw,")).collect();
    assert!(!of_shaw.is_empty() && of_shaw.iter().all(|line| line.ends_with(",shaw,4")), "{of_shaw:?}");
    let width = |line: &str| line.split(',').count();
    assert!(lines.lines().all(|line| width(line) == width(header)), "{report}");
}

#[test]
fn every_line_has_one_of_the_reference_to_be_compared_with() {
    let drawn = table(&Folder::of_two_games());
    let lines: Vec<Vec<&str>> = drawn.lines().skip(1).map(|line| line.split(',').collect()).collect();
    // Game, seed, step, split, weights and metric.
    let key = |line: &[&str]| [0, 3, 4, 5, 6, 7].map(|column| line[column].to_owned());
    let value = |line: &[&str]| line[8].parse::<f64>().expect("a number");
    let mut references = BTreeMap::new();
    for line in lines.iter().filter(|line| line[2] == "reference") {
        assert_eq!(references.insert(key(line), value(line)), None, "{line:?}");
    }
    let gains = lines.iter().filter(|line| line[1] == "shaw" && line[4] == "50");
    let gains: Vec<f64> = gains.map(|line| value(line) - references[&key(line)]).collect();
    assert_eq!(gains.len(), 2 * SEEDS.len());
    assert!((gains.iter().sum::<f64>() / gains.len() as f64 + 0.096_666_666_666_666).abs() < 1e-9, "{gains:?}");
}

#[test]
fn trackers_get_a_line_per_step_and_flat_settings_of_every_cell() {
    let folder = Folder::finished();
    let model = json!({"chessformer": {"layers": 2, "width": 48}});
    let stack = json!([{"shaw": {"terms": ["q", "k"]}}, "lepe"]);
    for (label, encoding) in [("absolute", json!([{"none": {}}])), ("shaw", stack)] {
        folder.run(label, &json!({"encoding": encoding, "model": model, "train": {"clip": 10.0}}));
    }
    fs::remove_file(folder.cell("rope", 1).join("metrics.jsonl")).expect("removed");
    let averaged = r#"{"step":100,"split":"validation","weights":"averaged","epochs":0.1,"metrics":{"policy_loss":1e-7},"time":{"unix_s":0.0,"wall_s":1.0,"positions_per_s":10.0}}"#;
    let metrics = folder.cell("shaw", 0).join("metrics.jsonl");
    fs::write(&metrics, fs::read_to_string(&metrics).expect("metrics") + averaged + "\n").expect("written");

    let out = tempfile::tempdir().expect("a folder");
    assert_eq!(curves::write_wide(folder.path(), out.path()).expect("written"), 4 * SEEDS.len() - 1);
    let place = |label: &str, seed: u64| {
        let cell = folder.cell(label, seed);
        out.path().join(cell.strip_prefix(folder.path()).expect("inside"))
    };
    assert!(!place("rope", 1).exists(), "it has measured nothing");
    let table = fs::read_to_string(place("shaw", 0).join("metrics.csv")).expect("a table");
    let lines: Vec<Vec<&str>> = table.split_terminator("\r\n").map(|line| line.split(',').collect()).collect();
    assert!(lines[0][0] == "step" && lines.iter().all(|line| line.len() == lines[0].len()), "{table}");
    let value = |step: &str, name: &str| {
        let column = lines[0].iter().position(|column| *column == name).expect(name);
        lines.iter().find(|line| line[0] == step).expect(step)[column]
    };
    assert_eq!(value("50", "validation/policy_loss"), "3.3");
    assert_eq!(value("100", "validation_averaged/policy_loss"), "1e-7");
    assert_eq!(value("50", "test/policy_accuracy"), "", "test positions are measured after the last step");
    let steps: Vec<u64> = lines[1..].iter().map(|line| line[0].parse().expect("a step")).collect();
    assert!(steps.is_sorted_by(|a, b| a < b), "{steps:?}");

    let settings = |label: &str| -> Value {
        let text = fs::read_to_string(place(label, 2).join("settings.json")).expect("settings");
        serde_json::from_str(&text).expect("JSON")
    };
    let expected = json!({
        "experiment": "by-hand", "game": "chess", "row": "shaw", "role": "compared", "seed": 2,
        "encoding": "[shaw, lepe]", "encoding.0.shaw.terms": ["q", "k"], "encoding.1": "lepe",
        "model.chessformer.layers": 2, "model.chessformer.width": 48, "train.clip": 10.0,
    });
    assert_eq!(settings("shaw"), expected);
    let absolute = settings("absolute");
    assert_eq!((&absolute["encoding"], &absolute["encoding.none"]), (&json!("none"), &json!({})));
}

fn parquet(folder: &Folder) -> Vec<u8> {
    let mut file = Vec::new();
    curves::write_parquet(folder.path(), &mut file).expect("a table");
    file
}

#[test]
fn the_parquet_table_has_the_lines_of_the_csv() {
    let folder = of_two_axes();
    let path = folder.path().join("metrics.parquet");
    fs::write(&path, parquet(&folder)).expect("written");
    let file = fs::File::open(&path).expect("a file");
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).expect("Parquet").build().expect("a reader");
    let axes = ["encoding", "model.chessformer.layers"];
    let mut lines = vec![[COLUMNS, &axes].concat().join(",")];
    for batch in reader.map(|batch| batch.expect("rows")) {
        let text = |column: &str, i: usize| batch[column].as_string::<i32>().value(i).to_owned();
        for i in 0..batch.num_rows() {
            let [seed, step] = ["seed", "step"].map(|name| batch[name].as_primitive::<UInt64Type>().value(i));
            let value = batch["value"].as_primitive::<Float64Type>().value(i);
            let [row, split] = [["game", "row", "role"], ["split", "weights", "metric"]]
                .map(|names| names.map(|name| text(name, i)).join(","));
            let axes = axes.map(|name| text(name, i)).join(",");
            lines.push(format!("{row},{seed},{step},{split},{value:?},{axes}"));
        }
    }
    let csv = table(&folder);
    assert_eq!(lines, csv.split_terminator("\r\n").collect::<Vec<_>>());
}

#[test]
fn the_page_describes_every_column_and_every_field() {
    let (_, columns) = PAGE.split_once("## The long table").expect("a section about the table");
    assert!(COLUMNS.iter().all(|column| columns.contains(&format!("| `{column}` |"))), "a row for each of {COLUMNS:?}");
    for field in
        ["step", "split", "weights", "epochs", "metrics", "time", "time.unix_s", "time.wall_s", "time.positions_per_s"]
    {
        assert!(PAGE.contains(&format!("| `{field}` |")), "no row of `{field}`");
    }
}

fn recipe(library: &str) -> &'static str {
    let blocks = PAGE.split("```python\n").skip(1).filter_map(|rest| rest.split("```").next());
    blocks.into_iter().find(|block| block.contains(&format!("import {library}"))).expect("a recipe")
}

/// Runs a recipe and `checks` after it in a folder that has the tables; none without the library.
fn run(library: &str, checks: &str, dir: &Path) -> Option<String> {
    let python = std::env::var("POSENC_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let installed = Command::new(&python).args(["-c", &format!("import {library}")]).output();
    if !installed.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: python3 has no package {library} (or set POSENC_PYTHON); the columns are tested above");
        return None;
    }
    // The page reads the quickstart.
    let script = format!("{}\n{checks}", recipe(library).replace("map_loss", "policy_loss"));
    let output = Command::new(python).args(["-c", &script]).current_dir(dir).output().expect("python3 starts");
    assert!(output.status.success(), "{script}\n{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The last line: mean and standard deviation of the reference's curve at step 50, shaw's mean gain there.
fn check(library: &str, checks: &str) {
    let folder = Folder::finished();
    fs::write(folder.path().join("curves.csv"), table(&folder)).expect("written");
    fs::write(folder.path().join("metrics.parquet"), parquet(&folder)).expect("written");
    let Some(printed) = run(library, checks, folder.path()) else { return };
    let last = printed.lines().last().expect("numbers");
    let numbers: Vec<f64> = last.split(' ').map(|number| number.parse().expect("a number")).collect();
    let expected = [3.41, 0.01, -0.096_666_666_666_666, SEEDS.len() as f64];
    let close = numbers.iter().zip(expected).all(|(got, expected)| (got - expected).abs() < 1e-9);
    assert!(close && numbers.len() == expected.len(), "{printed}");
}

#[test]
fn the_recipes_for_pandas_polars_and_duckdb_work() {
    check(
        "pandas",
        "at = curve.loc[('chess', 'absolute', 50)]\n\
         gain = gains[(gains['row'] == 'shaw') & (gains['step'] == 50)]['gain']\n\
         print(at['mean'], at['std'], gain.mean(), len(gain))",
    );
    check(
        "polars",
        "at = curve.filter((pl.col('row') == 'absolute') & (pl.col('step') == 50))\n\
         gain = gains.filter((pl.col('row') == 'shaw') & (pl.col('step') == 50))['gain']\n\
         print(at['mean'][0], at['std'][0], gain.mean(), len(gain))",
    );
    check(
        "duckdb",
        "at = curve.filter(\"\\\"row\\\" = 'absolute' AND step = 50\").fetchall()[0]\n\
         gain = [found[0] for found in gains.filter(\"\\\"row\\\" = 'shaw' AND step = 50\").project('gain').fetchall()]\n\
         print(at[3], at[4], sum(gain) / len(gain), len(gain))",
    );
}
