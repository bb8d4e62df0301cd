//! Resolves the common spellings of SAN without generating all moves.
//!
//! Only the pieces that could reach the square are examined, each by one question: would the own king be in check? Both
//! need the pieces on the square's lines and those between: a table of 32 KB suffices, while the tables of all slider
//! attacks take 700 KB and are rarely in the cache. Other texts (castling, unusual spellings, errors) go to shakmaty,
//! which also gives the errors. The results here equal shakmaty's (tested with every conceivable text in many
//! positions).

use shakmaty::{Bitboard, Board, Chess, Color, File, Move, Position as _, Rank, Role, Square, attacks};

struct San {
    role: Role,
    file: Option<File>,
    rank: Option<Rank>,
    capture: bool,
    to: Square,
    promotion: Option<Role>,
}

/// The move of a text; `None` if shakmaty must resolve it.
pub(super) fn resolve(rules: &Chess, text: &[u8]) -> Option<Move> {
    let san = San::read(text)?;
    let lines = match san.role {
        Role::Pawn => return san.pawn(rules),
        Role::Knight => attacks::knight_attacks(san.to),
        Role::Bishop => diagonals(san.to),
        Role::Rook => straights(san.to),
        Role::Queen => straights(san.to) | diagonals(san.to),
        Role::King => attacks::king_attacks(san.to),
    };
    san.piece(rules, lines)
}

impl San {
    fn read(text: &[u8]) -> Option<Self> {
        let text = text.strip_suffix(b"+").or_else(|| text.strip_suffix(b"#")).unwrap_or(text);
        let (text, promotion) = match text {
            [rest @ .., b'=', kind] => (rest, Some(piece_letter(*kind)?)),
            _ => (text, None),
        };
        let [front @ .., file, rank] = text else { return None };
        let to = Square::from_coords(read_file(*file)?, read_rank(*rank)?);
        let (role, front) = match front {
            [b'K', rest @ ..] => (Role::King, rest),
            [kind, rest @ ..] if kind.is_ascii_uppercase() => (piece_letter(*kind)?, rest),
            _ => (Role::Pawn, front),
        };
        let (front, capture) = match front {
            [rest @ .., b'x'] => (rest, true),
            _ => (front, false),
        };
        let (file, rank) = match *front {
            [] => (None, None),
            [byte] => match read_file(byte) {
                Some(file) => (Some(file), None),
                None => (None, Some(read_rank(byte)?)),
            },
            [file, rank] => (Some(read_file(file)?), Some(read_rank(rank)?)),
            _ => return None,
        };
        Some(Self { role, file, rank, capture, to, promotion })
    }

    /// The squares that the text allows as origins.
    fn origins(&self, squares: Bitboard) -> Bitboard {
        let file = self.file.map_or(Bitboard::FULL, Bitboard::from_file);
        let rank = self.rank.map_or(Bitboard::FULL, Bitboard::from_rank);
        squares & file & rank
    }

    /// A move of a piece other than a pawn; `lines` are the squares from which it reaches the target if no piece is
    /// between.
    fn piece(&self, rules: &Chess, lines: Bitboard) -> Option<Move> {
        let board = rules.board();
        let (own, theirs) = (board.by_color(rules.turn()), board.by_color(!rules.turn()));
        if own.contains(self.to) || self.capture != theirs.contains(self.to) || self.promotion.is_some() {
            return None;
        }
        let capture = if self.capture { board.role_at(self.to) } else { None };
        let mv = |from| Move::Normal { role: self.role, from, capture, to: self.to, promotion: None };
        only_legal(rules, self.origins(lines & own & board.by_role(self.role)), self.to, mv)
    }

