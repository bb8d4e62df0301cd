//! A board as text, from White's side in chess and Black's in shogi.

use figures::board::View;
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
        out.extend(squares(rank).iter().map(|piece| format!("{piece:>3}")));
        out.push('\n');
    }
    out
}

fn squares(rank: &str) -> Vec<String> {
    let mut squares = Vec::new();
    let mut promoted = "";
    for c in rank.chars() {
        match c.to_digit(10) {
            Some(empty) => squares.extend((0..empty).map(|_| ".".to_owned())),
            None if c == '+' => promoted = "+",
            None => squares.push(format!("{}{c}", std::mem::take(&mut promoted))),
        }
    }
    squares
}
