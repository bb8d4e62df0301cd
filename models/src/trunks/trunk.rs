//! What a network has before its heads, whichever its architecture.

use super::refine::MoveContext;
use crate::heads::head::Head;
use crate::heads::output::Output;
use crate::macs::HeadMacs;
use encodings::{LayerContext, Stack, Tokens};
use tch::Tensor;

/// From packed rows to what the heads read.
pub(crate) trait Trunk: std::fmt::Debug + Send {
    /// The packed rows of `at` as what the heads read, `[b,l,d]`.
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

    /// What it costs for a position; `encoding` is what the encodings of one pass cost.
    fn macs(&self, encoding: u64) -> TrunkMacs;
}

/// What a trunk costs for a position, in multiplications: the fields of [`crate::Macs`], without the heads.
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
    /// What answers of further passes cost.
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
