//! The differences between UCI and USI.
//!
//! UCI: Meyer-Kahlen and Huber's protocol of 2006; USI: its translation to shogi, <http://shogidokoro.starfree.jp/usi.html>.

use games::{GameKind, Notation};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    Uci,
    Usi,
}

impl Protocol {
    pub const fn of(game: GameKind) -> Self {
        match game.notation() {
            Notation::Uci => Self::Uci,
            Notation::Usi => Self::Usi,
        }
    }

    pub(super) const fn handshake_command(self) -> &'static str {
        match self {
            Self::Uci => "uci",
            Self::Usi => "usi",
        }
    }

    /// The last line of the answer to the handshake.
    pub(super) const fn handshake_end(self) -> &'static str {
        match self {
            Self::Uci => "uciok",
            Self::Usi => "usiok",
        }
    }

    /// The command before a game, which resets the engine's state.
    pub(super) const fn new_game(self) -> &'static str {
        match self {
            Self::Uci => "ucinewgame",
            Self::Usi => "usinewgame",
        }
    }

    /// The command that sets up a position: from the standard start or from a text, by its moves.
    pub(super) fn position(self, start: Option<&str>, moves: &[String]) -> String {
        let mut command = match (self, start) {
            (_, None) => "position startpos".to_owned(),
            (Self::Uci, Some(fen)) => format!("position fen {fen}"),
            (Self::Usi, Some(sfen)) => format!("position sfen {sfen}"),
        };
        if !moves.is_empty() {
            command.push_str(" moves");
        }
        for mv in moves {
            command.push(' ');
            command.push_str(mv);
        }
        command
    }

    /// Moves to mate, from the number in `score mate`: UCI counts moves, USI plies.
    pub(super) const fn moves_to_mate(self, number: i32) -> i32 {
        match self {
            Self::Uci => number,
            Self::Usi => number / 2 + number % 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_said_as_each_protocol_wants_them() {
        let moves = ["7g7f".to_owned(), "3c3d".to_owned()];
        assert_eq!(Protocol::Usi.position(None, &moves), "position startpos moves 7g7f 3c3d");
        assert_eq!(Protocol::Uci.position(Some("8/8 w"), &[]), "position fen 8/8 w");
        assert_eq!(Protocol::Usi.position(Some("9/9 b - 1"), &moves[..1]), "position sfen 9/9 b - 1 moves 7g7f");
    }

    #[test]
    fn plies_to_mate_become_moves() {
        assert_eq!([1, 3, -2, -4].map(|plies| Protocol::Usi.moves_to_mate(plies)), [1, 2, -1, -2]);
        assert_eq!(Protocol::Uci.moves_to_mate(-3), -3);
    }
}
