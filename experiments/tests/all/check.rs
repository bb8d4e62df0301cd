//! `posenc check` says what an experiment is before anything is trained.

use crate::cli::{Answer, run, run_args};
use config::Experiment;
use safetensors::tensor::{Dtype, TensorView};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use testing::{EXPERIMENT, experiment_files, experiments_folder, place, small};

pub(crate) fn check(text: &str, options: &str) -> Answer {
    run(place(text), &format!("check experiment.yaml {options}")).succeeds()
}

fn checked(text: &str) -> Value {
    check(text, "--json").json()
}

#[test]
#[cfg(unix)]
fn a_folder_whose_name_is_not_utf8_is_refused() {
    use std::os::unix::ffi::OsStrExt as _;
    let dir = place(&small());
    let named = dir.path().join(std::ffi::OsStr::from_bytes(b"caf\xe9"));
    std::fs::create_dir(&named).expect("a folder");
    std::fs::copy(dir.path().join("experiment.yaml"), named.join("experiment.yaml")).expect("a file");
    run(&named, "check experiment.yaml").fails_with(&["is not UTF-8", "move the file to a folder"]);
}

#[test]
fn rows_are_listed_with_their_size_and_sources() {
    let counted = "24 cells: 8 rows (2 of them A/A controls) x 3 seeds";
    let rows = ["chess-none", "reference", "shogi-shaw", "logits", "legal-move mask in training", "MFLOPs"];
    // With --measure, a step of each row is timed.
    let measured = check(EXPERIMENT, "--measure").says_in_prose(&rows);
    measured.says_in_prose(&[
        "question: does it work?",
        "dataset chess",
        "to read it: ",
        "MB of memory a cell; read in about 1 s (assuming 40 MB a second)",
        " = 8 steps x 4 / ",
        "ms/step",
        counted,
    ]);
    let hostile = EXPERIMENT.replace("question: does it work?", "question: \"does it \\e[2Jwork?\"");
    check(&hostile, "").says(&["question: does it �[2Jwork?"]);
}

#[test]
fn every_line_fits_a_terminal() {
    let prose =
        "does it work, and how could anybody know, if there is more to be said about it than fits into one line?";
    let rates = "include:\n  - {encoding: {absolute: {at: input}}, train.encoding_rate: 4}\nseeds:";
    let longest_labels = EXPERIMENT.replace("seeds:", rates).replace("steps: 8", "steps: 8000");
    // Times add a column to these tables of rows, and no line.
    for (text, options) in [
        (EXPERIMENT.to_owned(), ""),
        (EXPERIMENT.replace("does it work?", prose), ""),
        (longest_labels.clone(), ""),
        (longest_labels, "--measure"),
        (EXPERIMENT.replace("reference:", "contrasts: [{encoding: {shaw: {terms: [q, k]}}}]\nreference:"), ""),
    ] {
        let shown = check(&text, options).stdout;
        let wide: Vec<&str> = shown.lines().filter(|line| line.chars().count() > 80).collect();
        assert!(wide.is_empty(), "{wide:#?}");
    }
}

