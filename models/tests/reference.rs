//! Every part of the network against plain loops in f64.

mod common;

use common::*;
use games::{Boards, Entry, FeatureKind, InputName};
use models::input::Expander;
use models::{ChessformerConfig, NormPlace, Pool, Spec};
use nn::{Activation, NormKind};

#[test]
fn the_input_expansion() {
    for spec in specs() {
        let rows = rows(&spec, 5);
        let expander = Expander::new(spec.input);
        let found = expander.expand(&tensor(&rows));
        let size = [5, spec.input.tokens() as i64, expander.channels() as i64];
        assert_eq!(found.size(), size);
        assert_eq!(expander.channels() == 112, spec.input.name == InputName::Lc0_112, "Lc0's planes are 112");
        let expected: Vec<f64> = rows.iter().flat_map(|row| channels(&spec, row).concat()).collect();
        assert_near(&numbers(&found), &expected, 1e-6, spec.input.name.name());
    }
}

/// The channels of every token, as the documentation of `Expander` words them.
fn channels(spec: &Spec, row: &[u8]) -> Vec<Vec<f64>> {
    let input = spec.input;
    let squares = input.geometry.squares();
    let scalars: Vec<f64> = input.scalars().map(|(at, feature)| scaled(row[at], feature.kind)).collect();
    let aux = input.name == InputName::PieceTokensAux;
    let mut tokens: Vec<Vec<f64>> = (0..squares)
        .map(|square| {
            let mut token = board_channels(spec, row, square);
            token.extend(input.squares().map(|(at, _)| one(usize::from(row[at]) == square + 1)));
            token.extend(if aux { vec![0.0; 2 * scalars.len()] } else { scalars.clone() });
            token
        })
        .collect();
    if aux {
        let board = tokens[0].len() - 2 * scalars.len();
        tokens.extend((0..scalars.len()).map(|i| {
            let mut token = vec![0.0; board + 2 * scalars.len()];
            token[board + i] = scalars[i];
            token[board + scalars.len() + i] = 1.0;
            token
        }));
    }
    tokens
}

fn board_channels(spec: &Spec, row: &[u8], square: usize) -> Vec<f64> {
    let input = spec.input;
    let (squares, steps) = (input.geometry.squares(), input.steps());
    let pieces = |step: usize, codes: std::ops::Range<usize>| {
        codes.map(move |code| one(usize::from(row[step * squares + square]) == code))
    };
    match input.boards {
        Boards::Current => pieces(0, 0..input.piece_codes).collect(),
        Boards::History { .. } => (0..steps)
            .flat_map(|step| pieces(step, 1..input.piece_codes).chain([f64::from(row[steps * squares + step])]))
            .collect(),
    }
}

fn scaled(byte: u8, kind: FeatureKind) -> f64 {
    match kind {
        FeatureKind::Scalar { scale } => f64::from(byte) / f64::from(scale),
        FeatureKind::Square => panic!("not a scalar"),
    }
}

fn one(condition: bool) -> f64 {
    if condition { 1.0 } else { 0.0 }
}

#[test]
fn the_trunk() {
    let post = tiny(NormPlace::Post);
    let layer_norm = ChessformerConfig { normalisation: NormKind::Layer, qkv_bias: true, ..tiny(NormPlace::Pre) };
    for spec in specs() {
        for config in [&post, &layer_norm] {
            let (network, layout) = declare(config, &none(), &spec);
            let arena = stirred(&layout);
            let rows = rows(&spec, 2);
            let weights = Weights::of(&arena);
            let found = numbers(&network.trunk(&arena.frozen_views(), &tensor(&rows)));
            let expected: Vec<f64> =
                rows.iter().flat_map(|row| trunk(&weights, config, channels(&spec, row)).concat()).collect();
            assert_near(&found, &expected, 2e-4, "trunk");
        }
    }
}

fn trunk(weights: &Weights<'_>, config: &ChessformerConfig, tokens: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    assert_eq!(config.activation, Activation::Mish);
    let mut x: Vec<Vec<f64>> = tokens.iter().map(|token| mish(weights.dense("embedding", token))).collect();
    let alpha = match config.norm {
        NormPlace::Post => 1.0 / (2.0 * config.layers as f64).sqrt().sqrt(),
        NormPlace::Pre => 1.0,
    };
    for layer in 0..config.layers {
        let scope = format!("body.{layer}");
        for (sublayer, name) in [(Sublayer::Attention, "attention_norm"), (Sublayer::FeedForward, "feed_forward_norm")]
        {
            let normed = |x: &[Vec<f64>]| norm(weights, &format!("{scope}.{name}"), config.normalisation, x);
            let input = if config.norm == NormPlace::Pre { normed(&x) } else { x.clone() };
            let branch = match sublayer {
                Sublayer::Attention => attention(weights, &format!("{scope}.attention"), config.heads, &input),
                Sublayer::FeedForward => feed_forward(weights, &format!("{scope}.feed_forward"), &input),
            };
            let sum: Vec<Vec<f64>> = x
                .iter()
                .zip(&branch)
                .map(|(x, branch)| x.iter().zip(branch).map(|(x, y)| x + alpha * y).collect())
                .collect();
            x = if config.norm == NormPlace::Post { normed(&sum) } else { sum };
        }
    }
    match config.norm {
        NormPlace::Post => x,
        NormPlace::Pre => norm(weights, "body.final_norm", config.normalisation, &x),
    }
}

enum Sublayer {
    Attention,
    FeedForward,
}

