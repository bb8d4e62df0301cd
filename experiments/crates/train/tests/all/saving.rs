//! A network that is saved and loaded computes the same bits, whatever its encodings.

use config::RunConfig;
use dataset::GenerationCounts;
use encodings::EncodingConfig;
use games::{GameKind, InputName, Position as _, with_game};
use models::Network;
use nn::{Arena, Layout};
use serde_json::json;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use tch::{Device, Tensor};
use testing::Bench;
use train::checkpoint::{Checkpoint, CheckpointTensors, Prefix, TrainingProgress, Window, load_final, save_final};
use train::setup::declare;

/// The start of a game, and the same with the marks of a position that occurred before.
fn packed(run: &RunConfig) -> Tensor {
    let row_bytes = run.spec().input.row_bytes();
    let row = |repetitions: u8| {
        let mut row = vec![0; row_bytes];
        with_game!(run.game, G => <G as games::Game>::Position::start().pack(run.input, repetitions, &mut row));
        row
    };
    Tensor::from_slice(&[row(0), row(1)].concat()).view([2, -1])
}

/// Weights of which none is zero: many encodings begin with zeros, which would hide what becomes of them.
fn some_weights(layout: &Layout) -> Vec<f32> {
    let mut stream = streams::stream(3, &["weights of a test"]);
    (0..layout.len()).map(|_| (0.2 * streams::normal(&mut stream)) as f32).collect()
}

fn outputs(network: &Network, layout: &Arc<Layout>, weights: &[f32], packed: &Tensor) -> Vec<u32> {
    let arena = Arena::from_values(Arc::clone(layout), weights, Device::Cpu).expect("an arena");
    let output = tch::no_grad(|| network.forward(&arena.frozen_views(), packed));
    let numbers = |tensor: Tensor| Vec::<f32>::try_from(tensor.reshape([-1])).expect("numbers");
    let all: Vec<f32> = output.into_iter().map(|answer| answer.tensor).flat_map(numbers).collect();
    assert!(all.iter().all(|number| number.is_finite()));
    all.into_iter().map(f32::to_bits).collect()
}

/// A checkpoint of these weights, saved to `cell` and read back.
fn through_a_checkpoint(cell: &Path, layout: &Layout, weights: &[f32]) -> CheckpointTensors {
    let metrics = cell.join("metrics.jsonl");
    fs::write(&metrics, "").expect("no lines yet");
    let moment: Vec<f32> = weights.iter().map(|weight| weight * 0.5).collect();
    let checkpoint = Checkpoint {
        tensors: CheckpointTensors {
            weights: weights.to_vec(),
            moments: BTreeMap::from([("first".to_owned(), moment)]),
            average: Some(weights.iter().map(|weight| weight * 0.25).collect()),
        },
        progress: TrainingProgress {
            step: 7,
            optimizer: BTreeMap::new(),
            average_updates: Some(3),
            metrics: Prefix::of(&metrics).expect("readable"),
            window: Window::default(),
            batches: blake3::hash(b"").to_hex().to_string(),
            wall_s: 0.0,
            made: Some(GenerationCounts::default()),
        },
        identity: serde_json::from_value(json!({
            "config": "", "dataset": "", "numerics": 1, "libtorch": "", "instruction_set": "", "threads": 1,
            "device": "", "dtype": "",
        }))
        .expect("an identity"),
    };
    checkpoint.save(cell, layout).expect("saved");
    let (loaded, skipped) = Checkpoint::newest(cell, &metrics, layout).expect("readable").expect("there");
    assert!(skipped.is_empty(), "{skipped:?}");
    assert_eq!(loaded, checkpoint);
    loaded.tensors
}

#[test]
fn every_stack_of_encodings_computes_the_same_bits_after_saving_and_loading() {
    let bench = Bench::new();
    for game in GameKind::ALL {
        for (turn, input) in [InputName::PieceTokens, InputName::PieceTokensAux].into_iter().enumerate() {
            // On the larger boards the inputs take turns.
            let saved = |(place, _): &(usize, Vec<EncodingConfig>)| game == GameKind::Minishogi || place % 2 == turn;
            for (i, encoding) in EncodingConfig::example_stacks().into_iter().enumerate().filter(saved) {
                let run = RunConfig { game, input, encoding, ..bench.run(1) };
                let (network, layout) = declare(&run).expect("a network");
                let (layout, packed) = (Arc::new(layout), packed(&run));
                let weights = some_weights(&layout);
                let before = outputs(&network, &layout, &weights, &packed);
                let cell = bench.cell(&format!("{}-{}-{i}", game.name(), input.name()), &run);

                let loaded = through_a_checkpoint(&cell, &layout, &weights);
                // A second network of the same configuration, as another process would declare it.
                let (again, layout) = declare(&run).expect("a network");
                let layout = Arc::new(layout);
                assert_eq!(outputs(&again, &layout, &loaded.weights, &packed), before, "{:?}", run.encoding);

                save_final(&cell, &layout, &weights).expect("saved");
                let last = load_final(&cell, &layout).expect("loaded");
                assert_eq!(outputs(&again, &layout, &last, &packed), before, "{:?}", run.encoding);
            }
        }
    }
}
