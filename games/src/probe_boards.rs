//! Boards for probes: the pieces of chess and shogi on 5×5 to 11×11 squares, in random placements.
//!
//! No piece is royal: kings are captured as other pieces are, and every move within a piece's reach is legal. Pieces neither
//! promote nor castle, and a chess pawn moves one square. A player without a move has lost; the fourth occurrence of a position
//! is a draw. Texts are those of SFEN, with C and F for the knight and the pawn of shogi. Networks see positions from the side to
//! move's view: the second player's board is rotated by 180°.

mod pieces;

use crate::attacks::{Pieces, SquareSet, Tactics};
use crate::conventions::{Glyph, LICHESS, Notation, Orientation};
use crate::geometry::{Geometry, Relation};
use crate::input::{Feature, FeatureKind, InputLayout, InputName};
use crate::kind::GameKind;
use crate::move_text::MoveText;
use crate::movement::Movement;
use crate::position::{Earlier, Game, ParsePosition, Phase, Position, Side};
use crate::record::{GameResult, Termination};
use crate::referee::{Played, Referee};
use crate::vocabulary::{Entry, FromTo};
use pieces::{CODES, KINDS, LETTERS, NAMES, PAWN, QUEEN, SLIDERS, WORTH};
use std::sync::LazyLock;

/// The files and ranks of each board, its kind, its name, and the name of its moves.
const LISTED: [(usize, GameKind, &str, &str); 5] = [
    (5, GameKind::Board5, "board5", "from_to_board5"),
    (6, GameKind::Board6, "board6", "from_to_board6"),
    (8, GameKind::Board8, "board8", "from_to_board8"),
    (9, GameKind::Board9, "board9", "from_to_board9"),
    (11, GameKind::Board11, "board11", "from_to_board11"),
];

macro_rules! modules {
    ($($module:ident $board:ident $side:literal)+) => {$(
        #[doc = concat!("The board of ", $side, " × ", $side, " squares.")]
        pub mod $module {
            #[doc = concat!("The board of ", $side, " × ", $side, " squares.")]
            pub type $board = crate::probe_boards::Board<$side>;
        }
    )+};
}

modules! { board5 Board5 5 board6 Board6 6 board8 Board8 8 board9 Board9 9 board11 Board11 11 }

/// A fourth occurrence ends the game, so a position has at most three earlier ones.
const REPETITIONS: u8 = 3;

/// The number of squares divided by these is the least and the largest number of pieces of a placement.
const MIN_PIECES_DIVISOR: usize = 8;
const MAX_PIECES_DIVISOR: usize = 2;

static MOVES: LazyLock<Vec<FromTo>> = LazyLock::new(|| {
    let of = |&(side, _, _, name): &(usize, GameKind, &str, &'static str)| vocabulary(name, Geometry::new(side, side));
    LISTED.iter().map(of).collect()
});

/// Every pair of squares that a queen or a knight connects, ascending by from and to.
fn vocabulary(name: &'static str, board: Geometry) -> FromTo {
    let joined = |relation| !matches!(relation, Relation::Same | Relation::Other);
    FromTo::new(name, board, &[], &[], board.pairs(joined).map(Entry::plain).collect())
}

/// A board of SIDE × SIDE squares, one of [`GameKind::BOARDS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Board<const SIDE: usize>;

impl<const SIDE: usize> Board<SIDE> {
    /// Its place in [`LISTED`].
    const PLACE: usize = {
        let mut place = 0;
        while LISTED[place].0 != SIDE {
            place += 1;
        }
        place
    };
}

impl<const SIDE: usize> Game for Board<SIDE> {
    const KIND: GameKind = LISTED[Self::PLACE].1;
    const NAME: &'static str = LISTED[Self::PLACE].2;
    const GEOMETRY: Geometry = Geometry::new(SIDE, SIDE);
    const ORIENTATION: Orientation = Orientation::Turned;
    const NOTATION: Notation = Notation::Usi;
    const COLOURS: [&'static str; 2] = ["Black", "White"];
    const DROPS: &'static [u8] = b"";
    const PROMOTIONS: &'static [u8] = b"";
    const VALUE_CURVE: (&'static str, f64) = LICHESS;
    const BLOCK_BYTES: u64 = 10_000_000;
    const PIECES: &'static [&'static str] = &NAMES;
    const GLYPHS: &'static [Glyph] = &Glyph::letters(LETTERS);
    const MOVEMENTS: &'static [Movement] = &Movement::ALL;
    const IS_PROBE_BOARD: bool = true;
    type Position = BoardPosition<SIDE>;

    /// An eighth to a half of the squares have a piece; number, squares, kinds and owners are uniform. The first player moves.
    fn placement(below: &mut dyn FnMut(u64) -> u64) -> Option<BoardPosition<SIDE>> {
        let squares = Self::GEOMETRY.squares();
        let (fewest, most) = (squares.div_ceil(MIN_PIECES_DIVISOR), squares / MAX_PIECES_DIVISOR);
        let number = fewest + below((most - fewest + 1) as u64) as usize;
        let mut order: Vec<usize> = (0..squares).collect();
        let mut position = BoardPosition::empty();
        for next in 0..number {
            order.swap(next, next + below((squares - next) as u64) as usize);
            position.codes.as_flattened_mut()[order[next]] = 1 + below(2 * KINDS as u64) as u8;
        }
        Some(position)
    }

    fn from_to() -> &'static FromTo {
        &MOVES[Self::PLACE]
    }

    fn inputs() -> &'static [InputLayout] {
        static ALL: LazyLock<Vec<[InputLayout; 3]>> = LazyLock::new(|| {
            let kind = FeatureKind::Scalar { scale: f32::from(REPETITIONS) };
            let features = [Feature { name: "repetitions", kind }];
            let layouts = |&(side, ..): &(usize, GameKind, &str, &str)| {
                InputLayout::piece_tokens(Geometry::new(side, side), KINDS, &features)
            };
            LISTED.iter().map(layouts).collect()
        });
        &ALL[Self::PLACE]
    }
}

