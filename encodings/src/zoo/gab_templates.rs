//! A map of logits over pairs of squares: templates by displacement, mixed for each head by what is on the board.
//!
//! e_ij/√k + Σ_t m_ht·B_t(i−j). The T templates B are shared by all heads and layers: a displacement of (r, c) ranks and
//! files has the 8F features sin and cos of f·r, f·c, f·(r+c) and f·(r−c) for F learned frequencies f, and
//! B = W₂·act(W₁·features + b₁) + b₂, divided by √T. Per layer, from its input x, the mixture is
//! m = Norm(act(P₃·Norm(act(P₂·P₁·mean(x))))), `[h,T]`, without biases.
//!
//! Source: KataGo's GAB (`GABTemplateMLP`, `_compute_gab_bias` in python/katago/train/model_pytorch.py, commit 02c7a39;
//! sizes of `b5c384h6nbttfgabs`, modelconfigs.py, commit 17ce689), after Chessformer 2026 (arXiv 2605.19091), whose maps
//! see the place too (`smolgen`). Here a template has a value per displacement, so the parameters fit any board.
//!
//! First values as there: f from 1 to 1/50 radians a square in equal ratios; W₁ and W₂ truncated normal with standard
//! deviation g/√inputs, where g² is 2.210 for Mish, 2.352 for GELU, 1 for W₂ and 2 for the rest; P uniform in ±1/√inputs.
//! It is *not* the identity at the start. `activation` is that of the network in KataGo; here it is Mish by default.
//!
//! The mean is over squares. Nothing is added for pairs with an auxiliary token: KataGo refuses them. b₂ adds the same to
//! all pairs of squares, which softmax cancels unless there are auxiliary tokens.
//! Deviations: b₁ and b₂ start at zero (there uniform), the norms' ε is 1e-5 (there 1e-6). The order of operations is
//! another: the mean precedes P₁, and mixtures are of displacements before they are spread over pairs.
//!
//! Parameters: per layer d·d₁ + d₁·d₂ + d₂ + d₂·h·T + h·T, and once F + 8F·H + H + H·T + T: with d = 256, h = 8 and the
//! defaults (T 48, F 16, H 128, d₁ and d₂ 32) 21,920 per layer and 22,720 shared.

use crate::prelude::*;
use crate::tokens::SquaresMean;
use nn::{Activation, Norm, NormKind, PairClasses};
use std::sync::Arc;

const NAME: &str = "gab_templates";
/// The lowest frequency at the start, in radians a square; the highest is 1.
const LOWEST: f64 = 1.0 / 50.0;
/// r, c, r+c and r−c of a displacement.
const DIRECTIONS: i64 = 4;

/// Settings of the templates and of the summary that mixes them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// How many templates there are (T); 48 by default.
    pub templates: usize,
    /// Learned frequencies (F); 16 by default.
    pub frequencies: usize,
    /// Width of the templates' hidden layer (H); 128 by default.
    pub hidden: usize,
    /// Width of the first summary of the position (d₁); 32 by default.
    pub compress: usize,
    /// Width of the second (d₂); 32 by default.
    pub summary: usize,
    /// The activation of all hidden layers; mish by default.
    pub activation: Activation,
}

impl Default for Config {
    fn default() -> Self {
        Self { templates: 48, frequencies: 16, hidden: 128, compress: 32, summary: 32, activation: Activation::Mish }
    }
}

