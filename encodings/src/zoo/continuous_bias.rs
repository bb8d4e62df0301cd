//! A bias on the logit that two dense layers make of the displacement: e_ij/√k + 16·σ(W₂·relu(W₁·x + b)) − 8.
//!
//! x are the ranks and files from key to query, log-spaced: x = sign(n)·log₂(1 + 8|n|/(N−1)) / 3 along an axis of N
//! squares. Source: the log-spaced continuous position bias of Swin V2 (arXiv 2111.09883; code microsoft/Swin-Transformer,
//! `swin_transformer_v2.py`), with 512 hidden units by default. Each layer of the network has its own two layers.
//!
//! `attention: cosine` adds the source's scaled cosine attention: q_i·k_j/√k becomes τ_h·cos(q_i, k_j), τ_h = e^s with a
//! learned s ≤ ln 100 per head and layer that starts at ln 10. Queries and keys are divided by their lengths, and both are
//! multiplied with √(τ_h·√k), since the network divides their product by √k. It holds for auxiliary tokens too.
//!
//! First values: weights normal with standard deviation 0.02, b zero, as in the source; so the bias starts near 0 for every
//! pair. It is *not* the identity at the start.
//!
//! Deviations: the source does not subtract 8. Attention is the same, since softmax cancels what all logits of a row share,
//! and small numbers keep more digits in bf16. The source has no auxiliary tokens. Here pairs with one have a learned number
//! per head instead of the output of W₂, starting at 0, before the same 16·σ − 8, so that they start like pairs of squares.
//! The source sets the bias of keys to zero; here biases are those of the network. A network that moves to another board
//! divides by the sides of that board; the source keeps those on which it was trained (`pretrained_window_size`).
//!
//! Parameters per layer: 3·hidden + hidden·h, `aux [h,3]` if there are auxiliary tokens, `temperature [h]` with cosine
//! attention. The logits are a table `[h, classes]`, made once for all positions, so no multiplications per position are
//! counted.

use crate::perceptron::Perceptron;
use crate::prelude::*;

const NAME: &str = "continuous_bias";

/// The largest bias: half of the source's 16.
const LARGEST_BIAS: f64 = 8.0;

/// The largest displacement before the logarithm.
const SPREAD: f64 = 8.0;

const TEMPERATURES: [f64; 2] = [10.0, 100.0];

/// How queries meet keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Attention {
    /// By their product: q·k/√k.
    #[default]
    Dot,
    /// By the product of both at length 1, times a learned temperature.
    Cosine,
}

/// Settings of the network that maps displacements to biases.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Hidden units; 512 by default.
    pub hidden: usize,
    /// How queries meet keys; by their product by default.
    pub attention: Attention,
}

impl Default for Config {
    fn default() -> Self {
        Self { hidden: 512, attention: Attention::Dot }
    }
}

impl Configure for Config {
    const INFO: EncodingInfo = EncodingInfo {
        name: NAME,
        summary: "a bias on the logit that two dense layers make of log-spaced ranks and files between two squares; with or without cosine attention",
        source: "Swin V2 (arXiv 2111.09883; microsoft/Swin-Transformer)",
        example: "continuous_bias: {hidden: 512, attention: dot}",
    };

    fn options(&self) -> Vec<String> {
        let hidden = changed("hidden", self.hidden, Self::default().hidden);
        let cosine = (self.attention == Attention::Cosine).then(|| "cosine".to_owned());
        [hidden, cosine].into_iter().flatten().collect()
    }

    fn act(&self) -> Act {
        match self.attention {
            Attention::Dot => Act::Free,
            Attention::Cosine => Act::Length,
        }
    }

    fn declare(&self, scope: &mut Scope<'_>, dims: Dims, tokens: &Tokens) -> Result<Box<dyn Encoding>, EncodingError> {
        EncodingError::check_size(NAME, "hidden", self.hidden)?;
        let (board, pairs) = (tokens.geometry(), ByDisplacement::new(tokens));
        let layers = dims.per_layer(scope, |scope| self.layer(scope, dims, &pairs));
        Ok(Box::new(ContinuousBias { layers, coordinates: coordinates(board), pairs, attention: self.attention }))
    }

    fn size_mut(&mut self) -> Option<(&'static str, &mut usize)> {
        Some(("hidden", &mut self.hidden))
    }