    fn pawn(&self, rules: &Chess) -> Option<Move> {
        let (board, turn) = (rules.board(), rules.turn());
        let promotes = self.to.rank() == turn.relative_rank(Rank::Eighth);
        if promotes != self.promotion.is_some() {
            return None;
        }
        let pawns = board.pawns() & board.by_color(turn);
        if !self.capture {
            let mv = |from| self.normal_pawn(from, None);
            return only_legal(rules, self.origins(pushed_from(rules, pawns, self.to)), self.to, mv);
        }
        let from = self.origins(pawns & attacks::pawn_attacks(!turn, self.to));
        if board.by_color(!turn).contains(self.to) {
            let capture = board.role_at(self.to);
            return only_legal(rules, from, self.to, |from| self.normal_pawn(from, capture));
        }
        if rules.maybe_ep_square() != Some(self.to) {
            return None;
        }
        only_legal(rules, from, self.to, |from| Move::EnPassant { from, to: self.to })
    }

    fn normal_pawn(&self, from: Square, capture: Option<Role>) -> Move {
        Move::Normal { role: Role::Pawn, from, capture, to: self.to, promotion: self.promotion }
    }
}

/// The pawn that can be pushed to a square, as a set.
fn pushed_from(rules: &Chess, pawns: Bitboard, to: Square) -> Bitboard {
    let occupied = rules.board().occupied();
    let behind = |square: Square| match rules.turn() {
        Color::White => square.offset(-8),
        Color::Black => square.offset(8),
    };
    if occupied.contains(to) {
        return Bitboard::EMPTY;
    }
    let Some(one) = behind(to) else { return Bitboard::EMPTY };
    let from = match behind(one) {
        Some(two) if !occupied.contains(one) && to.rank() == rules.turn().relative_rank(Rank::Fourth) => two,
        _ => one,
    };
    pawns & Bitboard::from_square(from)
}

/// The move from the only one of these squares from which it is legal.
fn only_legal(rules: &Chess, origins: Bitboard, to: Square, mv: impl Fn(Square) -> Move) -> Option<Move> {
    let mut found = None;
    for from in origins {
        let mv = mv(from);
        if is_free(from, to, rules.board().occupied())
            && leaves_king_safe(rules, from, to, mv)
            && found.replace(mv).is_some()
        {
            return None;
        }
    }
    found
}

/// Whether the mover's king is safe after a pseudo-legal move.
fn leaves_king_safe(rules: &Chess, from: Square, to: Square, mv: Move) -> bool {
    let (board, turn) = (rules.board(), rules.turn());
    let taken = match mv {
        Move::EnPassant { .. } => Square::from_coords(to.file(), from.rank()),
        _ => to,
    };
    let occupied = board.occupied().without(from).without(taken).with(to);
    let king = match mv {
        Move::Normal { role: Role::King, .. } => Some(to),
        _ => board.king_of(turn),
    };
    let theirs = board.by_color(!turn).without(taken);
    king.is_some_and(|king| !is_attacked(board, theirs, king, occupied))
}

/// Whether one of these pieces attacks a square, given the occupied squares.
fn is_attacked(board: &Board, pieces: Bitboard, square: Square, occupied: Bitboard) -> bool {
    let steps = (attacks::knight_attacks(square) & board.knights())
        | (attacks::king_attacks(square) & board.kings())
        | (pawns_that_attack(board, square) & board.pawns());
    let sliders = (straights(square) & board.rooks_and_queens()) | (diagonals(square) & board.bishops_and_queens());
    (steps & pieces).any() || (sliders & pieces).into_iter().any(|from| is_free(from, square, occupied))
}

/// The squares from which pawns of either colour attack a square.
fn pawns_that_attack(board: &Board, square: Square) -> Bitboard {
    (attacks::pawn_attacks(Color::Black, square) & board.white())
        | (attacks::pawn_attacks(Color::White, square) & board.black())
}

/// Whether all squares between two squares are empty; true if no line connects them.
fn is_free(from: Square, to: Square, occupied: Bitboard) -> bool {
    (attacks::between(from, to) & occupied).is_empty()
}

