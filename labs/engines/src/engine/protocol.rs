//! The differences between UCI and USI.
//!
//! UCI: Meyer-Kahlen and Huber's protocol of 2006; USI: its translation to shogi, <http://shogidokoro.starfree.jp/usi.html>.

use games::Notation;

/// The command that sets up a position: from the standard start or from a text, by its moves.
pub(super) fn position(notation: Notation, start: Option<&str>, moves: &[String]) -> String {
    let mut command = match (notation, start) {
        (_, None) => "position startpos".to_owned(),
        (Notation::Uci, Some(fen)) => format!("position fen {fen}"),
        (Notation::Usi, Some(sfen)) => format!("position sfen {sfen}"),
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
pub(super) const fn moves_to_mate(notation: Notation, number: i32) -> i32 {
    match notation {
        Notation::Uci => number,
        Notation::Usi => number / 2 + number % 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_said_as_each_protocol_wants_them() {
        let moves = ["7g7f".to_owned(), "3c3d".to_owned()];
        assert_eq!(position(Notation::Usi, None, &moves), "position startpos moves 7g7f 3c3d");
        assert_eq!(position(Notation::Uci, Some("8/8 w"), &[]), "position fen 8/8 w");
        assert_eq!(position(Notation::Usi, Some("9/9 b - 1"), &moves[..1]), "position sfen 9/9 b - 1 moves 7g7f");
    }

    #[test]
    fn plies_to_mate_become_moves() {
        assert_eq!([1, 3, -2, -4].map(|plies| moves_to_mate(Notation::Usi, plies)), [1, 2, -1, -2]);
        assert_eq!(moves_to_mate(Notation::Uci, -3), -3);
    }
}
