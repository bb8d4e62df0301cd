//! The options of a rotation.

use crate::prelude::*;
use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserializer, Serializer};
use std::fmt;

/// What the angles are made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Layout {
    /// The index in the sequence.
    #[serde(rename = "flat_1d")]
    Flat1d,
    /// Half the channels by rank, half by file.
    #[serde(rename = "axial_2d")]
    Axial2d,
    /// Learned mixtures of file and rank.
    #[serde(rename = "mixed_2d")]
    Mixed2d,
}

/// What happens to tokens without a square.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Aux {
    /// Rotated by their index in the sequence; [`Layout::Flat1d`] only, and its default.
    Index,
    /// Left as they are; what the 2-D layouts do.
    Unrotated,
}

/// The options.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "Written")]
pub struct Config {
    /// What the angles are made from.
    pub layout: Layout,
    /// The base of the frequencies, or those of the board.
    pub theta: Theta,
    /// What happens to tokens without a square; `None` for what the layout does, which files may name.
    pub aux: Option<Aux>,
    /// How learned frequencies start; for [`Layout::Mixed2d`] only.
    #[serde(skip_serializing_if = "is_default")]
    pub start: Start,
}

/// The options as files have them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "struct Config")]
struct Written {
    layout: Layout,
    theta: Theta,
    #[serde(default)]
    aux: Option<Aux>,
    #[serde(default)]
    start: Start,
}

impl From<Written> for Config {
    fn from(Written { layout, theta, aux, start }: Written) -> Self {
        let of_layout = if layout == Layout::Flat1d { Aux::Index } else { Aux::Unrotated };
        Self { layout, theta, aux: aux.filter(|aux| *aux != of_layout), start }
    }
}

/// How learned frequencies start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Start {
    /// At the magnitudes of the axial layout, in two directions at a right angle, rotated at random per head (RoPE-ViT).
    #[default]
    RotatedAxes,
    /// With random signs and magnitudes between 1/θ and 1 of which the logarithm is uniform (KataGo).
    LogUniform,
}

impl Config {
    pub(super) fn rotates_aux(&self) -> bool {
        self.layout == Layout::Flat1d && self.aux != Some(Aux::Unrotated)
    }

    /// A configuration without the options that have a default.
    pub fn new(layout: Layout, theta: impl Into<Theta>) -> Self {
        Self { layout, theta: theta.into(), aux: None, start: Start::default() }
    }

    /// Refuses options that contradict each other or the sizes, in the name of the encoding that has them.
    pub(super) fn check(&self, encoding: &'static str, dims: Dims) -> Result<(), EncodingError> {
        let wanted = match self.theta {
            Theta::Base(base) if !(base.is_finite() && base > 0.0) => Some("above 0"),
            Theta::Board if self.layout != Layout::Axial2d => Some("a number unless layout is axial_2d"),
            _ => None,
        };
        if let Some(wanted) = wanted {
            return Err(EncodingError::out_of_range(encoding, "theta", wanted, self.theta));
        }
        let layout = format!("layout: {}", word(&self.layout));
        let no_effect = |option: &str, remedy| Err(EncodingError::no_effect(encoding, option, &layout, remedy));
        if self.start == Start::LogUniform && self.layout != Layout::Mixed2d {
            return no_effect("start: log_uniform", "only mixed_2d learns its frequencies: leave it out");
        }
        if self.aux == Some(Aux::Index) && self.layout != Layout::Flat1d {
            return no_effect("aux: index", "2-D layouts have no place for a token without a square: leave it out");
        }
        let divisor = if self.layout == Layout::Flat1d { 2 } else { 4 };
        let (encoding, head_width) = (format!("{encoding} with {layout}"), (HEAD_WIDTH, dims.head_width()));
        EncodingError::check_divisible(encoding, head_width, divisor, "change the width or the number of heads")
    }
}

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