/// A move, with squares in the first player's view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BoardMove {
    from: u8,
    to: u8,
}

/// A placement of pieces; every one is legal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BoardPosition<const SIDE: usize> {
    /// The [code](crate::placement::Codes::code) of each square in the first player's view, rank by rank.
    codes: [[u8; SIDE]; SIDE],
    turn: Side,
    /// The number of the next move.
    ply: u32,
}

impl<const SIDE: usize> BoardPosition<SIDE> {
    const BOARD: Geometry = Geometry::new(SIDE, SIDE);

    const fn empty() -> Self {
        Self { codes: [[0; SIDE]; SIDE], turn: Side::First, ply: 1 }
    }

    fn at(&self, square: usize) -> Option<(Side, usize)> {
        CODES.piece(self.codes.as_flattened()[square])
    }

    fn owner(&self, square: usize) -> Option<Side> {
        self.at(square).map(|(side, _)| side)
    }

    /// A square of the first player's view in that of the side to move, and the inverse.
    const fn seen(&self, square: usize) -> usize {
        match self.turn {
            Side::First => square,
            Side::Second => Orientation::Turned.other_view(Self::BOARD, square),
        }
    }

    /// The squares with a property, in the view of the side to move.
    fn set(&self, has: impl Fn(usize) -> bool) -> SquareSet {
        (0..Self::BOARD.squares()).filter(|&square| has(square)).map(|square| self.seen(square)).collect()
    }

    fn attacks(&self, from: usize) -> SquareSet {
        pieces::attacks(Self::BOARD, self.codes.as_flattened(), from)
    }

    /// The squares to which a side's piece may move.
    fn targets(&self, from: usize, side: Side, kind: usize) -> impl Iterator<Item = usize> {
        let attacked = self.attacks(from);
        let ahead = Self::BOARD.stepped(from, (0, if side == Side::First { 1 } else { -1 }));
        let is_target = move |&to: &usize| match (kind, self.owner(to)) {
            (PAWN, None) => ahead == Some(to),
            (_, owner) => owner != Some(side) && attacked.contains(to),
        };
        (0..Self::BOARD.squares()).filter(is_target)
    }

    fn read(text: &str) -> Result<Self, &'static str> {
        const PIECES: &str = "pieces are P, N, B, R, Q, K, L, C, S, G, F, +B and +R";
        let (codes, turn, ply) = CODES.read(text, Self::BOARD, PIECES)?;
        let mut position = Self { turn, ply, ..Self::empty() };
        position.codes.as_flattened_mut().copy_from_slice(&codes);
        Ok(position)
    }
}

impl<const SIDE: usize> Position for BoardPosition<SIDE> {
    type Move = BoardMove;

    /// A queen of each side in the middle of its first rank.
    fn start() -> Self {
        let mut position = Self::empty();
        position.codes[0][SIDE / 2] = CODES.code(Side::First, QUEEN);
        position.codes[SIDE - 1][SIDE / 2] = CODES.code(Side::Second, QUEEN);
        position
    }

    fn parse(text: &str) -> Result<Self, ParsePosition> {
        Self::read(text).map_err(|reason| ParsePosition::new(text, None, reason))
    }

    fn to_text(&self) -> String {
        CODES.text(Self::BOARD, self.codes.as_flattened(), self.turn, "-", self.ply)
    }

    fn compact(&self) -> Option<Vec<u8>> {
        Some([self.codes.as_flattened(), &[self.turn as u8], &self.ply.to_le_bytes()].concat())
    }

