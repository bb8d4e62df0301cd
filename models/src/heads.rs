//! The heads: the outputs of a network.
//!
//! A network is a trunk and the heads that [`crate::Outputs`] names. A head's file holds its parameters, which it declares in a
//! scope, and its answer, which it computes from the tokens after the last block (the trait `Head`); and a
//! [`HeadDeclaration`]: its needs, its measures, and its parameters. Its losses and metrics
//! are plain data, in [`facts::heads`]. The match below joins heads to their names.

mod board;
mod from_to;
pub(crate) mod head;
mod maps;
pub(crate) mod number;
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

use crate::config::{ModelError, Outputs};
use facts::{HeadName, Loss};
use head::{Head, HeadContext};

pub use board::BoardTokens;
pub use head::{HeadDeclaration, Need};
pub use output::{Answer, Output, Reading};

impl HeadDeclaration {
    /// The declaration of a head.
    pub const fn of(head: HeadName) -> &'static Self {
        match head {
            HeadName::Policy => &policy::DECLARATION,
            HeadName::Result => &result::LOGITS,
            HeadName::ResultShares => &result::SHARES,
            HeadName::ValueResult => &result::VALUE_LOGITS,
            HeadName::ValueShares => &result::VALUE_SHARES,
            HeadName::WinRate => &number::WIN_RATE,
            HeadName::SoftPolicy => &policy::SOFT,
            HeadName::FurtherPolicies => &policy::FURTHER,
            HeadName::Q => &reward::Q,
            HeadName::ShortTerm => &reward::SHORT_TERM,
            HeadName::MovesLeft => &number::MOVES_LEFT,
            HeadName::PerSquare => &maps::PER_SQUARE,
            HeadName::Pairs => &maps::PAIRS,
            HeadName::Board => &board::DECLARATION,
            HeadName::Rights => &rights::DECLARATION,
            HeadName::Refined => &refined::DECLARATION,
        }
    }
}

/// The losses of these heads, in the order in which they are added up.
pub(crate) fn losses(heads: &[HeadName], outputs: &Outputs) -> Vec<&'static Loss> {
    let there = |loss: &&&Loss| {
        let own = |&head: &HeadName| {
            head.measures().losses.contains(loss) && (HeadDeclaration::of(head).asked)(loss, outputs)
        };
        heads.iter().any(own)
    };
    Loss::all().iter().filter(there).copied().collect()
}

/// Declares those of these heads that the configuration names, in this order.
pub(crate) fn declare(heads: &[HeadName], mut at: HeadContext<'_>) -> Result<Vec<Box<dyn Head>>, ModelError> {
    heads.iter().filter_map(|&head| (HeadDeclaration::of(head).declare)(&mut at)).collect()
}