#[test]
fn the_json_counts_what_the_formulas_say() {
    let report = checked(EXPERIMENT);
    assert_eq!(report["cells"], 24);
    let rows = report["rows"].as_array().expect("a list of rows");
    let encoding = |label: &str| {
        let row = rows.iter().find(|row| row["label"] == label).expect("the row exists");
        row["parameters"]["encoding"].as_u64().expect("a count")
    };
    let (width, layers, head_width, heads) = (16, 2, 8, 2);
    let square_counts = games::GameKind::ALL.map(|game| game.geometry().squares() as u64);
    assert_eq!(encoding("chess-none"), 0);
    assert_eq!(encoding("chess-absolute"), square_counts[0] * width);
    assert_eq!(encoding("shogi-absolute"), square_counts[1] * width);
    let classes = games::GameKind::Shogi.geometry().displacement_classes() as u64;
    assert_eq!(encoding("shogi-shaw"), layers * heads * 2 * classes * head_width);
    assert!(rows.iter().all(|row| row["flops"].as_u64() == row["macs"].as_u64().map(|macs| 2 * macs)));

    // An A/A control is a separate row.
    let twins: Vec<&Value> = rows.iter().filter(|row| row["role"] == "twin").collect();
    assert_eq!(twins.iter().map(|row| &row["label"]).collect::<Vec<_>>(), ["chess-none-twin", "shogi-none-twin"]);
    let reference = rows.iter().find(|row| row["label"] == "chess-none").expect("the reference");
    assert_ne!(twins[0]["hash"], reference["hash"]);
    assert_eq!(checked(&EXPERIMENT.replace("seeds:", "twin: false\nseeds:"))["cells"], 18);
}

#[test]
fn disappointments_are_announced() {
    let warned = |text: &str, part: &str| {
        let report = checked(text);
        let warnings = report["warnings"].as_array().expect("a list").clone();
        let found = warnings.iter().any(|warning| warning.as_str().is_some_and(|w| w.contains(part)));
        assert!(found, "{part:?} is not in {warnings:?}");
    };
    warned(&EXPERIMENT.replace("seeds: [0, 1, 2]", "seeds: [0, 1]"), "2 seeds give no verdict");
    let alone = EXPERIMENT.replace("    - absolute: {at: input}\n    - shaw: {terms: [q, k]}\n", "");
    warned(&alone, "there is one row only");
    warned(&EXPERIMENT.replace("steps: 8", "steps: 8000"), "beyond 1 it may memorise");
    let known = EXPERIMENT.replace("seeds: [0, 1, 2]", "seeds: [0]\naccepts: [few_seeds, many_epochs]");
    assert_eq!(checked(&known.replace("steps: 8", "steps: 8000"))["warnings"], serde_json::json!([]));
    // All positions of a split are enough.
    let more = EXPERIMENT.replace("test_positions: 8", "test_positions: 100000");
    assert_eq!(checked(&more)["warnings"], serde_json::json!([]));
    check(&more, "").says_in_prose(&["all test positions are read, of 100,000 asked for"]);
    let late = "learning_rate: {values: [1e-3, 1e-4], boundaries: [9]}";
    warned(&EXPERIMENT.replace("learning_rate: 1e-3", late), "never changes at 9");
    assert_eq!(checked(EXPERIMENT)["warnings"], serde_json::json!([]));
}

/// An engine needs an hour for this dataset; another with the same columns stands in for it.
const STAND_IN: &str = "chess-policies-4m";

#[test]
fn the_experiments_that_posenc_brings_can_be_run() {
    let folder = TempDir::new().expect("a temporary folder");
    let files = with_their_data(folder.path());
    assert!(files.len() >= 30, "{} experiment files", files.len());
    // The folders of datasets that the repository has are links to them.
    let made = folder.path().canonicalize().expect("a folder");
    let is_brought = |data: &PathBuf| {
        !data.ends_with(STAND_IN) && data.canonicalize().is_ok_and(|canonical| !canonical.starts_with(&made))
    };
    let mut with_all_data = 0;
    for path in files {
        let experiment = Experiment::load(&path).unwrap_or_else(|error| panic!("{error}"));
        let name = experiment.name.as_str();
        assert!(experiment.no_effect.is_empty(), "{path:?}: {:?}", experiment.no_effect);
        assert!(experiment.question.is_some() && experiment.expect.is_some() && experiment.cost.is_some(), "{path:?}");
        // A run folder has the experiment's name: that of the file, with a prefix where it needs one.
        let stem = path.file_stem().and_then(|stem| stem.to_str()).expect("a name");
        assert!(name == stem || name.ends_with(&format!("-{stem}")), "{path:?}: {name}");
        let data = experiment.rows.iter().flat_map(|row| [Some(&row.run.data), row.run.test_data.as_ref()]);
        if data.flatten().all(is_brought) {
            with_all_data += 1;
            let warnings = experiment.warnings();
            assert!(warnings.is_empty(), "{path:?}: {warnings:?}");
        }
    }
    assert!(with_all_data >= 50, "{with_all_data} files have their data in the repository");
}

