//! Laws of the geometry, on several boards.

use crate::attacks::displacement;
use games::{Geometry, Relation};
use std::collections::{HashMap, HashSet};

const BOARDS: [Geometry; 4] = [Geometry::new(8, 8), Geometry::new(9, 9), Geometry::new(5, 6), Geometry::new(3, 1)];

fn pairs(board: Geometry) -> impl Iterator<Item = (usize, usize)> {
    (0..board.squares()).flat_map(move |q| (0..board.squares()).map(move |k| (q, k)))
}

#[test]
fn coordinates_flips_and_turns_lead_back_to_their_square() {
    for board in BOARDS {
        for square in 0..board.squares() {
            assert_eq!(board.square(board.file_of(square), board.rank_of(square)), square);
            assert_eq!(board.mirror_ranks(board.mirror_ranks(square)), square);
            assert_eq!(board.rotate(board.rotate(square)), square);
        }
    }
}

#[test]
fn a_displacement_is_a_class_and_a_class_is_a_displacement() {
    for board in BOARDS {
        let mut class_of = HashMap::new();
        for (q, k) in pairs(board) {
            let class = board.displacement_class(q, k);
            assert_eq!(
                *class_of.entry(displacement(board, k, q)).or_insert(class),
                class,
                "translation changes a class"
            );
        }
        let classes: HashSet<usize> = class_of.values().copied().collect();
        assert_eq!(classes.len(), class_of.len(), "two displacements share a class");
        assert_eq!(classes, (0..board.displacement_classes()).collect());
    }
}

#[test]
fn the_known_boards_have_the_known_numbers_of_classes() {
    assert_eq!(BOARDS[0].displacement_classes(), 15 * 15);
    assert_eq!(BOARDS[1].displacement_classes(), 17 * 17);
    // Lc0's index 15·(rq − rk + 7) + (fq − fk + 7), here for q = b1, k = a8.
    assert_eq!(BOARDS[0].displacement_class(1, 56), 8);
}

#[test]
fn a_turn_reverses_displacements_and_relations_are_symmetric_and_survive_flips() {
    for board in BOARDS {
        for (a, b) in pairs(board) {
            assert_eq!(board.displacement_class(board.rotate(a), board.rotate(b)), board.displacement_class(b, a));
            let last = board.displacement_classes() - 1;
            assert_eq!(board.displacement_class(b, a), last - board.displacement_class(a, b));
            let relation = board.relation(a, b);
            assert_eq!(relation, board.relation(b, a));
            assert_eq!(relation, board.relation(board.mirror_ranks(a), board.mirror_ranks(b)));
            assert_eq!(relation, board.relation(board.rotate(a), board.rotate(b)));
        }
    }
}

#[test]
fn relations_name_what_pieces_connect() {
    let board = Geometry::new(8, 8);
    let count = |relation| pairs(board).filter(|&(a, b)| board.relation(a, b) == relation).count();
    assert_eq!(count(Relation::Same), board.squares());
    // Moves on an empty board, over all squares: rook 14 each, bishop 560, knight 336.
    assert_eq!(count(Relation::Rank), 7 * board.squares());
    assert_eq!(count(Relation::File), 7 * board.squares());
    assert_eq!(count(Relation::Diagonal), 560);
    assert_eq!(count(Relation::Knight), 336);
}
