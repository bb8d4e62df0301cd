//! Attention logits generated from the whole board: maps over pairs of tokens, in which no displacement is shared.
//!
//! Per layer, from its input x: compress every token (no bias unless `compress_bias`), flatten, dense (with bias) + activation + LayerNorm, dense
//! (with bias) to h·gen + activation + LayerNorm. Then one matrix gen → l² (no bias), shared by all heads and layers of the
//! network, gives each head an `[l,l]` map that is added to the scaled logits.
//!
//! Source: Lc0's smolgen (Ergodice/lczero-training `smolgen_weights`; lczero.org blog, transformer progress, 2024).
//! Kernels start Glorot-uniform and biases at zero, as in Keras: the encoding is *not* the identity at the start, except
//! with `init: zero`, a control, which starts the generator at zero. LayerNorm's ε is 1e-3. All tokens take part, auxiliary ones included.
//!
//! `pool: mean` takes the mean over tokens instead of flattening, and `compress: 0` leaves the compressing layer out.
//! `{compress: 0, hidden: 64, gen: 64, pool: mean, activation: gelu}` is the GAB (geometric attention bias) of Chessformer
//! 2026 (Maia-3 3M and 5M, arXiv 2605.19091): the mean of tokens of full width, then the dense layers. Its 23M and 79M
//! networks flatten tokens after a compressing layer with bias: `{compress: 32, compress_bias: true, hidden: 128, gen: 128,
//! activation: gelu}`. Sizes and layers: CSSLab/maia3 `maia3/models.py`, commit 1e13597. Deviations from it: LayerNorm's ε is
//! 1e-5 there, and dense layers start as PyTorch's do (uniform in ±1/√inputs, biases too).
//!
//! Parameters: per layer d·c (and c with `compress_bias`) + n·hidden + 3·hidden + hidden·h·gen + 3·h·gen, and once gen·l².
//! Here n is what the first dense layer reads: c numbers of a token, or d for c = 0; times l unless pooled. On 8×8 with
//! d = 256 and h = 8 these are 1,063,680 per layer and 1,048,576 shared for 32/256/256, and 50,880 per layer and 262,144
//! shared for the GAB. In 8 layers GAB has 567,808 parameters (d 192, h 6), 669,184 (256, 8), 4,902,144 (512, 16) or
//! 7,179,520 (1024, 32), as in Maia-3's four networks.

use crate::prelude::*;
use nn::{Activation, Norm, NormKind};

const NAME: &str = "smolgen";

/// How the tokens become one vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pool {
    /// Side by side: the vector keeps what stands on which square.
    Flatten,
    /// Their mean.
    Mean,
}

/// Settings of the compression, of the hidden layer and of the shared generator.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Channels per token after compression; 32 by default. 0 leaves the compressing layer out.
    pub compress: usize,
    /// Whether the compressing layer has a bias; false by default.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub compress_bias: bool,
    /// Width of the hidden layer; 256 by default.
    pub hidden: usize,
    /// Inputs of the shared generator per head (`gen` in YAML); 256 by default.
    #[serde(rename = "gen")]
    pub gen_width: usize,
    /// How tokens become one vector; flattened by default.
    pub pool: Pool,
    /// The activation of both hidden layers; swish by default.
    pub activation: Activation,
    /// How the generator starts; as in the source by default.
    #[serde(skip_serializing_if = "is_default")]
    pub init: GeneratorStart,
}

/// How the generator starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GeneratorStart {
    /// Glorot-uniform: the first maps are random.
    #[default]
    Glorot,
    /// Zero: the first maps are zero, so that the network starts as it is without the encoding.
    Zero,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            compress: 32,
            compress_bias: false,
            hidden: 256,
            gen_width: 256,
            pool: Pool::Flatten,
            activation: Activation::Swish,
            init: GeneratorStart::default(),
        }
    }
}

impl Config {
    fn check(&self) -> Result<(), EncodingError> {
        EncodingError::check_size(NAME, "compress", self.compress.max(1))?;
        if self.compress_bias && self.compress == 0 {
            let remedy = "without a compressing layer there is no bias: leave it out";
            return Err(EncodingError::no_effect(NAME, "compress_bias: true", "compress: 0", remedy));
        }
        EncodingError::check_size(NAME, "hidden", self.hidden)?;
        EncodingError::check_size(NAME, "gen", self.gen_width)
    }

    /// Numbers that the first dense layer reads.
    fn features(&self, width: usize, tokens: &Tokens) -> i64 {
        let of_token = if self.compress == 0 { width } else { self.compress };
        let counted = match self.pool {
            Pool::Flatten => tokens.len(),
            Pool::Mean => 1,
        };
        (counted * of_token) as i64
    }
}

impl Configure for Config {
    const INFO: EncodingInfo = EncodingInfo {
        name: NAME,
        summary: "a map of logits over pairs of tokens, generated from the whole board; compress: 0 with pool: mean and activation: gelu is GAB",
        source: "Lc0 (lczero.org 2024, Ergodice/lczero-training); Chessformer 2026 (arXiv 2605.19091)",
        example: "smolgen: {compress: 32, hidden: 256, gen: 256, pool: flatten, activation: swish}",
    };

