//! Networks whose attention is one operation, against the same networks by products of tensors.

use crate::common::*;
use encodings::EncodingConfig;
use models::{Column, Examples, Masking, Measure, ModelConfig, Network, NormPlace, Output, Spec};
use nn::{Arena, fused as switch};
use tch::{Device, Kind, Tensor};

/// Outputs and the gradient of all parameters.
fn outcome(network: &Network, arena: &Arena, packed: &Tensor, fused: bool) -> [Tensor; 3] {
    outcome_in(Kind::Float, network, arena, packed, fused)
}

fn outcome_in(kind: Kind, network: &Network, arena: &Arena, packed: &Tensor, fused: bool) -> [Tensor; 3] {
    switch::with(fused, || {
        let output: Output = network.forward(&arena.views_in(kind), packed);
        let loss = policy_of(&output).log_softmax(-1, Kind::Float).select(1, 7).mean(Kind::Float)
            + wdl_of(&output).log_softmax(-1, Kind::Float).select(1, 0).mean(Kind::Float);
        let gradient = arena.gradient(&loss).expect("the loss depends on the parameters");
        [policy_of(&output).detach(), wdl_of(&output).detach(), gradient]
    })
}

fn relative_difference(a: &Tensor, b: &Tensor) -> f64 {
    let largest = numbers(b).into_iter().map(f64::abs).fold(0.0, f64::max);
    largest_difference(a, b) / largest
}

#[test]
fn every_encoding_gives_the_same_either_way_on_both_boards() {
    let mut differs = false;
    for spec in specs() {
        for norm in [NormPlace::Post, NormPlace::Pre] {
            for stack in EncodingConfig::example_stacks() {
                let (network, layout) = declare(&tiny(norm), &stack, &spec);
                let (arena, packed) = (stirred(&layout), packed(&spec, 3));
                let [fused, plain] = [true, false].map(|fused| outcome(&network, &arena, &packed, fused));
                for (what, (fused, plain)) in ["policy", "result", "gradient"].iter().zip(fused.iter().zip(&plain)) {
                    let apart = relative_difference(fused, plain);
                    assert!(apart < 1e-5, "{what} of {stack:?} in {:?}: {apart} apart", spec.input.name);
                    differs |= apart > 0.0;
                }
            }
        }
    }
    assert!(differs, "the two ways differ in rounding: otherwise only one was taken");
}

/// The operations compute bf16 in f32 and round their results, so over all encodings they are as near to f32 as LibTorch's.
#[test]
fn in_bf16_posencs_operations_are_as_near_to_f32_as_libtorchs() {
    let norm_of = |tensor: &Tensor| tensor.norm().double_value(&[]);
    let mut square_distances = [[0.0; 2]; 2];
    for spec in specs() {
        for stack in EncodingConfig::example_stacks() {
            let (network, layout) = declare(&tiny(NormPlace::Post), &stack, &spec);
            let (arena, packed) = (stirred(&layout), packed(&spec, 3));
            let exact = outcome(&network, &arena, &packed, false);
            let both = [true, false].map(|fused| outcome_in(Kind::BFloat16, &network, &arena, &packed, fused));
            assert_ne!(numbers(&both[0][0]), numbers(&both[1][0]), "{stack:?} in {:?}: one way only", spec.input.name);
            for (number, square_distances) in [0, 2].into_iter().zip(&mut square_distances) {
                for (found, sum) in both.iter().zip(square_distances) {
                    let distance = norm_of(&(&found[number] - &exact[number])) / norm_of(&exact[number]);
                    assert!(distance < 5e-2, "{stack:?} in {:?}, number {number}: {distance}", spec.input.name);
                    *sum += distance * distance;
                }
            }
        }
    }
    for [fused, plain] in square_distances {
        assert!(fused < 1.2 * plain, "policy and gradient: {square_distances:?}");
    }
}

#[test]
fn heads_of_any_width_and_values_apart_give_the_same_either_way() {
    let spec = specs().remove(0);
    for options in [r#"{"qkv_bias": true}"#, r#"{"qk_norm": true}"#, r#"{"heads": 1}"#, r#"{"heads": 16}"#] {
        for stack in [none(), vec![encoding(r#"{"absolute": {"at": "every_layer", "values": false}}"#)]] {
            let (network, layout) = declare(&tiny_with(options), &stack, &spec);
            let (arena, packed) = (stirred(&layout), packed(&spec, 2));
            let [fused, plain] = [true, false].map(|fused| outcome(&network, &arena, &packed, fused));
            for (fused, plain) in fused.iter().zip(&plain) {
                let apart = relative_difference(fused, plain);
                assert!(apart < 1e-5, "{options}, {stack:?}: {apart} apart");
            }
        }
    }
}

#[test]
fn losses_over_legal_moves_have_the_same_gradient_either_way_on_both_boards() {
    for spec in specs() {
        let config = tiny_with(r#"{"outputs": {"policy": {}, "soft_policy": {}, "result": {}}}"#);
        let (network, layout) = declare(&config, &none(), &spec);
        let arena = stirred(&layout);
        let masking = Masking { training: true, measuring: true };
        let measure = Measure::new(&ModelConfig::Chessformer(Box::new(config)), &spec, masking);
        let examples = with_some_moves_legal(&spec);
        let [fused, plain] = [true, false].map(|fused| {
            switch::with(fused, || {
                let output = measure.answer_for_terms(&network, &arena.views(), &examples);
                let terms = measure.terms(&output, &examples);
                let loss = terms.iter().map(|term| term.trained.shallow_clone()).reduce(|sum, term| sum + term);
                let loss = loss.expect("three losses");
                [arena.gradient(&loss).expect("it depends on the parameters"), loss.detach().view([1])]
            })
        });
        for (fused, plain) in fused.iter().zip(&plain) {
            let apart = relative_difference(fused, plain);
            assert!(apart < 1e-5, "{:?}: {apart} apart", spec.input.name);
        }
        let lowest = |fused: bool| {
            let output = switch::with(fused, || measure.answer_for_terms(&network, &arena.views(), &examples));
            policy_of(&output).min().double_value(&[])
        };
        assert_eq!((lowest(true) < -1e29, lowest(false) < -1e29), (true, false), "only one way leaves moves out");
    }
}

/// Examples where every third move is legal, among them promotions and drops, and the targets are.
fn with_some_moves_legal(spec: &Spec) -> Examples {
    const ROWS: i64 = 3;
    let bytes = spec.moves.len().div_ceil(8);
    let byte = |number: usize| (0..8).map(|bit| u8::from((8 * number + bit).is_multiple_of(3)) << bit).sum::<u8>();
    let legal: Vec<u8> = (0..ROWS as usize * bytes).map(|place| byte(place % bytes)).collect();
    let last = (spec.moves.len() as i64 - 1) / 3 * 3;
    let column = |column| match column {
        Column::Packed => packed(spec, ROWS as usize),
        Column::Legal => Tensor::from_slice(&legal).view([ROWS, bytes as i64]),
        Column::PolicyIndex => Tensor::from_slice(&[3i64, last, 9, 12, last, -1]).view([ROWS, 2]),
        Column::PolicyProb => Tensor::from_slice(&[0.5f32, 0.5, 0.75, 0.25, 1.0, 0.0]).view([ROWS, 2]),
        Column::Outcome => Tensor::from_slice(&[0i64, 2, 1]),
        _ => Tensor::empty([ROWS, 0], (Kind::Uint8, Device::Cpu)),
    };
    Examples::new(|name| Ok::<_, ()>(column(name))).expect("every column")
}
