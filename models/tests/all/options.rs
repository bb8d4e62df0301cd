//! The options of input embedding and body: what they cost, how they are written, and bf16.

use crate::common::*;
use games::{GameKind, InputName};
use models::{EmbeddingConfig, FeedForwardKind, ModelConfig, NormPlace};
use nn::{Activation, DropoutKey, Part};
use tch::{Kind, Tensor};

const WIDTH: usize = 16;
const FF: usize = 24;
const LAYERS: usize = 2;

/// Numbers and multiplications of the tiny network before its heads, on chess with piece tokens.
fn trunk_of(options: &str) -> (usize, usize) {
    let (network, layout) = declare(&tiny_with(options), &none(), &spec(GameKind::Chess, InputName::PieceTokens));
    (layout.count(Part::Trunk), network.macs().trunk as usize)
}

#[test]
fn each_option_costs_what_its_formula_says() {
    let plain = trunk_of("{}");
    let (squares, channels) = (64, 13 + 1 + 7);
    let block = 4 * WIDTH * WIDTH + 2 * WIDTH * FF;
    let biases = WIDTH + FF + WIDTH;
    assert_eq!(plain.0, channels * WIDTH + WIDTH + LAYERS * (block + biases + 2 * WIDTH));
    assert_eq!(plain.1, squares * (channels * WIDTH + LAYERS * block) + LAYERS * 2 * squares * squares * WIDTH);

    let more = |options: &str| {
        let found = trunk_of(options);
        (found.0 as i64 - plain.0 as i64, found.1 as i64 - plain.1 as i64)
    };
    for free in ["post_deepnet", "post_deepnet_attention", "post_plain"] {
        assert_eq!(more(&format!(r#"{{"norm": "{free}"}}"#)), (0, 0));
    }
    let per_layer = |n: usize| (LAYERS * n) as i64;
    assert_eq!(more(r#"{"norm": "pre"}"#), (WIDTH as i64, 0));
    assert_eq!(more(r#"{"qkv_bias": true}"#), (per_layer(3 * WIDTH), 0));
    assert_eq!(more(r#"{"qk_norm": true}"#), (per_layer(2 * WIDTH / 2), 0));
    let looped = LAYERS * (squares * block + 2 * squares * squares * WIDTH);
    assert_eq!(more(r#"{"loops": 3}"#), (0, 2 * looped as i64));
    let longer = squares + 5;
    let registers = LAYERS * (5 * block + 2 * (longer * longer - squares * squares) * WIDTH);
    assert_eq!(more(r#"{"registers": 5}"#), ((5 * WIDTH) as i64, registers as i64));
    assert_eq!(more(r#"{"out_bias": false}"#), (-per_layer(WIDTH), 0));
    assert_eq!(more(r#"{"ff_bias": false}"#), (-per_layer(FF + WIDTH), 0));
    for gated in ["glu", "swiglu", "geglu"] {
        let written = format!(r#"{{"ff_kind": "{gated}"}}"#);
        assert_eq!(more(&written), (per_layer(WIDTH * FF + FF), per_layer(squares * WIDTH * FF)), "{gated}");
    }
    // A third less inside makes a gated layer as expensive as a dense one.
    assert_eq!(more(r#"{"ff_kind": "swiglu", "ff": 16, "ff_bias": false}"#), (-per_layer(FF + WIDTH), 0));
    let (dense, codes) = (5, 12);
    let pieces = squares * codes * squares * dense;
    let token = dense * WIDTH + 2 * WIDTH * FF;
    assert_eq!(
        more(r#"{"embedding": {"new": {"dense": 5}}}"#),
        ((pieces + squares * dense + token + FF + WIDTH + 2 * WIDTH) as i64, (pieces + squares * token) as i64)
    );
}

#[test]
fn the_map_of_moves_and_a_feed_forward_layer_of_its_own_cost_what_their_formulas_say() {
    let (plain, squares) = (trunk_of("{}"), 64);
    let mapped = trunk_of(r#"{"embedding": "reach"}"#);
    assert_eq!((mapped.0 - plain.0, mapped.1 - plain.1), (squares * WIDTH, squares * squares * WIDTH));
    let new = |options: &str| trunk_of(&format!(r#"{{"embedding": {{"new": {{"dense": 5{options}}}}}}}"#));
    let (usual, wider) = (new(""), new(r#", "ff": 31"#));
    let more = 31 - FF;
    assert_eq!((wider.0 - usual.0, wider.1 - usual.1), (more * (2 * WIDTH + 1), squares * more * 2 * WIDTH));
    assert_eq!(new(r#", "ff": 24"#), usual);
}

#[test]
fn the_paper_counts_the_embeddings_feed_forward_layer_only() {
    let paper = |options: &str| {
        let spec = spec(GameKind::Shogi, InputName::PieceTokens);
        declare(&tiny_with(options), &none(), &spec).0.macs().paper as usize
    };
    let squares = GameKind::Shogi.geometry().squares();
    assert_eq!(paper(r#"{"embedding": {"new": {"dense": 5}}}"#) - paper("{}"), squares * 2 * WIDTH * FF);
}

#[test]
fn options_are_written_only_where_they_are_not_the_default() {
    let sizes = r#"{"layers":1,"width":8,"heads":2,"ff":4,"#;
    let rest = r#""normalisation":"rms","activation":"mish","qkv_bias":false,"policy":{},"value":{"embedding":32,"hidden":128,"pool":"flatten"}}"#;
    let defaults = format!(r#"{{"chessformer":{sizes}"norm":"post",{rest}}}"#);
    let spelt_out = format!(
        r#"{{"chessformer":{sizes}"embedding":"old","ff_kind":"dense","ff_bias":true,"qk_norm":false,"registers":0,"loops":1,"out_bias":true,"norm":"post",{rest}}}"#
    );
    for text in [&defaults, &spelt_out] {
        assert_eq!(serde_json::to_string(&read::<ModelConfig>(text)).expect("JSON"), defaults);
    }
    let others = defaults
        .replace(r#""ff":4,"#, r#""ff":4,"embedding":{"new":{"dense":7}},"ff_kind":"geglu","ff_bias":false,"#)
        .replace(r#""post","#, r#"{"post_scaled":{"alpha":0.5,"beta":2.0}},"#)
        .replace("mish", "gelu_tanh")
        .replace(r#""qkv_bias":false,"#, r#""qkv_bias":true,"out_bias":false,"#);
    let model: ModelConfig = read(&others);
    assert_eq!(serde_json::to_string(&model).expect("JSON"), others);
    let ModelConfig::Chessformer(config) = model else { panic!("a Chessformer") };
    assert_eq!(
        (config.embedding, config.ff_kind),
        (EmbeddingConfig::New { dense: 7, ff: None }, FeedForwardKind::Geglu)
    );
    assert_eq!(config.norm, NormPlace::PostScaled { alpha: 0.5, beta: 2.0 });
    assert_eq!((config.policy_embedding(), config.policy_depth()), (8, 8), "the width");
    assert_eq!(tiny_with(r#"{"activation": "silu"}"#).activation, Activation::Swish);
}

#[test]
fn dropout_acts_in_training_only() {
    let spec = spec(GameKind::Chess, InputName::PieceTokens);
    let shaw = [encoding(r#"{"shaw": {}}"#)];
    let (plain, layout) = declare(&tiny_with("{}"), &shaw, &spec);
    let (dropping, same) = declare(&tiny_with(r#"{"dropout": 0.1}"#), &shaw, &spec);
    assert_eq!(layout.len(), same.len());
    let (arena, rows) = (stirred(&layout), packed(&spec, 4));
    let exact = plain.trunk(&arena.frozen_views(), &rows);
    assert_same_bits(&dropping.trunk(&arena.frozen_views(), &rows), &exact, "no pass of training");
    let pass = |step: u64, rows: &Tensor, first: u64| {
        let key = DropoutKey { seed: 1, salt: "", step, first };
        dropping.trunk(&arena.frozen_views().for_training().with_dropout(key), rows)
    };
    let first = pass(1, &rows, 0);
    assert_same_bits(&pass(1, &rows, 0), &first, "the same step");
    assert!(largest_difference(&pass(2, &rows, 0), &first) > 1e-3, "the next step");
    assert!(largest_difference(&first, &exact) > 1e-3, "numbers are dropped");
    let half = pass(1, &rows.narrow(0, 2, 2), 2);
    assert!(largest_difference(&half, &first.narrow(0, 2, 2)) < 1e-4, "a micro-batch has its rows' masks");
    // Without a key, a pass of training drops nothing.
    let undropped = dropping.trunk(&arena.frozen_views().for_training(), &rows);
    assert!(largest_difference(&undropped, &exact) < 1e-5);
}

#[test]
fn every_option_runs_in_bf16() {
    for spec in specs() {
        for options in BODIES.into_iter().chain(ALL_PIECES) {
            let gate = [encoding(r#"{"absolute": {"at": "gate"}}"#)];
            let (network, layout) = declare(&tiny_with(options), &gate, &spec);
            let arena = stirred(&layout);
            let packed = packed(&spec, 3);
            let exact = network.trunk(&arena.views(), &packed);
            let rounded = network.trunk(&arena.views_in(Kind::BFloat16), &packed).to_kind(Kind::Float);
            // bf16 keeps 8 binary digits; two blocks and the embedding round some dozen times.
            assert!(largest_difference(&exact, &rounded) > 0.0, "{options}: bf16 was not used");
            let scale = exact.square().mean(Kind::Float).sqrt().double_value(&[]);
            let apart = (rounded - exact).square().mean(Kind::Float).sqrt().double_value(&[]);
            assert!(apart < 0.03 * scale, "{options}: {apart} apart at {scale}");
            let loss = network.trunk(&arena.views_in(Kind::BFloat16), &packed).square().mean(Kind::Float);
            let gradient = numbers(&arena.gradient(&loss).expect("the trunk depends on the parameters"));
            assert!(gradient.iter().all(|g| g.is_finite()), "{options}");
        }
    }
}
