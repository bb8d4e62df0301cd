//! The heads: what a network answers, each in a file of its own.
//!
//! A network is a trunk and the heads that [`crate::Outputs`] names. A head's file holds its parameters, which it declares in a
//! scope, and its answer, which it makes of what the last block leaves of the tokens (the trait `Head`); and a
//! [`HeadDeclaration`]: its losses and metrics, what they need, how answers are measured, and how the parameters are
//! declared. The match below joins heads to their names.

mod board;
mod from_to;
pub(crate) mod head;
mod maps;
pub(crate) mod moves_left;
pub(crate) mod output;
pub(crate) mod plane_policy;
mod policy;
pub(crate) mod pooled;
mod refined;
pub(crate) mod result;
mod reward;
mod rights;
mod token_policy;
pub(crate) mod visit;
pub(crate) mod win_rate;

use crate::config::{HeadName, ModelError, Outputs};
use crate::loss::metric::Loss;
use head::{Head, Site};
use std::sync::LazyLock;

pub use board::BoardTokens;
pub use head::{HeadDeclaration, Need};
pub use output::{Answer, Output, Reading};

impl HeadName {
    /// Its losses and metrics, what they need, and how its answers are measured.
    pub const fn declaration(self) -> &'static HeadDeclaration {
        match self {
            Self::Policy => &policy::DECLARATION,
            Self::Result => &result::LOGITS,
            Self::ResultShares => &result::SHARES,
            Self::WinRate => &win_rate::DECLARATION,
            Self::SoftPolicy => &policy::SOFT,
            Self::FurtherPolicies => &policy::FURTHER,
            Self::Q => &reward::Q,
            Self::ShortTerm => &reward::SHORT_TERM,
            Self::MovesLeft => &moves_left::DECLARATION,
            Self::PerSquare => &maps::PER_SQUARE,
            Self::Pairs => &maps::PAIRS,
            Self::Board => &board::DECLARATION,
            Self::Rights => &rights::DECLARATION,
            Self::Refined => &refined::DECLARATION,
        }
    }
}

impl Loss {
    /// Every loss of every head, in the order in which they are added up.
    pub fn all() -> &'static [&'static Self] {
        static ALL: LazyLock<Vec<&'static Loss>> = LazyLock::new(|| {
            let mut all: Vec<&'static Loss> = Vec::new();
            for loss in HeadName::ALL.iter().flat_map(|head| head.declaration().losses) {
                // The heads of maps share theirs.
                if !all.contains(&loss) {
                    all.push(loss);
                }
            }
            all
        });
        &ALL
    }

    /// Those of these heads, in the order in which they are added up.
    pub(crate) fn of_heads(heads: &[HeadName], outputs: &Outputs) -> Vec<&'static Self> {
        let there = |loss: &&&Self| {
            let own = |head: &HeadName| head.declaration().losses.contains(loss);
            heads.iter().any(own) && (loss.asked)(outputs)
        };
        Self::all().iter().filter(there).copied().collect()
    }
}

/// Declares those of these heads that the configuration names, in this order.
pub(crate) fn declare(heads: &[HeadName], mut at: Site<'_>) -> Result<Vec<Box<dyn Head>>, ModelError> {
    heads.iter().filter_map(|head| (head.declaration().declare)(&mut at)).collect()
}
