//! Parsed game records, independent of their format.

use crate::move_text::MoveText;
use crate::position::{Position, Side};
use serde::{Deserialize, Serialize};

crate::named! {
    /// Who won.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum GameResult {
        /// White in chess, Black in shogi.
        FirstWins = "first_wins",
        /// Black in chess, White in shogi.
        SecondWins = "second_wins",
        /// Nobody.
        Draw = "draw",
        /// Not decided: the game was cut off (a ply cap, an aborted game). Not a draw.
        #[default]
        Unknown = "unknown",
    }
}

impl GameResult {
    /// A win of this side.
    pub const fn won_by(side: Side) -> Self {
        match side {
            Side::First => Self::FirstWins,
            Side::Second => Self::SecondWins,
        }
    }

    /// The points of a side: 1, ½ or 0; `None` if the result is unknown.
    pub const fn points_of(self, side: Side) -> Option<f32> {
        match (self, side) {
            (Self::FirstWins, Side::First) | (Self::SecondWins, Side::Second) => Some(1.0),
            (Self::Draw, _) => Some(0.5),
            (Self::FirstWins, Side::Second) | (Self::SecondWins, Side::First) => Some(0.0),
            (Self::Unknown, _) => None,
        }
    }
}

crate::named! {
    /// How a game ended, according to its record.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Termination {
        /// Checkmate on the board.
        Checkmate = "checkmate",
        /// The loser resigned.
        Resignation = "resignation",
        /// Adjudicated by score.
        Adjudication = "adjudication",
        /// No legal move, no check: a draw in chess, lost on a board for probes.
        Stalemate = "stalemate",
        /// The position was repeated often enough for a draw.
        Repetition = "repetition",
        /// Perpetual check (shogi): the checking side loses.
        PerpetualCheck = "perpetual_check",
        /// The fifty-move rule.
        FiftyMoves = "fifty_moves",
        /// Neither side can mate.
        InsufficientMaterial = "insufficient_material",
        /// Declared by entering kings (shogi).
        Declaration = "declaration",
        /// A cap on the number of plies.
        PlyCap = "ply_cap",
        /// Time ran out.
        Time = "time",
        /// An illegal move or action.
        IllegalMove = "illegal_move",
        /// Anything else, or not recorded.
        #[default]
        Other = "other",
    }
}

/// Whether a number can be a rating. Anybody writes records and shards: other numbers are read as an unknown rating.
pub const fn is_rating(number: i32) -> bool {
    number.unsigned_abs() <= 1_000_000
}

/// An engine's score, from the first player's point of view.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Score {
    /// Hundredths of a pawn.
    Centipawns(i32),
    /// Mate in this number of moves; negative where the second player mates.
    MateIn(i32),
}

impl Score {
    /// The score from the first player's point of view, given that from `mover`'s.
    pub const fn from_mover(self, mover: Side) -> Self {
        match (mover, self) {
            (Side::First, score) => score,
            (Side::Second, Self::Centipawns(points)) => Self::Centipawns(points.saturating_neg()),
            (Side::Second, Self::MateIn(moves)) => Self::MateIn(moves.saturating_neg()),
        }
    }
}

/// A move in UCI or USI and its probability. The candidates of a position are legal, differ from each other, and
/// their probabilities sum to 1 within rounding.
pub type Candidate = (String, f32);

/// Facts about a position that a parser computed while checking it, so that its text need not be parsed again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PositionFacts {
    /// [`Position::repetition_key`].
    pub key: u64,
    /// [`Position::side_to_move`].
    pub side_to_move: Side,
}

impl PositionFacts {
    /// The facts of a position.
    pub fn of<P: Position>(position: &P) -> Self {
        Self { key: position.repetition_key(), side_to_move: position.side_to_move() }
    }
}

/// A position of a record without games (HCPE, HCPE2, PSV, bags, Lichess' evaluations): which positions belong to one game
/// is unknown. The position is legal, and so are the move and the candidates.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ParsedPosition {
    /// The position as FEN or SFEN; its move number is 1 if the record has no ply.
    pub start: String,
    /// The parser's facts about it, if available.
    pub known: Option<PositionFacts>,
    /// The played or chosen move, in UCI or USI; `None` if the record has none.
    pub mv: Option<String>,
    /// The engine's score, from the first player's point of view ([`Score`]). Parsers convert scores from the side to
    /// move's view.
    pub score: Option<Score>,
    /// Winning probability of the side to move (a draw is half a win), if the record has it instead of a score.
    pub value: Option<f32>,
    /// Who won the game that the position comes from.
    pub result: GameResult,
    /// How that game ended, according to the record.
    pub termination: Termination,
    /// The game's plies before this position, if the record has the number.
    pub ply: Option<u32>,
    /// An engine's candidate moves and their probabilities; empty if the record has none.
    pub candidates: Vec<Candidate>,
}

