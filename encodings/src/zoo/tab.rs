//! A map of logits over pairs of squares whose templates are made from the board by complex convolutions.
//!
//! e_ij/√k + Σ_t m_ht·Re(Σ_f conj(Q_tf(i))·K_f(j)) / √(F·T). Q and K are complex numbers of every square, for each of F learned
//! frequencies and, for Q, each of T templates; m is the mixture of `gab_templates`. A square's state begins as c complex
//! numbers for each frequency, z = P·x. A block adds U₂·act(U₁·act(z/√(n+1))) to them, n being the number of blocks before it.
//! U = R⁻¹·C·R: the rotation R by the angle ω_f·(file, rank), a complex 3×3 convolution C, zero beyond the edge, and the
//! rotation back. C has holes of `dilation` in U₁ and none in U₂, and is the same for all frequencies. At the end z/√(N+1) is
//! activated and rotated, and 1×1 convolutions make K and Q of it. The activation acts on real and imaginary parts.
//!
//! Source: KataGo's TAB (`TABModule`, `_compute_gab_bias` in python/katago/train/model_pytorch.py, commit 6a1fc5d; sizes of
//! `b5c384h6nbttftabs`). Its author notes there that all rotations but the last may be superfluous, because convolutions can
//! learn them: `rotations: last` leaves them out, U = C.
//!
//! First values as there: P truncated normal with standard deviation g/√inputs (g as in `gab_templates`), the convolutions the
//! same divided by √2 for the two parts of a complex number; ω with random signs and magnitudes of which the logarithm is uniform
//! between 1/50 and 1. It is *not* the identity at the start.
//!
//! Deviations: KataGo makes Q and K once, from the trunk's input of the first block; here every layer makes them from its own
//! input, with the same parameters. Its variant that mixes frequencies is not here. Nothing is added for pairs with an auxiliary
//! token. What the board's edge cuts off from a convolution depends on the place, so attention is not translation-invariant.
//!
//! All but P and the mixture is f32 whatever the training precision. Parameters: per layer those of the mixture of `gab_templates`,
//! and once 2·F·c·d + 2·F + N·36·c² + 2·c·(T+1).

use super::gab_templates::{Mixture, changed_options, gain};
use super::rope::log_uniform;
use crate::prelude::*;
use crate::tokens::SquaresMean;
use nn::Activation;
use std::f64::consts::FRAC_1_SQRT_2;

const NAME: &str = "tab";
/// The highest frequency at the start by the lowest.
const RANGE: f64 = 50.0;
/// The most blocks: each declares its parameters by name.
const MOST_BLOCKS: usize = 1 << 12;
/// Side of a block's convolutions.
const WINDOW: i64 = 3;

/// Where states are rotated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rotations {
    /// Around every convolution, and at the end.
    #[default]
    All,
    /// At the end only.
    Last,
}

/// Settings of the templates, of their convolutions and of the summary that mixes them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// How many templates there are (T); 32 by default.
    pub templates: usize,
    /// Learned frequencies (F); 8 by default.
    pub frequencies: usize,
    /// Complex numbers of a square and frequency (c); 32 by default.
    pub channels: usize,
    /// Blocks of two convolutions (N); 3 by default.
    pub blocks: usize,
    /// Distance of the squares that a block's first convolution reads; 3 by default.
    pub dilation: usize,
    /// Width of the first summary of the position (d₁); 32 by default.
    pub compress: usize,
    /// Width of the second (d₂); 32 by default.
    pub summary: usize,
    /// The activation of blocks and mixtures; mish by default.
    pub activation: Activation,
    /// Where states are rotated; around every convolution by default.
    pub rotations: Rotations,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            templates: 32,
            frequencies: 8,
            channels: 32,
            blocks: 3,
            dilation: 3,
            compress: 32,
            summary: 32,
            activation: Activation::Mish,
            rotations: Rotations::default(),
        }
    }
}

