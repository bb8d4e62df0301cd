//! The game-agnostic traits: a [`Game`] defines its board, pieces, inputs and moves; a [`Position`] implements its
//! rules.

use crate::conventions::{Glyph, Notation, Orientation, Record};
use crate::geometry::{Frame, Geometry};
use crate::input::{InputLayout, InputName};
use crate::kind::GameKind;
use crate::move_text::MoveText;
use crate::movement::Movement;
use crate::vocabulary::{FromTo, MovesName, Vocabulary};
use serde::{Deserialize, Serialize};
use std::error::Error;
use std::fmt::{self, Debug, Display, Formatter};

/// The player to move first (White in chess, Black in shogi) or second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// White in chess, Black (sente) in shogi.
    First,
    /// Black in chess, White (gote) in shogi.
    Second,
}

impl Side {
    /// The opponent.
    pub const fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }
}

crate::named! {
    /// The stage of a game. Chess counts knights, bishops, rooks and queens (≤ 6 end game, 7–10 middle game, ≥ 11
    /// opening: Lc0's buckets); shogi counts the pieces in both hands (≤ 3 opening, 4–8 middle game, ≥ 9 end game).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Phase {
        /// Opening.
        Opening = "opening",
        /// Middle game.
        Middlegame = "middlegame",
        /// End game.
        Endgame = "endgame",
    }
}

/// A game: everything that does not depend on a position.
pub trait Game: 'static + Send + Sync {
    /// Its kind.
    const KIND: GameKind;
    /// Its name in YAML and on the command line.
    const NAME: &'static str;
    /// Its board.
    const GEOMETRY: Geometry;
    /// How the second player's board becomes the side to move's.
    const ORIENTATION: Orientation;
    /// How positions and moves are written.
    const NOTATION: Notation;
    /// The colours of the player who moves first and of the other one.
    const COLOURS: [&'static str; 2];
    /// The letters of pieces that can be dropped, as its moves write them; empty in a game without hands.
    const DROPS: &'static [u8];
    /// The last characters of moves that promote.
    const PROMOTIONS: &'static [u8];
    /// The curve from its engines' scores to winning probabilities: a name, and the slope `k` per hundredth of a pawn in
    /// `1 / (1 + exp(−k · score))`.
    const VALUE_CURVE: (&'static str, f64);
    /// Whether it has rights of castling and en passant, as in [`chess::rights`](crate::chess::rights); by default not.
    const HAS_RIGHTS: bool = false;
    /// About the bytes of a block of replayed games: an estimate for `posenc check`.
    const BLOCK_BYTES: u64;
    /// Names of the piece kinds on the board. Code 0 is an empty square, `1 + i` the side to move's piece `i`,
    /// `1 + PIECES.len() + i` the opponent's.
    const PIECES: &'static [&'static str];
    /// The drawings of [`Game::PIECES`], in the same order.
    const GLYPHS: &'static [Glyph];
    /// The movements for which attention heads are tested.
    const MOVEMENTS: &'static [Movement];
    /// Positions that every page of head maps offers: names, and texts as of `--position`; by default the
    /// starting position.
    const EXAMPLES: &'static [(&'static str, &'static str)] = &[("starting position", "startpos")];
    /// The text format of finished games; by default lines of USI.
    const RECORD: Record = Record::Usi;
    /// The names of the formats from which games can be imported, as in `dataset::Format`; the first is assumed of a file whose
    /// format is not recognised. By default `usi` alone.
    const FORMATS: &'static [&'static str] = &["usi"];
    /// Whether it is a board for probes and no game: its positions are random placements, and no piece can be in check.
    const IS_PROBE_BOARD: bool = false;
    /// Its positions.
    type Position: Position;

    /// A random placement, given a source of uniform integers below a number; `None` for a game.
    fn placement(_below: &mut dyn FnMut(u64) -> u64) -> Option<Self::Position> {
        None
    }

    /// The name of the binary format of a file that begins so.
    fn detect_format(_head: &[u8]) -> Option<&'static str> {
        None
    }

    /// The attention-policy vocabulary: every structurally possible move has one index.
    fn from_to() -> &'static FromTo;

    /// Its vocabularies, in the order of [`MovesName::ALL`]; [`Game::from_to`] is the first, and by default the only one.
    fn vocabularies() -> Vec<(MovesName, Vocabulary)> {
        vec![(MovesName::FromTo, Vocabulary::FromTo(Self::from_to()))]
    }

    /// The layouts of the inputs that the game has, in the order of [`InputName::ALL`].
    fn inputs() -> &'static [InputLayout];

    /// The layout of a named input. Panics if the game does not have it; for user input use [`GameKind::offered`].
    fn input(name: InputName) -> &'static InputLayout {
        Self::KIND.input(name)
    }
}

