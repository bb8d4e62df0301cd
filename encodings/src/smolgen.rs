//! Attention logits generated from the whole board.
//!
//! Per layer, from its input x: compress every token (no bias), flatten, dense + activation + LayerNorm, dense to h·gen +
//! activation + LayerNorm; then one matrix gen → l², shared by all heads and layers of the network, gives each head an
//! `[l,l]` map that is added to the scaled logits.
//!
//! Source: Lc0's smolgen (Ergodice/lczero-training `smolgen_weights`; lczero.org blog, transformer progress, 2024).
//! `pool: mean` (the mean over tokens instead of flattening) and `activation: gelu` are the form that Chessformer 2026
//! (arXiv 2605.19091) calls GAB. Kernels start Glorot-uniform, biases at zero, as Keras does: it is *not* the identity at
//! the start. LayerNorm's ε is 1e-3. All tokens take part, auxiliary ones included.
//!
//! Parameters: per layer d·c + (l·c or, pooled, c)·hidden + 3·hidden + hidden·h·gen + 3·h·gen; once gen·l². On 8×8 with
//! d = 256, h = 8 and 32/256/256 that is 1,063,680 per layer and 1,048,576 shared.

use crate::{
    Configure, Dims, Encoding, EncodingError, EncodingInfo, Guarantees, InjectionPoints, LayerContext, Logits, Queries,
    Tokens,
};
use nn::{Activation, Init, Linear, Norm, NormKind, Scope};
use serde::{Deserialize, Serialize};
use tch::{Kind, Tensor};

const NAME: &str = "smolgen";

/// How the tokens become one vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pool {
    /// Side by side: the vector knows where what stands.
    Flatten,
    /// Their mean.
    Mean,
}

/// The options.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Channels per token after compression; 32 by default.
    #[serde(default = "compress")]
    pub compress: usize,
    /// Width of the hidden layer; 256 by default.
    #[serde(default = "hidden")]
    pub hidden: usize,
    /// Inputs of the shared generator per head (`gen` in YAML); 256 by default.
    #[serde(default = "gen_width", rename = "gen")]
    pub gen_width: usize,
    /// How tokens become one vector; flattened by default.
    #[serde(default = "pool")]
    pub pool: Pool,
    /// The activation of both hidden layers; swish by default.
    #[serde(default = "activation")]
    pub activation: Activation,
}

fn compress() -> usize {
    32
}

fn hidden() -> usize {
    256
}

fn gen_width() -> usize {
    256
}

fn pool() -> Pool {
    Pool::Flatten
}

fn activation() -> Activation {
    Activation::Swish
}

impl Default for Config {
    fn default() -> Self {
        Self { compress: compress(), hidden: hidden(), gen_width: gen_width(), pool: pool(), activation: activation() }
    }
}

impl Config {
    fn check(&self) -> Result<(), EncodingError> {
        let sizes = [("compress", self.compress), ("hidden", self.hidden), ("gen", self.gen_width)];
        match sizes.into_iter().find(|&(_, size)| size == 0) {
            None => Ok(()),
            Some((option, _)) => {
                Err(EncodingError::OutOfRange { encoding: NAME, option, wanted: "1 or more", found: "0".to_owned() })
            }
        }
    }

    fn features(&self, tokens: &Tokens) -> i64 {
        let per_board = match self.pool {
            Pool::Flatten => tokens.len(),
            Pool::Mean => 1,
        };
        (per_board * self.compress) as i64
    }
}

impl Configure for Config {
    const INFO: EncodingInfo = EncodingInfo {
        name: NAME,
        summary: "logits generated from the whole board; pool: mean with activation: gelu is the GAB form",
        source: "Lc0 (lczero.org 2024, Ergodice/lczero-training); Chessformer 2026 (arXiv 2605.19091)",
        example: "smolgen: {compress: 32, hidden: 256, gen: 256, pool: flatten, activation: swish}",
    };

