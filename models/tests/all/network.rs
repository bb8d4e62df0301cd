//! Laws of the whole network, over every encoding, every board and every input that shows it to the side to move.

use crate::common::*;
use games::{GameKind, InputName};
use models::NormPlace;
use nn::Part;
use tch::{Kind, Tensor};

#[test]
fn without_an_encoding_squares_can_be_exchanged() {
    for spec in specs() {
        for options in BODIES {
            assert!(difference_if_exchanged(options, &spec) < 1e-5, "{options}");
        }
    }
}

#[test]
fn the_embedding_that_sees_all_squares_tells_them_apart_and_says_so() {
    for spec in specs() {
        for options in ALL_PIECES {
            assert!(difference_if_exchanged(options, &spec) > 1e-3, "{options}");
            let (network, _) = declare(&tiny_with(options), &none(), &spec);
            assert!(network.position_sources().iter().any(|source| source.contains("input embedding")));
        }
    }
}

/// How far a network's tokens are from the same tokens after the squares of its position changed places.
fn difference_if_exchanged(options: &str, spec: &models::GameSpec) -> f64 {
    let (network, layout) = declare(&tiny_with(options), &none(), spec);
    let views = stirred(&layout).frozen_views();
    let before = rows(spec, 2);
    let (after, moved) = exchanged(spec, &before);
    assert_ne!(before, after);
    let order: Vec<i64> = (0..spec.input.tokens()).map(|t| moved.get(t).map_or(t, |&to| to) as i64).collect();
    let expected = network.trunk(&views, &tensor(&before));
    let found = network.trunk(&views, &tensor(&after)).index_select(1, &Tensor::from_slice(&order));
    largest_difference(&found, &expected)
}

#[test]
fn every_parameter_gets_a_gradient() {
    for spec in specs() {
        for (_, stack) in stacks_of(&spec) {
            let (network, layout) = declare(&tiny(NormPlace::Post), &stack, &spec);
            let arena = stirred(&layout);
            let output = network.forward(&arena.views(), &packed(&spec, 4));
            let loss = policy_of(&output).log_softmax(-1, Kind::Float).select(1, 7).mean(Kind::Float)
                + wdl_of(&output).log_softmax(-1, Kind::Float).select(1, 0).mean(Kind::Float);
            assert_gradients(&layout, &arena, &loss, &stack);
        }
    }
}

#[test]
fn names_are_stable() {
    let (_, layout) = declare(&tiny(NormPlace::Pre), &none(), &spec(GameKind::Shogi, InputName::PieceTokens));
    let names: Vec<&str> = layout.params().iter().map(|param| param.name.as_str()).collect();
    let block = "attention.qkv.weight attention.out.weight attention.out.bias attention_norm.gain feed_forward.hidden.weight \
                 feed_forward.hidden.bias feed_forward.out.weight feed_forward.out.bias feed_forward_norm.gain";
    let of_layer = |layer: usize| block.split(' ').map(move |name| format!("body.{layer}.{name}"));
    let heads = "body.final_norm.gain policy.embedding.weight policy.embedding.bias policy.query.weight policy.query.bias \
                 policy.key.weight policy.key.bias policy.promotion.weight policy.drop.vectors policy.drop.board.weight \
                 value.embedding.weight value.embedding.bias value.hidden.weight value.hidden.bias value.wdl.weight \
                 value.wdl.bias";
    let blocks = (0..2).flat_map(of_layer).collect::<Vec<_>>().join(" ");
    assert_eq!(names.join(" "), format!("embedding.weight embedding.bias {blocks} {heads}"));
}

#[test]
fn shared_parameters_start_alike_whatever_the_encoding() {
    for spec in specs() {
        let config = tiny(NormPlace::Post);
        let (_, plain) = declare(&config, &none(), &spec);
        let plain_values = initialise(&plain, 5).values().expect("the CPU's values can be read");
        for (_, stack) in stacks_of(&spec) {
            let (_, layout) = declare(&config, &stack, &spec);
            let values = initialise(&layout, 5).values().expect("the CPU's values can be read");
            for param in plain.params() {
                let other = layout.param(layout.find(&param.name).expect("the encoding changes no shared name"));
                let own = &plain_values[param.elements()];
                assert_eq!(own, &values[other.elements()], "{} of {stack:?}", param.name);
            }
            let added = layout.params().iter().filter(|param| plain.find(&param.name).is_none());
            assert!(added.clone().all(|param| param.part == Part::Encoding && param.name.starts_with("encoding.")));
        }
    }
}

