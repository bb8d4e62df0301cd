//! Networks by posenc's kernels and by LibTorch's fused operations, as a GPU has them, against the same networks by elementary
//! operations.

use crate::common::*;
use models::{Column, Examples, GameSpec, Masking, Measure, ModelConfig, Network, NormPlace, Output};
use nn::{Arena, Backend};
use tch::{Device, Kind, Tensor};

/// Outputs and the gradient of all parameters.
fn outcome(network: &Network, arena: &Arena, packed: &Tensor, backend: Backend) -> [Tensor; 3] {
    outcome_in(Kind::Float, network, arena, packed, backend)
}

fn outcome_in(kind: Kind, network: &Network, arena: &Arena, packed: &Tensor, backend: Backend) -> [Tensor; 3] {
    backend.run(|| {
        let output: Output = network.forward(&arena.views_in(kind), packed);
        let loss = policy_of(&output).log_softmax(-1, Kind::Float).select(1, 7).mean(Kind::Float)
            + wdl_of(&output).log_softmax(-1, Kind::Float).select(1, 0).mean(Kind::Float);
        let gradient = arena.gradient(&loss).expect("the loss depends on the parameters");
        [policy_of(&output).detach(), wdl_of(&output).detach(), gradient]
    })
}

/// Results by each backend are near those by elementary operations; gives whether some number differs.
fn assert_alike(what: &str, of: impl Fn(Backend) -> [Tensor; 3]) -> [bool; 2] {
    let elementary = of(Backend::Operations);
    [Backend::Kernels, Backend::Fused].map(|backend| {
        let found = of(backend);
        let parts = ["policy", "result", "gradient"].iter().zip(found.iter().zip(&elementary));
        let apart = parts.map(|(part, (found, elementary))| {
            let apart = relative_difference(found, elementary);
            assert!(apart < 2e-5, "{part} of {what} by {backend:?}: {apart} apart");
            apart
        });
        apart.fold(0.0, f64::max) > 0.0
    })
}

fn relative_difference(a: &Tensor, b: &Tensor) -> f64 {
    let largest = numbers(b).into_iter().map(f64::abs).fold(0.0, f64::max);
    largest_difference(a, b) / largest
}

#[test]
fn every_encoding_gives_the_same_by_every_back_end_on_both_boards() {
    let places = [NormPlace::Post, NormPlace::Pre, NormPlace::PostDeepnet, NormPlace::PostDeepnetAttention];
    let mut differs = [false; 2];
    for spec in specs() {
        for (place, stack) in stacks_of(&spec) {
            let norm = places[place % places.len()];
            let (network, layout) = declare(&tiny(norm), &stack, &spec);
            let (arena, packed) = (stirred(&layout), packed(&spec, 3));
            let what = format!("{stack:?}, {norm:?}, {:?}", spec.input.name);
            let found = assert_alike(&what, |backend| outcome(&network, &arena, &packed, backend));
            differs.iter_mut().zip(found).for_each(|(differs, found)| *differs |= found);
        }
    }
    assert_eq!(differs, [true; 2], "back ends differ in rounding: otherwise only one was taken");
}