/// A position before the current one, as inputs with history show it.
#[derive(Debug, Clone)]
pub struct Earlier<P> {
    /// The position.
    pub position: P,
    /// How often it occurred before.
    pub repetitions: u8,
}

/// A legal position and its rules. Squares are in the frame of the side to move (see [`Geometry`]).
///
/// ```
/// use games::{Position, chess::ChessPosition};
///
/// let position = ChessPosition::start();
/// let mv = position.parse_move("e2e4").unwrap();
/// let replies = position.after(mv).list_moves();
/// assert_eq!(replies.len(), 20);
/// ```
pub trait Position: Clone + Debug + Send + Sync + Sized {
    /// A move of this game, in the game's own frame.
    type Move: Copy + Eq + Debug + Send + Sync;

    /// The game's standard start.
    fn start() -> Self;

    /// Reads FEN (chess) or SFEN (shogi). An error on invalid syntax, on impossible positions, and if the side not to move
    /// is in check (its king could be captured).
    fn parse(text: &str) -> Result<Self, ParsePosition>;

    /// The position that a game begins in: the standard start, or the one of a text.
    fn beginning(text: Option<&str>) -> Result<Self, ParsePosition> {
        text.map_or_else(|| Ok(Self::start()), Self::parse)
    }

    /// Writes FEN or SFEN.
    fn to_text(&self) -> String;

    /// The position in a few bytes, for files that only this version reads: it is read several times faster than text.
    /// `None` if the bytes cannot hold it (a counter above 65,535 in chess).
    fn compact(&self) -> Option<Vec<u8>>;

    /// Reads the bytes of [`Self::compact`]. An error if they are not a legal position; never panics.
    fn from_compact(bytes: &[u8]) -> Result<Self, ParsePosition>;

    /// The side to move.
    fn side_to_move(&self) -> Side;

    /// Clears `out` and fills it with every legal move, in a fixed order for each position.
    fn legal_moves(&self, out: &mut Vec<Self::Move>);

    /// The same in a new list, for code that makes few of them.
    fn list_moves(&self) -> Vec<Self::Move> {
        let mut moves = Vec::new();
        self.legal_moves(&mut moves);
        moves
    }

    /// The legal move whose place in the order of [`Self::legal_moves`] `choose` returns, given their number, ≥ 1; `None`
    /// if there is no legal move. Games override it where that is cheaper than a list.
    fn choose_move(&self, choose: impl FnOnce(usize) -> usize) -> Option<Self::Move> {
        let moves = self.list_moves();
        (!moves.is_empty()).then(|| moves[choose(moves.len())])
    }

    /// Reads a move in UCI (castling both as `e1g1` and `e1h1`) or USI and checks that it is legal. An error on invalid
    /// syntax and on illegal moves. By default for games in USI: the legal move that [`Self::write_move`] writes so.
    fn parse_move(&self, text: &str) -> Result<Self::Move, IllegalMove> {
        let found = self.list_moves().into_iter().find(|&mv| self.write_move(mv).as_str() == text);
        found.ok_or_else(|| IllegalMove::new(text, self.to_text(), "not a legal move in USI (like 2e2d)"))
    }

    /// Reads a move as people write it: SAN in chess, otherwise as [`Self::parse_move`].
    fn parse_written(&self, text: &str) -> Result<Self::Move, IllegalMove> {
        self.parse_move(text)
    }

    /// Writes a legal move in UCI (castling as `e1g1`) or USI.
    fn write_move(&self, mv: Self::Move) -> MoveText;

    /// Writes a legal move as a `String`.
    fn move_text(&self, mv: Self::Move) -> String {
        self.write_move(mv).into()
    }

    /// Plays a legal move. May panic if `mv` is not legal here.
    fn play(&mut self, mv: Self::Move);

    /// The position after a legal move. May panic if `mv` is not legal here.
    fn after(&self, mv: Self::Move) -> Self {
        let mut next = self.clone();
        next.play(mv);
        next
    }

    /// Plays a legal move and returns the repetition key of the new position, given the key of the current one; cheaper
    /// than computing the key from the position. May panic if `mv` is not legal here.
    fn play_with_key(&mut self, mv: Self::Move, key: u64) -> u64 {
        debug_assert_eq!(key, self.repetition_key());
        self.play(mv);
        self.repetition_key()
    }

    /// Whether a legal move gives check.
    fn gives_check(&self, mv: Self::Move) -> bool {
        self.after(mv).in_check()
    }

