//! The move vocabularies by name, and what a network and a loader must know of one.

use crate::geometry::Frame;
use crate::input::InputName;
use crate::moves::FromTo;
use crate::planes::Planes;
use serde::{Deserialize, Serialize};

/// The vocabularies, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MovesName {
    /// A move is its two squares, a drop its piece and its square: for the attention policy, and the default of every
    /// game.
    #[default]
    FromTo,
    /// dlshogi's 2,187 labels: direction or dropped piece × target square. Shogi only.
    #[serde(rename = "dlshogi_2187")]
    Dlshogi2187,
    /// Those 1,496 of them that a piece of shogi can ever make.
    #[serde(rename = "shogi_1496")]
    Shogi1496,
    /// python-dlshogi2's 2,187 labels, which number the dropped pieces in another order.
    #[serde(rename = "python_dlshogi_2187")]
    PythonDlshogi2187,
    /// ChessDecoder's 1,924 moves as White sees the board: castling is the king taking its rook, a promotion to a knight the
    /// bare pair of squares. Chess only.
    #[serde(rename = "chessdecoder_1924")]
    Chessdecoder1924,
    /// Every move of either colour in UCI, in the order of searchless_chess. Chess only.
    #[serde(rename = "uci_1968_dm")]
    Uci1968Dm,
    /// The same moves in the order of Sid3024/Chess-AI.
    #[serde(rename = "uci_1968_sid")]
    Uci1968Sid,
}

impl MovesName {
    /// Every vocabulary, in the order of declaration. Not every game has every one: see [`GameKind::vocabulary`](crate::GameKind::vocabulary).
    pub const ALL: [Self; 7] = [
        Self::FromTo,
        Self::Dlshogi2187,
        Self::Shogi1496,
        Self::PythonDlshogi2187,
        Self::Chessdecoder1924,
        Self::Uci1968Dm,
        Self::Uci1968Sid,
    ];

    /// Its name in YAML and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::FromTo => "from_to",
            Self::Dlshogi2187 => "dlshogi_2187",
            Self::Shogi1496 => "shogi_1496",
            Self::PythonDlshogi2187 => "python_dlshogi_2187",
            Self::Chessdecoder1924 => "chessdecoder_1924",
            Self::Uci1968Dm => "uci_1968_dm",
            Self::Uci1968Sid => "uci_1968_sid",
        }
    }

    /// How the squares of its moves may be numbered, the usual way first. A list that holds the moves of both players can
    /// number them on either board; the others know the mover's moves only, whose pawns go up.
    #[must_use]
    pub const fn frames(self) -> &'static [Frame] {
        match self {
            Self::FromTo | Self::Dlshogi2187 | Self::Shogi1496 | Self::PythonDlshogi2187 => &[Frame::SideToMove],
            Self::Chessdecoder1924 => &[Frame::FirstPlayer],
            Self::Uci1968Dm | Self::Uci1968Sid => &[Frame::SideToMove, Frame::FirstPlayer],
        }
    }

    /// Refuses an input whose squares it cannot number moves by.
    ///
    /// # Errors
    /// If the input shows the board in another frame than those of this vocabulary.
    pub fn serves(self, input: InputName) -> Result<(), WrongFrame> {
        if self.frames().contains(&input.frame()) { Ok(()) } else { Err(WrongFrame { input, moves: self }) }
    }
}

/// A vocabulary cannot number the moves on the board that an input shows.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{} shows the board as {} sees it, and {} does not name moves so: take {}",
    input.name(), input.frame().viewer(), moves.name(), that_serve(*input)
)]
pub struct WrongFrame {
    /// The input.
    pub input: InputName,
    /// The vocabulary.
    pub moves: MovesName,
}

fn that_serve(input: InputName) -> String {
    let all = MovesName::ALL.into_iter().filter(|moves| moves.serves(input).is_ok());
    all.map(MovesName::name).collect::<Vec<_>>().join(" or ")
}

/// An ordered list of moves, by what a policy head makes their logits of.
#[derive(Debug, Clone, Copy)]
pub enum Vocabulary {
    /// From a pair of squares.
    FromTo(&'static FromTo),
    /// From a square and a class of moves that end there.
    Planes(&'static Planes),
    /// From one vector: a weight for each move.
    List(&'static MoveList),
}

/// A list of moves without a structure that a head could use.
#[derive(Debug)]
pub struct MoveList {
    /// How their squares may be numbered.
    pub frames: &'static [Frame],
    /// The moves in their order.
    pub moves: FromTo,
}

impl Vocabulary {
    /// Its versioned name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::FromTo(vocabulary) => vocabulary.name,
            Self::Planes(vocabulary) => vocabulary.name,
            Self::List(vocabulary) => vocabulary.moves.name,
        }
    }

    /// How the squares of its moves may be numbered: as the input numbers them, if it is one of these.
    #[must_use]
    pub fn frames(self) -> &'static [Frame] {
        match self {
            Self::FromTo(_) | Self::Planes(_) => &[Frame::SideToMove],
            Self::List(vocabulary) => vocabulary.frames,
        }
    }

    /// How many moves it names.
    #[must_use]
    pub fn len(self) -> usize {
        match self {
            Self::FromTo(vocabulary) => vocabulary.len(),
            Self::Planes(vocabulary) => vocabulary.entries().len(),
            Self::List(vocabulary) => vocabulary.moves.len(),
        }
    }

    /// Whether it names none.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Its fingerprint, 64 hex digits: two vocabularies with the same one have the same moves in the same order.
    #[must_use]
    pub fn hash(self) -> String {
        match self {
            Self::FromTo(vocabulary) => vocabulary.hash(),
            Self::Planes(vocabulary) => vocabulary.hash(),
            Self::List(vocabulary) => vocabulary.moves.hash(),
        }
    }
}