impl Config {
    /// Every size by its key.
    fn sizes(&self) -> [(&'static str, usize); 7] {
        [
            ("templates", self.templates),
            ("frequencies", self.frequencies),
            ("channels", self.channels),
            ("blocks", self.blocks),
            ("dilation", self.dilation),
            ("compress", self.compress),
            ("summary", self.summary),
        ]
    }
}

impl Configure for Config {
    const INFO: EncodingInfo = EncodingInfo {
        name: NAME,
        summary: "a map of logits over pairs of squares: templates made from the board by complex convolutions, mixed for each head",
        source: "KataGo's TAB (lightvector/KataGo, model_pytorch.py, commit 6a1fc5d)",
        example: "tab: {templates: 32, frequencies: 8, channels: 32, blocks: 3, dilation: 3, compress: 32, summary: 32, activation: mish, rotations: all}",
    };

    fn options(&self) -> Vec<String> {
        let defaults = Self::default();
        let changed = changed_options((self.sizes(), self.activation), (defaults.sizes(), defaults.activation));
        let rotations = (self.rotations == Rotations::Last).then(|| format!("rotations={}", word(&self.rotations)));
        changed.chain(rotations).collect()
    }

    fn declare(&self, scope: &mut Scope<'_>, dims: Dims, tokens: &Tokens) -> Result<Box<dyn Encoding>, EncodingError> {
        for (key, size) in self.sizes() {
            EncodingError::check_size(NAME, key, size)?;
        }
        if self.blocks > MOST_BLOCKS {
            return Err(EncodingError::out_of_range(NAME, "blocks", "at most 4096", self.blocks));
        }
        let templates = Templates::declare(self, &mut scope.sub("templates"), dims, tokens);
        let sizes = [self.compress, self.summary, self.templates];
        let layers = dims.per_layer(scope, |scope| Mixture::declare(sizes, scope, dims));
        let squares = tokens.geometry().squares();
        let of_tokens = (0..tokens.len()).map(|token| tokens.square(token).unwrap_or(squares) as i64);
        Ok(Box::new(Tab {
            layers,
            templates,
            mean: SquaresMean::new(tokens),
            spread: Constant::indices(&of_tokens.collect::<Vec<_>>(), &[tokens.len() as i64]),
            heads: dims.heads as i64,
        }))
    }

    fn examples() -> Vec<Self> {
        let small = Self {
            templates: 3,
            frequencies: 2,
            channels: 3,
            blocks: 2,
            dilation: 2,
            compress: 5,
            summary: 6,
            ..Self::default()
        };
        let last = Self { rotations: Rotations::Last, activation: Activation::Gelu, blocks: 1, ..small.clone() };
        vec![small, last]
    }
}

/// Real and imaginary parts, `[b·F, channels, ranks, files]`.
type Complex = [Tensor; 2];

fn each(z: &Complex, of: impl Fn(&Tensor) -> Tensor) -> Complex {
    let [real, imaginary] = z;
    [of(real), of(imaginary)]
}

fn product([a, b]: &Complex, [c, d]: &Complex) -> Complex {
    [a * c - b * d, a * d + b * c]
}

#[derive(Debug)]
struct Convolution {
    /// `[out, in, side, side]`.
    real: ParamId,
    imaginary: ParamId,
    dilation: i64,
}

impl Convolution {
    fn declare(scope: &mut Scope<'_>, [outputs, inputs, side, dilation]: [i64; 4], activation: Activation) -> Self {
        let std = FRAC_1_SQRT_2 * (gain(activation) / (inputs * side * side) as f64).sqrt();
        let mut kernel =
            |name: &str| scope.f32_param(name, &[outputs, inputs, side, side], Init::TruncatedNormal { std });
        Self { real: kernel("real"), imaginary: kernel("imaginary"), dilation }
    }

