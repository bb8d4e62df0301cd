//! iRPE's buckets, and iRPE with a bucket for every displacement: Shaw's encoding.

use crate::common::single::{Single, numbers};
use crate::common::{DIMS, Network, input, largest_difference, normal_tensor, sequences};
use encodings::irpe::{self, Heads};
use encodings::{EncodingConfig, Queries, Tokens, shaw};
use games::GameKind;
use nn::{Arena, ParamSpec};
use tch::{Device, Kind, Tensor};

/// The same numbers for the parameters of both, in the order of their declaration.
fn filled(config: EncodingConfig, tokens: &Tokens) -> Single {
    let network = Network::small(&[config], tokens);
    let mut values = vec![0f32; network.layout.len()];
    let own = |param: &&ParamSpec| param.name.starts_with("encoding.");
    for (number, param) in network.layout.params().iter().filter(own).enumerate() {
        for (place, value) in values[param.offset..param.offset + param.len()].iter_mut().enumerate() {
            *value = ((place + 100 * number) as f32 * 0.7).sin();
        }
    }
    let arena = Arena::from_values(network.layout.clone(), &values, Device::Cpu).expect("memory");
    Single { network, arena }
}

#[test]
fn a_bucket_for_every_displacement_is_shaws_encoding() {
    for tokens in sequences() {
        let longest = (tokens.geometry().files().max(tokens.geometry().ranks()) - 1) as f64;
        let terms = vec![irpe::Term::Q, irpe::Term::K, irpe::Term::V];
        let config = irpe::Config {
            terms,
            heads: Heads::Own,
            alpha: longest,
            beta: longest,
            gamma: 2.0 * longest,
            ..Default::default()
        };
        let own = filled(EncodingConfig::Irpe(config), &tokens);
        let shaw = filled(EncodingConfig::Shaw(shaw::Config::default()), &tokens);
        let (l, h, k) = (tokens.len() as i64, DIMS.heads as i64, DIMS.head_width() as i64);
        let x = input(1, 2, &tokens, DIMS);
        let [q, keys] = ["q", "k"].map(|name| normal_tensor(1, name, &[2, h, l, k]));
        let weights = normal_tensor(1, "weights", &[2, h, l, l]).softmax(-1, Kind::Float);
        let added = |single: &Single| -> [Tensor; 2] {
            single.ask(&x, |encoding, at| {
                let logits = encoding.logits(at, Queries { x_bld: &x, q_bhlk: &q, k_bhlk: &keys });
                let values = encoding.values(at, Some(&weights), &q);
                [logits.before_scale.expect("logits"), values.expect("values")]
            })
        };
        let ([logits, values], [shaws_logits, shaws_values]) = (added(&own), added(&shaw));
        let place = format!("{:?} with {l} tokens", tokens.geometry());
        assert_eq!(largest_difference(&logits, &shaws_logits), 0.0, "{place}: logits");
        assert_eq!(largest_difference(&values, &shaws_values), 0.0, "{place}: values");
    }
}

/// Steps of 0, 1, 2 and 3, and 4 and more have a bucket each, as the source's function gives them for 1.9, 3.8 and 15.2.
#[test]
fn near_steps_have_buckets_of_their_own_and_far_ones_share() {
    let shogi = GameKind::Shogi.geometry();
    let tokens = Tokens::squares_then(shogi, &[]);
    let config = irpe::Config { terms: vec![irpe::Term::Bias], method: irpe::Method::Cross, ..Default::default() };
    let network = Network::small(&[EncodingConfig::Irpe(config)], &tokens);
    let id = network.layout.find("encoding.irpe.layer.1.bias.files").expect("a table");
    let param = network.layout.param(id);
    let mut values = vec![0f32; network.layout.len()];
    for (bucket, value) in values[param.offset..param.offset + param.len()].iter_mut().enumerate() {
        *value = bucket as f32 - 3.0;
    }
    let arena = Arena::from_values(network.layout.clone(), &values, Device::Cpu).expect("memory");
    let bias = Single { network, arena }.logits(&input(2, 1, &tokens, DIMS)).after_scale.expect("a bias");
    let along_a_rank = numbers(&bias.get(0).select(1, 0).narrow(0, 0, shogi.files() as i64));
    assert_eq!(along_a_rank, [0.0, 1.0, 2.0, 2.0, 3.0, 3.0, 3.0, 3.0, 3.0]);
    let backwards = numbers(&bias.get(0).get(0).narrow(0, 0, shogi.files() as i64));
    assert_eq!(backwards, along_a_rank.iter().map(|bucket| -bucket).collect::<Vec<_>>());
}