fn attention(weights: &Weights<'_>, scope: &str, heads: usize, x: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let qkv: Vec<Vec<f64>> = x.iter().map(|x| weights.dense(&format!("{scope}.qkv"), x)).collect();
    let width = x[0].len();
    let head_width = width / heads;
    (0..x.len())
        .map(|query| {
            let mut mixed = vec![0.0; width];
            for head in 0..heads {
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
            weights.dense(&format!("{scope}.out"), &mixed)
        })
        .collect()
}

fn feed_forward(weights: &Weights<'_>, scope: &str, x: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let inside = |x: &Vec<f64>| mish(weights.dense(&format!("{scope}.hidden"), x));
    x.iter().map(|x| weights.dense(&format!("{scope}.out"), &inside(x))).collect()
}

fn norm(weights: &Weights<'_>, scope: &str, kind: NormKind, x: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let gain = weights.vector(&format!("{scope}.gain"));
    let scale = |x: &[f64], mean: f64, epsilon: f64| {
        (x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / x.len() as f64 + epsilon).sqrt()
    };
    x.iter()
        .map(|x| match kind {
            NormKind::Rms => {
                let root = scale(x, 0.0, 1e-5);
                x.iter().zip(&gain).map(|(x, g)| x / root * g).collect()
            }
            NormKind::Layer => {
                let mean = x.iter().sum::<f64>() / x.len() as f64;
                let root = scale(x, mean, 1e-3);
                let bias = weights.vector(&format!("{scope}.bias"));
                x.iter().zip(&gain).zip(&bias).map(|((x, g), b)| (x - mean) / root * g + b).collect()
            }
        })
        .collect()
}

#[test]
fn the_policy_head() {
    for spec in specs() {
        let config = tiny(NormPlace::Post);
        let (network, layout) = declare(&config, &none(), &spec);
        let arena = stirred(&layout);
        let packed = packed(&spec, 2);
        let views = arena.frozen_views();
        let trunk = numbers(&network.trunk(&views, &packed));
        let found = numbers(&network.forward(&views, &packed).policy_bv);
        let tokens: Vec<Vec<f64>> = trunk.chunks(config.width).map(<[f64]>::to_vec).collect();
        let weights = Weights::of(&arena);
        let expected: Vec<f64> =
            tokens.chunks(spec.input.tokens()).flat_map(|tokens| policy(&weights, &spec, tokens)).collect();
        assert_near(&found, &expected, 1e-4, spec.moves.name);
    }
}

fn policy(weights: &Weights<'_>, spec: &Spec, tokens: &[Vec<f64>]) -> Vec<f64> {
    let embedded: Vec<Vec<f64>> = tokens.iter().map(|token| mish(weights.dense("policy.embedding", token))).collect();
    let squares = &embedded[..spec.input.geometry.squares()];
    let keys: Vec<Vec<f64>> = squares.iter().map(|e| weights.dense("policy.key", e)).collect();
    let queries: Vec<Vec<f64>> = embedded.iter().map(|e| weights.dense("policy.query", e)).collect();
    let depth = keys[0].len() as f64;
    let logit = |query: &[f64], to: u8| dot(query, &keys[usize::from(to)]) / depth.sqrt();
    let promotions: Vec<Vec<f64>> = keys.iter().map(|key| weights.dense("policy.promotion", key)).collect();
    let drops: Vec<Vec<f64>> =
        (0..spec.moves.drops.len()).map(|kind| drop_query(weights, spec, squares, &queries, kind)).collect();
    let entries = spec.moves.entries().iter();
    entries
        .map(|&entry| match entry {
            Entry::Plain { from, to } => logit(&queries[usize::from(from)], to),
            Entry::Promotion { from, to, kind } => {
                logit(&queries[usize::from(from)], to) + promotions[usize::from(to)][usize::from(kind)]
            }
            Entry::Drop { kind, to } => logit(&drops[usize::from(kind)], to),
        })
        .collect()
}

fn drop_query(weights: &Weights<'_>, spec: &Spec, squares: &[Vec<f64>], queries: &[Vec<f64>], kind: usize) -> Vec<f64> {
    if spec.input.name == InputName::PieceTokensAux {
        let name = format!("hand.own.{}", spec.moves.drops[kind]);
        let token = spec.input.aux_tokens().iter().position(|aux| *aux == name).expect("hands are tokens");
        return queries[spec.input.geometry.squares() + token].clone();
    }
    let board = weights.dense("policy.drop.board", &mean(squares));
    board.iter().zip(&weights.rows("policy.drop.vectors")[kind]).map(|(a, b)| a + b).collect()
}

#[test]
fn the_value_head() {
    for spec in specs() {
        for pool in [Pool::Flatten, Pool::Mean] {
            let mut config = tiny(NormPlace::Post);
            config.value.pool = pool;
            let (network, layout) = declare(&config, &none(), &spec);
            let arena = stirred(&layout);
            let packed = packed(&spec, 2);
            let views = arena.frozen_views();
            let trunk = numbers(&network.trunk(&views, &packed));
            let tokens: Vec<Vec<f64>> = trunk.chunks(config.width).map(<[f64]>::to_vec).collect();
            let weights = Weights::of(&arena);
            let expected: Vec<f64> = tokens
                .chunks(spec.input.tokens())
                .flat_map(|tokens| {
                    let squares = tokens[..spec.input.geometry.squares()].iter();
                    let reduced: Vec<_> = squares.map(|s| mish(weights.dense("value.embedding", s))).collect();
                    let pooled = if pool == Pool::Mean { mean(&reduced) } else { reduced.concat() };
                    weights.dense("value.wdl", &mish(weights.dense("value.hidden", &pooled)))
                })
                .collect();
            assert_near(&numbers(&network.forward(&views, &packed).wdl_b3), &expected, 1e-4, "value");
        }
    }
}