#[test]
fn encodings_that_start_as_identity_leave_the_first_answer_alone() {
    let mut tried = 0;
    for spec in specs() {
        let config = tiny(NormPlace::Post);
        let (plain, plain_layout) = declare(&config, &none(), &spec);
        let packed = packed(&spec, 3);
        let expected = plain.forward(&initialise(&plain_layout, 5).frozen_views(), &packed);
        for (_, stack) in stacks_of(&spec) {
            let (network, layout) = declare(&config, &stack, &spec);
            if !network.encodings().guarantees().identity_at_start {
                continue;
            }
            tried += 1;
            let found = network.forward(&initialise(&layout, 5).frozen_views(), &packed);
            // With a term of zero the logits are summed by another kernel; the last bits depend on the processor.
            let off = [
                largest_difference(policy_of(&found), policy_of(&expected)),
                largest_difference(wdl_of(&found), wdl_of(&expected)),
            ];
            assert!(off.iter().all(|&off| off < 1e-5), "{stack:?}: {off:?}");
        }
    }
    assert!(tried >= 4 * 6, "only {tried} stacks start as identity");
}

#[test]
fn first_values_have_the_spread_of_their_initialiser() {
    let spec = spec(GameKind::Chess, InputName::PieceTokens);
    let scaled = NormPlace::PostScaled { alpha: 0.3, beta: 0.2 };
    for norm in [
        NormPlace::Post,
        NormPlace::Pre,
        NormPlace::PostDeepnet,
        NormPlace::PostDeepnetAttention,
        NormPlace::PostPlain,
        scaled,
    ] {
        let embedding = models::EmbeddingConfig::New { dense: 2, ff: None };
        let config = models::ChessformerConfig { norm, ff: 512, embedding, ..cf_6m() };
        let (_, layout) = declare(&config, &none(), &spec);
        let values = initialise(&layout, 1).values().expect("the CPU's values can be read");
        let of = |name: &str| {
            let param = layout.param(layout.find(name).unwrap_or_else(|| panic!("no parameter is called {name}")));
            &values[param.elements()]
        };
        let spread =
            |values: &[f32]| (values.iter().map(|v| f64::from(*v).powi(2)).sum::<f64>() / values.len() as f64).sqrt();
        // The variance: 64^(-1/4) of Lc0's β, squared where β is a factor of the spread.
        let (beta, in_feed_forward) = match norm {
            NormPlace::Post => (0.5 / 2f64.sqrt(), 0.5 / 2f64.sqrt()),
            NormPlace::PostDeepnet => (0.125, 0.125),
            NormPlace::PostDeepnetAttention => (0.125, 1.0),
            NormPlace::PostScaled { .. } => (0.2, 0.2),
            NormPlace::PostPlain | NormPlace::Pre => (1.0, 1.0),
        };
        let glorot = |inputs: f64, outputs: f64, scale: f64| (scale * 2.0 / (inputs + outputs)).sqrt();
        let (qk, v) = of("body.3.attention.qkv.weight").split_at(2 * 256 * 256);
        let found_and_expected = [
            (spread(of("embedding.weight")), glorot(21.0 + 2.0, 256.0, 1.0)),
            (spread(of("embedding.pieces.weight")), glorot(12.0 * 64.0, 2.0 * 64.0, 1.0)),
            (spread(of("embedding.feed_forward.hidden.weight")), glorot(256.0, 512.0, in_feed_forward)),
            (spread(of("embedding.feed_forward.out.weight")), glorot(256.0, 512.0, in_feed_forward)),
            (spread(qk), glorot(256.0, 256.0, 1.0)),
            (spread(v), glorot(256.0, 256.0, beta)),
            (spread(of("body.3.attention.out.weight")), glorot(256.0, 256.0, beta)),
            (spread(of("body.3.feed_forward.hidden.weight")), glorot(256.0, 512.0, in_feed_forward)),
            (spread(of("body.3.feed_forward.out.weight")), glorot(256.0, 512.0, in_feed_forward)),
            (spread(of("policy.query.weight")), glorot(256.0, 256.0, 1.0)),
        ];
        for (i, (found, expected)) in found_and_expected.into_iter().enumerate() {
            assert!((found / expected - 1.0).abs() < 0.03, "weight {i} of {norm:?}: {found} instead of {expected}");
        }
        let largest = |values: &[f32]| values.iter().fold(0f32, |largest, v| largest.max(v.abs()));
        let in_spreads = f64::from(largest(qk)) / spread(qk);
        assert_eq!(
            in_spreads > 2.3,
            [NormPlace::PostDeepnet, NormPlace::PostDeepnetAttention].contains(&norm),
            "cut at two standard deviations of the uncut normal"
        );
        assert!(of("body.3.attention.out.bias").iter().all(|v| *v == 0.0));
        assert!(of("body.3.attention_norm.gain").iter().all(|v| *v == 1.0));
    }
}
