//! What the file of an encoding provides beside the encoding: options, a description, examples.

use crate::{Dims, Encoding, EncodingError, Tokens};
use nn::Scope;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;

/// One line of `posenc list encodings`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct EncodingInfo {
    /// Its name in YAML.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// The paper and the reference code.
    pub source: &'static str,
    /// How an experiment writes it, in YAML.
    pub example: &'static str,
}

/// What an encoding does to what earlier encodings of its stack have left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Act {
    /// It adds terms that no other encoding changes. If it touches [`InjectionPoints::ROTATE`](crate::InjectionPoints::ROTATE), it
    /// rotates queries and keys by an angle that depends on the token's place.
    #[default]
    Free,
    /// It adds to the input embedding.
    Sum,
    /// It multiplies the input embedding.
    Gate,
    /// It multiplies queries and keys by a number.
    Factor,
    /// It gives queries and keys a length.
    Length,
}

impl Act {
    /// Whether the order of two such encodings in a stack has no effect on the network's function, but for rounding.
    pub(crate) const fn commutes_with(self, other: Self) -> bool {
        !matches!(
            (self, other),
            (Self::Gate, Self::Gate | Self::Sum)
                | (Self::Sum, Self::Gate)
                | (Self::Length, Self::Length | Self::Factor)
                | (Self::Factor, Self::Length)
        )
    }
}

/// The options of one encoding.
pub trait Configure: Clone + PartialEq + Serialize + DeserializeOwned {
    /// Its name, summary, source and example.
    const INFO: EncodingInfo;

    /// The options for labels in tables: first those without a default, then those that differ from their default. Two
    /// configurations with the same options must be equal.
    fn options(&self) -> Vec<String> {
        Vec::new()
    }

    /// Under which name its parameters live. Two encodings of one network must differ in it; the same encoding has
    /// the same key in every network, so that it starts from the same values.
    fn key(&self) -> String {
        Self::INFO.name.to_owned()
    }

    /// What it does to what earlier encodings of a stack have left. Those that change the input embedding, or the lengths of
    /// queries and keys, say so here; a law compares it with what is observed.
    fn act(&self) -> Act {
        Act::Free
    }

    /// Declares its parameters in `scope` (which is already its own) for a network of these sizes. An error if the options
    /// contradict each other or the sizes.
    fn declare(&self, scope: &mut Scope<'_>, dims: Dims, tokens: &Tokens) -> Result<Box<dyn Encoding>, EncodingError>;

    /// The option that makes it larger or smaller and changes nothing else about it: its key in YAML and its value. None
    /// by default: most encodings have the size that board and network give them. Parameters grow with it, and the
    /// multiplications per position unless they are made once for all positions.
    fn size_mut(&mut self) -> Option<(&'static str, &mut usize)> {
        None
    }

    /// Configurations that reach every option; the laws run over them.
    fn examples() -> Vec<Self>;
}

/// Whether an option has its default, so that it is not written: hashes of cells from before the option stay as they are.
pub(crate) fn is_default<T: Default + PartialEq>(option: &T) -> bool {
    *option == T::default()
}

/// Whether a list has something in it, and nothing twice.
pub(crate) fn is_set<T: PartialEq>(list: &[T]) -> bool {
    !list.is_empty() && (1..list.len()).all(|place| !list[..place].contains(&list[place]))
}

/// Reads a list whose order has no effect in the one order that stands for all: two spellings of one network have one hash.
pub(crate) fn sorted<'de, T: Deserialize<'de> + Ord, D: Deserializer<'de>>(reader: D) -> Result<Vec<T>, D::Error> {
    let mut list = Vec::deserialize(reader)?;
    list.sort_unstable();
    Ok(list)
}

/// An option as labels show it, where it differs from its default.
pub(crate) fn changed<T: PartialEq + fmt::Display>(key: &str, own: T, default: T) -> Option<String> {
    (own != default).then(|| format!("{key}={own}"))
}

pub(crate) fn word<T: Serialize>(option: &T) -> String {
    struct Word<'a, T>(&'a T);

    impl<T: Serialize> fmt::Display for Word<'_, T> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            self.0.serialize(f)
        }
    }

    Word(option).to_string()
}