impl Config {
    /// Every size by its key.
    fn sizes(&self) -> [(&'static str, usize); 5] {
        [
            ("templates", self.templates),
            ("frequencies", self.frequencies),
            ("hidden", self.hidden),
            ("compress", self.compress),
            ("summary", self.summary),
        ]
    }
}

/// Sizes by their keys, and the activation.
type Options<const N: usize> = ([(&'static str, usize); N], Activation);

/// The options that differ from the defaults, as labels show them.
pub(super) fn changed_options<const N: usize>(own: Options<N>, default: Options<N>) -> impl Iterator<Item = String> {
    let sizes = own.0.into_iter().zip(default.0);
    let activation = (own.1 != default.1).then(|| format!("{:?}", own.1).to_lowercase());
    sizes.filter_map(|((key, own), (_, default))| changed(key, own, default)).chain(activation)
}

impl Configure for Config {
    const INFO: EncodingInfo = EncodingInfo {
        name: NAME,
        summary: "a map of logits over pairs of squares: templates by displacement, mixed for each head by a summary of the board",
        source: "KataGo's GAB (lightvector/KataGo, model_pytorch.py, commit 02c7a39), after Chessformer 2026 (arXiv 2605.19091)",
        example: "gab_templates: {templates: 48, frequencies: 16, hidden: 128, compress: 32, summary: 32, activation: mish}",
    };

    fn options(&self) -> Vec<String> {
        let defaults = Self::default();
        changed_options((self.sizes(), self.activation), (defaults.sizes(), defaults.activation)).collect()
    }

    fn declare(&self, scope: &mut Scope<'_>, dims: Dims, tokens: &Tokens) -> Result<Box<dyn Encoding>, EncodingError> {
        for (key, size) in self.sizes() {
            EncodingError::check_size(NAME, key, size)?;
        }
        let classes = PairSharing::Displacement.classes(tokens);
        let templates = Templates::declare(self, &mut scope.sub("templates"), tokens);
        let sizes = [self.compress, self.summary, self.templates];
        let layers = dims.per_layer(scope, |scope| Mixture::declare(sizes, scope, dims));
        Ok(Box::new(GabTemplates {
            layers,
            templates,
            mean: SquaresMean::new(tokens),
            of_squares: tokens.geometry().displacement_classes() as i64,
            classes,
            heads: dims.heads as i64,
        }))
    }

    fn size_mut(&mut self) -> Option<(&'static str, &mut usize)> {
        Some(("templates", &mut self.templates))
    }

    fn examples() -> Vec<Self> {
        let small = Self { templates: 3, frequencies: 2, hidden: 7, compress: 5, summary: 6, ..Self::default() };
        vec![Self { activation: Activation::Gelu, ..small.clone() }, small]
    }
}

/// g² of KataGo's first values: what keeps the variance of a layer's output.
pub(super) fn gain(activation: Activation) -> f64 {
    match activation {
        Activation::Mish => 2.210_277,
        Activation::Gelu | Activation::GeluTanh => 2.351_718,
        Activation::Identity => 1.0,
        _ => 2.0,
    }
}

/// A dense layer with bias whose weight starts truncated normal.
fn dense(scope: &mut Scope<'_>, inputs: usize, outputs: usize, activation: Activation) -> Linear {
    let init = Init::TruncatedNormal { std: (gain(activation) / inputs as f64).sqrt() };
    Linear::declare(scope, inputs as i64, outputs as i64, init, true)
}

/// The templates, shared by all layers.
#[derive(Debug)]
struct Templates {
    /// `[F]`.
    frequencies: ParamId,
    hidden: Linear,
    output: Linear,
    activation: Activation,
    /// r, c, r+c and r−c of each displacement, `[classes, 4]`.
    directions: Constant,
    count: u64,
}

impl Templates {
    fn declare(config: &Config, scope: &mut Scope<'_>, tokens: &Tokens) -> Self {
        let frequencies = config.frequencies;
        let features = 2 * DIRECTIONS as usize * frequencies;
        let geometry = tokens.geometry();
        let directions = move || {
            let of = |Displacement { ranks: r, files: c }| [r, c, r + c, r - c].map(|steps| steps as f32);
            Displacement::all(geometry).into_iter().flat_map(of).collect()
        };
        Self {
            frequencies: scope.f32_param("frequencies", &[frequencies as i64], equal_ratios()),
            hidden: dense(&mut scope.sub("hidden"), features, config.hidden, config.activation),
            output: dense(&mut scope.sub("output"), config.hidden, config.templates, Activation::Identity),
            activation: config.activation,
            directions: Constant::floats_from(&[geometry.displacement_classes() as i64, DIRECTIONS], directions),
            count: config.templates as u64,
        }
    }

    /// B/√T, `[classes, T]`. The features are f32 whatever the training precision.
    fn values(&self, views: &Views) -> Tensor {
        let directions_cf4 = self.directions.on(views.device()).unsqueeze(1);
        let angles_cf4 = directions_cf4 * views[self.frequencies].view([1, -1, 1]);
        let features = Tensor::stack(&[angles_cf4.sin(), angles_cf4.cos()], -1).flatten(1, 3);
        let hidden = self.hidden.forward_activated(views, &features, self.activation);
        self.output.forward(views, &hidden) / (self.count as f64).sqrt()
    }
}

/// F numbers from 1 to [`LOWEST`], each the same share of the one before.
fn equal_ratios() -> Init {
    Init::Custom(Arc::new(|_, shape| {
        let steps = (shape[0] - 1).max(1) as f64;
        (0..shape[0]).map(|i| LOWEST.powf(i as f64 / steps) as f32).collect()
    }))
}

/// What a layer mixes templates with.
#[derive(Debug)]
pub(super) struct Mixture {
    compress: Linear,
    summary: Linear,
    summary_norm: Norm,
    to_heads: Linear,
    heads_norm: Norm,
}

impl Mixture {
    /// With the sizes d₁, d₂ and T.
    pub(super) fn declare([compress, summary, templates]: [usize; 3], scope: &mut Scope<'_>, dims: Dims) -> Self {
        let (compress, summary) = (compress as i64, summary as i64);
        let all_heads = (dims.heads * templates) as i64;
        let mut linear = |name: &str, inputs: i64, outputs: i64| {
            Linear::declare(&mut scope.sub(name), inputs, outputs, Init::torch(inputs), false)
        };
        Self {
            compress: linear("compress", dims.width as i64, compress),
            summary: linear("summary", compress, summary),
            to_heads: linear("to_heads", summary, all_heads),
            summary_norm: Norm::declare(&mut scope.sub("summary_norm"), summary, NormKind::Rms),
            heads_norm: Norm::declare(&mut scope.sub("heads_norm"), all_heads, NormKind::Rms),
        }
    }

    pub(super) fn macs(&self) -> u64 {
        self.compress.macs() + self.summary.macs() + self.to_heads.macs()
    }

    /// m, from the mean of the squares `[b,d]`: `[b, h·T]`.
    pub(super) fn forward(&self, views: &Views, mean_bd: &Tensor, activation: Activation) -> Tensor {
        let compressed = self.compress.forward(views, mean_bd);
        let summary = self.summary.forward_activated(views, &compressed, activation);
        let summary = self.summary_norm.forward(views, &summary);
        self.heads_norm.forward(views, &self.to_heads.forward_activated(views, &summary, activation))
    }
}

#[derive(Debug)]
struct GabTemplates {
    layers: Vec<Mixture>,
    templates: Templates,
    mean: SquaresMean,
    /// Classes of pairs of squares; those after them are of pairs with auxiliary tokens.
    of_squares: i64,
    classes: PairClasses,
    heads: i64,
}

impl Encoding for GabTemplates {
    fn guarantees(&self) -> Guarantees {
        Guarantees { translation_invariant: true, auxiliary: Auxiliary::Untouched, ..Guarantees::NONE }
    }

    /// The templates themselves are made once per batch, and are left out.
    fn macs(&self) -> u64 {
        let mixing = self.heads as u64 * self.templates.count * self.of_squares as u64;
        self.layers.iter().map(|layer| layer.macs() + mixing).sum()
    }

    fn logits(&self, at: LayerContext<'_>, queries: Queries<'_>) -> Logits {
        let mean_bd = self.mean.of(queries.x_bld);
        let mixture = self.layers[at.layer].forward(at.views, &mean_bd, self.templates.activation);
        let templates_ct = self.templates.values(at.views).to_kind(mixture.kind());
        let (batch, length) = (mixture.size()[0], self.classes.tokens() as i64);
        let by_head = mixture.view([batch * self.heads, templates_ct.size()[1]]);
        let logits_of_classes = by_head.matmul(&templates_ct.transpose(0, 1));
        let spread =
            self.classes.expand(&logits_of_classes.constant_pad_nd([0, self.classes.count() - self.of_squares]));
        Logits { after_scale: Some(spread.view([batch, self.heads, length, length])), ..Logits::default() }
    }
}
