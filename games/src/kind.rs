//! Games by name, for what is known only at run time.

use crate::geometry::Geometry;
use crate::input::{InputLayout, InputName};
use crate::moves::FromTo;
use crate::position::GameKind;
use crate::vocabulary::{MovesName, Vocabulary};

/// Runs generic code for a [`GameKind`] that is known only at run time: `with_game!(kind, G => f::<G>())`.
/// A new game is one more arm here.
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
    #[must_use]
    pub fn name(self) -> &'static str {
        crate::with_game!(self, G => G::NAME)
    }

    /// Its board.
    #[must_use]
    pub fn geometry(self) -> Geometry {
        crate::with_game!(self, G => G::GEOMETRY)
    }

    /// Its attention-policy vocabulary.
    #[must_use]
    pub fn from_to(self) -> &'static FromTo {
        crate::with_game!(self, G => G::from_to())
    }

    /// Its vocabularies, in the order of [`MovesName::ALL`].
    #[must_use]
    pub fn vocabularies(self) -> &'static [(MovesName, Vocabulary)] {
        crate::with_game!(self, G => G::vocabularies())
    }

    /// One of its vocabularies.
    ///
    /// # Errors
    /// Names the vocabularies that it has, if this is none of them.
    pub fn vocabulary(self, moves: MovesName) -> Result<Vocabulary, NoVocabulary> {
        let found = self.vocabularies().iter().find(|(name, _)| *name == moves);
        found.map(|(_, vocabulary)| *vocabulary).ok_or(NoVocabulary { game: self, moves })
    }

    /// The same for a vocabulary that the game has.
    ///
    /// # Panics
    /// If it does not.
    #[must_use]
    pub fn moves(self, name: MovesName) -> Vocabulary {
        self.vocabulary(name).unwrap_or_else(|error| panic!("{error}"))
    }

    /// The layouts of its inputs, in the order of [`InputName::ALL`].
    #[must_use]
    pub fn inputs(self) -> &'static [InputLayout] {
        crate::with_game!(self, G => G::inputs())
    }

    /// The layout of one of its inputs.
    ///
    /// # Panics
    /// If the game does not have it: what comes from outside goes through [`GameKind::offered`].
    #[must_use]
    pub fn input(self, name: InputName) -> &'static InputLayout {
        crate::with_game!(self, G => G::input(name))
    }

    /// The layout of an input that the game may not have.
    ///
    /// # Errors
    /// Names the inputs that it has, if this is none of them.
    pub fn offered(self, name: InputName) -> Result<&'static InputLayout, NotOffered> {
        let found = self.inputs().iter().find(|layout| layout.name == name);
        found.ok_or(NotOffered { game: self, input: name })
    }
}

/// A game was asked for an input that it does not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} has no input {}: its inputs are {}", game.name(), input.name(), inputs_of(*game))]
pub struct NotOffered {
    /// The game.
    pub game: GameKind,
    /// What it does not have.
    pub input: InputName,
}

fn inputs_of(game: GameKind) -> String {
    game.inputs().iter().map(|layout| layout.name.name()).collect::<Vec<_>>().join(", ")
}

/// A game was asked for a vocabulary that it does not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} has no moves {}: its vocabularies are {}", game.name(), moves.name(), vocabularies_of(*game))]
pub struct NoVocabulary {
    /// The game.
    pub game: GameKind,
    /// What it does not have.
    pub moves: MovesName,
}

fn vocabularies_of(game: GameKind) -> String {
    game.vocabularies().iter().map(|(name, _)| name.name()).collect::<Vec<_>>().join(", ")
}
