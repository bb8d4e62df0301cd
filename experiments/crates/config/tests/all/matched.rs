//! Matched controls: as large, as expensive or as slow as another row, on both boards.

use super::changes::{self, with};
use config::{Experiment, Quantity, Role, Row};
use games::GameKind;
use models::ModelConfig;
use testing::load;

/// The small experiment with these encodings and controls, their reference `absolute`, and a network whose tables weigh
/// something.
fn grid(encodings: &str, controls: &str) -> String {
    with(&[
        ("layers: 2, width: 16, heads: 2, ff: 16", "layers: 4, width: 96, heads: 6, ff: 192"),
        (changes::ENCODINGS, &format!("  encoding: {encodings}\ncontrols:\n{controls}")[..]),
        ("reference: {encoding: none}", REFERENCE),
    ])
}

const WIDTH: u64 = 96;
const LAYERS: u64 = 4;
const FF: u64 = 192;

fn row<'a>(experiment: &'a Experiment, label: &str) -> &'a Row {
    let labels: Vec<&str> = experiment.rows.iter().map(|row| row.label.as_str()).collect();
    experiment.rows.iter().find(|row| row.label == label).unwrap_or_else(|| panic!("no {label} in {labels:?}"))
}

fn controls(experiment: &Experiment) -> Vec<&Row> {
    experiment.rows.iter().filter(|row| row.matched.is_some()).collect()
}

/// The sizes of a row's network: width, layers, inside of the feed-forward layer.
fn sizes(row: &Row) -> [u64; 3] {
    let ModelConfig::Chessformer(network) = &row.run.model else { panic!("{:?}", row.run.model) };
    [network.width, network.layers, network.ff].map(|size| size as u64)
}

/// Every number of a network with a learned table at the input, added up by hand from the paper's layers.
fn numbers(game: GameKind, [width, layers, ff]: [u64; 3]) -> u64 {
    let squares = game.geometry().squares() as u64;
    // Channels of `piece_tokens`, and what the moves add to the policy: knight-free promotions; or promotion, seven
    // or five kinds in hand and the pooled board's projection.
    let (channels, moves) = match game {
        GameKind::Chess => (21, 3 * width),
        GameKind::Shogi => (45, width + 7 * width + width * width),
        GameKind::Minishogi => (33, width + 5 * width + width * width),
        other => unreachable!("{other:?}"),
    };
    let embedding = (channels + 1) * width;
    let attention = 4 * width * width + width;
    let feed_forward = width * ff + ff + ff * width + width;
    let norms = 2 * width;
    let policy = 3 * (width * width + width) + moves;
    let (channels, hidden, classes) = (32, 128, 3);
    let value = width * channels + channels + squares * channels * hidden + hidden + hidden * classes + classes;
    embedding + squares * width + layers * (attention + feed_forward + norms) + policy + value
}

fn shaw_numbers(game: GameKind) -> u64 {
    let squares = game.geometry().squares() as u64;
    numbers(game, [WIDTH, LAYERS, FF]) - squares * WIDTH
        + LAYERS * 3 * game.geometry().displacement_classes() as u64 * WIDTH
}

fn within_one_percent(own: u64, goal: u64) -> bool {
    100 * own.abs_diff(goal) <= goal
}

const ENCODINGS: &str = "[absolute, shaw]";
const REFERENCE: &str = "reference: {encoding: absolute}";

#[test]
fn controls_have_the_parameters_of_their_goal_on_both_boards() {
    for by in ["ffn", "[width, ffn]", "[depth, ffn]", "[depth, width, ffn]"] {
        let experiment = load(&grid(ENCODINGS, &format!("  - {{row: absolute, match: {{params: shaw, by: {by}}}}}\n")));
        let found = controls(&experiment);
        assert_eq!(found.len(), 2, "one for each game");
        for control in found {
            let game = control.run.game;
            let (own, goal) = (numbers(game, sizes(control)), shaw_numbers(game));
            assert_eq!(control.cost.facts.parameters() as u64, own);
            assert_eq!(row(&experiment, &format!("{}-shaw", game.name())).cost.facts.parameters() as u64, goal);
            assert!(within_one_percent(own, goal), "{game:?} by {by}: {own} of {goal}");
            // The last size is the nearest multiple of 8.
            let [width, layers, ff] = sizes(control);
            let beside = [ff - 8, ff + 8].map(|ff| numbers(game, [width, layers, ff]));
            assert!(ff.is_multiple_of(8) && beside.iter().all(|other| own.abs_diff(goal) <= other.abs_diff(goal)));
            let matched = control.matched.as_ref().expect("it is a control");
            assert_eq!((matched.quantity, matched.counts), (Quantity::Params, Some([own, goal])));
        }
    }
}

#[test]
fn controls_have_the_operations_of_their_goal_on_both_boards() {
    let entry = "  - {row: {encoding: absolute}, match: {flops: {encoding: shaw}, by: ffn}}\n";
    let experiment = load(&grid(ENCODINGS, entry));
    for control in controls(&experiment) {
        let squares = control.run.game.geometry().squares() as u64;
        let source = row(&experiment, &format!("{}-absolute", control.run.game.name())).cost.macs.flops();
        // Two products of every token with what was added to the feed-forward layer; and Shaw's three sums over pairs.
        let own = source + 2 * LAYERS * squares * 2 * WIDTH * (sizes(control)[2] - FF);
        let goal = source + 2 * LAYERS * 3 * squares * squares * WIDTH;
        assert_eq!(control.cost.macs.flops(), own);
        assert!(within_one_percent(own, goal), "{own} of {goal}");
    }
}

