//! Which inputs give squares with equal pieces different channels: declared exactly where observed.

use crate::common::tensor;
use games::chess::ChessPosition;
use games::input::{ATTACKS, HISTORY, MARK};
use games::shogi::ShogiPosition;
use games::{GameKind, InputLayout, Line, Position};
use models::input::Expander;

/// A position, the moves from it, and the sources that have an effect after them.
type Case = (&'static str, &'static [&'static str], &'static [&'static str]);

const CHESS: [Case; 3] = [
    ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", &[], &[]),
    // Lc0's history has the pawn's double step that the FEN implies.
    ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2", &[], &[MARK, HISTORY]),
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", &["g1f3", "g8f6", "f3g1", "f6g8"], &[HISTORY]),
];

const SHOGI: [Case; 2] = [
    ("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1", &[], &[ATTACKS]),
    (
        "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
        &["4i4h", "6a6b", "4h4i", "6b6a"],
        &[ATTACKS, HISTORY],
    ),
];

/// Whether two squares with equal pieces have different channels.
fn tells_equal_pieces_apart<P: Position>(layout: &'static InputLayout, start: &str, moves: &[&str]) -> bool {
    let mut line = Line::for_input(P::parse(start).expect("a position"), layout);
    for text in moves {
        line.play(line.position().parse_move(text).expect("a legal move"));
    }
    let mut row = vec![0; layout.row_bytes()];
    line.pack(layout, &mut row);
    let expander = Expander::new(layout);
    let channels: Vec<f32> = Vec::try_from(expander.expand(&tensor(&[row.clone()])).flatten(0, -1)).expect("numbers");
    let first = usize::from(layout.summary_token().is_some());
    let tokens: Vec<&[f32]> = channels.chunks(expander.channels()).skip(first).collect();
    let squares = layout.geometry.squares();
    (0..squares).any(|a| (0..a).any(|b| row[a] == row[b] && tokens[a] != tokens[b]))
}

fn compare<P: Position>(game: GameKind, cases: &[Case]) {
    for layout in game.inputs() {
        for (start, moves, sources) in cases {
            let declared = layout.position_sources().iter().any(|source| sources.contains(source));
            let observed = tells_equal_pieces_apart::<P>(layout, start, moves);
            assert_eq!(declared, observed, "{} after {start} {moves:?}", layout.name.name());
        }
    }
}

#[test]
fn inputs_tell_equal_pieces_apart_exactly_where_declared() {
    compare::<ChessPosition>(GameKind::Chess, &CHESS);
    compare::<ShogiPosition>(GameKind::Shogi, &SHOGI);
    let declared =
        |game: GameKind| -> Vec<_> { game.inputs().iter().flat_map(InputLayout::position_sources).collect() };
    assert!([MARK, HISTORY].iter().all(|source| declared(GameKind::Chess).contains(source)));
    assert_eq!(declared(GameKind::Shogi), [ATTACKS]);
}
