//! A map of logits over pairs of tokens: a learned vector per token times keys that are generated from the whole board.
//!
//! Per layer: u = W₁·flat(x) (l·d → bottleneck), w = W₂·u (bottleneck → h·k·l), r_ij = Σ_c P_ic·w_cj with a learned
//! P `[h,l,k]`; r is added to q·k before the division by √k. No biases.
//!
//! Source: Yamaoka's dlshogi, branch feature/resnet-transformer, commit 8d7dc0e (his article on shogi with
//! transformers calls it relative and compares it with none, one run each; pairs with one displacement share nothing). W₁
//! and W₂ start uniform in ±1/√inputs (PyTorch's default), P standard normal: it is *not* the identity at the start. All tokens take part, auxiliary ones included.
//! Deviation: the reference flattens channel by channel, this token by token, which permutes the columns of W₁.
//!
//! The author's other trials are options: w shared by all heads (`share: all`, W₂ to k·l), a norm on u (`inside`, ε 1e-3), r added
//! after the division (`scaled: false`), P with another spread (`init_std`; 0 starts as the identity).
//!
//! Parameters per layer: l·d·bottleneck + bottleneck·l·d + l·d; with w shared bottleneck·l·k in the middle; with a norm
//! 2·bottleneck more.

use crate::prelude::*;
use nn::{Norm, NormKind};

const NAME: &str = "dynamic_relative";

/// Settings of the network that generates the relative keys.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Width of u; 32 by default.
    pub bottleneck: usize,
    /// Which heads share w; none by default.
    #[serde(skip_serializing_if = "is_default")]
    pub share: KeySharing,
    /// What stands between W₁ and W₂; nothing by default.
    #[serde(skip_serializing_if = "is_default")]
    pub inside: BottleneckNorm,
    /// Whether r is divided by √k along with q·k; true by default.
    #[serde(skip_serializing_if = "bool::clone")]
    pub scaled: bool,
    /// Standard deviation of P's first values; 1 by default.
    #[serde(skip_serializing_if = "is_init_std")]
    pub init_std: f64,
}

/// Which heads share the generated keys w.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeySharing {
    /// None: each head has its own.
    #[default]
    None,
    /// All; they differ by P.
    All,
}

/// What stands between W₁ and W₂.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BottleneckNorm {
    /// Nothing.
    #[default]
    None,
    /// A layer norm.
    LayerNorm,
    /// A layer norm and a ReLU.
    LayerNormRelu,
}

impl Default for Config {
    fn default() -> Self {
        Self { bottleneck: 32, share: KeySharing::None, inside: BottleneckNorm::None, scaled: true, init_std: INIT_STD }
    }
}

const INIT_STD: f64 = 1.0;

fn is_init_std(std: &f64) -> bool {
    *std == INIT_STD
}

impl Configure for Config {
    const INFO: EncodingInfo = EncodingInfo {
        name: NAME,
        summary: "a map of logits over pairs of tokens: a learned vector per token times keys generated from the whole board",
        source: "Yamaoka, dlshogi feature/resnet-transformer, commit 8d7dc0e",
        example: "dynamic_relative: {bottleneck: 32}",
    };

    fn options(&self) -> Vec<String> {
        let bottleneck = changed("bottleneck", self.bottleneck, Self::default().bottleneck);
        let inside = match self.inside {
            BottleneckNorm::None => None,
            BottleneckNorm::LayerNorm => Some("layer norm".to_owned()),
            BottleneckNorm::LayerNormRelu => Some("layer norm+relu".to_owned()),
        };
        let shared = (self.share == KeySharing::All).then(|| "shared".to_owned());
        let unscaled = (!self.scaled).then(|| "unscaled".to_owned());
        let spread = changed("init_std", self.init_std, INIT_STD);
        [bottleneck, shared, inside, unscaled, spread].into_iter().flatten().collect()
    }

    fn declare(&self, scope: &mut Scope<'_>, dims: Dims, tokens: &Tokens) -> Result<Box<dyn Encoding>, EncodingError> {
        EncodingError::check_size(NAME, "bottleneck", self.bottleneck)?;
        EncodingError::check_init_std(NAME, self.init_std)?;
        let shape = [dims.heads as i64, tokens.len() as i64, dims.head_width() as i64];
        let layers = dims.per_layer(scope, |scope| self.layer(scope, shape));
        Ok(Box::new(DynamicRelative { layers, shape, scaled: self.scaled, guarantees: self.guarantees() }))
    }