    fn forward(&self, views: &Views, [real, imaginary]: &Complex) -> Complex {
        let (of_real, of_imaginary) = (&views[self.real], &views[self.imaginary]);
        let kernel = Tensor::cat(
            &[Tensor::cat(&[of_real.shallow_clone(), of_imaginary.neg()], 1), Tensor::cat(&[of_imaginary, of_real], 1)],
            0,
        );
        let (outputs, around) = (of_real.size()[0], self.dilation * (of_real.size()[2] / 2));
        let parts = Tensor::cat(&[real, imaginary], 1);
        let both = parts.conv2d(&kernel, None::<Tensor>, [1, 1], [around, around], [self.dilation, self.dilation], 1);
        [both.narrow(1, 0, outputs), both.narrow(1, outputs, outputs)]
    }
}

/// What makes keys and queries, shared by all layers.
#[derive(Debug)]
struct Templates {
    start: Linear,
    /// ω `[F, 2]`: radians per file, radians per rank.
    frequencies: ParamId,
    blocks: Vec<[Convolution; 2]>,
    key: Convolution,
    query: Convolution,
    /// The token of every square.
    squares: Constant,
    /// File and rank of every square, `[2, ranks, files]`.
    places: Constant,
    board: [i64; 2],
    config: Config,
}

impl Templates {
    fn declare(config: &Config, scope: &mut Scope<'_>, dims: Dims, tokens: &Tokens) -> Self {
        let (width, channels, frequencies) = (dims.width as i64, config.channels as i64, config.frequencies as i64);
        let activation = config.activation;
        let std = (gain(activation) / dims.width as f64).sqrt();
        let start = Init::TruncatedNormal { std };
        let start = Linear::declare(&mut scope.sub("start"), width, 2 * frequencies * channels, start, false);
        let frequencies = scope.f32_param("frequencies", &[frequencies, 2], log_uniform(RANGE));
        let mut of_blocks = scope.sub("block");
        let blocks = (0..config.blocks).map(|block| {
            let mut of_block = of_blocks.sub(block);
            [("first", config.dilation as i64), ("second", 1)].map(|(name, dilation)| {
                Convolution::declare(&mut of_block.sub(name), [channels, channels, WINDOW, dilation], activation)
            })
        });
        let blocks = blocks.collect();
        let mut pointwise = |name: &str, outputs: usize| {
            Convolution::declare(&mut scope.sub(name), [outputs as i64, channels, 1, 1], activation)
        };
        let (key, query) = (pointwise("key", 1), pointwise("query", config.templates));
        let board = tokens.geometry();
        let mut squares = vec![0; board.squares()];
        tokens.squares().for_each(|(token, square)| squares[square] = token as i64);
        let sides = [board.ranks() as i64, board.files() as i64];
        let along =
            |of: fn(&Geometry, usize) -> usize| (0..board.squares()).map(move |square| of(&board, square) as f32);
        let places: Vec<f32> = along(Geometry::file_of).chain(along(Geometry::rank_of)).collect();
        Self {
            start,
            frequencies,
            blocks,
            key,
            query,
            squares: Constant::indices(&squares, &[squares.len() as i64]),
            places: Constant::floats(&places, &[2, sides[0], sides[1]]),
            board: sides,
            config: config.clone(),
        }
    }

    fn macs(&self) -> u64 {
        let squares = (self.board[0] * self.board[1]) as u64;
        let Config { templates, frequencies, channels, blocks, .. } = self.config;
        let window = (WINDOW * WINDOW) as usize;
        let of_frequency = 4 * channels * (2 * blocks * channels * window + 1 + templates);
        squares * (self.start.macs() + (frequencies * of_frequency) as u64)
    }

    /// Cosines and sines `[b·F, 1, ranks, files]` of the angles of a batch.
    fn rotation(&self, views: &Views, batch: i64) -> Complex {
        let [ranks, files] = self.board;
        let angles = views[self.frequencies].matmul(&self.places.on(views.device()).flatten(1, 2));
        let angles = angles.view([1, -1, 1, ranks, files]).expand([batch, -1, -1, -1, -1], false).flatten(0, 1);
        [angles.cos(), angles.sin()]
    }

