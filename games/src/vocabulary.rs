//! The move vocabularies by name, with the properties that a network and a loader need.

use crate::geometry::Frame;
use crate::input::InputName;
use crate::moves::FromTo;
use crate::planes::Planes;
use serde::{Deserialize, Serialize};

crate::named! {
    /// The vocabularies, by name.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum MovesName {
        /// A move is its two squares, a drop its piece and its square: for the attention policy; the default of every game.
        #[default]
        FromTo = "from_to",
        /// dlshogi's 2,187 labels: direction or dropped piece × target square. Shogi only.
        #[serde(rename = "dlshogi_2187")]
        Dlshogi2187 = "dlshogi_2187",
        /// The 1,496 of them that a piece of shogi can make.
        #[serde(rename = "shogi_1496")]
        Shogi1496 = "shogi_1496",
        /// python-dlshogi2's 2,187 labels, which number the dropped pieces in another order.
        #[serde(rename = "python_dlshogi_2187")]
        PythonDlshogi2187 = "python_dlshogi_2187",
        /// ChessDecoder's 1,924 moves from White's view: castling is the king capturing its rook, a knight promotion the
        /// plain pair of squares. Chess only.
        #[serde(rename = "chessdecoder_1924")]
        Chessdecoder1924 = "chessdecoder_1924",
        /// Every move of either colour in UCI, in the order of searchless_chess. Chess only.
        #[serde(rename = "uci_1968_dm")]
        Uci1968Dm = "uci_1968_dm",
        /// The same moves in the order of Sid3024/Chess-AI.
        #[serde(rename = "uci_1968_sid")]
        Uci1968Sid = "uci_1968_sid",
    }
}

impl MovesName {
    /// The frames in which the squares of its moves may be numbered, the usual one first. A list with the moves of both
    /// players supports either frame; the others have only the mover's moves, whose pawns advance in one direction.
    pub const fn frames(self) -> &'static [Frame] {
        match self {
            Self::FromTo | Self::Dlshogi2187 | Self::Shogi1496 | Self::PythonDlshogi2187 => &[Frame::SideToMove],
            Self::Chessdecoder1924 => &[Frame::FirstPlayer],
            Self::Uci1968Dm | Self::Uci1968Sid => &[Frame::SideToMove, Frame::FirstPlayer],
        }
    }

    /// Checks that it can number moves in the frame of an input.
    pub fn supports(self, input: InputName) -> Result<(), WrongFrame> {
        if self.frames().contains(&input.frame()) { Ok(()) } else { Err(WrongFrame { input, moves: self }) }
    }
}

/// A vocabulary does not support the frame of an input.
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
    let all = MovesName::ALL.into_iter().filter(|moves| moves.supports(input).is_ok());
    all.map(MovesName::name).collect::<Vec<_>>().join(" or ")
}

/// An ordered list of moves, by how a policy head computes their logits.
#[derive(Debug, Clone, Copy)]
pub enum Vocabulary {
    /// From a pair of squares.
    FromTo(&'static FromTo),
    /// From a square and a class of moves that end there.
    Planes(&'static Planes),
    /// From one vector: a weight for each move.
    List(&'static MoveList),
}

/// A list of moves without a structure for heads.
#[derive(Debug)]
pub struct MoveList {
    /// The frames in which their squares may be numbered.
    pub frames: &'static [Frame],
    /// The moves in their order.
    pub moves: FromTo,
}

impl Vocabulary {
    /// Its versioned name.
    pub fn name(self) -> &'static str {
        match self {
            Self::FromTo(vocabulary) => vocabulary.name,
            Self::Planes(vocabulary) => vocabulary.name,
            Self::List(vocabulary) => vocabulary.moves.name,
        }
    }

    /// The frames in which its squares may be numbered: the input's, if it is one of these.
    pub fn frames(self) -> &'static [Frame] {
        match self {
            Self::FromTo(_) | Self::Planes(_) => &[Frame::SideToMove],
            Self::List(vocabulary) => vocabulary.frames,
        }
    }

    /// The number of its moves.
    pub fn len(self) -> usize {
        match self {
            Self::FromTo(vocabulary) => vocabulary.len(),
            Self::Planes(vocabulary) => vocabulary.entries().len(),
            Self::List(vocabulary) => vocabulary.moves.len(),
        }
    }

    /// Whether it has no moves.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Its hash, 64 hex digits: equal for vocabularies with the same moves in the same order.
    pub fn hash(self) -> String {
        match self {
            Self::FromTo(vocabulary) => vocabulary.hash(),
            Self::Planes(vocabulary) => vocabulary.hash(),
            Self::List(vocabulary) => vocabulary.moves.hash(),
        }
    }
}
