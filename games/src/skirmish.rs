//! Skirmish on 4×6: a game of the tests, behind the feature `skirmish`, and the worked example of CONTRIBUTING.md.
//!
//! Each side has a king, a rook and two pawns. King and rook move as in chess. A pawn moves and captures one square ahead, and
//! becomes a gold general of shogi on the last rank. Captured pieces leave the board. A player without a legal move has lost; the
//! fourth occurrence of a position is a draw.

use crate::attacks::{Pieces, SquareSet, Tactics, reached};
use crate::conventions::{Glyph, LICHESS, Notation, Orientation};
use crate::geometry::{Geometry, Relation};
use crate::input::{Feature, FeatureKind, InputLayout, InputName};
use crate::kind::GameKind;
use crate::move_text::MoveText;
use crate::movement::{AROUND, GOLD_STEPS, LINES, Movement, Step};
use crate::placement::Codes;
use crate::position::{Earlier, Game, ParsePosition, Phase, Position, Side};
use crate::record::{GameResult, Termination};
use crate::referee::{Played, Referee};
use crate::vocabulary::{Entry, FromTo};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::LazyLock;

const BOARD: Geometry = Geometry::new(4, 6);
const SQUARES: usize = BOARD.squares();
const LAST_RANK: usize = BOARD.ranks() - 1;

/// Kinds of pieces: indices into [`Game::PIECES`].
const PAWN: usize = 0;
const ROOK: usize = 1;
const KING: usize = 2;
const GOLD: usize = 3;
const KINDS: usize = Skirmish::PIECES.len();
const LETTERS: [&str; KINDS] = ["P", "R", "K", "+P"];
const CODES: Codes<KINDS> = Codes(LETTERS);

/// A fourth occurrence ends the game, so a position has at most three earlier ones.
const REPETITIONS: u8 = 3;

/// The game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Skirmish;

impl Game for Skirmish {
    const KIND: GameKind = GameKind::Skirmish;
    const NAME: &'static str = "skirmish";
    const GEOMETRY: Geometry = BOARD;
    const ORIENTATION: Orientation = Orientation::Turned;
    const NOTATION: Notation = Notation::Usi;
    const COLOURS: [&'static str; 2] = ["Black", "White"];
    const DROPS: &'static [u8] = b"";
    const PROMOTIONS: &'static [u8] = b"+";
    const VALUE_CURVE: (&'static str, f64) = LICHESS;
    const BLOCK_BYTES: u64 = 10_000_000;
    const PIECES: &'static [&'static str] = &["pawn", "rook", "king", "gold"];
    const GLYPHS: &'static [Glyph] = &Glyph::letters(LETTERS);
    const MOVEMENTS: &'static [Movement] =
        &[Movement::Rank, Movement::File, Movement::Rook, Movement::King, Movement::Gold, Movement::GoldBack];
    type Position = SkirmishPosition;

    fn from_to() -> &'static FromTo {
        static MOVES: LazyLock<FromTo> = LazyLock::new(|| {
            let plain = BOARD.pairs(Relation::is_line).map(Entry::plain);
            let last_steps =
                (0..BOARD.files()).map(|file| [LAST_RANK - 1, LAST_RANK].map(|rank| BOARD.square(file, rank)));
            let promoting = last_steps.map(|[from, to]| Entry::promotion((from, to), 0));
            FromTo::new("from_to_skirmish", BOARD, &["promote"], &[], plain.chain(promoting).collect())
        });
        &MOVES
    }

    fn inputs() -> &'static [InputLayout] {
        static LAYOUTS: LazyLock<[InputLayout; 3]> = LazyLock::new(|| {
            let scalar = |name, scale: f32| Feature { name, kind: FeatureKind::Scalar { scale } };
            let features = [scalar("repetitions", f32::from(REPETITIONS)), scalar("check", 1.0)];
            InputLayout::piece_tokens(BOARD, KINDS, &features)
        });
        LAYOUTS.as_slice()
    }
}

/// A move, with squares in the first player's view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SkirmishMove {
    from: u8,
    to: u8,
}

/// A legal position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SkirmishPosition {
    /// For each square in the first player's view 0, 1 + the first player's kind, or 1 + [`KINDS`] + the second's.
    codes: [u8; SQUARES],
    turn: Side,
    /// The number of the next move.
    ply: u32,
}

/// A square of the first player's view in a side's view, and the inverse.
const fn in_view(square: usize, side: Side) -> usize {
    match side {
        Side::First => square,
        Side::Second => Skirmish::ORIENTATION.other_view(BOARD, square),
    }
}

impl SkirmishPosition {
    fn owner(&self, square: usize) -> Option<Side> {
        CODES.piece(self.codes[square]).map(|(side, _)| side)
    }

