//! Games by name, for code that learns the game at run time.

use crate::conventions::{Notation, Orientation};
use crate::geometry::Geometry;
use crate::input::{InputLayout, InputName};
use crate::kind::GameKind;
use crate::movement::Movement;
use crate::vocabulary::{FromTo, MovesName, Vocabulary};

/// Runs generic code for a [`GameKind`]: `with_game!(kind, G => f::<G>())`.
#[macro_export]
macro_rules! with_game {
    ($kind:expr, $game:ident => $body:expr) => {
        $crate::for_games!([$crate::with_listed_game] $kind, $game => $body)
    };
}

/// The match of [`with_game!`].
#[doc(hidden)]
#[macro_export]
macro_rules! with_listed_game {
    ([$(($variant:ident $module:ident $type:ident))+] $kind:expr, $game:ident => $body:expr) => {
        match $kind {
            $($crate::GameKind::$variant => {
                type $game = $crate::$module::$type;
                #[allow(unused_imports)]
                use $crate::Game as _;
                $body
            })+
        }
    };
}

// Limits of types: a `SquareSet` has 128 squares; a square's name has a letter; a move in a derived file has 16 bits.
const _: () = {
    let mut number = 0;
    while number < GameKind::LISTED.len() {
        let board = crate::with_game!(GameKind::LISTED[number], G => G::GEOMETRY);
        let (pieces, glyphs) = crate::with_game!(GameKind::LISTED[number], G => (G::PIECES.len(), G::GLYPHS.len()));
        assert!(pieces == glyphs, "a piece has no glyph");
        let (drops, promotions) =
            crate::with_game!(GameKind::LISTED[number], G => (G::DROPS.len(), G::PROMOTIONS.len()));
        assert!(crate::move_code::fits(board, drops, promotions), "16 bits do not hold a move");
        assert!(board.squares() <= 128 && board.files() <= 26 && board.ranks() <= 26, "the board is too large");
        number += 1;
    }
};

impl GameKind {
    /// Every game, without the boards for probes.
    pub const ALL: [Self; count_games(false)] = filter_games(false);

    /// Every [board for probes](crate::probe_boards).
    pub const BOARDS: [Self; count_games(true)] = filter_games(true);

    /// Whether it is a board for probes.
    pub const fn is_board(self) -> bool {
        crate::with_game!(self, G => G::IS_PROBE_BOARD)
    }

    /// Its name in YAML and on the command line.
    pub fn name(self) -> &'static str {
        crate::with_game!(self, G => G::NAME)
    }

    /// Its board.
    pub fn geometry(self) -> Geometry {
        crate::with_game!(self, G => G::GEOMETRY)
    }

    /// How the second player's board becomes the side to move's.
    pub const fn orientation(self) -> Orientation {
        crate::with_game!(self, G => G::ORIENTATION)
    }

    /// How its positions and moves are written.
    pub const fn notation(self) -> Notation {
        crate::with_game!(self, G => G::NOTATION)
    }

    /// Its attention-policy vocabulary.
    pub fn from_to(self) -> &'static FromTo {
        crate::with_game!(self, G => G::from_to())
    }

    /// Its vocabularies, in the order of [`MovesName::ALL`].
    pub fn vocabularies(self) -> Vec<(MovesName, Vocabulary)> {
        crate::with_game!(self, G => G::vocabularies())
    }

    /// Its vocabulary of this name.
    pub fn vocabulary(self, moves: MovesName) -> Result<Vocabulary, NoVocabulary> {
        let found = self.vocabularies().into_iter().find(|(name, _)| *name == moves);
        found.map(|(_, vocabulary)| vocabulary).ok_or(NoVocabulary { game: self, moves })
    }

    /// A vocabulary that the game must have. Panics if it does not.
    pub fn moves(self, name: MovesName) -> Vocabulary {
        self.vocabulary(name).unwrap_or_else(|error| panic!("{error}"))
    }

    /// The layouts of its inputs, in the order of [`InputName::ALL`].
    pub fn inputs(self) -> &'static [InputLayout] {
        crate::with_game!(self, G => G::inputs())
    }

    /// The layout of one of its inputs. Panics if the game does not have it; for user input use [`GameKind::offered`].
    pub fn input(self, name: InputName) -> &'static InputLayout {
        self.offered(name).unwrap_or_else(|error| panic!("{error}"))
    }

    /// The layout of an input, if the game has it.
    pub fn offered(self, name: InputName) -> Result<&'static InputLayout, NotOffered> {
        let found = self.inputs().iter().find(|layout| layout.name == name);
        found.ok_or(NotOffered { game: self, input: name })
    }
}

impl Movement {
    /// The movements of a game: those for which attention heads are tested.
    pub const fn of(game: GameKind) -> &'static [Self] {
        crate::with_game!(game, G => G::MOVEMENTS)
    }
}

/// How many of the list are boards, or are not.
const fn count_games(boards: bool) -> usize {
    let (mut number, mut next) = (0, 0);
    while next < GameKind::LISTED.len() {
        number += (GameKind::LISTED[next].is_board() == boards) as usize;
        next += 1;
    }
    number
}

const fn filter_games<const N: usize>(boards: bool) -> [GameKind; N] {
    let mut found = [GameKind::LISTED[0]; N];
    let (mut number, mut next) = (0, 0);
    while next < GameKind::LISTED.len() {
        if GameKind::LISTED[next].is_board() == boards {
            found[number] = GameKind::LISTED[next];
            number += 1;
        }
        next += 1;
    }
    found
}

/// A game does not have the requested input.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} has no input {}: its inputs are {}", game.name(), input.name(), inputs_of(*game))]
pub struct NotOffered {
    /// The game.
    pub game: GameKind,
    /// The requested input.
    pub input: InputName,
}

fn inputs_of(game: GameKind) -> String {
    game.inputs().iter().map(|layout| layout.name.name()).collect::<Vec<_>>().join(", ")
}

/// A game does not have the requested vocabulary.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} has no moves {}: its vocabularies are {}", game.name(), moves.name(), vocabularies_of(*game))]
pub struct NoVocabulary {
    /// The game.
    pub game: GameKind,
    /// The requested vocabulary.
    pub moves: MovesName,
}

fn vocabularies_of(game: GameKind) -> String {
    game.vocabularies().iter().map(|(name, _)| name.name()).collect::<Vec<_>>().join(", ")
}
