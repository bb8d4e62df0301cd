//! The repetition key of a position, updated from that of the position before.
//!
//! shakmaty computes a key from all pieces, or incrementally only if neither king, castling right nor en passant is
//! involved; a game has one of the others at every fourth ply. Here every move is incremental: the moved and captured
//! pieces, and the changes of rights and of the legal en passant.

use shakmaty::zobrist::{Zobrist64, ZobristValue as _};
use shakmaty::{CastlingSide, Chess, Color, Move, Piece, Position as _, Role, Square};

/// The part of a key beside pieces and side to move: castling rights, and the file of a legal en passant.
pub(super) fn rights(rules: &Chess) -> u64 {
    let mut key = 0_u64;
    for color in Color::ALL {
        for side in [CastlingSide::KingSide, CastlingSide::QueenSide] {
            if rules.castles().has(color, side) {
                key ^= Zobrist64::zobrist_for_castling_right(color, side).0;
            }
        }
    }
    key ^ rules.legal_ep_square().map_or(0, |square| Zobrist64::zobrist_for_en_passant_file(square.file()).0)
}

/// The key after a move of `mover`, from the key and the [`rights`] before it.
pub(super) fn after(key: u64, before: u64, mover: Color, mv: Move, after: &Chess) -> u64 {
    key ^ pieces(mover, mv) ^ Zobrist64::zobrist_for_white_turn().0 ^ before ^ rights(after)
}

/// The change of the key by a move's pieces.
fn pieces(mover: Color, mv: Move) -> u64 {
    let own = |role: Role, square| piece(role.of(mover), square);
    match mv {
        Move::Normal { role, from, capture, to, promotion } => {
            let taken = capture.map_or(0, |role| piece(role.of(mover.other()), to));
            own(role, from) ^ own(promotion.unwrap_or(role), to) ^ taken
        }
        Move::EnPassant { from, to } => {
            let taken = Square::from_coords(to.file(), from.rank());
            own(Role::Pawn, from) ^ own(Role::Pawn, to) ^ piece(mover.other().pawn(), taken)
        }
        Move::Castle { king, rook } => {
            let side = CastlingSide::from_queen_side(rook < king);
            let [king_to, rook_to] =
                [side.king_to_file(), side.rook_to_file()].map(|file| Square::from_coords(file, king.rank()));
            own(Role::King, king) ^ own(Role::King, king_to) ^ own(Role::Rook, rook) ^ own(Role::Rook, rook_to)
        }
        Move::Put { role, to } => own(role, to),
    }
}

fn piece(piece: Piece, square: Square) -> u64 {
    Zobrist64::zobrist_for_piece(square, piece).0
}

#[cfg(test)]
mod tests {
    use crate::chess::ChessPosition;
    use crate::position::Position as _;

    #[test]
    fn a_key_made_forward_is_that_of_the_position() {
        // Castling both ways and against rights, rooks that are taken at home, promotions, en passant, legal or pinned.
        let starts = [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
            "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
        ];
        let mut checked = 0;
        for start in starts {
            let mut positions = vec![ChessPosition::parse(start).expect("a position")];
            for _ in 0..3 {
                let mut next = Vec::new();
                for position in positions {
                    let key = position.repetition_key();
                    for mv in position.list_moves() {
                        let mut after = position.clone();
                        assert_eq!(after.play_with_key(mv, key), after.repetition_key(), "{mv:?} in {position:?}");
                        next.push(after);
                        checked += 1;
                    }
                }
                positions = next;
            }
        }
        // perft(1) + perft(2) + perft(3) of these positions, as everybody counts them.
        assert_eq!(checked, (48 + 2039 + 97_862) + (14 + 191 + 2812) + (6 + 264 + 9467) + (24 + 496 + 9483));
    }
}
