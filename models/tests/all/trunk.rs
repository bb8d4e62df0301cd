//! Input embedding and body, with each of their options, against plain loops in f64.

use crate::common::*;
use encodings::EncodingConfig;
use games::Entry;
use models::input::Expander;
use models::{ChessformerConfig, EmbeddingConfig, FeedForwardKind, GameSpec, NormPlace};
use nn::{Activation, NormKind};
use std::f64::consts::PI;

type Tokens = Vec<Vec<f64>>;

#[test]
fn the_trunk_is_its_formulas() {
    let gate = [encoding(r#"{"absolute": {"at": "gate"}}"#)];
    for spec in specs() {
        for options in BODIES.into_iter().chain(ALL_PIECES) {
            for stack in [&none()[..], &gate] {
                compare(&spec, options, stack);
            }
        }
    }
}

fn compare(spec: &GameSpec, options: &str, stack: &[EncodingConfig]) {
    let config = tiny_with(options);
    let (network, layout) = declare(&config, stack, spec);
    let arena = stirred(&layout);
    let packed = packed(spec, 2);
    let channels = numbers(&Expander::new(spec.input).expand(&packed));
    let positions = channels.chunks(channels.len() / 2);
    let expected: Vec<f64> =
        positions.flat_map(|channels| Reference::new(&arena, &config, spec).trunk(channels)).collect();
    let found = numbers(&network.trunk(&arena.frozen_views(), &packed));
    assert_near(&found, &expected, 2e-4, &format!("{options} {stack:?} {}", spec.input.name.name()));
}

/// The channels that show where pieces stand now: all codes but that of the empty square, which is the first of current
/// boards and which boards with history do not have; dlshogi has 14 kinds for each side, and 17 planes of attacks behind.
fn pieces_now(spec: &GameSpec) -> Vec<usize> {
    match spec.input.name.name() {
        "dlshogi_62_57" => (0..14).chain(31..45).collect(),
        "lc0_112" | "lc0_112_en_passant" => (0..12).collect(),
        _ => (1..spec.input.piece_codes).collect(),
    }
}

struct Reference<'a> {
    weights: Weights<'a>,
    config: &'a ChessformerConfig,
    spec: &'a GameSpec,
}

impl<'a> Reference<'a> {
    fn new(arena: &'a nn::Arena, config: &'a ChessformerConfig, spec: &'a GameSpec) -> Self {
        Self { weights: Weights::of(arena), config, spec }
    }

    fn trunk(&self, channels: &[f64]) -> Vec<f64> {
        let tokens = self.spec.input.tokens();
        let channels: Tokens = channels.chunks(channels.len() / tokens).map(<[f64]>::to_vec).collect();
        let mut x = self.embedding(&channels);
        for layer in (0..self.config.loops).flat_map(|_| 0..self.config.layers) {
            let scope = format!("body.{layer}");
            x = self
                .residual(&format!("{scope}.attention_norm"), x, |x| self.attention(&format!("{scope}.attention"), x));
            x = self.residual(&format!("{scope}.feed_forward_norm"), x, |x| {
                self.feed_forward(&format!("{scope}.feed_forward"), x, self.config.ff)
            });
        }
        if self.config.norm == NormPlace::Pre {
            x = self.norm("body.final_norm", &x);
        }
        x[..tokens].concat()
    }

    fn embedding(&self, channels: &Tokens) -> Tokens {
        let (dense, ff) = match self.config.embedding {
            EmbeddingConfig::Old => {
                let mut x = self.dense_then_activation("embedding", channels);
                if self.config.registers > 0 {
                    x.extend(self.weights.rows("registers.vectors"));
                }
                return self.gate(x);
            }
            EmbeddingConfig::Linear | EmbeddingConfig::Table => {
                return self.gate(channels.iter().map(|own| self.weights.dense("embedding", own)).collect());
            }
            EmbeddingConfig::Reach => {
                let seen = channels.iter().enumerate().map(|(token, own)| [&own[..], &self.reach(token)].concat());
                return self.gate(self.dense_then_activation("embedding", &seen.collect()));
            }
            EmbeddingConfig::New { dense, ff } => (dense, ff.unwrap_or(self.config.ff)),
            EmbeddingConfig::Parts(_) => panic!("`models::parts` has tests of its own"),
        };
        let squares = &channels[..self.spec.input.geometry.squares()];
        let shown = pieces_now(self.spec);
        let pieces: Vec<f64> = squares.iter().flat_map(|square| shown.iter().map(|&channel| square[channel])).collect();
        let summaries = self.weights.dense("embedding.pieces", &pieces);
        let seen = channels.iter().zip(summaries.chunks(dense)).map(|(own, all)| [&own[..], all].concat()).collect();
        let y = self.gate(self.norm("embedding.norm", &self.dense_then_activation("embedding", &seen)));
        let branch = self.feed_forward("embedding.feed_forward", &y, ff);
        self.norm("embedding.feed_forward_norm", &self.sum("embedding.feed_forward_norm", &y, &branch))
    }

    /// Which squares the moves of the vocabulary reach from a token's.
    fn reach(&self, token: usize) -> Vec<f64> {
        let squares = self.spec.input.geometry.squares();
        let mut map = vec![0.0; squares];
        for (to, seen) in map.iter_mut().enumerate() {
            let leads = |entry: &Entry| *entry == Entry::Plain { from: token as u8, to: to as u8 };
            *seen = f64::from(u8::from(from_to(self.spec).entries().iter().any(leads)));
        }
        if token < squares {
            map[token] = -1.0;
        }
        map
    }

    /// The encoding that stands behind the dense layer, if the network has it.
    fn gate(&self, mut x: Tokens) -> Tokens {
        if self.weights.has("encoding.absolute.gate.factor") {
            let (factors, summands) = (
                self.weights.rows("encoding.absolute.gate.factor"),
                self.weights.rows("encoding.absolute.gate.summand"),
            );
            for ((x, factors), summands) in x.iter_mut().zip(factors).zip(summands) {
                x.iter_mut().zip(factors).zip(summands).for_each(|((x, m), a)| *x = *x * m.max(0.0) + a);
            }
        }
        x
    }

    fn dense_then_activation(&self, name: &str, x: &Tokens) -> Tokens {
        x.iter()
            .map(|x| self.weights.dense(name, x).into_iter().map(|x| activate(self.config.activation, x)).collect())
            .collect()
    }

    fn residual(&self, norm: &str, x: Tokens, sublayer: impl Fn(&Tokens) -> Tokens) -> Tokens {
        if self.config.norm == NormPlace::Pre {
            let branch = sublayer(&self.norm(norm, &x));
            self.sum(norm, &x, &branch)
        } else {
            self.norm(norm, &self.sum(norm, &x, &sublayer(&x)))
        }
    }

    fn sum(&self, norm: &str, x: &Tokens, branch: &Tokens) -> Tokens {
        let fourth_root = (2.0 * (self.config.loops * self.config.layers) as f64).sqrt().sqrt();
        let (of_stream, of_branch) = match self.config.norm {
            NormPlace::Post => (1.0, 1.0 / fourth_root),
            NormPlace::PostDeepnet => (fourth_root, 1.0),
            NormPlace::PostDeepnetAttention if norm.ends_with("attention_norm") => (fourth_root, 1.0),
            NormPlace::PostScaled { alpha, .. } => (1.0, alpha),
            NormPlace::PostDeepnetAttention | NormPlace::PostPlain | NormPlace::Pre => (1.0, 1.0),
        };
        let token =
            |(x, y): (&Vec<f64>, &Vec<f64>)| x.iter().zip(y).map(|(x, y)| of_stream * x + of_branch * y).collect();
        x.iter().zip(branch).map(token).collect()
    }

    fn attention(&self, scope: &str, x: &Tokens) -> Tokens {
        let mut qkv: Tokens = x.iter().map(|x| self.weights.dense(&format!("{scope}.qkv"), x)).collect();
        let (width, head_width) = (self.config.width, self.config.width / self.config.heads);
        if self.config.qk_norm {
            let gains = ["q", "k"].map(|of| self.weights.vector(&format!("{scope}.{of}_norm.gain"))).concat();
            for head in qkv.iter_mut().flat_map(|x| x[..2 * width].chunks_mut(head_width).enumerate()) {
                let gains = &gains[if head.0 < self.config.heads { 0 } else { head_width }..][..head_width];
                let root = (dot(head.1, head.1) / head_width as f64 + 1e-5).sqrt();
                head.1.iter_mut().zip(gains).for_each(|(x, gain)| *x *= gain / root);
            }
        }
        (0..x.len())
            .map(|query| {
                let mut mixed = vec![0.0; width];
                for head in 0..self.config.heads {
                    let of = |token: usize, part: usize| {
                        let start = part * width + head * head_width;
                        &qkv[token][start..start + head_width]
                    };
                    let scores: Vec<f64> = (0..x.len())
                        .map(|key| (dot(of(query, 0), of(key, 1)) / (head_width as f64).sqrt()).exp())
                        .collect();
                    let total: f64 = scores.iter().sum();
                    for (key, score) in scores.iter().enumerate() {
                        for (i, value) in of(key, 2).iter().enumerate() {
                            mixed[head * head_width + i] += score / total * value;
                        }
                    }
                }
                self.weights.dense(&format!("{scope}.out"), &mixed)
            })
            .collect()
    }

    fn feed_forward(&self, scope: &str, x: &Tokens, ff: usize) -> Tokens {
        let inside = |x: &Vec<f64>| -> Vec<f64> {
            let inside = self.weights.dense(&format!("{scope}.hidden"), x);
            let (gates, linear) = inside.split_at(ff);
            let gated = |gate: fn(f64) -> f64| gates.iter().zip(linear).map(|(g, x)| gate(*g) * x).collect();
            match self.config.ff_kind {
                FeedForwardKind::Dense => {
                    let activation = self.config.ff_activation.unwrap_or(self.config.activation);
                    inside.iter().map(|x| activate(activation, *x)).collect()
                }
                FeedForwardKind::Glu => gated(sigmoid),
                FeedForwardKind::Swiglu => gated(|x| activate(Activation::Swish, x)),
                FeedForwardKind::Geglu => gated(|x| activate(Activation::Gelu, x)),
            }
        };
        x.iter().map(|x| self.weights.dense(&format!("{scope}.out"), &inside(x))).collect()
    }

    fn norm(&self, scope: &str, x: &Tokens) -> Tokens {
        let gain = self.weights.vector(&format!("{scope}.gain"));
        let spread = |x: &[f64], mean: f64, epsilon: f64| {
            (x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / x.len() as f64 + epsilon).sqrt()
        };
        x.iter()
            .map(|x| match self.config.normalisation {
                kind @ (NormKind::Rms | NormKind::RmsFine) => {
                    let root = spread(x, 0.0, if kind == NormKind::Rms { 1e-5 } else { 1e-6 });
                    x.iter().zip(&gain).map(|(x, g)| x / root * g).collect()
                }
                NormKind::Batch => {
                    let of = |name: &str| self.weights.vector(&format!("{scope}.{name}"));
                    let [bias, mean, variance] = ["bias", "running_mean", "running_variance"].map(of);
                    let normed = |i: usize| (x[i] - mean[i]) / (variance[i] + 1e-5).sqrt() * gain[i] + bias[i];
                    (0..x.len()).map(normed).collect()
                }
                kind @ (NormKind::Layer | NormKind::LayerFine) => {
                    let mean = x.iter().sum::<f64>() / x.len() as f64;
                    let root = spread(x, mean, if kind == NormKind::Layer { 1e-3 } else { 1e-6 });
                    let bias = self.weights.vector(&format!("{scope}.bias"));
                    x.iter().zip(&gain).zip(&bias).map(|((x, g), b)| (x - mean) / root * g + b).collect()
                }
            })
            .collect()
    }
}

fn activate(activation: Activation, x: f64) -> f64 {
    match activation {
        Activation::Mish => x * x.exp().ln_1p().tanh(),
        Activation::Gelu => x / 2.0 * (1.0 + erf(x / 2f64.sqrt())),
        Activation::GeluTanh => x / 2.0 * (1.0 + ((2.0 / PI).sqrt() * (x + 0.044_715 * x.powi(3))).tanh()),
        Activation::Swish => x * sigmoid(x),
        Activation::Relu => x.max(0.0),
        Activation::Relu2 => x.max(0.0).powi(2),
        // λ and α of the paper's equation 14.
        Activation::Selu => {
            1.050_700_987_355_480_5 * if x > 0.0 { x } else { 1.673_263_242_354_377_2 * (x.exp() - 1.0) }
        }
        Activation::Tanh => x.tanh(),
        Activation::Sigmoid => sigmoid(x),
        Activation::Identity => x,
    }
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// The error function by its power series, which is good to 1e-9 where |x| < 4 and 1 beyond.
fn erf(x: f64) -> f64 {
    if x.abs() > 4.0 {
        return x.signum();
    }
    let mut power = x;
    let mut sum = 0.0;
    for n in 0..80 {
        sum += power / (2 * n + 1) as f64;
        power *= -x * x / (n + 1) as f64;
    }
    2.0 / PI.sqrt() * sum
}
