//! The rules of chess, by shakmaty.

use super::history::HistoryFill;
use super::position::ChessPosition;
use super::{compact, fen, history, input, key, moves, pgn, rights, vocabularies};
use crate::geometry::Frame;
use crate::input::InputName;
use crate::move_text::MoveText;
use crate::position::{Earlier, IllegalMove, ParsePosition, Phase, Position, Side};
use crate::vocabulary::MovesName;
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{Color, EnPassantMode, Move};

impl Position for ChessPosition {
    type Move = Move;

    fn start() -> Self {
        Self::default()
    }

    /// Reads a FEN of four fields (without the clocks) or six. Castling rights and an en-passant square must fit the
    /// board; an en-passant square that no pawn can use is accepted and dropped.
    fn parse(text: &str) -> Result<Self, ParsePosition> {
        fen::parse(text).map(|rules| Self { rules })
    }

    /// Writes FEN, the en-passant square only where the capture is legal.
    fn to_text(&self) -> String {
        Fen::from_position(&self.rules, EnPassantMode::Legal).to_string()
    }

    fn compact(&self) -> Option<Vec<u8>> {
        compact::write(&self.rules)
    }

    fn from_compact(bytes: &[u8]) -> Result<Self, ParsePosition> {
        compact::read(bytes).map(Self::from_rules)
    }

    fn side_to_move(&self) -> Side {
        match shakmaty::Position::turn(&self.rules) {
            Color::White => Side::First,
            Color::Black => Side::Second,
        }
    }

    fn legal_moves(&self, out: &mut Vec<Move>) {
        out.clear();
        out.extend_from_slice(&shakmaty::Position::legal_moves(&self.rules));
    }

    fn choose_move(&self, choose: impl FnOnce(usize) -> usize) -> Option<Move> {
        let legal = shakmaty::Position::legal_moves(&self.rules);
        (!legal.is_empty()).then(|| legal[choose(legal.len())])
    }

    fn parse_move(&self, text: &str) -> Result<Move, IllegalMove> {
        let wrong = |reason: &str| IllegalMove::new(text, self.to_text(), reason);
        let uci = UciMove::from_ascii(text.as_bytes())
            .map_err(|_| wrong("not a move in UCI notation (like e2e4, e7e8q, e1g1)"))?;
        uci.to_move(&self.rules).map_err(|_| wrong("illegal move"))
    }

    fn parse_written(&self, text: &str) -> Result<Move, IllegalMove> {
        self.parse_move(text).or_else(|wrong| pgn::read_san(self, text.as_bytes()).map_err(|_| wrong))
    }

    fn write_move(&self, mv: Move) -> MoveText {
        moves::write(mv)
    }

    fn play(&mut self, mv: Move) {
        shakmaty::Position::play_unchecked(&mut self.rules, mv);
    }

    fn play_with_key(&mut self, mv: Move, key: u64) -> u64 {
        let (mover, rights) = (shakmaty::Position::turn(&self.rules), key::rights(&self.rules));
        self.play(mv);
        key::after(key, rights, mover, mv, &self.rules)
    }

    fn gives_check(&self, mv: Move) -> bool {
        match mv {
            Move::Normal { role, from, to, promotion, .. } => self.checks_by(promotion.unwrap_or(role), from, to),
            Move::EnPassant { .. } | Move::Castle { .. } | Move::Put { .. } => self.after(mv).in_check(),
        }
    }

    fn in_check(&self) -> bool {
        shakmaty::Position::is_check(&self.rules)
    }

    fn repetition_key(&self) -> u64 {
        shakmaty::Position::zobrist_hash::<Zobrist64>(&self.rules, EnPassantMode::Legal).0
    }

    fn phase(&self) -> Phase {
        let board = shakmaty::Position::board(&self.rules);
        match (board.occupied() & !board.pawns() & !board.kings()).count() {
            0..=6 => Phase::Endgame,
            7..=10 => Phase::Middlegame,
            _ => Phase::Opening,
        }
    }

    fn move_index(&self, mv: Move) -> u16 {
        moves::index(mv, shakmaty::Position::turn(&self.rules))
    }

    fn label(&self, mv: Move, moves: MovesName, frame: Frame) -> u16 {
        let turn = shakmaty::Position::turn(&self.rules);
        let index = vocabularies::index(mv, turn, moves, frame);
        index.unwrap_or_else(|| panic!("{} does not number the moves of chess in this frame", moves.name()))
    }

    fn rights_after(&self, mv: Move, frame: Frame) -> Option<u16> {
        Some(rights::after(self, mv, frame))
    }

    fn pack_after(&self, earlier: &[Earlier<Self>], input: InputName, repetitions: u8, out: &mut [u8]) {
        input::pack(self, earlier, input, repetitions, out);
    }

    fn pack_in_play(&self, earlier: &[Earlier<Self>], input: InputName, repetitions: u8, out: &mut [u8]) {
        match input {
            InputName::Lc0_112 | InputName::Lc0_112EnPassant => {
                history::pack(input, self, repetitions, earlier, HistoryFill::FenOnly, out);
            }
            _ => self.pack_after(earlier, input, repetitions, out),
        }
    }
}