    fn attacks(&self, from: usize) -> SquareSet {
        let Some((side, kind)) = CODES.piece(self.codes[from]) else { return SquareSet::default() };
        let steps: [&[Step]; 2] = match kind {
            PAWN => [&[(0, 1)], &[]],
            ROOK => [&[], LINES],
            KING => [AROUND, &[]],
            _ => [GOLD_STEPS, &[]],
        };
        reached(BOARD, from, side, steps, |square| self.codes[square] == 0)
    }

    fn attacks_of(&self, side: Side) -> SquareSet {
        let own = (0..SQUARES).filter(|&square| self.owner(square) == Some(side));
        own.fold(SquareSet::default(), |all, square| all.or(self.attacks(square)))
    }

    fn attacks_king(&self, side: Side, attacked: SquareSet) -> bool {
        self.codes.iter().position(|&found| found == CODES.code(side, KING)).is_some_and(|king| attacked.contains(king))
    }

    fn is_in_check(&self, side: Side) -> bool {
        self.attacks_king(side, self.attacks_of(side.other()))
    }

    /// Whether a rook would attack the king of this piece's side without the piece.
    fn is_pinned(&self, square: usize) -> bool {
        let Some((side, kind)) = CODES.piece(self.codes[square]) else { return false };
        let mut without = *self;
        without.codes[square] = 0;
        let rooks = (0..SQUARES).filter(|&from| self.codes[from] == CODES.code(side.other(), ROOK));
        let mut rooks =
            rooks.map(|from| [self, &without].map(|position| position.attacks_king(side, position.attacks(from))));
        kind != KING && rooks.any(|[with, without]| without && !with)
    }

    fn promotes(&self, mv: SkirmishMove) -> bool {
        let to = in_view(usize::from(mv.to), self.turn);
        self.codes[usize::from(mv.from)] == CODES.code(self.turn, PAWN) && BOARD.rank_of(to) == LAST_RANK
    }

    /// Whether the position is legal, otherwise the reason.
    fn check(self) -> Result<Self, &'static str> {
        let count = |side, kind| self.codes.iter().filter(|&&found| found == CODES.code(side, kind)).count();
        if [Side::First, Side::Second].into_iter().any(|side| count(side, KING) != 1) {
            return Err("each side has one king");
        }
        let is_stuck = |square: usize| {
            let seen = |side| self.codes[in_view(square, side)] == CODES.code(side, PAWN);
            BOARD.rank_of(square) == LAST_RANK && (seen(Side::First) || seen(Side::Second))
        };
        if (0..SQUARES).any(is_stuck) {
            return Err("a pawn on the last rank has promoted");
        }
        if self.is_in_check(self.turn.other()) { Err("the side to move could capture the king") } else { Ok(self) }
    }

    fn read(text: &str) -> Result<Self, &'static str> {
        let (codes, turn, ply) = CODES.read(text, BOARD, "pieces are P, R, K and +P")?;
        Self { codes: codes.try_into().expect("a code for each square"), turn, ply }.check()
    }
}

impl Position for SkirmishPosition {
    type Move = SkirmishMove;

    fn start() -> Self {
        Self::parse("kr2/pp2/4/4/2PP/2RK b - 1").expect("the start is legal")
    }

    fn parse(text: &str) -> Result<Self, ParsePosition> {
        Self::read(text).map_err(|reason| ParsePosition::new(text, None, reason))
    }

    fn to_text(&self) -> String {
        CODES.text(BOARD, &self.codes, self.turn, "-", self.ply)
    }

    fn compact(&self) -> Option<Vec<u8>> {
        Some([&self.codes[..], &[self.turn as u8], &self.ply.to_le_bytes()].concat())
    }

    fn from_compact(bytes: &[u8]) -> Result<Self, ParsePosition> {
        let wrong = |reason: &str| ParsePosition::new(&format!("{bytes:02x?}"), None, reason);
        let Some((&codes, &[turn @ 0..=1, a, b, c, d])) = bytes.split_first_chunk::<SQUARES>() else {
            return Err(wrong("not 24 codes of squares, a turn of 0 or 1, and a move number of four bytes"));
        };
        if codes.iter().any(|&code| usize::from(code) > 2 * KINDS) {
            return Err(wrong("an unknown piece"));
        }
        let turn = if turn == 0 { Side::First } else { Side::Second };
        Self { codes, turn, ply: u32::from_le_bytes([a, b, c, d]) }.check().map_err(wrong)
    }

    fn side_to_move(&self) -> Side {
        self.turn
    }

    fn legal_moves(&self, out: &mut Vec<SkirmishMove>) {
        out.clear();
        for from in (0..SQUARES).filter(|&from| self.owner(from) == Some(self.turn)) {
            let attacked = self.attacks(from);
            let targets = (0..SQUARES).filter(|&to| attacked.contains(to) && self.owner(to) != Some(self.turn));
            out.extend(targets.map(|to| SkirmishMove { from: from as u8, to: to as u8 }));
        }
        out.retain(|&mv| !self.after(mv).is_in_check(self.turn));
    }

