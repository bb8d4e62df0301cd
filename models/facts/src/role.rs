//! The role of a row in the comparison of its game.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// A row that is compared with the reference.
    Compared,
    /// A row that differences are taken against.
    Reference,
    /// A reference with other parameter streams: the A/A control.
    Twin,
}

impl Role {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Compared => "compared",
            Self::Reference => "reference",
            Self::Twin => "twin",
        }
    }
}
