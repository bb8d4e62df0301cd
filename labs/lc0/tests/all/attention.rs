//! Attention bodies through `import-net` say what Lc0's formulas say, on real positions with their history.

use crate::forward::{Outputs, forward, softmax};
use crate::maia::{Said, said};
use crate::random::{Net, PLANES, RELU_2, SQUARES, SWISH, Shape};
use crate::samples::{with_a_map, with_everything};
use crate::wire::file;
use config::Weights;
use lc0::{Imported, cell};
use models::{EmbeddingConfig, FurtherPolicy, ModelConfig, RewardOptions};
use nn::{Activation, NormKind};
use tch::{Device, Kind, Tensor};
use train::inference::{Answers, Loaded, Request};

const LOGIT_TOLERANCE: f64 = 5e-4;
const PROBABILITY_TOLERANCE: f64 = 1e-4;

/// Positions of the oracle's games, with the moves that led there.
pub(crate) fn asked() -> Vec<Request> {
    said().iter().step_by(4).map(Said::request).collect()
}

pub(crate) fn answers(imported: &Imported, asked: &[Request]) -> Answers {
    let dir = tempfile::tempdir().expect("a folder");
    let out = dir.path().join("net");
    cell::write(imported, &cell::run_of(imported, "net.pb".as_ref(), None).expect("a run"), &out).expect("a cell");
    let loaded = Loaded::cell(&out, Weights::Raw, Device::Cpu).expect("a cell with weights");
    assert_eq!(loaded.config.encoding, imported.encoding);
    Answers::of(&loaded, asked).expect("answers")
}

fn rows(tensor: &Tensor) -> Vec<Vec<f64>> {
    Vec::<Vec<f64>>::try_from(tensor.to_kind(Kind::Double).reshape([tensor.size()[0], -1])).expect("numbers")
}

/// A file's network against its formulas: every output on every position.
#[allow(clippy::print_stdout, reason = "for those who ask with --nocapture")]
fn compare(bytes: &[u8], net: &Net) -> Imported {
    let imported = lc0::of_bytes(bytes, &[]).expect("a network");
    let asked = asked();
    let answers = answers(&imported, &asked);
    let channels = rows(&answers.channels);
    let said: Vec<Outputs> = channels.iter().map(|channels| forward(net, &as_lc0_feeds(channels))).collect();
    let out = |name: &str| rows(answers.output(name).unwrap_or_else(|| panic!("no output {name}")));
    let mut largest = [0f64; 2];
    for (i, (name, _)) in net.shape.policies.iter().enumerate() {
        let name = match *name {
            "" | "vanilla" => "policy".to_owned(),
            "soft" => "soft_policy".to_owned(),
            other => format!("further_policies.{other}"),
        };
        for ((found, said), asked) in out(&name).iter().zip(&said).zip(&asked) {
            largest[0] = largest[0].max(difference(found, &said.policies[i]));
            let legal = |logits: &[f64]| {
                softmax(&asked.legal.iter().map(|mv| logits[usize::from(mv.index)]).collect::<Vec<f64>>())
            };
            largest[1] = largest[1].max(difference(&legal(found), &legal(&said.policies[i])));
        }
    }
    for (i, (name, parts)) in net.shape.values.iter().enumerate() {
        let name = ["result", "q", "short_term"][["winner", "q", "st"].iter().position(|n| n == name).unwrap_or(0)];
        let last = |part: usize| said.iter().map(move |said| said.values[i][part].clone());
        let compared = |found: Vec<Vec<f64>>, wanted: Vec<Vec<f64>>| {
            assert_eq!(found.len(), wanted.len());
            found.iter().zip(&wanted).map(|(a, b)| difference(a, b)).fold(0.0, f64::max)
        };
        if parts[0] == 3 {
            let logits = if name == "result" { name.to_owned() } else { format!("{name}.wdl") };
            let shares = |logits: Vec<Vec<f64>>| logits.iter().map(|logits| softmax(logits)).collect();
            largest[0] = largest[0].max(compared(out(&logits), last(0).collect()));
            largest[1] = largest[1].max(compared(shares(out(&logits)), shares(last(0).collect())));
        }
        if name != "result" {
            let value = last(0).map(|said| match said[..] {
                [one] => vec![one.tanh()],
                _ => vec![softmax(&said)[0] - softmax(&said)[2]],
            });
            largest[1] = largest[1].max(compared(out(name), value.collect()));
        }
        if parts[1] > 0 {
            let error = last(1).map(|said| vec![1.0 / (1.0 + (-said[0]).exp())]);
            largest[1] = largest[1].max(compared(out(&format!("{name}.error")), error.collect()));
        }
        if parts[2] > 0 {
            largest[0] = largest[0].max(compared(out(&format!("{name}.buckets")), last(2).collect()));
        }
    }
    let moves_left = out("moves_left").into_iter().zip(&said).map(|(found, said)| (found[0] - said.moves_left).abs());
    largest[0] = moves_left.fold(largest[0], f64::max);
    println!("largest differences of logits, probabilities: {largest:?}");
    assert!(largest[0] < LOGIT_TOLERANCE && largest[1] < PROBABILITY_TOLERANCE, "{largest:?}");
    // Positions differ and moves too: nothing above compares constants.
    let spread = |numbers: &[f64]| {
        numbers.iter().copied().fold(f64::MIN, f64::max) - numbers.iter().copied().fold(f64::MAX, f64::min)
    };
    assert!(spread(&said[0].policies[0]) > 0.5 && difference(&said[0].policies[0], &said[9].policies[0]) > 0.1);
    imported
}