impl ParsedPosition {
    /// A position without further data.
    pub fn new(start: String) -> Self {
        Self { start, ..Self::default() }
    }
}

/// A parsed game; its moves are legal.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ParsedGame {
    /// FEN or SFEN of the start, `None` for the standard one.
    pub start: Option<String>,
    /// Moves in UCI or USI.
    pub moves: Vec<MoveText>,
    /// Per ply, the [repetition key](Position::repetition_key) of the position before the move, from the parser's own
    /// replay; empty if the game was not replayed.
    pub keys: Vec<u64>,
    /// Per ply, the score that the mover's engine gave when it chose this move.
    pub scores: Vec<Option<Score>>,
    /// Per ply, winning probability of the mover (a draw is half a win), if the record has it instead of a score.
    pub values: Vec<Option<f32>>,
    /// Per ply, the probability of a draw, if the record has it with the value (Lc0's chunks).
    pub draws: Vec<Option<f32>>,
    /// Per ply, seconds left on the mover's clock after the move (PGN `[%clk]`).
    pub clocks: Vec<Option<f32>>,
    /// Per ply, seconds that the move took (PGN `[%emt]`, CSA `T`).
    pub times: Vec<Option<f32>>,
    /// Per ply, the mover's candidate moves and their probabilities (HCPE3's visit shares); empty if the record has
    /// none.
    pub candidates: Vec<Vec<Candidate>>,
    /// Who won.
    pub result: GameResult,
    /// How it ended.
    pub termination: Termination,
    /// Ratings of the first and the second player.
    pub ratings: [Option<i32>; 2],
    /// Header fields as written (PGN tags, CSA `N`, `$` and `'` headers), in order.
    pub tags: Vec<(String, String)>,
}

impl ParsedGame {
    /// A game from this start without moves and without a result.
    pub(crate) fn beginning(start: Option<String>, tags: Vec<(String, String)>) -> Self {
        Self { start, tags, ..Self::default() }
    }

    /// Adds a move without further data.
    pub(crate) fn push(&mut self, mv: MoveText) {
        self.moves.push(mv);
        self.pad();
    }

    /// Extends every per-ply column except [`ParsedGame::keys`] to the game's length, without values.
    pub(crate) fn pad(&mut self) {
        let plies = self.moves.len();
        self.scores.resize(plies, None);
        for column in [&mut self.values, &mut self.draws, &mut self.clocks, &mut self.times] {
            column.resize(plies, None);
        }
        self.candidates.resize_with(plies, Vec::new);
    }

    /// Takes each score as one of the position after its move, as Lichess writes them, instead of the position before it:
    /// it moves to the next ply. The score after the last move is dropped.
    pub fn score_after_moves(&mut self) {
        if self.scores.pop().is_some() {
            self.scores.insert(0, None);
        }
    }

    /// Sets a cap of `ply_cap` plies. A game that reached the cap and is recorded as a draw, although no rule makes it
    /// one, was cut off: it becomes [`Termination::PlyCap`] with [`GameResult::Unknown`]. Games that end by the rules
    /// on that ply keep their result.
    pub fn cut_off_at(&mut self, ply_cap: u32) {
        let capped = self.moves.len() >= ply_cap as usize;
        let unexplained = matches!(self.termination, Termination::Other | Termination::Adjudication);
        if capped && unexplained && matches!(self.result, GameResult::Draw | GameResult::Unknown) {
            self.result = GameResult::Unknown;
            self.termination = Termination::PlyCap;
        }
    }
}

crate::named! {
    /// The kind of fault of a rejected game, for counts. Reasons name the place.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum RejectKind {
        /// The record violates its format.
        Syntax = "syntax",
        /// The record is incomplete.
        Truncated = "truncated",
        /// The start position is invalid.
        StartPosition = "start_position",
        /// A move is illegal, or differs from the record's description of it.
        IllegalMove = "illegal_move",
        /// Result and board contradict each other.
        Contradiction = "contradiction",
        /// A game by other rules.
        Variant = "variant",
        /// A game without moves.
        NoMoves = "no_moves",
        /// A game with more moves than a dataset holds.
        TooLong = "too_long",
        /// The file cannot be read further.
        Unreadable = "unreadable",
    }
}

/// A rejected game, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rejected {
    /// Number of the game in its file, from 0.
    pub game: u64,
    /// The ply of the fault, from 0, if it is in the moves.
    pub ply: Option<u32>,
    /// What kind of fault it is.
    pub kind: RejectKind,
    /// The fault, with its place.
    pub reason: String,
}
