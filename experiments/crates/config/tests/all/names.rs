//! `names:`, and the name of the experiment.

use config::{Experiment, Source};
use testing::{DATA, EXPERIMENT, load, load_with, refused};

fn with(names: &str) -> String {
    format!("{EXPERIMENT}names:\n  {names}\n")
}

fn rows(experiment: &Experiment) -> Vec<[&str; 4]> {
    experiment.rows.iter().map(|row| [row.run.game.name(), row.display_name(), &row.label, &row.hash]).collect()
}

#[test]
fn a_row_has_its_name_in_every_game_and_keeps_its_hash() {
    let plain = load(EXPERIMENT);
    let named =
        load(&with("Shaw q,k: {encoding: {shaw: {terms: [q, k]}}}\n  位置なし: none\n  No table: chess-absolute"));
    let (plain, named) = (rows(&plain), rows(&named));
    assert_eq!(plain.len(), named.len());
    for ([game, name, label, hash], [_, shown, folder, same]) in plain.into_iter().zip(named) {
        assert_eq!(hash, same);
        let expected = match (name, game) {
            ("shaw", _) => ("Shaw q,k", format!("{game}-Shaw-q-k")),
            ("none", _) => ("位置なし", label.to_owned()),
            ("none-twin", _) => ("位置なし-twin", label.to_owned()),
            ("absolute", "chess") => ("No table", "chess-No-table".to_owned()),
            _ => (name, label.to_owned()),
        };
        assert_eq!((shown, folder), (expected.0, &expected.1[..]), "{label}");
    }
}

#[test]
fn controls_have_the_names_of_their_rows_or_their_own() {
    let controls = "controls: [{row: chess-absolute, match: {params: chess-shaw, by: ffn}}]\n";
    let control = |names: &str| {
        let experiment = load(&format!("{}{controls}", with(names)));
        let row = experiment.rows.into_iter().find(|row| row.matched.is_some()).expect("a control");
        (row.display_name().to_owned(), row.label, row.name)
    };
    let (plain, folder, label) = control("Nothing: none");
    assert_eq!(plain, label);
    let (derived, ..) = control("Shaw q,k: {encoding: {shaw: {terms: [q, k]}}}");
    assert_eq!(derived, label.replace("of shaw", "of Shaw q,k"));
    assert_ne!(derived, label);
    let (own, new_folder, _) = control(&format!("Wider: '{label}'"));
    assert_eq!((&own[..], &new_folder[..]), ("Wider", "chess-Wider"));
    assert_ne!(folder, new_folder);
}

#[test]
fn a_long_name_is_refused() {
    let parts = ["cannot be the name of a row", "1 to 80 characters"];
    refused(&with(&format!("{}: none", "x".repeat(81))), &parts);
}

#[test]
fn the_command_line_may_replace_a_named_row() {
    let text = with("Nothing: {encoding: none}\n  Shaw: shaw");
    let text = text.replace("reference: {encoding: none}", "reference: {game: chess}");
    let text = text.replace("game: [chess, shogi]", "game: [chess]");
    let experiment = load_with(&text, &["encoding=absolute"]).expect("it is accepted");
    assert!(experiment.rows.iter().all(|row| row.custom_name.is_none()));
}

#[test]
fn an_experiment_is_called_like_its_file() {
    let text = EXPERIMENT.replace("name: small\n", "");
    let load = |file: &str| Experiment::with(&Source::new(&DATA.path().join(file), text.clone()), &[]);
    assert_eq!(load("my-grid.yaml").expect("it is accepted").name, "my-grid");
    let error = load("my grid.yaml").expect_err("a blank").to_string();
    assert!(error.contains("`name` is missing") && error.contains("add `name: …`"), "{error}");
}