fn difference(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// Planes by square; rule 50, the 110th, counted in plies as Lc0 feeds it.
fn as_lc0_feeds(channels: &[f64]) -> Vec<Vec<f64>> {
    assert_eq!(channels.len(), SQUARES * PLANES);
    let mut planes: Vec<Vec<f64>> = channels.chunks(PLANES).map(<[f64]>::to_vec).collect();
    planes.iter_mut().for_each(|planes| planes[109] = (planes[109] * 99.0).round());
    planes
}

#[test]
fn a_map_behind_the_planes_and_one_head_of_each_kind() {
    let net = Net::new(with_a_map(), 1);
    let imported = compare(&net.file(true), &net);
    let ModelConfig::Chessformer(config) = &imported.model else { panic!("attention") };
    assert_eq!((config.layers, config.width, config.heads, config.ff), (2, 24, 3, 32));
    assert_eq!((config.embedding, config.normalisation), (EmbeddingConfig::Reach, NormKind::LayerFine));
    assert_eq!((config.activation, config.ff_activation, config.qkv_bias), (Activation::Relu, None, true));
    assert_eq!(config.outputs.names(), ["policy", "result", "moves_left"]);
    let labels: Vec<String> = imported.encoding.iter().map(encodings::EncodingConfig::label).collect();
    assert_eq!(labels, ["absolute(gate)"]);
}

#[test]
fn relative_positions_are_shaws_tables() {
    let net = Net::new(with_a_map(), 21).with_relative_positions();
    let imported = compare(&net.file(true), &net);
    let labels: Vec<String> = imported.encoding.iter().map(encodings::EncodingConfig::label).collect();
    assert_eq!(labels, ["absolute(gate)", "shaw(q,k,v)"]);
    let mut less = net.clone();
    less.tensors.remove("encoder[1].mha.rpe_k").expect("it was there");
    let said = lc0::of_bytes(&less.file(true), &[]).expect_err("a table is missing").to_string();
    assert!(said.contains("encoder[1].mha.rpe_k is missing"), "{said}");
}

#[test]
fn an_embedding_of_all_squares_smolgen_and_many_heads_in_16_bits() {
    let net = Net::new(with_everything(), 2);
    let bytes = net.file(false);
    let imported = compare(&bytes, &net.clone().rounded());
    let ModelConfig::Chessformer(config) = &imported.model else { panic!("attention") };
    assert_eq!(config.embedding, EmbeddingConfig::New { dense: 6, ff: Some(20) });
    assert_eq!((config.normalisation, config.activation), (NormKind::Layer, Activation::Mish));
    assert_eq!((config.policy.embedding, config.policy.depth), (Some(10), Some(12)));
    assert_eq!(config.outputs.soft_policy.expect("a soft policy").depth, Some(8));
    let further = &config.outputs.further_policies;
    assert_eq!(further.keys().collect::<Vec<_>>(), ["mine", "opponent", "optimistic_st"]);
    assert_eq!(further["opponent"], FurtherPolicy { depth: Some(6) });
    assert_eq!(config.outputs.q, Some(RewardOptions { error: true, buckets: 11, wdl: true }));
    assert_eq!(config.outputs.short_term, Some(RewardOptions { error: true, buckets: 0, wdl: false }));
    let labels: Vec<String> = imported.encoding.iter().map(encodings::EncodingConfig::label).collect();
    assert_eq!(labels, ["absolute(gate)", "smolgen(4/9/5)"]);
    // Every number of the file is in the cell but the fourth rows of promotions, which are added to the others.
    let in_file: usize = net.tensors.values().map(Vec::len).sum();
    let in_cell: usize = imported.parameters.iter().map(|(_, numbers)| numbers.len()).sum();
    let fourth_rows: usize = net.shape.policies.iter().map(|(_, depth)| depth).sum();
    assert_eq!(in_cell + fourth_rows, in_file);
    // The number that this structure had at first, and the plain one, which says no embedding.
    for network in [134, 6] {
        let mut format = net.format();
        (format[2], format[9]) = (network, 2);
        let other = lc0::of_bytes(&file(format, &net.weights(false)), &[]).expect("a network");
        assert_eq!((other.model, other.parameters), (imported.model.clone(), imported.parameters.clone()));
    }
}

#[test]
fn attention_in_the_format_of_residual_networks() {
    let shape = Shape {
        smolgen: Some([3, 8, 4]),
        gate: false,
        ff_activation: RELU_2,
        smolgen_activation: SWISH,
        mish: true,
        ..with_a_map()
    };
    let net = Net::new(shape, 3);
    // Structure 4 and no word of activations and embedding: what was written before there was a number for it.
    let [input, output, _, policy, value, moves_left, mish, ..] = net.format();
    let bytes = file([input, output, 4, policy, value, moves_left, mish], &net.weights(true));
    let imported = compare(&bytes, &net);
    let ModelConfig::Chessformer(config) = &imported.model else { panic!("attention") };
    assert_eq!((config.ff_activation, config.embedding), (Some(Activation::Relu2), EmbeddingConfig::Reach));
}

#[test]
fn a_network_without_gate_and_smolgen_has_no_encoding() {
    let shape = Shape { gate: false, dense: Some([5, 32]), ..with_a_map() };
    let imported = compare(&Net::new(shape.clone(), 4).file(true), &Net::new(shape, 4));
    assert_eq!(imported.encoding.iter().map(encodings::EncodingConfig::label).collect::<Vec<_>>(), ["none"]);
}
