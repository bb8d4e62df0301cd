//! A bias on the logit that two dense layers make of the displacement: e_ij/√k + W₂·relu(W₁·x + b).
//!
//! x are the ranks and files from key to query: ψ(Δrank)/ψ(R) and ψ(Δfile)/ψ(F), ψ(n) = sign(n)·ln(c|n| + 1) with a learned
//! c per layer. Source: FIRE (arXiv 2310.04418; its code is in the paper's appendix), with 32 hidden units by default. Each
//! layer of the network has its own parameters.
//!
//! Deviations, on a board of R ranks and F files instead of a causal sequence:
//!
//! * Displacements have two axes and both signs, so ψ is odd and the first layer has two inputs.
//! * FIRE divides by ψ of the query's place, or of a learned threshold if that is larger (progressive interpolation), so that
//!   longer sequences than in training give inputs in 0 … 1. A board has one size, and keys stand on all sides of a query:
//!   the place of the query bounds no displacement, and dividing by it would reveal where the query stands. Here all queries
//!   are divided by ψ of the board's size, and there is no threshold.
//! * The second layer has no bias: it would add the same to all logits of a row.
//! * Instead of |c|, |c| + 1e-6 is used: at c = 0 inputs are Δrank/R, the limit.
//!
//! Pairs with auxiliary tokens have a learned number per head instead, starting at 0: square → auxiliary, auxiliary → square,
//! auxiliary → auxiliary.
//!
//! First values: c = 0.1 as in the source, weights and b uniform in ±1/√inputs (PyTorch's default). It is *not* the
//! identity at the start.
//!
//! Parameters per layer: 3·hidden + hidden·h + 1, and `aux [h,3]` if there are auxiliary tokens. The logits are a table
//! `[h, classes]`, made once for all positions, so no multiplications per position are counted.

use crate::displacement_bias::{self, AddedByDisplacement, DisplacementBias};
use crate::perceptron::Perceptron;
use crate::prelude::*;

const NAME: &str = "fire";

const FIRST_C: f32 = 0.1;

const SMALLEST_C: f64 = 1e-6;

/// Settings of the network that maps distances to biases.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Hidden units; 32 by default.
    pub hidden: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self { hidden: 32 }
    }
}

impl Configure for Config {
    const INFO: EncodingInfo = EncodingInfo {
        name: NAME,
        summary: "a bias on the logit that two dense layers make of the ranks and files between two squares, on a learned logarithmic scale",
        source: "FIRE (arXiv 2310.04418), on two axes",
        example: "fire: {hidden: 32}",
    };

    fn options(&self) -> Vec<String> {
        changed("hidden", self.hidden, Self::default().hidden).into_iter().collect()
    }

    fn declare(&self, scope: &mut Scope<'_>, dims: Dims, tokens: &Tokens) -> Result<Box<dyn Encoding>, EncodingError> {
        EncodingError::check_size(NAME, "hidden", self.hidden)?;
        let board = tokens.geometry();
        let displacements = Constant::floats_from(&[board.displacement_classes() as i64, 2], move || {
            Displacement::all(board).into_iter().flat_map(|one| [one.ranks as f32, one.files as f32]).collect()
        });
        let sizes = Constant::floats(&[board.ranks() as f32, board.files() as f32], &[2]);
        Ok(AddedByDisplacement::boxed(tokens, |pairs| {
            let layers = dims.per_layer(scope, |scope| self.layer(scope, dims, pairs));
            Fire { layers, displacements, sizes }
        }))
    }

    fn size_mut(&mut self) -> Option<(&'static str, &mut usize)> {
        Some(("hidden", &mut self.hidden))
    }

    fn examples() -> Vec<Self> {
        vec![Self { hidden: 6 }]
    }
}

impl Config {
    fn layer(&self, scope: &mut Scope<'_>, dims: Dims, pairs: &ByDisplacement) -> FireLayer {
        let (of_inputs, of_hidden) = (Init::torch(2), Init::torch(self.hidden as i64));
        let starts = [of_inputs.clone(), of_inputs, of_hidden];
        FireLayer {
            c: scope.f32_param("c", &[1], Init::Constant(FIRST_C)),
            perceptron: Perceptron::declare(scope, dims, self.hidden, starts),
            aux: pairs.declare_aux(scope, dims.heads),
        }
    }
}

#[derive(Debug)]
struct FireLayer {
    /// `[1]`.
    c: ParamId,
    perceptron: Perceptron,
    /// `[h,3]`.
    aux: Option<ParamId>,
}

#[derive(Debug)]
struct Fire {
    layers: Vec<FireLayer>,
    /// Ranks and files `[classes, 2]`.
    displacements: Constant,
    /// R and F, `[2]`.
    sizes: Constant,
}

impl DisplacementBias for Fire {
    fn guarantees(&self) -> Guarantees {
        displacement_bias::ANY
    }

    fn by_class(&self, at: LayerContext<'_>) -> Tensor {
        let (layer, device) = (&self.layers[at.layer], at.views.device());
        let c = at.views[layer.c].abs() + SMALLEST_C;
        let psi = |displacements: &Tensor| displacements.sign() * (displacements.abs() * &c).log1p();
        let inputs_c2 = psi(&self.displacements.on(device)) / psi(&self.sizes.on(device));
        layer.perceptron.forward(at.views, &inputs_c2)
    }

    fn of_aux(&self, at: LayerContext<'_>) -> Option<Tensor> {
        self.layers[at.layer].aux.map(|aux| at.views[aux].shallow_clone())
    }

    fn formula_parameters(&self) -> Vec<ParamId> {
        let of_layer = |layer: &FireLayer| [layer.c].into_iter().chain(layer.perceptron.parameters()).chain(layer.aux);
        self.layers.iter().flat_map(of_layer).collect()
    }
}
