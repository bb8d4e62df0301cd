//! `interactions:` of experiment files: which rows they are.

use super::changes::{ENCODINGS, with};
use config::{Experiment, Interaction};
use testing::load;

const NETWORK: &str = "{chessformer: {layers: LAYERS, width: 16, heads: 2, ff: 16, embedding: {parts: {turn: TURN}}, \
                       outputs: {policy: {}}}}";

/// The small experiment with two sizes of two networks, on two boards of chess only.
fn experiment(interactions: &str) -> String {
    let models = [("1", "false"), ("1", "true"), ("2", "false"), ("2", "true")]
        .map(|(layers, turn)| NETWORK.replace("LAYERS", layers).replace("TURN", turn));
    let (all, reference) = (models.join(", "), &models[1]);
    let axes = format!(
        "  encoding: [none, shaw]\n  input: [cls_tokens, cls_tokens_white, cls_tokens, cls_tokens_white]\n  \
         model: [{all}]\nzip: [[input, model]]\n"
    );
    let reference = format!("reference: {{encoding: none, input: cls_tokens_white, model: {reference}}}");
    let text = with(&[
        ("  model:\n    chessformer: {layers: 2, width: 16, heads: 2, ff: 16}\n", ""),
        ("  input: piece_tokens\n", ""),
        ("data: {chess: chess, shogi: shogi}", "game: chess\n  data: chess\n  moves: uci_1968_dm"),
        ("  game: [chess, shogi]\n", ""),
        (ENCODINGS, &axes[..]),
        ("reference: {encoding: none}", &reference[..]),
    ]);
    text + interactions
}

fn asked(interactions: &str) -> Vec<Interaction> {
    load(&experiment(interactions)).interactions
}

/// The label of a folder, `<label>-<hash>`.
fn label(folder: &str) -> &str {
    folder.rsplit_once('-').expect("a hash").0
}

const BOARDS: &str = "gap: {axis: input, values: [cls_tokens_white, cls_tokens]}";
const LAYERS: &str = "by: {axis: model.chessformer.layers, values: [1, 2]}";

#[test]
fn rows_are_those_that_have_the_values_and_what_is_zipped_with_them_goes_along() {
    let found = asked(&format!("interactions:\n  - {BOARDS}\n    {LAYERS}\n"));
    // One for each encoding, which the entry leaves open.
    assert_eq!(found.len(), 2);
    assert_eq!(found[0].gap, ["cls_tokens_white", "cls_tokens"]);
    assert_eq!(found[0].by, ["layers 1", "layers 2"]);
    assert_eq!([&found[0].within, &found[1].within], [&Some("none".to_owned()), &Some("shaw".to_owned())]);
    let labels = found[1].rows.each_ref().map(|side| side.each_ref().map(|folder| label(folder)));
    let expected = [
        ["chess-shaw-layers1-cls_tokens_white", "chess-shaw-turnfalse-layers1-cls_tokens"],
        ["chess-shaw-layers2-cls_tokens_white", "chess-shaw-turnfalse-layers2-cls_tokens"],
    ];
    assert_eq!(labels, expected);
}

#[test]
fn whole_values_of_an_axis_are_written_as_in_axes() {
    let by =
        "by: [{axis: input, values: [cls_tokens_white, cls_tokens]}, {axis: model.chessformer.layers, values: [1, 1]}]";
    let found = asked(&format!("interactions:\n  - gap: {{axis: encoding, values: [none, [shaw]]}}\n    {by}\n"));
    assert_eq!(found.len(), 1);
    assert_eq!((&found[0].gap[0][..], found[0].within.as_ref()), ("none", None));
    assert_eq!(found[0].by[1], "cls_tokens, layers 1");
}

#[test]
fn every_further_value_is_compared_with_the_first() {
    let text = experiment(&format!(
        "interactions:\n  - {BOARDS}\n    by: {{axis: model.chessformer.layers, values: [1, 2, 3]}}\n"
    ));
    let third = NETWORK.replace("LAYERS", "3");
    let both = format!("{}, {}]", third.replace("TURN", "false"), third.replace("TURN", "true"));
    let text = text
        .replace("outputs: {policy: {}}}}]\n", &format!("outputs: {{policy: {{}}}}}}}}, {both}\n"))
        .replace("cls_tokens_white]\n  model", "cls_tokens_white, cls_tokens, cls_tokens_white]\n  model");
    let found = load(&text).interactions;
    let by: Vec<_> = found.iter().map(|one| [&one.by[0][..], &one.by[1][..]]).collect();
    assert_eq!(by[..2], [["layers 1", "layers 2"], ["layers 1", "layers 3"]]);
    assert_eq!(found[0].rows[0], found[1].rows[0]);
}

#[test]
fn the_rows_of_an_interaction_are_those_of_the_chosen_trials() {
    let tune = "tune:\n  axes: {train.encoding_rate: [1, 4]}\n  seeds: [100]\n";
    let text = experiment(&format!("interactions:\n  - {BOARDS}\n    {LAYERS}\n"))
        .replace("seeds: [0, 1, 2]", &format!("{tune}seeds: [0, 1, 2]"));
    let before = load(&text);
    let tuning = before.tuning.as_ref().expect("trials");
    // The last trial of each row, which is not the row itself where there is more than one.
    let chosen: Vec<usize> = tuning.rows.iter().map(|row| row.trials.len() - 1).collect();
    let tuned = before.tuned(&chosen);
    assert_ne!(tuned.interactions, before.interactions);
    for (old, new) in before.interactions.iter().zip(&tuned.interactions) {
        let places = |experiment: &Experiment, one: &Interaction| -> Vec<usize> {
            let place =
                |folder: &String| experiment.rows.iter().position(|row| row.folder() == *folder).expect("a row");
            one.rows.as_flattened().iter().map(place).collect()
        };
        assert_eq!(places(&before, old), places(&tuned, new));
    }
}

#[test]
fn encodings_are_named_without_their_options_where_the_names_differ() {
    let by = "by: [{axis: input, values: [cls_tokens, cls_tokens]}, {axis: model.chessformer.layers, values: [1, 2]}]";
    let gap =
        |values: &str| format!("interactions:\n  - gap: {{axis: encoding, values: [none, {values}]}}\n    {by}\n");
    assert_eq!(asked(&gap("{shaw: {terms: [q, k, v]}}"))[0].gap, ["none", "shaw"]);
}
