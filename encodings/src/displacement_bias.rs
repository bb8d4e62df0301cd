//! Encodings that do nothing but add a function of the head and of the displacement to the logits.

use crate::displacements::ByDisplacement;
use crate::{Auxiliary, Encoding, Guarantees, LayerContext, Logits, Queries, Tokens};
use nn::ParamId;
use std::fmt::Debug;
use tch::Tensor;

pub(crate) trait DisplacementBias: Debug + Send {
    /// What it guarantees beyond what every function of the displacement does, [`ANY`].
    fn guarantees(&self) -> Guarantees;

    /// The logits of a layer by class of displacements, `[h, classes]`.
    fn by_class(&self, at: LayerContext<'_>) -> Tensor;

    /// The logits of pairs with auxiliary tokens, `[h,3]` (see [`ByDisplacement::declare_aux`]); `None` for zeros.
    fn of_aux(&self, _at: LayerContext<'_>) -> Option<Tensor> {
        None
    }

    /// See [`Encoding::formula_parameters`].
    fn formula_parameters(&self) -> Vec<ParamId> {
        Vec::new()
    }
}

/// What every function of the displacement guarantees that has its own parameters for auxiliary tokens.
pub(crate) const ANY: Guarantees =
    Guarantees { static_logits: true, auxiliary: Auxiliary::OwnParameters, ..Guarantees::RELATIVE };

/// What every function of a distance guarantees.
pub(crate) const OF_DISTANCE: Guarantees =
    Guarantees { mirror_equivariant: true, half_turn_equivariant: true, auxiliary: Auxiliary::Untouched, ..ANY };

/// The encoding that adds a function.
#[derive(Debug)]
pub(crate) struct AddedByDisplacement<B> {
    pairs: ByDisplacement,
    bias: B,
}

impl<B: DisplacementBias + 'static> AddedByDisplacement<B> {
    /// Declares the function's parameters and adds it for the pairs of these tokens.
    pub(crate) fn boxed(tokens: &Tokens, declare: impl FnOnce(&ByDisplacement) -> B) -> Box<dyn Encoding> {
        let pairs = ByDisplacement::new(tokens);
        let bias = declare(&pairs);
        Box::new(Self { pairs, bias })
    }
}

impl<B: DisplacementBias> Encoding for AddedByDisplacement<B> {
    fn guarantees(&self) -> Guarantees {
        self.bias.guarantees()
    }

    fn formula_parameters(&self) -> Vec<ParamId> {
        self.bias.formula_parameters()
    }

    fn logits(&self, at: LayerContext<'_>, queries: Queries<'_>) -> Logits {
        let (by_class_hc, of_aux_h3) = (self.bias.by_class(at), self.bias.of_aux(at));
        let logits_hll = self.pairs.logits(&by_class_hc, of_aux_h3.as_ref()).to_kind(queries.q_bhlk.kind());
        Logits { after_scale: Some(logits_hll), ..Logits::default() }
    }
}
