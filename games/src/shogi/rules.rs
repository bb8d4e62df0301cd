//! The rules of shogi, from rsshogi.

use super::{Board, ShogiPosition, frame, input, moves, packed_sfen, planes, sfen};
use crate::geometry::Frame;
use crate::input::InputName;
use crate::move_text::MoveText;
use crate::position::{Earlier, IllegalMove, ParsePosition, Phase, Position, Side};
use crate::vocabulary::MovesName;
use rsshogi::board::MoveList;
use rsshogi::movegen::generate_legal_all;
use rsshogi::types as rules;
use shogi_core::{Color, Move};

/// The length at which rsshogi's history is dropped. It keeps its states in blocks of 64 and clones whole blocks, so a
/// clone always copies one block.
const REMEMBERED_PLIES: usize = 62;

impl Position for ShogiPosition {
    type Move = Move;

    fn start() -> Self {
        Self { rules: rsshogi::board::hirate_position(), ply: 1 }
    }

    /// Reads an SFEN of three fields (without the move number) or four. Handicap positions are allowed; each side needs
    /// its king.
    fn parse(text: &str) -> Result<Self, ParsePosition> {
        sfen::parse(text)
    }

    fn to_text(&self) -> String {
        let mut text = self.rules.to_sfen(Some(-1));
        text.push_str(&format!(" {}", self.ply));
        text
    }

    /// 36 bytes: PackedSfen and the number of the next move.
    fn compact(&self) -> Option<Vec<u8>> {
        let packed = packed_sfen::encode(&Board::of(self)).ok()?;
        Some([&packed[..], &self.ply.to_le_bytes()].concat())
    }

    fn from_compact(bytes: &[u8]) -> Result<Self, ParsePosition> {
        let wrong = |reason: &str| ParsePosition::new(&format!("{bytes:02x?}"), None, reason);
        let Some((packed, ply)) = bytes.split_first_chunk() else { return Err(wrong("too few bytes")) };
        let ply: [u8; 4] = ply.try_into().map_err(|_| wrong("too many or too few bytes"))?;
        let board = packed_sfen::decode(packed).map_err(|error| wrong(&error.to_string()))?;
        // Decoding checks the board.
        Ok(board.unchecked_position(u32::from_le_bytes(ply)))
    }

    fn side_to_move(&self) -> Side {
        match self.turn() {
            Color::Black => Side::First,
            Color::White => Side::Second,
        }
    }

    /// Every legal move, with and without promotion, including the unpromoted bishop, which many programs omit.
    fn legal_moves(&self, out: &mut Vec<Move>) {
        out.clear();
        let mut moves = MoveList::new();
        generate_legal_all(&self.rules, &mut moves);
        let turn = self.turn();
        out.extend(moves.iter().map(|&mv| frame::from_rules(mv, turn)));
    }

    fn choose_move(&self, choose: impl FnOnce(usize) -> usize) -> Option<Move> {
        let mut moves = MoveList::new();
        generate_legal_all(&self.rules, &mut moves);
        let moves = moves.as_slice();
        (!moves.is_empty()).then(|| frame::from_rules(moves[choose(moves.len())], self.turn()))
    }

    fn parse_move(&self, text: &str) -> Result<Move, IllegalMove> {
        let wrong = |reason: &str| IllegalMove::new(text, self.to_text(), reason);
        let mv = text
            .is_ascii()
            .then(|| rules::Move::from_usi(text))
            .flatten()
            .filter(|mv| mv.is_normal())
            .ok_or_else(|| wrong("not a move in USI notation (like 7g7f, 2b3c+, P*5e)"))?;
        let mv = frame::from_rules(mv, self.turn());
        if self.is_legal(mv) { Ok(mv) } else { Err(wrong("illegal move")) }
    }

    fn write_move(&self, mv: Move) -> MoveText {
        moves::write(mv)
    }

    /// Panics if `mv` is not legal here.
    fn play(&mut self, mv: Move) {
        let with_piece = self.with_piece(mv);
        if let Err(error) = self.rules.try_apply_move32(with_piece) {
            panic!("{mv:?} is not legal in {self:?}: {error:?}");
        }
        self.ply = self.ply.saturating_add(1);
        if self.rules.state_stack_depth() >= REMEMBERED_PLIES {
            self.forget_history();
        }
    }

    fn gives_check(&self, mv: Move) -> bool {
        self.rules.gives_check_move32(self.with_piece(mv))
    }

    fn in_check(&self) -> bool {
        self.rules.is_in_check()
    }

    fn repetition_key(&self) -> u64 {
        self.rules.key().low_u64()
    }

    fn phase(&self) -> Phase {
        let in_hand =
            |color| -> u32 { frame::HAND.iter().map(|&(_, piece)| self.rules.hand(color).count(piece)).sum() };
        match in_hand(rules::Color::BLACK) + in_hand(rules::Color::WHITE) {
            0..=3 => Phase::Opening,
            4..=8 => Phase::Middlegame,
            _ => Phase::Endgame,
        }
    }

    fn move_index(&self, mv: Move) -> u16 {
        moves::index(mv, self.turn())
    }

    fn label(&self, mv: Move, moves: MovesName, frame: Frame) -> u16 {
        assert_eq!(frame, Frame::SideToMove, "{} numbers the mover's moves only", moves.name());
        planes::index(mv, self.turn(), moves)
    }

    fn pack_after(&self, _: &[Earlier<Self>], input: InputName, repetitions: u8, out: &mut [u8]) {
        input::pack(&self.rules, input, repetitions, out);
    }
}
