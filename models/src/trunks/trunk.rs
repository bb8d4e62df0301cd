//! The part of a network before its heads, in any architecture.

use super::refine::MoveContext;
use crate::heads::head::Head;
use crate::heads::output::Output;
use crate::macs::HeadMacs;
use encodings::{LayerContext, Stack, Tokens};
use tch::Tensor;

/// From packed rows to the input of the heads.
pub(crate) trait Trunk: std::fmt::Debug + Send {
    /// The input of the heads for the packed rows of `at`, `[b,l,d]`.
    fn forward(&self, at: LayerContext<'_>, stack: &Stack) -> Tensor;

    /// Adds answers that need a further pass. `output` holds those of the heads.
    fn answer_further(
        &self,
        _at: LayerContext<'_>,
        _stack: &Stack,
        _context: Option<MoveContext<'_>>,
        _output: &mut Output,
    ) {
    }

    /// Whether a further pass reads the moves of positions.
    fn refines(&self) -> bool {
        false
    }

    /// Its sources of positional information beside the encodings.
    fn position_sources(&self) -> Vec<&'static str>;

    /// Its cost for a position; `encoding` is the cost of the encodings of one pass.
    fn macs(&self, encoding: u64) -> TrunkMacs;
}

/// The cost of a trunk for a position, in multiplications: the fields of [`crate::Macs`], without the heads.
#[derive(Debug, Clone, Default)]
pub(crate) struct TrunkMacs {
    /// All of them without encodings.
    pub(crate) trunk: u64,
    /// The part that is the input embedding's.
    pub(crate) embedding: u64,
    pub(crate) encoding: u64,
    pub(crate) weights: u64,
    /// Those that the Chessformer paper counts, without heads; `None` where it has no formula.
    pub(crate) paper: Option<u64>,
    /// The cost of answers of further passes.
    pub(crate) further: Option<HeadMacs>,
}

/// A declared trunk, its encodings, and the heads on it.
#[derive(Debug)]
pub(crate) struct Declared {
    pub(crate) trunk: Box<dyn Trunk>,
    pub(crate) stack: Stack,
    pub(crate) heads: Vec<Box<dyn Head>>,
    pub(crate) tokens: Tokens,
}
