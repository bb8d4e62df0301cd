//! Networks whose attention is one operation, against the same networks by products of tensors.

use crate::common::*;
use encodings::EncodingConfig;
use models::{Network, NormPlace, Output};
use nn::{Arena, fused as switch};
use tch::{Kind, Tensor};

/// Outputs and the gradient of all parameters.
fn outcome(network: &Network, arena: &Arena, packed: &Tensor, fused: bool) -> [Tensor; 3] {
    switch::with(fused, || {
        let output: Output = network.forward(&arena.views(), packed);
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

#[test]
fn heads_of_any_width_and_values_apart_give_the_same_either_way() {
    let spec = specs().remove(0);
    for options in [r#"{"qkv_bias": true}"#, r#"{"heads": 1}"#, r#"{"heads": 16}"#] {
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