/// The file and the rank of a square.
fn straights(square: Square) -> Bitboard {
    Bitboard::from_file(square.file()) | Bitboard::from_rank(square.rank())
}

fn diagonals(square: Square) -> Bitboard {
    Bitboard(DIAGONALS[square.to_usize()])
}

static DIAGONALS: [u64; 64] = {
    let mut diagonals = [0; 64];
    let mut pair = 0usize;
    while pair < 64 * 64 {
        let (from, to) = (pair / 64, pair % 64);
        if (from % 8).abs_diff(to % 8) == (from / 8).abs_diff(to / 8) {
            diagonals[from] |= 1 << to;
        }
        pair += 1;
    }
    diagonals
};

fn piece_letter(byte: u8) -> Option<Role> {
    match byte {
        b'N' => Some(Role::Knight),
        b'B' => Some(Role::Bishop),
        b'R' => Some(Role::Rook),
        b'Q' => Some(Role::Queen),
        _ => None,
    }
}

fn read_file(byte: u8) -> Option<File> {
    File::from_char(char::from(byte))
}

fn read_rank(byte: u8) -> Option<Rank> {
    Rank::from_char(char::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::ChessPosition;
    use crate::position::Position as _;
    use shakmaty::san::SanPlus;

    /// Pins, checks of every kind, en passant that uncovers a check, promotions with captures, three queens.
    const STARTS: [&str; 6] = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
        "k7/8/8/1Q3Q2/8/8/3Q4/K2r3r w - - 0 1",
    ];

    /// Positions on the way through games of moves that look random and are always the same.
    fn positions() -> Vec<ChessPosition> {
        let mut positions = Vec::new();
        let mut number = 1u64;
        for start in STARTS {
            for _ in 0..4 {
                let mut position = ChessPosition::parse(start).expect("a position");
                for _ in 0..20 {
                    let legal = position.list_moves();
                    number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    let Some(&mv) = legal.get((number >> 33) as usize % legal.len().max(1)) else { break };
                    positions.push(position.clone());
                    position.play(mv);
                }
            }
        }
        positions
    }

    fn shakmatys(rules: &Chess, text: &str) -> Option<Move> {
        SanPlus::from_ascii(text.as_bytes()).ok()?.san.to_move(rules).ok()
    }

    #[test]
    fn every_legal_move_is_found_in_its_usual_spelling() {
        let mut found = 0;
        for position in positions() {
            let rules = position.as_shakmaty();
            for &mv in &rules.legal_moves() {
                let text = SanPlus::from_move(rules.clone(), mv).to_string();
                let expected = (!mv.is_castle()).then_some(mv);
                assert_eq!(resolve(rules, text.as_bytes()), expected, "{text} in {position:?}");
                found += usize::from(expected.is_some());
            }
        }
        assert!(found > 8000, "{found}");
    }

    #[test]
    fn nothing_is_found_that_shakmaty_does_not_find() {
        let front = ["", "N", "B", "R", "Q", "K", "P", "X", "a", "e", "Na", "Re", "Q1", "R5", "Qb5", "e2", "n", "N@"];
        let (mut same, mut none) = (0, 0);
        for position in positions().into_iter().step_by(5) {
            let rules = position.as_shakmaty();
            for (piece, to) in front.iter().flat_map(|piece| Square::ALL.map(|to| (piece, to))) {
                for (capture, end) in
                    [("", ""), ("x", ""), ("", "=Q"), ("x", "=N+"), ("x", "=K"), ("", "+"), ("x", "++")]
                {
                    let text = format!("{piece}{capture}{to}{end}");
                    match resolve(rules, text.as_bytes()) {
                        None => none += 1,
                        found => {
                            assert_eq!(found, shakmatys(rules, &text), "{text} in {position:?}");
                            same += 1;
                        }
                    }
                }
            }
        }
        assert!(same > 3000 && none > same, "{same} {none}");
    }
}