    fn write_move(&self, mv: SkirmishMove) -> MoveText {
        let [from, to] = [mv.from, mv.to].map(|square| Notation::usi_square(BOARD, usize::from(square)));
        MoveText::of_parts(from, to, self.promotes(mv).then_some(b'+'))
    }

    fn play(&mut self, mv: SkirmishMove) {
        let [from, to] = [mv.from, mv.to].map(usize::from);
        self.codes[to] = if self.promotes(mv) { CODES.code(self.turn, GOLD) } else { self.codes[from] };
        self.codes[from] = 0;
        self.turn = self.turn.other();
        self.ply = self.ply.saturating_add(1);
    }

    fn in_check(&self) -> bool {
        self.is_in_check(self.turn)
    }

    fn repetition_key(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.codes, self.turn).hash(&mut hasher);
        hasher.finish()
    }

    /// By the number of pieces.
    fn phase(&self) -> Phase {
        match self.codes.iter().filter(|&&code| code > 0).count() {
            8.. => Phase::Opening,
            6.. => Phase::Middlegame,
            _ => Phase::Endgame,
        }
    }

    fn move_index(&self, mv: SkirmishMove) -> u16 {
        let [from, to] = [mv.from, mv.to].map(|square| in_view(usize::from(square), self.turn) as u8);
        let promotes = self.promotes(mv);
        let entry = if promotes { Entry::Promotion { from, to, kind: 0 } } else { Entry::Plain { from, to } };
        Skirmish::from_to().index_of(entry).expect("every move is on a line") as u16
    }

    fn pack_after(&self, _: &[Earlier<Self>], input: InputName, repetitions: u8, out: &mut [u8]) {
        assert_eq!(out.len(), Skirmish::input(input).row_bytes(), "a row of {} has another size", input.name());
        for (square, byte) in out[..SQUARES].iter_mut().enumerate() {
            let found = CODES.piece(self.codes[in_view(square, self.turn)]);
            let seen = |side| if side == self.turn { Side::First } else { Side::Second };
            *byte = found.map_or(0, |(side, kind)| CODES.code(seen(side), kind));
        }
        out[SQUARES] = repetitions.min(REPETITIONS);
        out[SQUARES + 1] = u8::from(self.in_check());
    }
}

impl Tactics for Skirmish {
    const MAX_TARGETS: u16 = 8;
    const WORTH: &'static [u8] = &[1, 10, 100, 6];
    const SLIDERS: &'static [&'static str] = &["R"];

    fn pieces(position: &SkirmishPosition) -> Pieces {
        let turn = position.turn;
        let of = |side| seen(turn, |square| position.owner(square) == Some(side));
        Pieces { own: of(turn), opponent: of(turn.other()), pinned: seen(turn, |square| position.is_pinned(square)) }
    }

    fn attacks(position: &SkirmishPosition) -> Vec<SquareSet> {
        let turn = position.turn;
        let of = |square| {
            let attacked = position.attacks(in_view(square, turn));
            seen(turn, |to| attacked.contains(to))
        };
        (0..SQUARES).map(of).collect()
    }
}

/// The squares of the first player's view with a property, in the view of a side.
fn seen(side: Side, has: impl Fn(usize) -> bool) -> SquareSet {
    (0..SQUARES).filter(|&square| has(square)).map(|square| in_view(square, side)).collect()
}

impl Referee for Skirmish {
    fn verdict_with_moves(played: &Played<SkirmishPosition>) -> Option<(GameResult, Termination)> {
        (played.line().repetitions() >= REPETITIONS).then_some((GameResult::Draw, Termination::Repetition))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn perft(position: &SkirmishPosition, depth: u32) -> u64 {
        let moves = position.list_moves();
        match depth {
            1 => moves.len() as u64,
            _ => moves.into_iter().map(|mv| perft(&position.after(mv), depth - 1)).sum(),
        }
    }

    /// Counted by a program in Python that shares no code.
    #[test]
    fn numbers_of_move_sequences() {
        let start = SkirmishPosition::start();
        assert_eq!([1, 2, 3, 4, 5].map(|depth| perft(&start, depth)), [4, 16, 114, 784, 6_192]);
    }

    #[test]
    fn positions_come_back_from_text_and_bytes() {
        for text in ["kr2/pp2/4/4/2PP/2RK b - 1", "1k2/4/+Pr2/4/4/R2K w - 12"] {
            let position = SkirmishPosition::parse(text).expect("a legal position");
            assert_eq!(position.to_text(), text);
            assert_eq!(SkirmishPosition::from_compact(&position.compact().expect("bytes")), Ok(position));
        }
        for wrong in
            ["", "kr2/pp2/4/4/2PP/2R1 b - 1", "kP2/4/4/4/4/3K b - 1", "k3/4/4/4/4/3K b P 1", "k3/4/4/4/3K b - 1"]
        {
            assert!(SkirmishPosition::parse(wrong).is_err(), "{wrong}");
        }
    }
}