    fn examples() -> Vec<Self> {
        let small = || Self { hidden: 6, ..Self::default() };
        vec![small(), Self { attention: Attention::Cosine, ..small() }]
    }
}

impl Config {
    fn layer(&self, scope: &mut Scope<'_>, dims: Dims, pairs: &ByDisplacement) -> BiasLayer {
        let normal = Init::Normal { std: 0.02 };
        let starts = [normal.clone(), Init::ZEROS, normal];
        let first = Init::Constant(TEMPERATURES[0].ln() as f32);
        BiasLayer {
            perceptron: Perceptron::declare(scope, dims, self.hidden, starts),
            aux: pairs.declare_aux(scope, dims.heads),
            temperature: (self.attention == Attention::Cosine)
                .then(|| scope.f32_param("temperature", &[dims.heads as i64], first)),
        }
    }
}

/// The log-spaced ranks and files of every displacement, `[classes, 2]`.
fn coordinates(board: Geometry) -> Constant {
    let spaced = |squares: usize, displacement: i64| {
        let share = displacement as f64 / (squares - 1) as f64;
        (share.signum() * (SPREAD * share.abs()).ln_1p() / SPREAD.ln()) as f32
    };
    Constant::floats_from(&[board.displacement_classes() as i64, 2], move || {
        let of = |one: Displacement| [spaced(board.ranks(), one.ranks), spaced(board.files(), one.files)];
        Displacement::all(board).into_iter().flat_map(of).collect()
    })
}

#[derive(Debug)]
struct BiasLayer {
    perceptron: Perceptron,
    /// `[h,3]`.
    aux: Option<ParamId>,
    /// s `[h]`; absent without cosine attention.
    temperature: Option<ParamId>,
}

#[derive(Debug)]
struct ContinuousBias {
    layers: Vec<BiasLayer>,
    coordinates: Constant,
    pairs: ByDisplacement,
    attention: Attention,
}

impl Encoding for ContinuousBias {
    fn injection_points(&self) -> InjectionPoints {
        match self.attention {
            Attention::Dot => InjectionPoints::LOGITS,
            Attention::Cosine => InjectionPoints::ROTATE | InjectionPoints::LOGITS,
        }
    }

    fn guarantees(&self) -> Guarantees {
        Guarantees {
            static_logits: self.attention == Attention::Dot,
            auxiliary: match self.attention {
                Attention::Dot => Auxiliary::OwnParameters,
                Attention::Cosine => Auxiliary::AsSquares,
            },
            ..Guarantees::RELATIVE
        }
    }

    fn formula_parameters(&self) -> Vec<ParamId> {
        let of_layer =
            |layer: &BiasLayer| layer.perceptron.parameters().into_iter().chain(layer.aux).chain(layer.temperature);
        self.layers.iter().flat_map(of_layer).collect()
    }

    fn rotate(&self, at: LayerContext<'_>, q_bhlk: &Tensor, k_bhlk: &Tensor) -> Option<(Tensor, Tensor)> {
        let logarithm = at.views[self.layers[at.layer].temperature?].clamp_max(TEMPERATURES[1].ln());
        let fourth_root = (q_bhlk.size()[3] as f64).powf(0.25);
        let length_h11 = (logarithm / 2.0).exp().view([-1, 1, 1]) * fourth_root;
        let scaled = |x: &Tensor| (unit(&x.to_kind(Kind::Float)) * &length_h11).to_kind(x.kind());
        Some((scaled(q_bhlk), scaled(k_bhlk)))
    }

    fn logits(&self, at: LayerContext<'_>, queries: Queries<'_>) -> Logits {
        let layer = &self.layers[at.layer];
        // 16·σ(x) − 8.
        let bias = |x: &Tensor| (x / 2.0).tanh() * LARGEST_BIAS;
        let bias_hc = bias(&layer.perceptron.forward(at.views, &self.coordinates.on(at.views.device())));
        let aux = layer.aux.map(|aux| bias(&at.views[aux]));
        let bias_hll = self.pairs.logits(&bias_hc, aux.as_ref()).to_kind(queries.q_bhlk.kind());
        Logits { after_scale: Some(bias_hll), ..Logits::default() }
    }
}

/// Vectors at length 1; those shorter than 1e-12 are divided by this.
fn unit(x: &Tensor) -> Tensor {
    x / x.norm_scalaropt_dim(2, [-1i64].as_slice(), true).clamp_min(1e-12)
}
