//! `posenc new` writes experiment files that `posenc check` accepts without a warning.

use crate::cli::{Answer, folder, run, run_args};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use testing::{assert_says, datasets};

fn new(dir: &Path, args: &[&str]) -> Answer {
    run_args(dir, &[&["new"], args].concat())
}

fn checked(dir: &Path, file: &str) -> Value {
    run(dir, &format!("check {file} --json")).json()
}

#[test]
fn the_file_fits_its_datasets_and_runs() {
    let dir = datasets();
    let args = ["mine.yaml", "--data", "chess", "--data", "shogi", "--encodings", "none,absolute,rope"];
    let written = "mine.yaml is written: 6 rows and 2 A/A controls x 3 seeds = 24 cells";
    let answer = new(dir.path(), &args).succeeds().says(&[written, "posenc check mine.yaml", "posenc run mine.yaml"]);
    let defaults = [
        "games (chess, shogi, minishogi or all): chess,shogi (--game)",
        "numbers of layers: 2 (--depths)",
        "(--seeds)",
    ];
    assert_says(&answer.stderr, &defaults);
    assert!(!answer.stderr.contains("dataset of"), "{}", answer.stderr);
    let report = checked(dir.path(), "mine.yaml");
    assert_eq!((&report["name"], &report["cells"], &report["warnings"]), (&json!("mine"), &json!(24), &json!([])));
    assert_eq!(report["primary"]["metric"], "policy_loss");
    let question = "Which position encoding is best at predicting moves, on chess and shogi?";
    assert_eq!(report["question"], question);
    run(&dir, "run mine.yaml --smoke --only game=chess --only seed=0 --only encoding=rope").succeeds();
}

#[test]
fn a_mask_of_legal_moves_does_not_tell_which_moves_are_legal() {
    let dir = datasets();
    run(&dir, "data generate probe legal-moves --game minishogi --positions 300 --seed 1 --out legal").succeeds();
    for (data, mask) in [("legal", "mask: none"), ("chess", "mask: train")] {
        let file = format!("{data}.yaml");
        new(dir.path(), &[&file, "--data", data]).succeeds();
        assert_says(&fs::read_to_string(dir.path().join(file)).expect("the file"), &["policy: {}", mask]);
    }
}

#[test]
fn depths_have_a_reference_each_and_paths_are_those_of_the_file() {
    let dir = datasets();
    fs::create_dir(dir.path().join("files")).expect("a folder");
    let args = ["files/deep.yaml", "--data", "chess", "--depths", "4,1", "--question", "Does depth \"help\"?"];
    new(dir.path(), &args).succeeds();
    let text = fs::read_to_string(dir.path().join("files/deep.yaml")).expect("the file");
    assert_says(&text, &["data: ../chess\n", "model.chessformer.layers: [1, 4]\n", "  game: chess\n"]);
    let report = checked(dir.path(), "files/deep.yaml");
    assert_eq!((&report["warnings"], &report["question"]), (&json!([]), &json!("Does depth \"help\"?")));
    let rows = report["rows"].as_array().expect("rows");
    assert_eq!(rows.iter().filter(|row| row["role"] == "reference").count(), 2);
    assert!(rows.iter().all(|row| row["reference"].as_str().is_some_and(|label| label.contains("absolute"))));
}

#[test]
fn without_a_dataset_it_names_the_command_that_makes_one() {
    let dir = folder();
    let answer = new(dir.path(), &["small.yaml", "--game", "chess", "--seeds", "3"]).succeeds();
    let answer = answer.tells(&["dataset of chess: data/attacked-chess (--data)"]);
    let command = answer.stdout.lines().find_map(|line| line.strip_prefix("  posenc data ")).expect("a command");
    run(&dir, &format!("data {command}")).succeeds();
    let report = checked(dir.path(), "small.yaml");
    assert_eq!((&report["warnings"], &report["primary"]["metric"]), (&json!([]), &json!("map_loss")));
    // The same file, now that the dataset is there.
    let again = new(dir.path(), &["small.yaml", "--game", "chess", "--force"]).succeeds();
    assert!(!again.stdout.contains("data generate"), "{}", again.stdout);
    assert_eq!(checked(dir.path(), "small.yaml")["warnings"], json!([]));
}

#[test]
fn a_mistyped_folder_is_said_with_the_one_that_was_meant() {
    let dir = datasets();
    let args = ["new.yaml", "--game", "chess", "--data", "ches"];
    let said = "--data: there is no folder ches (did you mean `chess`?); the file is for attacked squares, which the \
                first command makes";
    new(dir.path(), &args).succeeds().says(&["data generate probe attacked-squares"]).tells(&[said]);
    let there = new(dir.path(), &["there.yaml", "--game", "chess", "--data", "chess"]).succeeds();
    assert!(!there.stderr.contains("there is no folder"), "{}", there.stderr);
    new(dir.path(), &["a.yaml", "--data", "ches"]).fails_with(&["ches has no dataset.yaml", "did you mean `chess`?"]);
}

#[test]
fn files_are_not_replaced_and_wrong_answers_write_nothing() {
    let dir = datasets();
    let path = dir.path().join("mine.yaml");
    fs::write(&path, "mine").expect("a file");
    new(dir.path(), &["mine.yaml", "--data", "chess"]).fails_with(&["mine.yaml exists", "--force"]);
    assert_eq!(fs::read_to_string(&path).expect("the file"), "mine");
    let wrong: [(&[&str], &[&str]); 6] = [
        (&["a file.yaml"], &["a file.yaml cannot be the name", "NAME.yaml"]),
        (&["a.txt"], &["a.txt cannot be the name"]),
        (&["none/a.yaml", "--data", "chess"], &["none/a.yaml cannot be written"]),
        (&["a.yaml", "--data", "chess", "--data", "chess"], &["--data: chess and chess are both datasets of chess"]),
        (&["a.yaml", "--data", "chess", "--game", "shogi"], &["--data: chess is a dataset of chess"]),
        (&["a.yaml", "--data", "nowhere"], &["nowhere has no dataset.yaml", "--game"]),
    ];
    for (args, parts) in wrong {
        new(dir.path(), args).fails_with(parts);
    }
    let unknown = new(dir.path(), &["a.yaml", "--encodings", "absolut,shaw"]);
    unknown.misused_with(&["there is no encoding `absolut`", "absolute"]);
    assert!(!dir.path().join("a.yaml").exists());
}
