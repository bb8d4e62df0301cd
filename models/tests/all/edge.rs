//! With `edge: hidden` a pattern near the edge gets the answer of the same pattern elsewhere; without it, another.

use crate::common::*;
use games::{Boards, Geometry, InputName};
use models::GameSpec;
use nn::{Arena, Part};
use tch::{Device, Tensor};

const RELATIVE: [&str; 4] = [
    r#"{"relative_bias": {"share": "displacement"}}"#,
    r#"{"shaw": {"terms": ["q", "k"]}}"#,
    r#"{"shaw": {"terms": ["v"]}}"#,
    r#"{"shaw": {"cross": true}}"#,
];

/// The ranks of the pattern.
fn height(board: Geometry) -> usize {
    (board.ranks() - 2).min(4)
}

/// The pieces of a row's lower left part, with their corner on a square, on an otherwise empty board. Nothing marks a square.
fn placed(spec: &GameSpec, row: &[u8], (file, rank): (usize, usize)) -> Vec<u8> {
    let (board, mut out) = (spec.input.geometry, row.to_vec());
    for start in (0..spec.input.steps()).map(|step| step * board.squares()) {
        out[start..start + board.squares()].fill(0);
        for (f, r) in (0..3).flat_map(|f| (0..height(board)).map(move |r| (f, r))) {
            out[start + board.square(file + f, rank + r)] = row[start + board.square(f, r)];
        }
    }
    spec.input.squares().for_each(|(at, _)| out[at] = 0);
    out
}

/// How far the tokens of squares differ after the pattern moved from the corner to any other place, square by square.
fn difference_if_moved(spec: &GameSpec, options: &str, encoding_text: &str) -> f64 {
    let board = spec.input.geometry;
    let (network, layout) = declare(&tiny_with(options), &[encoding(encoding_text)], spec);
    let mut values = stirred(&layout).values().expect("the CPU's values can be read");
    for param in layout.params().iter().filter(|param| param.part == Part::Encoding) {
        values[param.elements()].iter_mut().for_each(|value| *value *= 10.0);
    }
    let views = Arena::from_values(layout, &values, Device::Cpu).expect("memory").frozen_views();
    let row = &rows(spec, 1)[0];
    let places: Vec<(usize, usize)> = (0..=board.files() - 3)
        .flat_map(|file| (0..=board.ranks() - height(board)).map(move |rank| (file, rank)))
        .collect();
    let boards: Vec<Vec<u8>> = places.iter().map(|&place| placed(spec, row, place)).collect();
    let tokens = network.trunk(&views, &tensor(&boards));
    let index = |squares: Vec<usize>| Tensor::from_slice(&squares.iter().map(|&s| s as i64).collect::<Vec<_>>());
    let differences = places.iter().enumerate().map(|(number, to)| {
        let stays = |square: &usize| {
            board.file_of(*square) + to.0 < board.files() && board.rank_of(*square) + to.1 < board.ranks()
        };
        let old: Vec<usize> = (0..board.squares()).filter(stays).collect();
        let moved = |square: &usize| board.square(board.file_of(*square) + to.0, board.rank_of(*square) + to.1);
        let new = index(old.iter().map(moved).collect());
        let (before, after) = (tokens.get(0), tokens.get(number as i64));
        largest_difference(&before.index_select(0, &index(old)), &after.index_select(0, &new))
    });
    differences.fold(0.0, f64::max)
}

#[test]
fn a_hidden_edge_changes_nothing_near_it_and_a_shown_one_does() {
    for spec in specs().iter().filter(|spec| !matches!(spec.input.boards, Boards::Attacked { .. })) {
        for encoding in RELATIVE {
            let hidden = difference_if_moved(spec, r#"{"edge": "hidden"}"#, encoding);
            assert!(hidden < 2e-5, "{encoding} on {}: {hidden}", spec.input.name.name());
            let shown = difference_if_moved(spec, "{}", encoding);
            assert!(shown > 1e-3, "{encoding} on {}: {shown}", spec.input.name.name());
        }
    }
}

#[test]
fn a_hidden_edge_keeps_parameters_and_heads_and_costs_the_squares_outside() {
    for spec in specs().iter().filter(|spec| spec.input.name == InputName::PieceTokens) {
        let shaw = [encoding(RELATIVE[3])];
        let [(shown, own), (hidden, same)] =
            ["{}", r#"{"edge": "hidden"}"#].map(|options| declare(&tiny_with(options), &shaw, spec));
        let params =
            |layout: &nn::Layout| layout.params().iter().map(|p| (p.name.clone(), p.shape.clone())).collect::<Vec<_>>();
        assert_eq!(params(&own), params(&same));
        let board = spec.input.geometry;
        let torus = (2 * board.files() - 1) * (2 * board.ranks() - 1);
        assert_eq!(hidden.tokens().len(), torus);
        let (few, many) = (shown.macs(), hidden.macs());
        assert_eq!(many.encoding * (board.squares() * board.squares()) as u64, few.encoding * (torus * torus) as u64);
        assert_eq!(many.embedding * board.squares() as u64, few.embedding * torus as u64);
        let output = hidden.forward(&stirred(&same).frozen_views(), &packed(spec, 2));
        assert_eq!(policy_of(&output).size(), [2, spec.moves.len() as i64]);
    }
}