    fn options(&self) -> Vec<String> {
        let compress = if self.compress == 0 { "none".to_owned() } else { self.compress.to_string() };
        let mut options = vec![format!("{compress}/{}/{}", self.hidden, self.gen_width)];
        options.extend(self.compress_bias.then(|| "compress+bias".to_owned()));
        options.extend((self.pool == Pool::Mean).then(|| "mean".to_owned()));
        options.extend((self.activation != Activation::Swish).then(|| format!("{:?}", self.activation).to_lowercase()));
        options.extend((self.init == GeneratorStart::Zero).then(|| "init=zero".to_owned()));
        options
    }

    fn declare(&self, scope: &mut Scope<'_>, dims: Dims, tokens: &Tokens) -> Result<Box<dyn Encoding>, EncodingError> {
        self.check()?;
        let pairs = (tokens.len() * tokens.len()) as i64;
        let width = self.gen_width as i64;
        let init = if self.init == GeneratorStart::Zero { Init::ZEROS } else { Init::glorot_uniform(width, pairs) };
        let generator = Linear::declare(&mut scope.sub("generator"), width, pairs, init, false);
        let layers = dims.per_layer(scope, |scope| SmolgenLayer::declare(self, scope, dims, tokens));
        Ok(Box::new(Smolgen {
            config: self.clone(),
            layers,
            generator,
            heads: dims.heads as i64,
            tokens: tokens.len() as i64,
        }))
    }

    fn size_mut(&mut self) -> Option<(&'static str, &mut usize)> {
        Some(("hidden", &mut self.hidden))
    }

    fn examples() -> Vec<Self> {
        let small = Self { compress: 3, hidden: 5, gen_width: 6, ..Self::default() };
        let pooled = Self { pool: Pool::Mean, ..small.clone() };
        let gelu = Self { activation: Activation::Gelu, ..small.clone() };
        let gab = Self { compress: 0, activation: Activation::Gelu, ..pooled.clone() };
        let uncompressed = Self { compress: 0, ..small.clone() };
        let zero = Self { init: GeneratorStart::Zero, ..small.clone() };
        let biased = Self { compress_bias: true, ..gelu.clone() };
        vec![small, pooled, gelu, gab, uncompressed, zero, biased]
    }
}

fn dense(scope: &mut Scope<'_>, inputs: i64, outputs: i64, bias: bool) -> Linear {
    Linear::declare(scope, inputs, outputs, Init::glorot_uniform(inputs, outputs), bias)
}

#[derive(Debug)]
struct Smolgen {
    config: Config,
    layers: Vec<SmolgenLayer>,
    generator: Linear,
    heads: i64,
    tokens: i64,
}

#[derive(Debug)]
struct SmolgenLayer {
    /// Absent for `compress: 0`.
    compress: Option<Linear>,
    hidden: Linear,
    hidden_norm: Norm,
    to_heads: Linear,
    heads_norm: Norm,
}

impl SmolgenLayer {
    fn declare(config: &Config, scope: &mut Scope<'_>, dims: Dims, tokens: &Tokens) -> Self {
        let (width, compressed, hidden) = (dims.width as i64, config.compress as i64, config.hidden as i64);
        let all_heads = (dims.heads * config.gen_width) as i64;
        Self {
            compress: (compressed > 0)
                .then(|| dense(&mut scope.sub("compress"), width, compressed, config.compress_bias)),
            hidden: dense(&mut scope.sub("hidden"), config.features(dims.width, tokens), hidden, true),
            hidden_norm: Norm::declare(&mut scope.sub("hidden_norm"), hidden, NormKind::Layer),
            to_heads: dense(&mut scope.sub("to_heads"), hidden, all_heads, true),
            heads_norm: Norm::declare(&mut scope.sub("heads_norm"), all_heads, NormKind::Layer),
        }
    }
}

impl Encoding for Smolgen {
    fn guarantees(&self) -> Guarantees {
        Guarantees { identity_at_start: self.config.init == GeneratorStart::Zero, ..Guarantees::NONE }
    }

    fn macs(&self) -> u64 {
        let (heads, tokens) = (self.heads as u64, self.tokens as u64);
        let per_layer = |l: &SmolgenLayer| {
            let compress = l.compress.as_ref().map_or(0, Linear::macs);
            tokens * compress + l.hidden.macs() + l.to_heads.macs() + heads * self.generator.macs()
        };
        self.layers.iter().map(per_layer).sum()
    }

    fn logits(&self, at: LayerContext<'_>, queries: Queries<'_>) -> Logits {
        let (layer, views, activation) = (&self.layers[at.layer], at.views, self.config.activation);
        let tokens_blc = match &layer.compress {
            Some(compress) => compress.forward(views, queries.x_bld),
            None => queries.x_bld.shallow_clone(),
        };
        let board = match self.config.pool {
            Pool::Flatten => tokens_blc.flatten(1, 2),
            Pool::Mean => tokens_blc.mean_dim([1i64].as_slice(), false, None::<Kind>),
        };
        let hidden = layer.hidden_norm.forward(views, &activation.apply(&layer.hidden.forward(views, &board)));
        let heads = layer.heads_norm.forward(views, &activation.apply(&layer.to_heads.forward(views, &hidden)));
        let by_head: Tensor = heads.view([-1, self.heads, self.config.gen_width as i64]);
        let map_bhll = self.generator.forward(views, &by_head).view([-1, self.heads, self.tokens, self.tokens]);
        Logits { after_scale: Some(map_bhll), ..Logits::default() }
    }
}
