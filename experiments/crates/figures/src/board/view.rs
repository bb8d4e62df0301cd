//! Names of squares on the board of the side to move.

use games::{Frame, GameKind, Orientation};

/// Whose board is drawn. Rank 0 of the side to move is always at the bottom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct View {
    /// Whether the second player is at the bottom.
    pub second: bool,
}

impl View {
    /// The first player's, which also stands for averages over positions.
    pub const FIRST: Self = Self { second: false };

    /// Whose view an input's squares have, with this side to move.
    pub fn of(frame: Frame, second_moves: bool) -> Self {
        Self { second: second_moves && frame == Frame::SideToMove }
    }

    /// Names of files from the left and of ranks from the top.
    pub fn names(self, game: GameKind) -> (Vec<String>, Vec<String>) {
        let (mut files, mut ranks) = game.notation().names(game.geometry());
        if self.second {
            ranks.reverse();
            if game.orientation() == Orientation::Turned {
                files.reverse();
            }
        }
        (files, ranks)
    }

    /// The name of a square: `e4`, `5e`.
    pub fn name(self, game: GameKind, square: usize) -> String {
        let geometry = game.geometry();
        let (files, ranks) = self.names(game);
        format!("{}{}", files[geometry.file_of(square)], ranks[geometry.ranks() - 1 - geometry.rank_of(square)])
    }

    pub fn square(self, game: GameKind, name: &str) -> Option<usize> {
        (0..game.geometry().squares()).find(|&square| self.name(game, square) == name)
    }

    /// The square that is shown if none was named: in the middle of the board.
    pub fn middle(game: GameKind) -> usize {
        let geometry = game.geometry();
        geometry.square(geometry.files() / 2, (geometry.ranks() - 1) / 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_have_their_names_for_both_players() {
        let games = [GameKind::Chess, GameKind::Shogi];
        assert_eq!(games.map(|game| View::FIRST.name(game, View::middle(game))), ["e4", "5e"]);
        let second = View { second: true };
        assert_eq!(games.map(|game| View::FIRST.name(game, 0)), ["a1", "9i"]);
        assert_eq!(games.map(|game| second.name(game, 0)), ["a8", "1a"]);
        for game in GameKind::ALL {
            for view in [View::FIRST, second] {
                for square in 0..game.geometry().squares() {
                    assert_eq!(view.square(game, &view.name(game, square)), Some(square));
                }
                assert_eq!(view.square(game, "z0"), None);
            }
        }
    }
}
