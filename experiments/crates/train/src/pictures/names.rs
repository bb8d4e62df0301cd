//! The names of files and ranks in each game.

use games::GameKind;

/// The names of files from the left and of ranks from the top, as the first player sees the board.
pub fn names(kind: GameKind) -> (Vec<String>, Vec<String>) {
    let geometry = kind.geometry();
    let letters = |n: usize| (0..n).map(|i| char::from(b'a' + i as u8).to_string()).collect::<Vec<_>>();
    let down = |n: usize| (1..=n).rev().map(|i| i.to_string()).collect::<Vec<_>>();
    match kind {
        GameKind::Chess => (letters(geometry.files()), down(geometry.ranks())),
        GameKind::Shogi => (down(geometry.files()), letters(geometry.ranks())),
    }
}