    fn options(&self) -> Vec<String> {
        let mut options = vec![format!("{}/{}/{}", self.compress, self.hidden, self.gen_width)];
        options.extend((self.pool != pool()).then(|| "mean".to_owned()));
        options.extend((self.activation != activation()).then(|| format!("{:?}", self.activation).to_lowercase()));
        options
    }

    fn declare(&self, scope: &mut Scope<'_>, dims: Dims, tokens: &Tokens) -> Result<Box<dyn Encoding>, EncodingError> {
        self.check()?;
        let pairs = (tokens.len() * tokens.len()) as i64;
        let generator = dense(&mut scope.sub("generator"), self.gen_width as i64, pairs, false);
        let layers =
            (0..dims.layers).map(|layer| Layer::declare(self, &mut scope.sub("layer").sub(layer), dims, tokens));
        Ok(Box::new(Smolgen {
            config: self.clone(),
            layers: layers.collect(),
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
        let gab = Self { activation: Activation::Gelu, ..pooled.clone() };
        vec![small, pooled, gelu, gab]
    }
}

fn dense(scope: &mut Scope<'_>, inputs: i64, outputs: i64, bias: bool) -> Linear {
    Linear::declare(scope, inputs, outputs, Init::glorot_uniform(inputs, outputs), bias)
}

#[derive(Debug)]
struct Smolgen {
    config: Config,
    layers: Vec<Layer>,
    generator: Linear,
    heads: i64,
    tokens: i64,
}

/// What a layer has of its own.
#[derive(Debug)]
struct Layer {
    compress: Linear,
    hidden: Linear,
    hidden_norm: Norm,
    to_heads: Linear,
    heads_norm: Norm,
}

impl Layer {
    fn declare(config: &Config, scope: &mut Scope<'_>, dims: Dims, tokens: &Tokens) -> Self {
        let (compressed, hidden) = (config.compress as i64, config.hidden as i64);
        let all_heads = (dims.heads * config.gen_width) as i64;
        Self {
            compress: dense(&mut scope.sub("compress"), dims.width as i64, compressed, false),
            hidden: dense(&mut scope.sub("hidden"), config.features(tokens), hidden, true),
            hidden_norm: Norm::declare(&mut scope.sub("hidden_norm"), hidden, NormKind::Layer),
            to_heads: dense(&mut scope.sub("to_heads"), hidden, all_heads, true),
            heads_norm: Norm::declare(&mut scope.sub("heads_norm"), all_heads, NormKind::Layer),
        }
    }
}

impl Encoding for Smolgen {
    fn injection_points(&self) -> InjectionPoints {
        InjectionPoints::LOGITS
    }

    fn guarantees(&self) -> Guarantees {
        Guarantees::NONE
    }

    fn macs(&self) -> u64 {
        let (heads, tokens) = (self.heads as u64, self.tokens as u64);
        let per_layer = |l: &Layer| {
            tokens * l.compress.macs() + l.hidden.macs() + l.to_heads.macs() + heads * self.generator.macs()
        };
        self.layers.iter().map(per_layer).sum()
    }

    fn logits(&self, at: LayerContext<'_>, queries: Queries<'_>) -> Logits {
        let (layer, views, activation) = (&self.layers[at.layer], at.views, self.config.activation);
        let compressed_blc = layer.compress.forward(views, queries.x_bld);
        let board = match self.config.pool {
            Pool::Flatten => compressed_blc.flatten(1, 2),
            Pool::Mean => compressed_blc.mean_dim([1i64].as_slice(), false, None::<Kind>),
        };
        let hidden = layer.hidden_norm.forward(views, &activation.apply(&layer.hidden.forward(views, &board)));
        let heads = layer.heads_norm.forward(views, &activation.apply(&layer.to_heads.forward(views, &hidden)));
        let by_head: Tensor = heads.view([-1, self.heads, self.config.gen_width as i64]);
        let map_bhll = self.generator.forward(views, &by_head).view([-1, self.heads, self.tokens, self.tokens]);
        Logits { after_scale: Some(map_bhll), ..Logits::default() }
    }
}
