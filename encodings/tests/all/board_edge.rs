//! What relative encodings reveal of absolute positions is declared exactly where it is observed: not where squares outside
//! the board hide its edge.

use crate::common::{DIMS, Network, largest_difference, normal_tensor};
use encodings::stack::{BOARD_EDGE, VALUE_SUM};
use encodings::{Dims, EncodingConfig, Tokens};
use games::{GameKind, Geometry};
use tch::Tensor;

const ONE_LAYER: Dims = Dims { layers: 1, ..DIMS };

/// The stacks of examples that see displacements only, on the board alone and, where they fit, on one whose edge is hidden.
fn relative(geometry: Geometry) -> Vec<(Tokens, Network)> {
    let board = Tokens::squares_then(geometry, &[]);
    let sequences = [board.clone(), board.surrounded()];
    let pairs = sequences.iter().flat_map(|tokens| {
        EncodingConfig::example_stacks().into_iter().filter_map(|stack| {
            let network = Network::declare(&stack, ONE_LAYER, tokens).ok()?;
            network.stack.guarantees().translation_invariant.then(|| (tokens.clone(), network))
        })
    });
    pairs.collect()
}

/// Networks of which some may attend to one token only, so that nothing else shows.
const SEEDS: [u64; 3] = [2, 3, 4];

/// What attention adds at some squares.
fn added(network: &Network, seed: u64, board: &Tensor, squares: &[usize]) -> Tensor {
    let views = network.random(seed, 0.5).frozen_views();
    let output = network.forward(&views, board).output - board;
    let index: Vec<i64> = squares.iter().map(|&square| square as i64).collect();
    output.index_select(1, &Tensor::from_slice(&index))
}

/// A board with one content everywhere, outside too, and another on one square.
fn board(tokens: &Tokens, marked: Option<usize>) -> Tensor {
    let contents = normal_tensor(1, "contents", &[2, DIMS.width as i64]);
    let rows: Vec<Tensor> = (0..tokens.len()).map(|token| contents.get(i64::from(marked == Some(token)))).collect();
    Tensor::stack(&rows, 0).unsqueeze(0)
}

#[test]
fn the_edge_of_the_board_is_seen_exactly_where_declared() {
    let (mut seen, mut hidden) = (0, 0);
    for geometry in GameKind::ALL.map(GameKind::geometry) {
        // One piece on an otherwise even board, in its middle and in its corner.
        let places = [geometry.square(geometry.files() / 2, geometry.ranks() / 2), geometry.square(0, 0)];
        for (tokens, network) in relative(geometry) {
            let differs = SEEDS.iter().any(|&seed| {
                let [middle, corner] =
                    places.map(|place| added(&network, seed, &board(&tokens, Some(place)), &[place]));
                largest_difference(&middle, &corner) > 1e-4
            });
            let declared = network.stack.position_sources().contains(&BOARD_EDGE);
            assert_eq!(differs, declared, "{:?}", network.stack);
            seen += usize::from(declared);
            hidden += usize::from(tokens.hide_edge());
        }
    }
    assert!(seen >= 6 && hidden >= 6, "only {seen} relative stacks, and {hidden} on a hidden edge");
}

#[test]
fn an_even_board_shows_squares_exactly_where_values_are_declared() {
    for geometry in GameKind::ALL.map(GameKind::geometry) {
        for (tokens, network) in relative(geometry) {
            let all: Vec<usize> = (0..geometry.squares()).collect();
            let differs = SEEDS.iter().any(|&seed| {
                let added = added(&network, seed, &board(&tokens, None), &all);
                largest_difference(&added, &added.narrow(1, 0, 1).expand_as(&added)) > 1e-4
            });
            let declared = network.stack.position_sources().contains(&VALUE_SUM);
            assert_eq!(differs, declared, "{:?}", network.stack);
        }
    }
}