    /// K and Q as `[b,F,1,s]` and `[b,F,T,s]`, divided by √F and √T.
    fn keys_and_queries(&self, views: &Views, x_bld: &Tensor) -> [Complex; 2] {
        let (batch, [ranks, files]) = (x_bld.size()[0], self.board);
        let of_squares = x_bld.index_select(1, &self.squares.on(views.device()));
        let (frequencies, channels) = (self.config.frequencies as i64, self.config.channels as i64);
        let start = self.start.forward(views, &of_squares).to_kind(Kind::Float);
        let start = start.view([batch, ranks, files, frequencies, 2, channels]).permute([4, 0, 3, 5, 1, 2]);
        let mut z = [0, 1].map(|part| start.select(0, part).flatten(0, 1));
        let rotation = self.rotation(views, batch);
        let back = [rotation[0].shallow_clone(), rotation[1].neg()];
        let is_rotated = self.config.rotations == Rotations::All;
        let rotated =
            |z: &Complex, by: &Complex| if is_rotated { product(z, by) } else { each(z, Tensor::shallow_clone) };
        let activated = |z: &Complex| each(z, |part| self.config.activation.apply(part));
        let passed = |convolution: &Convolution, z: &Complex| {
            rotated(&convolution.forward(views, &rotated(&activated(z), &rotation)), &back)
        };
        let normed = |z: &Complex, blocks: usize| each(z, |part| part / ((blocks + 1) as f64).sqrt());
        for (before, [first, second]) in self.blocks.iter().enumerate() {
            let [real, imaginary] = passed(second, &passed(first, &normed(&z, before)));
            z = [&z[0] + real, &z[1] + imaginary];
        }
        let last = product(&activated(&normed(&z, self.blocks.len())), &rotation);
        let made = |convolution: &Convolution, share: usize| {
            let scale = (share as f64).sqrt();
            each(&convolution.forward(views, &last), |part| {
                part.reshape([batch, frequencies, -1, ranks * files]) / scale
            })
        };
        [made(&self.key, self.config.frequencies), made(&self.query, self.config.templates)]
    }
}

#[derive(Debug)]
struct Tab {
    layers: Vec<Mixture>,
    templates: Templates,
    mean: SquaresMean,
    /// The square of every token, and for those without one the place after the last.
    spread: Constant,
    heads: i64,
}

impl Encoding for Tab {
    fn guarantees(&self) -> Guarantees {
        Guarantees { auxiliary: Auxiliary::Untouched, ..Guarantees::NONE }
    }

    fn macs(&self) -> u64 {
        let Config { templates, frequencies, .. } = self.templates.config;
        let squares = (self.templates.board[0] * self.templates.board[1]) as u64;
        let mixing = (self.heads as usize * 2 * frequencies) as u64 * squares * (templates as u64 + squares);
        self.layers.iter().map(|layer| layer.macs() + self.templates.macs() + mixing).sum()
    }

    fn logits(&self, at: LayerContext<'_>, queries: Queries<'_>) -> Logits {
        let mean_bd = self.mean.of(queries.x_bld);
        let mixture = self.layers[at.layer].forward(at.views, &mean_bd, self.templates.config.activation);
        let mixture_b1ht = mixture.to_kind(Kind::Float).view([mixture.size()[0], 1, self.heads, -1]);
        let [keys, made] = self.templates.keys_and_queries(at.views, queries.x_bld);
        let mixed_bhsn = Tensor::cat(&each(&made, |part| mixture_b1ht.matmul(part)), 1).permute([0, 2, 3, 1]);
        let keys_b1ns = Tensor::cat(&keys, 1).transpose(1, 2);
        let of_squares = mixed_bhsn.matmul(&keys_b1ns).constant_pad_nd([0, 1, 0, 1]);
        let tokens = self.spread.on(at.views.device());
        let logits = of_squares.index_select(2, &tokens).index_select(3, &tokens);
        Logits { after_scale: Some(logits.to_kind(queries.q_bhlk.kind())), ..Logits::default() }
    }
}