#[test]
fn the_page_of_experiments_lists_every_file_and_whether_its_cells_are_published() {
    let page = std::fs::read_to_string(experiments_folder().join("README.md")).expect("experiments/README.md");
    let bundles = experiments_folder().join("../runs/published");
    for path in experiment_files() {
        let file = path.strip_prefix(experiments_folder()).expect("a file of the folder").display().to_string();
        let line = page.lines().find(|line| line.contains(&format!("]({file})")));
        let line = line.unwrap_or_else(|| panic!("experiments/README.md does not list {file}"));
        if file.contains('/') {
            let text = std::fs::read_to_string(&path).expect("a readable file");
            let name = text.lines().find_map(|line| line.strip_prefix("name: ")).expect("a name");
            let is_published = bundles.join(format!("{name}.tar.zst")).is_file();
            assert_eq!(!line.ends_with("| no |"), is_published, "{line}");
        }
    }
}

/// How an experiment's first lines name a command that makes its data.
const MAKES_ITS_DATA: [&str; 2] = ["#   posenc data generate ", "#   posenc data import --game chess --from games/"];

/// Positions of a dataset that a test makes: files are loaded with it and not trained on it.
const FEW: &str = "600";

/// Copies of all experiments, in a folder with the datasets of the repository and those that the commands at the tops of the
/// files make, with fewer positions.
fn with_their_data(folder: &Path) -> Vec<PathBuf> {
    let copy = |path: &Path| {
        folder.join("experiments").join(path.strip_prefix(experiments_folder()).expect("a file of the folder"))
    };
    let data = folder.join("experiments/data");
    std::fs::create_dir_all(&data).expect("a folder for the data");
    for dataset in ["chess-starter", "shogi-starter", "minishogi-starter", "openings", "puzzles", "relabelled"] {
        let brought =
            experiments_folder().join("data").join(dataset).canonicalize().expect("a folder of the repository");
        std::os::unix::fs::symlink(brought, data.join(dataset)).expect("a link");
    }
    std::os::unix::fs::symlink(data.join("chess-starter"), data.join(STAND_IN)).expect("a link");
    let tables = std::fs::read_dir(experiments_folder().join("data/tables")).expect("a folder");
    let tables: Vec<PathBuf> = tables.map(|entry| entry.expect("an entry").path()).collect();
    let mut commands = BTreeSet::new();
    for from in experiment_files() {
        let text = std::fs::read_to_string(&from).expect("a readable file");
        let makes = |line: &&str| MAKES_ITS_DATA.iter().any(|command| line.starts_with(command));
        commands.extend(text.lines().filter(makes).map(str::to_owned));
        let to = copy(&from);
        std::fs::create_dir_all(to.parent().expect("a folder")).expect("a folder for the copy");
        let folder = to.parent().expect("a folder");
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let words = lines.flat_map(|line| line.split([' ', '{', '}', ',']));
        let starts = words.filter(|word| word.ends_with(".safetensors")).map(|word| folder.join(word));
        for start in starts.filter(|start| !start.exists()) {
            std::fs::create_dir_all(start.parent().expect("a folder")).expect("a folder for the data");
            match tables.iter().find(|table| table.file_name() == start.file_name()) {
                Some(brought) => std::os::unix::fs::symlink(brought, &start).expect("a link"),
                // A network that is trained before the study has no file yet; the settings have only the file's hash.
                None => std::fs::write(&start, start.display().to_string()).expect("room for a file"),
            }
        }
        std::fs::write(&to, text).expect("room for a copy");
    }
    for command in commands {
        let whole = |word: &str| match word.starts_with("games/") {
            true => experiments_folder().join("..").join(word).display().to_string(),
            false => word.to_owned(),
        };
        let mut words: Vec<String> = command.split_whitespace().skip(2).map(whole).collect();
        if let Some(option) = words.iter().position(|word| word == "--positions") {
            FEW.clone_into(&mut words[option + 1]);
        }
        run_args(folder, &words.iter().map(String::as_str).collect::<Vec<_>>()).succeeds();
    }
    experiment_files().iter().map(|path| copy(path)).collect()
}