/// Kernels compute bf16 in f32 and round their results, LibTorch's fused operations keep logits and weights of attention in f32:
/// over all encodings both are about as near to f32 as elementary operations. (The fused norm rounds its gains, their
/// gradients and the stream.)
#[test]
fn in_bf16_every_back_end_is_about_as_near_to_f32_as_elementary_operations() {
    let norm_of = |tensor: &Tensor| tensor.norm().double_value(&[]);
    let mut square_distances = [[0.0; 3]; 2];
    for spec in specs() {
        for (_, stack) in stacks_of(&spec) {
            let (network, layout) = declare(&tiny(NormPlace::Post), &stack, &spec);
            let (arena, packed) = (stirred(&layout), packed(&spec, 3));
            let exact = outcome(&network, &arena, &packed, Backend::Operations);
            let all = Backend::ALL.map(|backend| outcome_in(Kind::BFloat16, &network, &arena, &packed, backend));
            let what = format!("{stack:?} in {:?}", spec.input.name);
            assert_ne!(numbers(&all[0][0]), numbers(&all[1][0]), "{what}: kernels were not taken");
            assert_ne!(numbers(&all[2][0]), numbers(&all[1][0]), "{what}: fused operations were not taken");
            for (number, square_distances) in [0, 2].into_iter().zip(&mut square_distances) {
                for ((found, bound), sum) in all.iter().zip([5e-2, 5e-2, 1e-1]).zip(square_distances) {
                    let distance = norm_of(&(&found[number] - &exact[number])) / norm_of(&exact[number]);
                    assert!(distance < bound, "{what}, number {number}: {distance}");
                    *sum += distance * distance;
                }
            }
        }
    }
    for ([kernels, elementary, fused], bound) in square_distances.into_iter().zip([2.0, 4.0]) {
        let near = kernels < 1.2 * elementary && fused < bound * elementary;
        assert!(near, "policy and gradient: {square_distances:?}");
    }
}

#[test]
fn heads_of_any_width_and_values_apart_give_the_same_by_every_back_end() {
    let spec = specs().remove(0);
    for options in [r#"{"qkv_bias": true}"#, r#"{"qk_norm": true}"#, r#"{"heads": 1}"#, r#"{"heads": 16}"#] {
        for stack in [none(), vec![encoding(r#"{"absolute": {"at": "every_layer", "values": false}}"#)]] {
            let (network, layout) = declare(&tiny_with(options), &stack, &spec);
            let (arena, packed) = (stirred(&layout), packed(&spec, 2));
            let what = format!("{options}, {stack:?}");
            let _rounding = assert_alike(&what, |backend| outcome(&network, &arena, &packed, backend));
        }
    }
}

/// Every norm, embedding, activation and kind of feed-forward layer.
#[test]
fn every_body_gives_the_same_by_every_back_end() {
    let spec = specs().remove(0);
    for options in BODIES.into_iter().chain(ALL_PIECES) {
        let (network, layout) = declare(&tiny_with(options), &none(), &spec);
        let (arena, packed) = (stirred(&layout), packed(&spec, 3));
        let _rounding = assert_alike(options, |backend| outcome(&network, &arena, &packed, backend));
    }
}

#[test]
fn losses_over_legal_moves_have_the_same_gradient_by_every_back_end_on_both_boards() {
    for spec in specs() {
        let config = tiny_with(r#"{"outputs": {"policy": {}, "soft_policy": {}, "result": {}}}"#);
        let (network, layout) = declare(&config, &none(), &spec);
        let arena = stirred(&layout);
        let masking = Masking { training: true, measuring: true };
        let measure = Measure::new(&ModelConfig::Chessformer(Box::new(config)), &spec, masking);
        let examples = with_some_moves_legal(&spec);
        let [kernels, elementary, fused] = Backend::ALL.map(|backend| {
            backend.run(|| {
                let output = measure.answer_for_terms(&network, &arena.views(), &examples);
                let terms = measure.terms(&output, &examples);
                let loss = terms.iter().map(|term| term.trained.shallow_clone()).reduce(|sum, term| sum + term);
                let loss = loss.expect("three losses");
                [arena.gradient(&loss).expect("it depends on the parameters"), loss.detach().view([1])]
            })
        });
        for (number, elementary) in elementary.iter().enumerate() {
            for found in [&kernels[number], &fused[number]] {
                let apart = relative_difference(found, elementary);
                assert!(apart < 1e-5, "{:?}: {apart} apart", spec.input.name);
            }
        }
        let leaves_out = |backend: Backend| {
            let output = backend.run(|| measure.answer_for_terms(&network, &arena.views(), &examples));
            policy_of(&output).min().double_value(&[]) < -1e29
        };
        assert_eq!(Backend::ALL.map(leaves_out), [true, false, false], "only kernels leave moves out");
    }
}

/// Examples where every third move is legal, among them promotions and drops, and the targets are.
fn with_some_moves_legal(spec: &GameSpec) -> Examples {
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
