//! Games by name, for code that learns the game at run time.

use crate::geometry::Geometry;
use crate::input::{InputLayout, InputName};
use crate::moves::FromTo;
use crate::position::GameKind;
use crate::vocabulary::{MovesName, Vocabulary};

/// Runs generic code for a [`GameKind`]: `with_game!(kind, G => f::<G>())`. A new game needs one more arm here.
#[macro_export]
macro_rules! with_game {
    ($kind:expr, $game:ident => $body:expr) => {
        match $kind {
            $crate::GameKind::Chess => {
                type $game = $crate::chess::Chess;
                #[allow(unused_imports)]
                use $crate::Game as _;
                $body
            }
            $crate::GameKind::Shogi => {
                type $game = $crate::shogi::Shogi;
                #[allow(unused_imports)]
                use $crate::Game as _;
                $body
            }
        }
    };
}

impl GameKind {
    /// Its name in YAML and on the command line.
    pub fn name(self) -> &'static str {
        crate::with_game!(self, G => G::NAME)
    }

    /// Its board.
    pub fn geometry(self) -> Geometry {
        crate::with_game!(self, G => G::GEOMETRY)
    }

    /// Its attention-policy vocabulary.
    pub fn from_to(self) -> &'static FromTo {
        crate::with_game!(self, G => G::from_to())
    }

    /// Its vocabularies, in the order of [`MovesName::ALL`].
    pub fn vocabularies(self) -> &'static [(MovesName, Vocabulary)] {
        crate::with_game!(self, G => G::vocabularies())
    }

    /// One of its vocabularies.
    pub fn vocabulary(self, moves: MovesName) -> Result<Vocabulary, NoVocabulary> {
        let found = self.vocabularies().iter().find(|(name, _)| *name == moves);
        found.map(|(_, vocabulary)| *vocabulary).ok_or(NoVocabulary { game: self, moves })
    }

    /// A vocabulary that the game must have.
    ///
    /// # Panics
    /// If it does not.
    pub fn moves(self, name: MovesName) -> Vocabulary {
        self.vocabulary(name).unwrap_or_else(|error| panic!("{error}"))
    }

    /// The layouts of its inputs, in the order of [`InputName::ALL`].
    pub fn inputs(self) -> &'static [InputLayout] {
        crate::with_game!(self, G => G::inputs())
    }

    /// The layout of one of its inputs.
    ///
    /// # Panics
    /// If the game does not have it; for user input use [`GameKind::offered`].
    pub fn input(self, name: InputName) -> &'static InputLayout {
        crate::with_game!(self, G => G::input(name))
    }

    /// The layout of an input, if the game has it.
    pub fn offered(self, name: InputName) -> Result<&'static InputLayout, NotOffered> {
        let found = self.inputs().iter().find(|layout| layout.name == name);
        found.ok_or(NotOffered { game: self, input: name })
    }
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
