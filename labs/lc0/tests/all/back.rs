//! `posenc export --lc0`: files have the outputs of their cells, read back by the import that is checked against Lc0's formulas.

use crate::attention::{answers, asked};
use crate::random::Net;
use crate::samples::{with_a_map, with_everything};
use config::RunConfig;
use lc0::{Imported, NetError, cell, export};
use std::collections::BTreeMap;
use tch::Device;
use train::inference::{Answers, Loaded};
use train::setup::declare;

fn there_and_back(net: &Net) -> (Imported, Imported, f32) {
    let first = lc0::of_bytes(&net.file(true), &[]).expect("a network");
    let run = cell::run_of(&first, "net.pb".as_ref(), None).expect("a run");
    let (_, layout) = declare(&run).expect("a layout");
    let weights = cell::in_layout_order(&first, &layout).expect("all parameters");
    let exported = export::file(&run, &layout, &weights).expect("a file");
    assert_eq!(exported.left_out, Vec::<String>::new());
    let second = lc0::of_bytes(&exported.bytes, &[]).expect("a network again");
    (first, second, exported.rounding)
}

/// The largest difference between numbers of the same name; both have the same names.
fn largest_difference(a: &Imported, b: &Imported) -> f32 {
    let by_name = |of: &Imported| -> BTreeMap<String, Vec<f32>> { of.parameters.iter().cloned().collect() };
    let (a, b) = (by_name(a), by_name(b));
    assert!(a.keys().eq(b.keys()), "{:?} {:?}", a.keys(), b.keys());
    let pairs = a.iter().flat_map(|(name, numbers)| numbers.iter().zip(&b[name]));
    pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

#[test]
fn a_network_with_everything_comes_back_within_16_bits() {
    for (shape, seed) in [(with_everything(), 31), (with_a_map(), 32)] {
        let biased = shape.qkv_bias;
        let (first, second, rounding) = there_and_back(&Net::new(shape, seed));
        assert_eq!(first.encoding, second.encoding);
        if biased {
            assert_eq!(first.model, second.model);
            // The weights of the rule-50 count are 99 times as large in a cell as in the file.
            let difference = largest_difference(&first, &second);
            assert!(difference > 0.0 && difference <= 99.5 * rounding && rounding < 2e-4, "{difference} {rounding}");
        }
        let asked = asked();
        let (a, b) = (answers(&first, &asked), answers(&second, &asked));
        for name in ["policy", "result", "moves_left"] {
            let pair = [&a, &b].map(|answers| answers.output(name).expect("an output"));
            let difference = (pair[0] - pair[1]).abs().max().double_value(&[]);
            assert!(difference > 0.0 && difference < 0.02, "{name}: {difference}");
        }
    }
}

pub(crate) const OWN: &str = "
game: chess
data: .
input: lc0_112
model: {chessformer: {layers: 2, width: 16, heads: 2, ff: 24, norm: post, normalisation: layer_1e-6, value: {embedding: 3, hidden: 5},
  outputs: {policy: {}, result: {}, moves_left: {embedding: 2, hidden: 4}, per_square: {classes: 4}}}}
encoding: [{absolute: {at: gate}}, {smolgen: {compress: 3, hidden: 5, gen: 4}}]
train: {steps: 1, batch: 8, optimizer: {adamw: {}}, learning_rate: {values: [0.001]}}
eval: {validation_positions: 8, test_positions: 8, every: 1}
seed: 0
";

#[test]
fn a_network_of_posencs_own_says_the_same_after_its_heads_that_lc0_lacks_are_left_out() {
    let own = Loaded::random(RunConfig::from_yaml(OWN).expect("a run"), 9, Device::Cpu).expect("a network");
    let weights = own.arena.values().expect("weights");
    let exported = export::file(&own.config, own.layout(), &weights).expect("a file");
    assert_eq!(exported.left_out, ["per_square"]);
    let read = lc0::of_bytes(&exported.bytes, &[]).expect("a network");
    let asked = asked();
    let (a, b) = (Answers::of(&own, &asked).expect("answers"), answers(&read, &asked));
    for name in ["policy", "result", "moves_left"] {
        let pair = [&a, &b].map(|answers| answers.output(name).expect("an output"));
        let (difference, size) = ((pair[0] - pair[1]).abs().max(), pair[0].abs().max());
        let [difference, size] = [difference, size].map(|one| one.double_value(&[]));
        assert!(size > 0.1 && difference > 0.0 && difference < 0.01 * size, "{name}: {difference} of {size}");
    }
}

#[test]
fn what_lc0_lacks_is_refused_by_name() {
    let cases = [
        ("encoding: [{absolute: {at: gate}}, {smolgen", "encoding: [shaw, {smolgen", "the encoding shaw"),
        ("layer_1e-6", "layer", "this pair of embedding and normalisation"),
        ("norm: post,", "norm: pre,", "this norm"),
        ("ff: 24,", "ff: 24, qk_norm: true,", "qk_norm: true"),
        ("ff: 24,", "ff: 24, registers: 2,", "registers"),
        ("ff: 24,", "ff: 24, activation: gelu,", "activation: Gelu"),
        ("policy: {}, result: {},", "policy: {},", "without policy or result"),
        ("result: {},", "result: {}, further_policies: {soft: {}},", "a further policy named soft"),
        ("gen: 4}", "gen: 4, pool: mean}", "this kind of smolgen"),
        ("input: lc0_112", "input: piece_tokens", "input: piece_tokens"),
    ];
    for (from, to, named) in cases {
        assert!(OWN.contains(from), "{from}");
        let run = RunConfig::from_yaml(&OWN.replace(from, to)).expect("a run");
        let (_, layout) = declare(&run).expect("a layout");
        let error = export::file(&run, &layout, &vec![0.1; layout.len()]).expect_err("a refusal");
        assert!(matches!(error, NetError::NoPlace { .. }), "{error}");
        let said = error.to_string();
        assert!(said.contains(named) && said.contains("it runs"), "{said}");
    }
}
