//! The type of a move, in any game.

use games::{Entry, Game, InputName, Position};

/// The types, in display order. A promotion that captures is a promotion.
pub const MOVE_TYPES: [&str; 5] = ["quiet", "capture", "promotion", "drop", "castling"];

/// The type of a legal move of this position. Unless it is a drop, the call packs the position, in which the move is still to
/// be made, into `row`.
pub(crate) fn move_type<G: Game>(
    position: &G::Position,
    mv: <G::Position as Position>::Move,
    row: &mut Vec<u8>,
) -> &'static str {
    let (from, to, promotes) = match G::from_to().entries()[usize::from(position.move_index(mv))] {
        Entry::Drop { .. } => return "drop",
        Entry::Promotion { from, to, .. } => (usize::from(from), usize::from(to), true),
        // A knight promotion shares the entry of a plain move; its text has the piece after the squares.
        Entry::Plain { from, to } => (usize::from(from), usize::from(to), position.move_text(mv).len() > "e2e4".len()),
    };
    row.clear();
    row.resize(G::input(InputName::PieceTokens).row_bytes(), 0);
    position.pack(InputName::PieceTokens, 0, row);
    if promotes {
        return "promotion";
    }
    let own = 1..=G::PIECES.len();
    let leaves_its_file = || G::GEOMETRY.file_of(from) != G::GEOMETRY.file_of(to);
    match usize::from(row[to]) {
        // A pawn that changes its file to an empty square captured en passant; no other pawn move of any game changes
        // the file.
        0 if G::PIECES[usize::from(row[from]) - 1] == "pawn" && leaves_its_file() => "capture",
        0 => "quiet",
        code if own.contains(&code) => "castling",
        _ => "capture",
    }
}
