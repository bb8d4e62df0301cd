//! The five places at which an encoding may touch attention.

use std::fmt;
use std::ops::BitOr;

/// A set of injection points. Reports print it for every row, so that no confound hides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct InjectionPoints(u8);

impl InjectionPoints {
    /// Touches nothing.
    pub const NONE: Self = Self(0);
    /// Once, after the input embedding.
    pub const EMBED: Self = Self(1);
    /// The input of every attention layer.
    pub const ATTEND: Self = Self(2);
    /// Queries and keys of every layer.
    pub const ROTATE: Self = Self(4);
    /// A term of the attention logits of every layer.
    pub const LOGITS: Self = Self(8);
    /// A term of the attention output of every layer.
    pub const VALUES: Self = Self(16);

    const NAMES: [(Self, &'static str); 5] = [
        (Self::EMBED, "embed"),
        (Self::ATTEND, "attend"),
        (Self::ROTATE, "rotate"),
        (Self::LOGITS, "logits"),
        (Self::VALUES, "values"),
    ];

    /// Whether every injection point of `other` is in this set.
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// The names of the injection points, in the order of a forward pass.
    pub fn names(self) -> Vec<&'static str> {
        Self::NAMES.iter().filter(|(point, _)| self.contains(*point)).map(|&(_, name)| name).collect()
    }
}

impl BitOr for InjectionPoints {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl fmt::Display for InjectionPoints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&if self.0 == 0 { "none".to_owned() } else { self.names().join("+") })
    }
}
