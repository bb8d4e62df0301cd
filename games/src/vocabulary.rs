//! The move vocabularies: by name, with the properties that a network and a loader need, and their entries.

use crate::geometry::{Frame, Geometry};
use crate::input::InputName;
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
    input.name(), input.frame().viewer(), moves.name(), supporting_vocabularies(*input)
)]
pub struct WrongFrame {
    /// The input.
    pub input: InputName,
    /// The vocabulary.
    pub moves: MovesName,
}

fn supporting_vocabularies(input: InputName) -> String {
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

/// One entry of a [`FromTo`], in the frame of the side to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Entry {
    /// A piece moves; in chess also castling (king captures own rook) and knight promotions.
    Plain {
        /// The square it leaves.
        from: u8,
        /// The square it enters.
        to: u8,
    },
    /// A piece moves and promotes.
    Promotion {
        /// The square it leaves.
        from: u8,
        /// The square it enters.
        to: u8,
        /// Which promotion, an index into [`FromTo::promotions`].
        kind: u8,
    },
    /// A piece from the hand is dropped.
    Drop {
        /// Which piece, an index into [`FromTo::drops`].
        kind: u8,
        /// The square it enters.
        to: u8,
    },
}

impl Entry {
    pub(crate) fn plain((from, to): (usize, usize)) -> Self {
        Self::Plain { from: from as u8, to: to as u8 }
    }

    pub(crate) fn promotion((from, to): (usize, usize), kind: usize) -> Self {
        Self::Promotion { from: from as u8, to: to as u8, kind: kind as u8 }
    }
}

/// A `from_to` vocabulary, one index for every structurally possible move of a board: an ordered list of entries. Datasets and
/// checkpoints depend on its order, so it is hashed.
#[derive(Debug)]
pub struct FromTo {
    /// Its versioned name, e.g. `from_to_chess_1858`.
    pub name: &'static str,
    /// Names of the promotions.
    pub promotions: &'static [&'static str],
    /// Names of the pieces that can be dropped; empty if the game has no drops.
    pub drops: &'static [&'static str],
    entries: Vec<Entry>,
    squares: usize,
    /// Index of every conceivable entry by [`FromTo::slot`]; [`ABSENT`] for entries outside the vocabulary.
    index: Vec<u16>,
}

/// Marks a conceivable entry outside the vocabulary.
const ABSENT: u16 = u16::MAX;

impl FromTo {
    /// A vocabulary of `entries` in this order. Panics if an entry occurs twice, or there are more than `u16` allows:
    /// both are errors in the game's code.
    pub(crate) fn new(
        name: &'static str,
        geometry: Geometry,
        promotions: &'static [&'static str],
        drops: &'static [&'static str],
        entries: Vec<Entry>,
    ) -> Self {
        let squares = geometry.squares();
        let slots = (1 + promotions.len()) * squares * squares + drops.len() * squares;
        let mut vocabulary = Self { name, promotions, drops, entries, squares, index: vec![ABSENT; slots] };
        for (i, &entry) in vocabulary.entries.iter().enumerate() {
            let slot = vocabulary.slot(entry).expect("an entry lies on its board");
            assert_eq!(vocabulary.index[slot], ABSENT, "{entry:?} occurs twice");
            vocabulary.index[slot] = u16::try_from(i).expect("a vocabulary fits into u16");
        }
        vocabulary
    }

    /// Every entry, by index.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The number of its moves.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether it has no moves.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The index of an entry, `None` if the vocabulary does not have it; a table look-up.
    pub fn index_of(&self, entry: Entry) -> Option<usize> {
        let index = *self.index.get(self.slot(entry)?)?;
        (index != ABSENT).then_some(usize::from(index))
    }

    /// The vocabulary's hash: BLAKE3 (64 hex digits) of its name, its promotions and drops, and its entries in order.
    /// Datasets and checkpoints store it, so that a change of order is detected.
    pub fn hash(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for word in [&[self.name], self.promotions, self.drops].concat() {
            hasher.update(word.as_bytes());
            hasher.update(b"\n");
        }
        for &entry in &self.entries {
            hasher.update(&match entry {
                Entry::Plain { from, to } => [0, from, to, 0],
                Entry::Promotion { from, to, kind } => [1, from, to, kind],
                Entry::Drop { kind, to } => [2, 0, to, kind],
            });
        }
        hasher.finalize().to_hex().to_string()
    }

    /// The place of an entry's index: plain pairs, then the pairs of each promotion, then the drops of each piece.
    fn slot(&self, entry: Entry) -> Option<usize> {
        let area = self.squares * self.squares;
        let (block, row, to) = match entry {
            Entry::Plain { from, to } => (0, from, to),
            Entry::Promotion { from, to, kind } if usize::from(kind) < self.promotions.len() => {
                (area * (1 + usize::from(kind)), from, to)
            }
            Entry::Drop { kind, to } if usize::from(kind) < self.drops.len() => {
                (area * (1 + self.promotions.len()), kind, to)
            }
            Entry::Promotion { .. } | Entry::Drop { .. } => return None,
        };
        let (row, to) = (usize::from(row), usize::from(to));
        (row < self.squares && to < self.squares).then_some(block + row * self.squares + to)
    }
}

/// One entry of [`Planes`], in the frame of the side to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PlaneEntry {
    /// Which class, an index into [`Planes::classes`].
    pub class: u8,
    /// The target square.
    pub to: u8,
}

/// A vocabulary of planes: a move is a class (a direction, or a dropped piece) and its target square. Checkpoints depend on the
/// order of its entries, so it is hashed.
///
/// These are the outputs of a convolutional policy: one plane of logits for each class. The class does not include the
/// distance, so an entry determines a move only in a position, where no two legal moves share an entry.
#[derive(Debug)]
pub struct Planes {
    /// Its versioned name.
    pub name: &'static str,
    /// Names of the classes.
    pub classes: &'static [&'static str],
    entries: Vec<PlaneEntry>,
}

impl Planes {
    pub(crate) fn new(name: &'static str, classes: &'static [&'static str], entries: Vec<PlaneEntry>) -> Self {
        Self { name, classes, entries }
    }

    /// Every entry, by index.
    pub fn entries(&self) -> &[PlaneEntry] {
        &self.entries
    }

    /// The vocabulary's hash: BLAKE3 (64 hex digits) of its name, its classes, and its entries in order.
    pub fn hash(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for word in std::iter::once(&self.name).chain(self.classes) {
            hasher.update(word.as_bytes());
            hasher.update(b"\n");
        }
        for entry in &self.entries {
            hasher.update(&[entry.class, entry.to]);
        }
        hasher.finalize().to_hex().to_string()
    }
}