#[test]
fn phases_are_listed_with_their_steps_games_weights_and_rate() {
    let phases = "    steps: 8\n    phases:\n      - {steps: 3, loss: {value: 0, policy: 1}}\n      - {epochs: 0.01}\n      - {learning_rate: 0.5}\n";
    let experiment = EXPERIMENT.replace("    steps: 8\n", phases);
    let text = check(&experiment, "").stdout;
    // The datasets have fewer than 400 positions for training, so that a hundredth of them is a batch of 4.
    let lines = [
        "steps 1 to 3: all games, loss value x 0\n",
        "steps 4 to 4: all games\n",
        "steps 5 to 8: all games, learning rate x 0.5\n",
    ];
    for line in lines {
        assert_eq!(text.matches(line).count(), 1, "{line:?} is not once in:\n{text}");
    }
    let row = &checked(&experiment)["rows"][0];
    assert_eq!(
        row["phases"][0],
        serde_json::json!({"first_step": 1, "last_step": 3, "bucket": [], "loss": {"value": 0.0}, "learning_rate": 1.0})
    );
    assert_eq!((&row["phases"][2]["last_step"], &row["phases"][2]["learning_rate"]), (&8.into(), &0.5.into()));
    assert!(!check(EXPERIMENT, "").stdout.contains("phases ("));
}

#[test]
fn settings_of_the_command_line_are_those_of_the_file() {
    let dir = place(&small());
    let shown = run(&dir, "check experiment.yaml --set train.steps=500 --set encoding=shaw").succeeds();
    let shown = shown.says(&["chess-shaw"]);
    assert!(!shown.stdout.contains("chess-absolute"), "{}", shown.stdout);
    run(&dir, "run experiment.yaml --set train.stps=500").fails_with(&["unknown key `stps`", "`steps`"]);
}

#[test]
fn rows_that_cannot_begin_with_the_tables_of_a_file_are_refused_before_training() {
    let text = small().replace("batch: 4", "batch: 4\n    start: {tables: moved.safetensors}");
    let dir = place(&text);
    let size: Vec<u8> = [5_i64, 5].into_iter().flat_map(i64::to_le_bytes).collect();
    let board = TensorView::new(Dtype::I64, vec![2], &size).expect("a size");
    let bytes = safetensors::serialize([("board", board)], None).expect("a file");
    std::fs::write(dir.path().join("moved.safetensors"), bytes).expect("the folder can be written");
    for command in ["check", "run"] {
        run(&dir, &format!("{command} experiment.yaml")).fails_with(&[
            "chess-none, chess-absolute cannot start: ",
            "the encodings of this row have no tables by displacement; take relative_bias",
            "chess-shaw cannot start: ",
            "it has no table encoding.shaw.layer.0.q of 2 heads",
        ]);
    }
    assert!(!dir.path().join("runs").exists(), "nothing was prepared");
}

#[test]
fn a_file_that_cannot_be_read_is_named_and_wrong_usage_has_its_own_exit_code() {
    let here = Path::new(".");
    let remedy = "give the path of an experiment file";
    run(here, "check no-such.yaml").fails_with(&["no-such.yaml: cannot be read", remedy]);
    run(here, "check").misused_with(&["<FILE>"]);
}
