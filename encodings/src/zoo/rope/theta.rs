//! Where frequencies come from: powers of a base, or the sides of the board.

use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

const BOARD: &str = "board";

/// A number, or the word `board`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Theta {
    /// The frequencies are powers of this base.
    Base(f64),
    /// They are those of a discrete Fourier transform over the sides of the board.
    Board,
}

impl Theta {
    /// The base.
    ///
    /// # Panics
    /// If there is none: the layouts that read it refuse [`Self::Board`].
    pub(super) fn base(self) -> f64 {
        match self {
            Self::Base(base) => base,
            Self::Board => unreachable!("a layout without sides was declared with the frequencies of sides"),
        }
    }
}

impl From<f64> for Theta {
    fn from(base: f64) -> Self {
        Self::Base(base)
    }
}

impl fmt::Display for Theta {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Base(base) => write!(f, "{base}"),
            Self::Board => f.write_str(BOARD),
        }
    }
}

impl Serialize for Theta {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Base(base) => serializer.serialize_f64(*base),
            Self::Board => serializer.serialize_str(BOARD),
        }
    }
}

impl<'de> Deserialize<'de> for Theta {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NumberOrBoard)
    }
}

struct NumberOrBoard;

impl Visitor<'_> for NumberOrBoard {
    type Value = Theta;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a number, or `{BOARD}`")
    }

    fn visit_f64<E: Error>(self, base: f64) -> Result<Theta, E> {
        Ok(Theta::Base(base))
    }

    fn visit_i64<E: Error>(self, base: i64) -> Result<Theta, E> {
        Ok(Theta::Base(base as f64))
    }

    fn visit_u64<E: Error>(self, base: u64) -> Result<Theta, E> {
        Ok(Theta::Base(base as f64))
    }

    fn visit_str<E: Error>(self, word: &str) -> Result<Theta, E> {
        match word {
            BOARD => Ok(Theta::Board),
            _ => Err(E::invalid_type(Unexpected::Str(word), &self)),
        }
    }
}
