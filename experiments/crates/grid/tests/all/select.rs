//! `--only`: a value that the file has selects its cells.

use config::Experiment;
use grid::Selector;
use testing::{EXPERIMENT, load};

/// The small experiment with each encoding at two learning rates.
fn at_two_rates() -> Experiment {
    let text = EXPERIMENT
        .replace("    learning_rate: 1e-3\n", "")
        .replace("axes:\n", "axes:\n  learning_rate: [1e-3, 1e-2]\n")
        .replace("{encoding: none}", "{encoding: none, learning_rate: 1e-3}");
    load(&text)
}

#[test]
fn a_value_is_found_as_the_file_writes_it() {
    let experiment = at_two_rates();
    let found = |only: &str| found_in(&experiment, only).expect(only);
    let all = experiment.cells().len();
    // Three encodings on two boards, with three seeds; the twins have the reference's rate.
    assert_eq!(found("learning_rate=1e-2"), 18);
    assert_eq!(found("learning_rate=1e-3"), all - 18);
    assert_eq!(found("learning_rate=1e-2,1e-3"), all);
    // A default, which `config.yaml` leaves out.
    assert_eq!([found("train.dtype=f32"), found("train.dtype=bf16")], [all, 0]);
    assert_eq!(found("encoding.shaw.terms=[q, k]"), found("encoding=shaw"));
    assert_eq!([found("learning_rate=2"), found("model.resnet.blocks=1"), found("encoding=rope")], [0; 3]);
}

#[test]
fn a_row_is_found_by_its_label_its_folder_and_the_names_of_reports() {
    let named = EXPERIMENT.replace("axes:\n", "names: {\"No, none\": none}\naxes:\n");
    let experiment = load(&named);
    let found = |only: &str| found_in(&experiment, only);
    let folder =
        experiment.rows.iter().find(|row| row.label.starts_with("chess-shaw")).expect("shaw on chess").folder();
    // Three seeds, on one board or on both.
    for (only, cells) in [
        ("row=chess-shaw", 3),
        (&format!("row={folder}"), 3),
        ("row=none", 6),
        ("row=Shaw", 6),
        ("row=chess Shaw", 3),
        ("row=No, none", 6),
        ("row=Shaw, No, none", 12),
        ("row=shaw,none", 12),
    ] {
        assert_eq!(found(only), Ok(cells), "{only}");
    }
    let message = found("row=Shaw,Show q,w").expect_err("no row is called so");
    assert!(message.contains("\"Show q,w\"") && message.contains("chess-shaw"), "{message}");
}

/// Tables of a terminal leave rates out.
#[test]
fn a_row_is_found_by_the_start_of_its_name() {
    let experiment = at_two_rates();
    let cells = [("row=Shaw", 12), ("row=chess shaw", 6), ("row=Shaw, lr 0.01, absolute", 18), ("row=none", 12)];
    for (only, cells) in cells {
        assert_eq!(found_in(&experiment, only), Ok(cells), "{only}");
    }
    assert!(found_in(&experiment, "row=Sha").is_err() && found_in(&experiment, "row=Shaw, lr 0.0").is_err());
}

fn found_in(experiment: &Experiment, only: &str) -> Result<usize, String> {
    let selector: Selector = only.parse().expect("a selection");
    let selector = selector.resolve_rows(&experiment.rows).map_err(|error| error.to_string())?;
    Ok(experiment.cells().iter().filter(|cell| selector.matches(cell)).count())
}
