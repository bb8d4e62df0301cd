//! `reference`: one row of a game, or one for each group of rows.

use config::Role;
use testing::{EXPERIMENT, depths, load, load_with, pairs};

#[test]
fn a_reference_stands_in_every_group() {
    let experiment = load(&depths());
    let expected = [
        ("chess-none-layers1", "chess-none-layers1"),
        ("chess-none-layers2", "chess-none-layers2"),
        ("chess-absolute-layers1", "chess-none-layers1"),
        ("chess-absolute-layers2", "chess-none-layers2"),
        ("chess-shaw-layers1", "chess-none-layers1"),
        ("chess-shaw-layers2", "chess-none-layers2"),
        ("chess-none-layers1-twin", "chess-none-layers1"),
    ];
    assert_eq!(pairs(&experiment), expected.map(|(own, reference)| (own.to_owned(), reference.to_owned())));
    let roles: Vec<Role> = experiment.rows.iter().map(|row| row.role).collect();
    assert_eq!(roles.iter().filter(|role| **role == Role::Reference).count(), 2);

    // Each game has its own, and what is zipped with an axis belongs to it.
    let zipped = EXPERIMENT.replace("layers: 2, ", "").replace("    steps: 8\n", "");
    let zipped = zipped.replace("axes:\n", "axes:\n  model.chessformer.layers: [1, 2]\n  steps: [8, 12]\n");
    let zipped = load(&zipped.replace("seeds:", "zip: [[model.chessformer.layers, steps]]\nseeds:"));
    assert_eq!(zipped.rows.len(), 2 * (3 * 2 + 1));
    for (own, reference) in pairs(&zipped) {
        let (game, depth) = (own.split('-').next(), own.contains("layers2"));
        assert_eq!((reference.split('-').next(), reference.contains("layers2")), (game, depth), "{own}: {reference}");
    }
}

#[test]
fn settings_that_only_some_rows_have_do_not_divide_groups() {
    // Every encoding has its own rate at two layers; the references differ in it, too.
    let rates = "include:\n  - {encoding: {absolute: {at: input}}, model.chessformer.layers: 2, train.encoding_rate: 4}\n  - \
                 {encoding: {shaw: {terms: [q, k]}}, model.chessformer.layers: 2, train.encoding_rate: 16}\n";
    let text = depths().replace("seeds:", &format!("{rates}seeds:"));
    let experiment = load(&text.replace("reference: {encoding: none}", "reference: {encoding: absolute}"));
    for row in experiment.rows.iter().filter(|row| row.role == Role::Compared) {
        let depth = if row.label.contains("layers2") { "layers2" } else { "layers1" };
        let reference = row.reference.as_deref().expect("a group");
        assert!(reference.starts_with("chess-absolute") && reference.contains(depth), "{}: {reference}", row.label);
    }
    // Without an axis, the rows' own settings tell the references apart.
    let listed = "include:\n  - {encoding: none, model.chessformer.layers: 1}\n  - {encoding: shaw, \
                  model.chessformer.layers: 1}\n  - {encoding: none, model.chessformer.layers: 2}\n  - {encoding: shaw, \
                  model.chessformer.layers: 2}\n";
    let (head, rest) =
        depths().split_once("axes:\n").map(|(a, b)| (a.to_owned(), b.to_owned())).expect("there are axes");
    let (_, tail) = rest.split_once("seeds:").expect("there are seeds");
    let experiment = load(&format!("{}{listed}seeds:{tail}", head.replace("base:\n", "base:\n  game: chess\n")));
    let compared = experiment.rows.iter().filter(|row| row.role == Role::Compared);
    let references: Vec<Option<&str>> = compared.map(|row| row.reference.as_deref()).collect();
    assert_eq!(references, [Some("chess-none-layers1"), Some("chess-none-layers2")]);
}

#[test]
fn one_reference_of_all_rows_divides_no_groups() {
    let one = depths()
        .replace("[1, 2]", "[1, 2, 3]")
        .replace("seeds:", "exclude: [{encoding: none, model.chessformer.layers: 3}]\nseeds:")
        .replace("reference: {encoding: none}", "reference: {encoding: none, model.chessformer.layers: 2}");
    assert!(load(&one).rows.iter().all(|row| row.reference.is_none()));
}

#[test]
fn an_override_may_leave_references_only() {
    let experiment = load_with(&depths(), &["encoding=shaw"]).expect("it can be run");
    assert!(experiment.rows.iter().all(|row| row.role != Role::Compared));
}