    fn from_compact(bytes: &[u8]) -> Result<Self, ParsePosition> {
        let wrong = |reason: &str| ParsePosition::new(&format!("{bytes:02x?}"), None, reason);
        let (codes, rest) = bytes.split_at(bytes.len().min(Self::BOARD.squares()));
        let &[turn @ 0..=1, a, b, c, d] = rest else {
            return Err(wrong("not a code for each square, a turn of 0 or 1, and a move number of four bytes"));
        };
        if codes.iter().any(|&code| usize::from(code) > 2 * KINDS) {
            return Err(wrong("an unknown piece"));
        }
        let mut position = Self::empty();
        position.codes.as_flattened_mut().copy_from_slice(codes);
        position.turn = if turn == 0 { Side::First } else { Side::Second };
        position.ply = u32::from_le_bytes([a, b, c, d]);
        Ok(position)
    }

    fn side_to_move(&self) -> Side {
        self.turn
    }

    fn legal_moves(&self, out: &mut Vec<BoardMove>) {
        out.clear();
        for from in 0..Self::BOARD.squares() {
            if let Some((side, kind)) = self.at(from).filter(|(side, _)| *side == self.turn) {
                let targets = self.targets(from, side, kind);
                out.extend(targets.map(|to| BoardMove { from: from as u8, to: to as u8 }));
            }
        }
    }

    fn write_move(&self, mv: BoardMove) -> MoveText {
        let [from, to] = [mv.from, mv.to].map(|square| Notation::usi_square(Self::BOARD, usize::from(square)));
        MoveText::of_parts(from, to, None)
    }

    fn play(&mut self, mv: BoardMove) {
        let codes = self.codes.as_flattened_mut();
        codes[usize::from(mv.to)] = std::mem::take(&mut codes[usize::from(mv.from)]);
        self.turn = self.turn.other();
        self.ply = self.ply.saturating_add(1);
    }

    fn in_check(&self) -> bool {
        false
    }

    fn repetition_key(&self) -> u64 {
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.codes.as_flattened()).update(&[self.turn as u8]);
        u64::from_le_bytes(*hasher.finalize().as_bytes().first_chunk().expect("a hash is longer"))
    }

    /// Placements have no stages.
    fn phase(&self) -> Phase {
        Phase::Middlegame
    }

    fn move_index(&self, mv: BoardMove) -> u16 {
        let [from, to] = [mv.from, mv.to].map(|square| self.seen(usize::from(square)) as u8);
        let index = Board::<SIDE>::from_to().index_of(Entry::Plain { from, to });
        index.expect("every move is a queen's or a knight's") as u16
    }

    fn pack_after(&self, _: &[Earlier<Self>], input: InputName, repetitions: u8, out: &mut [u8]) {
        assert_eq!(out.len(), Board::<SIDE>::input(input).row_bytes(), "a row of {} has another size", input.name());
        let squares = Self::BOARD.squares();
        for (square, byte) in out[..squares].iter_mut().enumerate() {
            let of_mover = |side| if side == self.turn { Side::First } else { Side::Second };
            *byte = self.at(self.seen(square)).map_or(0, |(side, kind)| CODES.code(of_mover(side), kind));
        }
        out[squares] = repetitions.min(REPETITIONS);
    }
}

impl<const SIDE: usize> Tactics for Board<SIDE> {
    /// Of a queen in the middle: the lines, and two diagonals of which one is shorter on a board with even sides.
    const MAX_TARGETS: u16 = (4 * (SIDE - 1) - (SIDE + 1) % 2) as u16;
    const WORTH: &'static [u8] = &WORTH;
    const SLIDERS: &'static [&'static str] = &SLIDERS;

    /// Without kings to defend no piece is pinned.
    fn pieces(position: &BoardPosition<SIDE>) -> Pieces {
        let of = |side| position.set(|square| position.owner(square) == Some(side));
        Pieces { own: of(position.turn), opponent: of(position.turn.other()), pinned: SquareSet::default() }
    }

    fn attacks(position: &BoardPosition<SIDE>) -> Vec<SquareSet> {
        let of = |square| {
            let attacked = position.attacks(position.seen(square));
            position.set(|to| attacked.contains(to))
        };
        (0..Self::GEOMETRY.squares()).map(of).collect()
    }
}

impl<const SIDE: usize> Referee for Board<SIDE> {
    fn verdict_without_moves(position: &BoardPosition<SIDE>) -> (GameResult, Termination) {
        (GameResult::won_by(position.turn.other()), Termination::Stalemate)
    }

    fn verdict_with_moves(played: &Played<BoardPosition<SIDE>>) -> Option<(GameResult, Termination)> {
        (played.line().repetitions() >= REPETITIONS).then_some((GameResult::Draw, Termination::Repetition))
    }
}
