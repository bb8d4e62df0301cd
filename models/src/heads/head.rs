//! The parts of every head: parameters that answer, and a declaration.

use super::output::Output;
use super::visit::Visit;
use crate::config::{ChessformerConfig, ModelError, Outputs};
use crate::loss::examples::Column;
use crate::macs::HeadMacs;
use encodings::Tokens;
use facts::Loss;
use games::Vocabulary;
use nn::{LayoutBuilder, Part, Scope, Views};
use tch::Tensor;

/// One head, or several that share an embedding.
pub(crate) trait Head: std::fmt::Debug + Send {
    /// Reads the trunk's output `[b,l,d]` and adds its own answers.
    fn forward(&self, views: &Views, x_bld: &Tensor, output: &mut Output);

    /// The cost of its parts for a position.
    fn macs(&self) -> Vec<HeadMacs>;

    /// Its sources of positional information.
    fn position_sources(&self) -> Vec<&'static str>;

    /// Multiplications for one square that the Chessformer paper counts, see [`crate::Macs::paper`].
    fn paper_macs_per_square(&self) -> u64 {
        0
    }
}

/// The needs of a head, its measures, and its constructor; [`facts::HeadName::measures`] has its losses and metrics.
#[derive(Debug, Clone, Copy)]
pub struct HeadDeclaration {
    /// The columns of targets that its losses and metrics read.
    pub columns: &'static [Column],
    /// The targets that a dataset must have to teach it.
    pub needs: &'static [Need],
    /// Whether a network with these heads, this one among them, has one of its losses.
    pub(crate) asked: fn(&Loss, &Outputs) -> bool,
    pub(crate) evaluate: fn(&mut Visit<'_>),
    /// Declares its parameters, where the configuration of a Chessformer names it.
    pub(crate) declare: fn(&mut HeadContext<'_>) -> Option<DeclaredHead>,
}

/// Of a head that always has all of its losses.
pub(super) fn always(_: &Loss, _: &Outputs) -> bool {
    true
}

pub(crate) type DeclaredHead = Result<Box<dyn Head>, ModelError>;

/// Where the heads of a Chessformer are declared.
pub(crate) struct HeadContext<'a> {
    pub(crate) builder: &'a mut LayoutBuilder,
    pub(crate) config: &'a ChessformerConfig,
    pub(crate) tokens: &'a Tokens,
    pub(crate) moves: Vocabulary,
}

impl HeadContext<'_> {
    pub(super) fn in_scope<H: Head + 'static>(
        &mut self,
        scope: &str,
        declare: impl FnOnce(&mut Scope<'_>, &ChessformerConfig, &Tokens) -> H,
    ) -> DeclaredHead {
        Ok(Box::new(declare(&mut self.builder.scope(scope, Part::Head), self.config, self.tokens)))
    }
}

/// The targets that a dataset must have to teach a head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// Moves that are policy targets.
    Moves,
    /// Distributions over moves.
    Distributions,
    /// Games whose result is known.
    Results,
    /// Values of positions, as the run takes them.
    Values,
    /// Probabilities of a draw.
    Draws,
    /// Values of positions that the dataset holds.
    StoredValues,
    /// Whole games, whose end is known.
    Ends,
    /// Whole games, whose positions follow each other.
    Boards,
    /// A map with a label for each square.
    SquareMap,
    /// A map with a label for each pair of squares.
    PairMap,
    /// Moves after which rights of castling and en passant are left.
    Rights,
    /// Something that no dataset has: the head comes with imported networks only.
    Teacher,
}
