//! A board as text, from White's side in chess and Black's in shogi.

use figures::board::View;
use games::placement::squares;
use games::{Game, Position};

/// The board that FEN and SFEN write: capitals for the first player, `+` before promoted pieces, `.` for empty squares.
pub(super) fn draw<G: Game>(position: &G::Position) -> String {
    let (files, ranks) = View::FIRST.names(G::KIND);
    let text = position.to_text();
    let board = text.split(' ').next().unwrap_or_default();
    let mut out = String::from("   ");
    out.extend(files.iter().map(|file| format!("{file:>3}")));
    out.push('\n');
    for (name, rank) in ranks.iter().zip(board.split('/')) {
        out.push_str(&format!("{name:>3}"));
        out.extend(squares(rank).iter().map(|piece| format!("{:>3}", piece.as_deref().unwrap_or("."))));
        out.push('\n');
    }
    out
}