    /// Whether the side to move is in check.
    fn in_check(&self) -> bool;

    /// A key that is equal for positions which count as a repetition of each other (board, side to move, and in chess
    /// castling rights and a legal en passant, in shogi the hands), and in practice differs otherwise: 64 bits. It is
    /// the same in every run, but depends on the version of the rules library, so it must not be stored.
    fn repetition_key(&self) -> u64;

    /// The stage of the game.
    fn phase(&self) -> Phase;

    /// The index of a legal move in [`Game::from_to`].
    fn move_index(&self, mv: Self::Move) -> u16;

    /// The index of a legal move in a vocabulary of the game, with squares numbered in an input's `frame`; as it stands, in a game
    /// whose only vocabulary is [`Game::from_to`]. Panics if the game does not have the vocabulary (for user input use
    /// [`GameKind::vocabulary`]), or the vocabulary does not support the frame (see [`MovesName::supports`]).
    fn label(&self, mv: Self::Move, moves: MovesName, frame: Frame) -> u16 {
        assert_eq!((moves, frame), (MovesName::FromTo, Frame::SideToMove), "the game has no such moves");
        self.move_index(mv)
    }

    /// The rights after a legal move, as bits in the order of [`chess::rights`](crate::chess::rights), those of the
    /// frame's player first; `None` in a game without such rights.
    fn rights_after(&self, _mv: Self::Move, _frame: Frame) -> Option<u16> {
        None
    }

    /// Writes one packed row of an input: [`InputLayout::row_bytes`] bytes. `repetitions` is how often this position
    /// occurred before in its game; `earlier` holds the positions before it, the latest first: as many as the input
    /// shows, or all. [`Line::pack`](crate::Line::pack) has both.
    fn pack_after(&self, earlier: &[Earlier<Self>], input: InputName, repetitions: u8, out: &mut [u8]);

    /// The same row as Lc0 makes in play: inputs that show earlier positions repeat the first one where there is no
    /// earlier, unless it is the standard start ([`HistoryFill::FenOnly`](crate::chess::history::HistoryFill)).
    fn pack_in_play(&self, earlier: &[Earlier<Self>], input: InputName, repetitions: u8, out: &mut [u8]) {
        self.pack_after(earlier, input, repetitions, out);
    }

    /// Writes one packed row for a position without history: inputs with history show it as the start of a game.
    fn pack(&self, input: InputName, repetitions: u8, out: &mut [u8]) {
        self.pack_after(&[], input, repetitions, out);
    }
}

/// Why a text is not a position. Its message shows the text and, if the place is known, points at it:
/// ```text
/// a rank has 9 squares
///   rnbqkbnr/ppppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1
///                    ^
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsePosition {
    /// The text as given.
    pub input: String,
    /// What is wrong with it.
    pub reason: String,
    /// Where: an offset into `input` in bytes, on a character's boundary.
    pub at: Option<usize>,
}

/// Characters of an invalid text that a message shows on either side of the place: enough for any FEN or SFEN.
const SHOWN_CHARS: usize = 150;

impl ParsePosition {
    pub(crate) fn new(input: &str, at: Option<usize>, reason: impl Into<String>) -> Self {
        Self { input: input.to_owned(), reason: reason.into(), at }
    }
}

impl Display for ParsePosition {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        // Escaped, so that control characters in an invalid file cannot move the caret or affect the terminal.
        let Some((before, after)) = self.at.and_then(|at| self.input.split_at_checked(at)) else {
            let shown: String = self.input.escape_debug().take(2 * SHOWN_CHARS).collect();
            return write!(f, "{} in position \"{shown}\"", self.reason);
        };
        let before: Vec<char> = before.escape_debug().collect();
        let before = &before[before.len().saturating_sub(SHOWN_CHARS)..];
        let after = after.escape_debug().take(SHOWN_CHARS);
        let line: String = before.iter().copied().chain(after).collect();
        write!(f, "{}\n  {line}\n  {:width$}^", self.reason, "", width = before.len())
    }
}

impl Error for ParsePosition {}

/// Why a text is not a legal move of a position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}: \"{input}\" in position \"{position}\"")]
pub struct IllegalMove {
    /// The move as given.
    pub input: String,
    /// The position as FEN or SFEN.
    pub position: String,
    /// What is wrong with it.
    pub reason: String,
}

impl IllegalMove {
    pub(crate) fn new(input: &str, position: String, reason: &str) -> Self {
        Self { input: input.to_owned(), position, reason: reason.to_owned() }
    }
}