    fn size_mut(&mut self) -> Option<(&'static str, &mut usize)> {
        Some(("bottleneck", &mut self.bottleneck))
    }

    fn examples() -> Vec<Self> {
        let small = || Self { bottleneck: 5, ..Self::default() };
        vec![
            Self::default(),
            small(),
            Self { share: KeySharing::All, ..small() },
            Self { inside: BottleneckNorm::LayerNorm, scaled: false, ..small() },
            Self { inside: BottleneckNorm::LayerNormRelu, share: KeySharing::All, ..small() },
            Self { init_std: 0.0, ..small() },
        ]
    }
}

impl Config {
    fn guarantees(&self) -> Guarantees {
        Guarantees { identity_at_start: self.init_std == 0.0, ..Guarantees::NONE }
    }

    fn layer(&self, scope: &mut Scope<'_>, shape: [i64; 3]) -> DynamicRelativeLayer {
        let [heads, tokens, head_width] = shape;
        let (board, bottleneck) = (heads * tokens * head_width, self.bottleneck as i64);
        let keys = match self.share {
            KeySharing::None => heads,
            KeySharing::All => 1,
        };
        let mut linear = |name: &str, inputs: i64, outputs: i64| {
            Linear::declare(&mut scope.sub(name), inputs, outputs, Init::torch(inputs), false)
        };
        let (down, up) = (linear("down", board, bottleneck), linear("up", bottleneck, keys * head_width * tokens));
        let position = if self.init_std == 0.0 { Init::ZEROS } else { Init::Normal { std: self.init_std } };
        let norm = (self.inside != BottleneckNorm::None)
            .then(|| Norm::declare(&mut scope.sub("norm"), bottleneck, NormKind::Layer));
        DynamicRelativeLayer {
            down,
            norm,
            relu: self.inside == BottleneckNorm::LayerNormRelu,
            up,
            keys,
            position: scope.f32_param("position", &shape, position),
        }
    }
}

#[derive(Debug)]
struct DynamicRelativeLayer {
    down: Linear,
    norm: Option<Norm>,
    relu: bool,
    up: Linear,
    /// How many w there are: one for each head, or one.
    keys: i64,
    /// P `[h,l,k]`.
    position: ParamId,
}

impl DynamicRelativeLayer {
    /// u, `[b,l,d]` → `[b,bottleneck]`.
    fn summary(&self, at: LayerContext<'_>, x_bld: &Tensor) -> Tensor {
        let u = self.down.forward(at.views, &x_bld.flatten(1, 2));
        match &self.norm {
            None => u,
            Some(norm) if self.relu => norm.forward(at.views, &u).relu(),
            Some(norm) => norm.forward(at.views, &u),
        }
    }
}

#[derive(Debug)]
struct DynamicRelative {
    layers: Vec<DynamicRelativeLayer>,
    /// h, l, k.
    shape: [i64; 3],
    scaled: bool,
    guarantees: Guarantees,
}

impl Encoding for DynamicRelative {
    fn guarantees(&self) -> Guarantees {
        self.guarantees
    }

    fn macs(&self) -> u64 {
        let [heads, tokens, head_width] = self.shape.map(|n| n as u64);
        let product = heads * tokens * tokens * head_width;
        self.layers.iter().map(|layer| layer.down.macs() + layer.up.macs() + product).sum()
    }

    fn logits(&self, at: LayerContext<'_>, queries: Queries<'_>) -> Logits {
        let layer = &self.layers[at.layer];
        let [_, tokens, head_width] = self.shape;
        let u = layer.summary(at, queries.x_bld);
        let w_bhkl = layer.up.forward(at.views, &u).view([-1, layer.keys, head_width, tokens]);
        let position_hlk = at.views[layer.position].to_kind(w_bhkl.kind());
        let r_bhll = Some(position_hlk.matmul(&w_bhkl));
        match self.scaled {
            true => Logits { before_scale: r_bhll, after_scale: None },
            false => Logits { before_scale: None, after_scale: r_bhll },
        }
    }
}
