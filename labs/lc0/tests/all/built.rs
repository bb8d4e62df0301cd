//! Networks that the test writes itself: every tensor of the format arrives under its name.

use crate::random::{PLANES, SQUARES};
use crate::samples::{CHANNELS, FORMAT, MOVES, dense, normed, oldest, run};
use crate::wire::{Message, file};
use config::NetworkCost;
use games::GameKind;
use lc0::{Imported, cell, spec};
use models::{ModelConfig, MovesLeft, ResnetPolicy, ResnetValue};
use std::collections::BTreeMap;

fn by_name(imported: &Imported) -> BTreeMap<&str, &[f32]> {
    imported.parameters.iter().map(|(name, numbers)| (name.as_str(), numbers.as_slice())).collect()
}

#[test]
fn every_tensor_of_a_residual_network_has_its_place() {
    let imported = lc0::of_bytes(&file(FORMAT, &oldest()), &[]).expect("a network");
    let ModelConfig::Resnet(config) = &imported.model else { panic!("a residual network") };
    assert_eq!((config.blocks, config.channels, config.se), (2, CHANNELS, None));
    assert_eq!(config.activation, nn::Activation::Mish);
    assert_eq!(config.policy, ResnetPolicy::Dense { channels: 3 });
    assert_eq!(config.value, ResnetValue { channels: 4, hidden: 5 });
    assert_eq!(config.outputs.moves_left, Some(MovesLeft { embedding: 1, hidden: 6 }));
    let found = by_name(&imported);
    // The kernel as it is but for the plane of rule 50, the 110th, which Lc0 feeds in plies.
    let kernel: Vec<f32> = run(0, CHANNELS * PLANES * 9)
        .into_iter()
        .enumerate()
        .map(|(i, weight)| if i / 9 % PLANES == 109 { weight * 99.0 } else { weight })
        .collect();
    assert_eq!(found["embedding.weight"], kernel);
    // A convolution's bias moves the mean that is taken off behind it: ¼ − ¾ in every channel.
    assert_eq!(found["embedding.norm.running_mean"], [-0.5; CHANNELS]);
    assert_eq!(found["embedding.norm.running_variance"], run(2, CHANNELS));
    assert_eq!(found["embedding.norm.gain"], run(4, CHANNELS));
    assert_eq!(found["embedding.norm.bias"], run(5, CHANNELS));
    assert_eq!(found["body.1.first.weight"], run(2000, CHANNELS * CHANNELS * 9));
    assert_eq!(found["body.1.second.weight"], run(2050, CHANNELS * CHANNELS * 9));
    // What is not in the file: a gain of 1, offsets of 0.
    assert_eq!(found["body.1.second.norm.gain"], [1.0; CHANNELS]);
    assert_eq!(found["body.1.second.norm.bias"], [0.0; CHANNELS]);
    assert_eq!(found["body.1.second.norm.running_mean"], run(2051, CHANNELS));
    assert_eq!(found["policy.reduce.weight"], run(3000, 3 * CHANNELS));
    assert_eq!(found["policy.moves.weight"], run(6000, 3 * SQUARES * MOVES));
    assert_eq!(found["value.hidden.bias"], run(7007, 5));
    assert_eq!(found["value.wdl.weight"], run(8000, 15));
    assert_eq!(found["moves_left.out.weight"], run(10_000, 6));
    let run = cell::run_of(&imported, "a.pb".as_ref(), None).expect("a run");
    // Counted by hand: kernels, gain and bias of every normalisation, dense layers.
    let trunk = CHANNELS * PLANES * 9 + 4 * CHANNELS * CHANNELS * 9 + 5 * 2 * CHANNELS;
    let policy = 3 * CHANNELS + 2 * 3 + 3 * SQUARES * MOVES + MOVES;
    let value = 4 * CHANNELS + 2 * 4 + 4 * SQUARES * 5 + 5 + 5 * 3 + 3;
    let moves_left = CHANNELS + 2 + SQUARES * 6 + 6 + 6 + 1;
    let cost = NetworkCost::of(&run).expect("a cost");
    assert_eq!((cost.facts.trunk, cost.facts.encoding, cost.facts.heads), (trunk, 0, policy + value + moves_left));
    assert_eq!(spec().moves.len(), MOVES);
}

#[test]
fn the_planes_of_moves_are_put_into_our_order() {
    // Plane p of the file has the weights p, p, p … and the bias p.
    let planes = 80;
    let last: Vec<f32> = (0..planes).flat_map(|plane| vec![plane as f32; CHANNELS * 9]).collect();
    let bias: Vec<f32> = (0..planes).map(|plane| plane as f32).collect();
    let first = normed(0, CHANNELS * CHANNELS * 9, CHANNELS, false);
    let weights = Message::default()
        .message(1, &normed(0, CHANNELS * PLANES * 9, CHANNELS, true))
        .message(3, &Message::default().tensor(1, &last).tensor(2, &bias))
        .message(11, &first)
        .message(6, &normed(0, 4 * CHANNELS, 4, true));
    let weights = dense(dense(weights, [7, 8], 0, 4 * SQUARES, 5), [9, 10], 0, 5, 3);
    let block = Message::default().message(1, &first).message(2, &first);
    let imported = lc0::of_bytes(&file([1, 2, 4, 2, 2, 0, 0], &weights.message(2, &block)), &[]).expect("a network");
    let found = by_name(&imported)["policy.planes.bias"];
    assert_eq!(found.len(), 73);
    let planes = models::resnet::move_planes(GameKind::Chess.from_to(), spec().input.geometry);
    let of = |plane: models::resnet::MovePlane| found[planes.iter().position(|&own| own == plane).expect("a plane")];
    let plain = |ranks, files| of(models::resnet::MovePlane::Plain { ranks, files });
    let promotion = |kind, files| of(models::resnet::MovePlane::Promotion { kind, ranks: 1, files });
    // By hand: 7 planes for each of N, NE, E, SE, S, SW, W, NW; then the knight's; then NW, N, NE to rook, bishop, queen.
    assert_eq!([plain(1, 0), plain(7, 0), plain(1, 1), plain(0, 1)], [0.0, 6.0, 7.0, 14.0]);
    assert_eq!([plain(-1, 1), plain(-7, 0), plain(-2, -2), plain(0, -7), plain(3, -3)], [21.0, 34.0, 36.0, 48.0, 51.0]);
    assert_eq!([plain(2, 1), plain(1, 2), plain(-1, 2), plain(2, -1)], [56.0, 57.0, 58.0, 63.0]);
    let (queen, rook, bishop) = (0, 1, 2);
    assert_eq!([promotion(rook, -1), promotion(bishop, 0), promotion(queen, 1)], [64.0, 68.0, 72.0]);
}