#[test]
fn a_control_can_be_smaller_than_what_it_is_made_of() {
    let large = 10 * FF;
    let text = grid(ENCODINGS, "  - {row: shaw, match: {params: absolute, by: ffn}}\n");
    let text = text.replace("ff: 192", &format!("ff: {large}"));
    for control in controls(&load(&text)) {
        let game = control.run.game;
        let [width, layers, ff] = sizes(control);
        assert_eq!([width, layers], [WIDTH, LAYERS]);
        let tables = shaw_numbers(game) - numbers(game, [WIDTH, LAYERS, FF]);
        let own = numbers(game, [WIDTH, LAYERS, ff]) + tables;
        assert_eq!(control.cost.facts.parameters() as u64, own);
        assert!(ff < large && within_one_percent(own, numbers(game, [WIDTH, LAYERS, large])));
    }
}

#[test]
fn an_encoding_grows_by_its_own_size() {
    let entry = "  - {row: dynamic_relative, match: {params: smolgen, by: encoding}}\n";
    let experiment = load(&grid("[absolute, smolgen, dynamic_relative]", entry));
    for control in controls(&experiment) {
        let game = control.run.game;
        let squares = game.geometry().squares() as u64;
        let bare = numbers(game, [WIDTH, LAYERS, FF]) - squares * WIDTH;
        let size = &control.matched.as_ref().expect("it is a control").sizes[0];
        assert_eq!((size.name.as_str(), size.from), ("bottleneck", 32));
        // Into the bottleneck, out of it into a key per square, and a vector per square.
        let dynamic = bare + LAYERS * (2 * WIDTH * squares * size.to as u64 + squares * WIDTH);
        let (compress, hidden, gen_width, heads) = (32, 256, 256, 6);
        let to_hidden = WIDTH * compress + (squares * compress + 1) * hidden;
        let to_gen = (hidden + 1) * heads * gen_width;
        let norms = 2 * hidden + 2 * heads * gen_width;
        let smolgen = bare + LAYERS * (to_hidden + to_gen + norms) + gen_width * squares * squares;
        assert_eq!(control.cost.facts.parameters() as u64, dynamic);
        assert_eq!(row(&experiment, &format!("{}-smolgen", game.name())).cost.facts.parameters() as u64, smolgen);
        assert!(within_one_percent(dynamic, smolgen), "{dynamic} of {smolgen}");
    }
}

#[test]
fn widths_stay_multiples_of_the_heads_and_fit_rotations() {
    let entry = "  - {row: rope, match: {params: shaw, by: [width, ffn]}}\n";
    let text = grid("[absolute, shaw, rope: {layout: axial_2d, theta: 100}]", entry);
    for control in controls(&load(&text)) {
        let [width, ..] = sizes(control);
        assert!(width > WIDTH && width.is_multiple_of(6 * 4), "{width}");
    }
}

#[test]
fn a_control_is_the_cell_that_its_sizes_written_by_hand_are() {
    let experiment = load(&grid(ENCODINGS, "  - {row: absolute, match: {params: shaw, by: ffn}}\n"));
    for control in controls(&experiment) {
        let [_, _, ff] = sizes(control);
        let by_hand = grid(ENCODINGS, "").replace("controls:\n", "").replace("ff: 192", &format!("ff: {ff}"));
        let by_hand = load(&by_hand);
        let same = row(&by_hand, &format!("{}-absolute", control.run.game.name()));
        assert_eq!(control.hash, same.hash);
        assert_eq!(control.run.to_yaml().expect("YAML"), same.run.to_yaml().expect("YAML"));
    }
}

#[test]
fn controls_leave_every_other_row_as_it_is() {
    let with = load(&grid(ENCODINGS, "  - {row: absolute, match: {params: shaw, by: ffn}}\n"));
    let without = load(&grid(ENCODINGS, "").replace("controls:\n", ""));
    let others: Vec<&Row> = with.rows.iter().filter(|row| row.matched.is_none()).collect();
    assert_eq!(others, without.rows.iter().collect::<Vec<_>>());
    assert!(controls(&with).iter().all(|row| row.role == Role::Compared));
}

#[test]
fn each_row_of_a_name_gets_its_own_control_and_goal() {
    let entry = "  - {row: {encoding: absolute}, match: {params: {encoding: shaw}, by: ffn}}\n";
    let text = grid(ENCODINGS, entry)
        .replace("axes:\n", "axes:\n  batch: [4, 8]\n")
        .replace("    batch: 4\n", "")
        .replace(REFERENCE, "reference: {encoding: absolute, batch: 4}");
    let experiment = load(&text);
    let pairs: Vec<[&str; 2]> = controls(&experiment)
        .iter()
        .filter(|row| row.run.game == GameKind::Chess)
        .map(|row| row.matched.as_ref().map_or(["", ""], |matched| [matched.source.as_str(), matched.goal.as_str()]))
        .collect();
    assert_eq!(pairs, [["chess-absolute-batch4", "shaw, batch 4"], ["chess-absolute-batch8", "shaw, batch 8"]]);
}
