//! Pairs of tokens and the classes in which relative encodings share their parameters.

use crate::Tokens;
pub use nn::PairClasses;
use serde::{Deserialize, Serialize};

/// Which pairs of tokens share a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Share {
    /// Pairs of squares with the same displacement in files and ranks.
    Displacement,
    /// None: every pair has its own.
    Pair,
}

impl Share {
    /// The classes of a sequence. By displacement these are [`games::Geometry::displacement_class`] for two squares (on the torus,
    /// if squares outside the board [hide its edge](Tokens::hide_edge)) and, only if some token has no square, one class
    /// each for square → auxiliary, auxiliary → square and auxiliary → auxiliary.
    pub fn classes(self, tokens: &Tokens) -> PairClasses {
        if self == Self::Pair {
            return PairClasses::own(tokens.len());
        }
        let on_board = tokens.geometry().displacement_classes();
        let count = on_board + if tokens.has_aux() { 3 } else { 0 };
        let sequence = tokens.clone();
        PairClasses::shared(tokens.len(), count, move |query, key| match (sequence.place(query), sequence.place(key)) {
            (Some(query), Some(key)) => sequence.geometry().class_on_torus(query, key),
            (Some(_), None) => on_board,
            (None, Some(_)) => on_board + 1,
            (None, None) => on_board + 2,
        })
    }
}
