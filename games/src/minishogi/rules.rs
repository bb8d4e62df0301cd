//! The rules of minishogi.

use super::board::{Board, CODES, HANDS, PieceKind, SQUARES};
use super::moves::{self, MinishogiMove as Move};
use super::{MinishogiPosition, input, sfen};
use crate::input::InputName;
use crate::move_text::MoveText;
use crate::position::{Earlier, ParsePosition, Phase, Position, Side};

impl Position for MinishogiPosition {
    type Move = Move;

    fn start() -> Self {
        Self::parse(sfen::START).expect("the start is legal")
    }

    fn parse(text: &str) -> Result<Self, ParsePosition> {
        sfen::parse(text)
    }

    fn to_text(&self) -> String {
        sfen::write(self)
    }

    fn compact(&self) -> Option<Vec<u8>> {
        let mut bytes: Vec<u8> = self.codes().collect();
        bytes.extend(self.hands.as_flattened());
        bytes.push(self.turn as u8);
        bytes.extend(self.ply.to_le_bytes());
        Some(bytes)
    }

    fn from_compact(bytes: &[u8]) -> Result<Self, ParsePosition> {
        let wrong = |reason: &str| ParsePosition::new(&format!("{bytes:02x?}"), None, reason);
        let Some((codes, rest)) = bytes.split_first_chunk::<SQUARES>() else { return Err(wrong("too few bytes")) };
        let Some((held, rest)) = rest.split_first_chunk::<{ 2 * HANDS }>() else {
            return Err(wrong("too few bytes"));
        };
        let &[turn, a, b, c, d] = rest else { return Err(wrong("too many or too few bytes")) };
        if codes.iter().any(|&code| usize::from(code) > 2 * PieceKind::ALL.len()) {
            return Err(wrong("an unknown piece"));
        }
        let board = Board(codes.map(|code| CODES.piece(code).map(|(side, kind)| (side, PieceKind::ALL[kind]))));
        let mut hands = [[0; HANDS]; 2];
        hands.as_flattened_mut().copy_from_slice(held);
        let turn = match turn {
            0 => Side::First,
            1 => Side::Second,
            _ => return Err(wrong("an unknown side to move")),
        };
        let position = Self { board, hands, turn, ply: u32::from_le_bytes([a, b, c, d]) };
        sfen::check(&position).map_err(|reason| wrong(&reason))?;
        Ok(position)
    }

    fn side_to_move(&self) -> Side {
        self.turn
    }

    fn legal_moves(&self, out: &mut Vec<Move>) {
        out.clear();
        self.board_moves(out);
        self.drops(out);
        self.retain_legal(out);
    }

    fn write_move(&self, mv: Move) -> MoveText {
        moves::write(mv)
    }

    /// Panics if no piece can make the move.
    fn play(&mut self, mv: Move) {
        let hand = &mut self.hands[self.turn as usize];
        match mv {
            Move::Board { from, to, promotes } => {
                let (side, kind) = self.board.0[usize::from(from)].take().expect("a piece moves");
                let kind = if promotes { kind.promoted().expect("the piece promotes") } else { kind };
                if let Some((_, taken)) = self.board.0[usize::from(to)].replace((side, kind)) {
                    hand[taken.unpromoted() as usize] += 1;
                }
            }
            Move::Drop { kind, to } => {
                hand[usize::from(kind)] -= 1;
                self.board.0[usize::from(to)] = Some((self.turn, PieceKind::ALL[usize::from(kind)]));
            }
        }
        self.turn = self.turn.other();
        self.ply = self.ply.saturating_add(1);
    }

    fn in_check(&self) -> bool {
        self.board.is_in_check(self.turn)
    }

    fn repetition_key(&self) -> u64 {
        // SplitMix64 over what counts for repetition.
        let mix = |state: u64, byte: u8| {
            let mut z = (state ^ u64::from(byte)).wrapping_add(0x9e37_79b9_7f4a_7c15);
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ (z >> 31)
        };
        self.codes().chain(self.hands.as_flattened().iter().copied()).chain([self.turn as u8]).fold(0, mix)
    }

    /// By the pieces in both hands, at most ten: at most one opening, two or three middle game.
    fn phase(&self) -> Phase {
        match self.hands.as_flattened().iter().sum::<u8>() {
            0 | 1 => Phase::Opening,
            2 | 3 => Phase::Middlegame,
            _ => Phase::Endgame,
        }
    }

    fn move_index(&self, mv: Move) -> u16 {
        moves::index(mv, self.turn)
    }

    fn pack_after(&self, _: &[Earlier<Self>], input: InputName, repetitions: u8, out: &mut [u8]) {
        input::pack(self, input, repetitions, out);
    }
}
