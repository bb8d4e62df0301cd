//! Lc0's 112 planes as packed rows: the inputs `lc0_112` and `lc0_112_en_passant`.
//!
//! A row holds eight boards of piece codes, eight repetition flags and eight scalars; expanded, the channels of a
//! square are Lc0's planes in their order: per step own and opposing pawn, knight, bishop, rook, queen, king and the
//! repetition plane (13 · 8 = 104), castling (own queen side, own king side, the opponent's likewise), Black to move,
//! rule 50, zeros, ones. All boards are from the view of the *current* side to move; Black's are mirrored by rank, with
//! files unchanged. Reference: lc0 `src/neural/encoder.cc` (`INPUT_CLASSICAL_112_PLANE`).
//!
//! Deviations: rule 50 is the count divided by 99, as lczero-training feeds it (lc0 itself feeds the raw count, and the
//! division is folded into exported weights; the paper does not mention it). An en-passant square counts where the
//! capture is legal; Lc0 counts it wherever a start FEN names it.
//!
//! The Chessformer paper (arXiv 2409.12272, A.1) lists en passant and a count divided by 100, and no side to move. So do
//! Lc0's canonical formats: plane 108 is the en-passant file's square of the eighth rank in place of Black to move, plane
//! 109 the count divided by 100. `lc0_112_en_passant` has these two, with the mark on the square that the capturing pawn
//! enters, before the castling channels. It neither turns boards nor ends the history as the canonical formats do, and
//! castling does not reset its count, which the paper says.

use super::{Chess, ChessPosition, moves, rights};
use crate::input::{Boards, Feature, FeatureKind, InputLayout, InputName};
use crate::position::{Earlier, Game, Position as _};
use shakmaty::{Color, Position as _, Square};

/// Positions that the input shows, including the current one.
pub const STEPS: usize = 8;

/// The last value of the rule-50 counter before a draw can be claimed.
const RULE_50_SCALE: f32 = 99.0;

/// The content of steps before the first known position (Lc0's option `history-fill`). With either option an en-passant
/// square proves one more position, that before the pawn's double step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HistoryFill {
    /// Empty (`no`): as in Lc0's training games, its chunks and `lc0_112`.
    No,
    /// The first position again, unless it is the standard start (`fen_only`): as Lc0 plays otherwise.
    FenOnly,
}

pub(super) fn layout(name: InputName) -> InputLayout {
    let scalar = |name, scale| Feature { name, kind: FeatureKind::Scalar { scale } };
    let [own_king_side, own_queen_side, king_side, queen_side, ..] = rights::NAMES;
    let castling = [own_queen_side, own_king_side, queen_side, king_side].map(|right| scalar(right, 1.0));
    let varying = if name == InputName::Lc0_112EnPassant {
        [Feature { name: "en_passant", kind: FeatureKind::Square }, scalar("rule_50", 100.0)]
    } else {
        [scalar("black_to_move", 1.0), scalar("rule_50", RULE_50_SCALE)]
    };
    let features = [castling.as_slice(), &varying, &[scalar("zeros", 1.0), scalar("ones", 1.0)]].concat();
    InputLayout::new(name, Chess::GEOMETRY, Chess::PIECES.len(), Boards::History { steps: STEPS }, &features)
}

/// Writes one row of one of the two inputs with a rule for missing history; the inputs themselves always use
/// [`HistoryFill::No`]. `earlier` holds the positions before the current one, the latest first. Panics if `out` has not
/// [`InputLayout::row_bytes`] bytes.
pub fn pack(
    name: InputName,
    current: &ChessPosition,
    repetitions: u8,
    earlier: &[Earlier<ChessPosition>],
    fill: HistoryFill,
    out: &mut [u8],
) {
    let squares = Chess::GEOMETRY.squares();
    let viewer = current.as_shakmaty().turn();
    let (boards, rest) = out.split_at_mut(STEPS * squares);
    let (repeated, features) = rest.split_at_mut(STEPS);
    repeated.fill(0);
    let known = earlier.iter().take(STEPS - 1);
    let known = std::iter::once((current, repetitions)).chain(known.map(|past| (&past.position, past.repetitions)));
    let mut steps = boards.chunks_exact_mut(squares);
    let mut first = current;
    // This order matters: the zip must not consume a board for a missing position.
    for ((position, repetitions), (board, repeated)) in known.zip(steps.by_ref().zip(repeated)) {
        position.pack_board(viewer, board);
        *repeated = u8::from(repetitions > 0);
        first = position;
    }
    for (missing, board) in steps.enumerate() {
        if is_filled(first, missing, fill) {
            first.pack_board(viewer, board);
            undo_double_step(first.as_shakmaty(), viewer, board);
        } else {
            board.fill(0);
        }
    }
    features.copy_from_slice(&pack_features(name, current.as_shakmaty()));
}

/// Whether the `missing`-th step before the first known position repeats that position.
fn is_filled(first: &ChessPosition, missing: usize, fill: HistoryFill) -> bool {
    match fill {
        HistoryFill::No => missing == 0 && first.as_shakmaty().legal_ep_square().is_some(),
        HistoryFill::FenOnly => *first != ChessPosition::start(),
    }
}

/// Takes back, on a packed board, the pawn's double step that gave `rules` its en-passant square.
fn undo_double_step(rules: &shakmaty::Chess, viewer: Color, board: &mut [u8]) {
    let Some(passed) = rules.legal_ep_square() else { return };
    let mover = !rules.turn();
    let (from, to) = double_step(passed, mover);
    board.swap(moves::in_frame(from, viewer), moves::in_frame(to, viewer));
}

/// The squares from which and to which `mover`'s pawn moved when it passed this square.
pub(super) fn double_step(passed: Square, mover: Color) -> (Square, Square) {
    let rank_of = |white| mover.relative_rank(white);
    (
        Square::from_coords(passed.file(), rank_of(shakmaty::Rank::Second)),
        Square::from_coords(passed.file(), rank_of(shakmaty::Rank::Fourth)),
    )
}

/// The bytes of the features of [`layout`].
fn pack_features(name: InputName, rules: &shakmaty::Chess) -> [u8; 8] {
    let turn = rules.turn();
    let [own_king_side, own_queen_side, king_side, queen_side, ..] = rights::of(rules, turn);
    [
        own_queen_side,
        own_king_side,
        queen_side,
        king_side,
        if name == InputName::Lc0_112EnPassant { rights::en_passant(rules) } else { u8::from(turn == Color::Black) },
        rules.halfmoves().min(u32::from(u8::MAX)) as u8,
        0,
        1,
    ]
}
