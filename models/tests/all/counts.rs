//! Parameters and multiplications against formulas, and the published counts of the presets.

use crate::common::*;
use encodings::EncodingConfig;
use games::{GameKind, InputName};
use models::{Macs, Network, NormPlace, Outputs, PerSquare};
use nn::{Layout, Part};
use std::sync::Arc;

const LC0_CHANNELS: usize = 112;

/// Displacements between two squares of the board.
fn displacements() -> usize {
    let board = GameKind::Chess.geometry();
    (2 * board.files() - 1) * (2 * board.ranks() - 1)
}

fn declared(preset: &str, stack: &[EncodingConfig], input: InputName) -> (Network, Arc<Layout>) {
    declare_preset(preset, stack, &spec(GameKind::Chess, input))
}

/// The encodings that the paper's networks have: Shaw's and the gate behind the input embedding.
fn papers() -> [EncodingConfig; 2] {
    [encoding(r#"{"absolute": {"at": "gate"}}"#), encoding(r#"{"shaw": {}}"#)]
}

fn dense(inputs: usize, outputs: usize) -> usize {
    inputs * outputs + outputs
}

/// Numbers of a block without biases of queries, keys and values, RMS norms.
fn block(d: usize, ff: usize) -> usize {
    4 * d * d + d + dense(d, ff) + dense(ff, d) + 2 * d
}

/// Queries, keys and three promotions.
fn policy(e: usize, depth: usize) -> usize {
    2 * dense(e, depth) + 3 * depth
}

fn pooled(d: usize, e: usize) -> usize {
    dense(d, e) + dense(squares() * e, 128)
}

#[test]
fn counts_equal_the_formulas() {
    let (network, layout) = declared("cf-6m", &[encoding(r#"{"shaw": {}}"#)], InputName::PieceTokens);
    let (d, layers) = (256, 8);
    let channels = 13 + 1 + 7;
    assert_eq!(layout.count(Part::Trunk), dense(channels, d) + layers * block(d, d));
    assert_eq!(layout.count(Part::Encoding), 1_382_400);
    let policies = dense(d, d) + 2 * policy(d, d);
    let values = 3 * pooled(d, 32) + dense(128, 3) + 4 * dense(128, 1);
    assert_eq!(layout.count(Part::Head), policies + values);

    let macs = network.macs();
    assert_eq!(macs.paper, 213_909_504);
    let products = layers * 2 * squares() * squares() * d;
    assert_eq!(macs.trunk as usize, squares() * (channels * d + layers * 6 * d * d) + products);
    let logits = squares() * (2 * d * d + squares() * d + 3 * d);
    assert_eq!(macs.of_head("policy") as usize, squares() * d * d + logits);
    assert_eq!(macs.of_head("soft_policy") as usize, logits);
    let board = squares() * d * 32 + squares() * 32 * 128;
    assert_eq!(macs.of_head("value") as usize, board + 128 * 3);
    assert_eq!(macs.of_head("q") as usize, board + 2 * 128);
    assert_eq!(macs.of_head("short_term") as usize, board + 2 * 128);
    assert_eq!(macs.encoding, network.encodings().macs());
    let heads: u64 = ["policy", "soft_policy", "value", "q", "short_term"].map(|name| macs.of_head(name)).iter().sum();
    assert_eq!(macs.flops(), 2 * (macs.trunk + macs.encoding + heads));
}

/// The paper's code has a fourth column of promotions in each policy head.
const COLUMN: usize = 256;

#[test]
fn presets_have_the_published_numbers() {
    let total = |preset| declared(preset, &papers(), InputName::Lc0_112).1.total();
    let cf_6m = total("cf-6m");
    assert_eq!(cf_6m + 2 * COLUMN, 5_743_463, "5.74 million");
    assert_eq!(total("cf-6m-repo") + 2 * COLUMN, 6_022_344, "6.02 million");
    let moves_left = pooled(256, 32) + dense(128, 1);
    let categories = 2 * dense(128, 32);
    assert_eq!(total("cf-6m-repo") - cf_6m, moves_left + categories);
}

#[test]
fn cf_240m_has_the_published_numbers() {
    let (network, layout) = declared("cf-240m", &papers(), InputName::Lc0_112);
    let (d, ff, layers) = (1024, 4096, 15);
    let heads = dense(d, d)
        + 2 * policy(d, d)
        + 3 * pooled(d, 128)
        + dense(128, 3)
        + 2 * (2 * dense(128, 1) + dense(128, 32))
        + (pooled(d, 32) + dense(128, 1));
    assert_eq!(layout.count(Part::Head), heads);
    assert_eq!(layout.count(Part::Encoding), layers * 3 * d * displacements() + 2 * squares() * d);
    // A dense layer over all squares' pieces, the embedding of these beside the channels, a feed-forward layer, two norms.
    let of_all_squares = dense(12 * squares(), 512 * squares());
    let embedding = of_all_squares + dense(LC0_CHANNELS + 512, d) + dense(d, ff) + dense(ff, d) + 2 * d;
    assert_eq!(layout.count(Part::Trunk), embedding + layers * block(d, ff));
    assert_eq!(layout.total() + 2 * d, 242_700_264, "242.7 million, with the fourth column of promotions");
    assert_eq!(network.macs().paper, 12_817_793_024, "12.8 billion");
}

#[test]
fn all_weights_of_cf_6m_are_multiplied_226_million_times() {
    let (network, _) = declared("cf-6m", &papers(), InputName::Lc0_112);
    let macs = network.macs();
    let promotions = 2 * squares() * 3 * 256;
    let outputs = 128 * (3 + 4);
    assert_eq!(macs.weights as usize - promotions - outputs, 226_492_416, "226.5 million");
    // What is left are products of activations: queries by keys, attention by values, in the policies once more.
    let products = (8 + 1) * 2 * squares() * squares() * 256;
    assert_eq!(macs.total() - macs.encoding - macs.weights, products as u64);
}

fn macs_of(outputs: Outputs) -> (Macs, usize) {
    let config = models::ChessformerConfig { outputs, ..tiny(NormPlace::Post) };
    let (network, layout) = declare(&config, &none(), &spec(GameKind::Shogi, InputName::PieceTokens));
    (network.macs(), layout.count(Part::Head))
}

#[test]
fn map_heads_cost_what_they_say() {
    let (width, squares) = (16, GameKind::Shogi.geometry().squares());
    let (macs, count) = macs_of(Outputs { per_square: Some(PerSquare { classes: 5 }), ..Outputs::none() });
    assert_eq!((count, macs.of_heads() as usize), (width * 5 + 5, squares * width * 5));
    assert_eq!(macs.paper, macs.weights - macs.of_heads() - (squares * 16 * channels()) as u64);
    let pairs = Some(read(r#"{"embedding": 12, "depth": 6}"#));
    let (macs, count) = macs_of(Outputs { pairs, ..Outputs::none() });
    assert_eq!(count, dense(width, 12) + 2 * dense(12, 6) + 1);
    assert_eq!(macs.of_heads() as usize, squares * (width * 12 + 2 * 12 * 6) + squares * squares * 6);
}

fn channels() -> usize {
    let spec = spec(GameKind::Shogi, InputName::PieceTokens);
    models::input::Expander::new(spec.input).channels()
}
