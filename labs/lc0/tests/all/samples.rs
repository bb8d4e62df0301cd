//! Weights files that tests write: a residual network field by field, and the shapes of two attention bodies.

use super::random::{DEFAULT, PLANES, SQUARES, SWISH, Shape};
use super::wire::Message;

pub const CHANNELS: usize = 2;
pub const MOVES: usize = 1858;

/// Numbers that nothing else has: a run of quarters from `first` on.
pub fn run(first: usize, len: usize) -> Vec<f32> {
    (0..len).map(|i| (first + i) as f32 / 4.0).collect()
}

/// A convolution and its normalisation, each tensor from its own number on; with bias and gains, or with neither.
pub fn normed(first: usize, kernel: usize, outputs: usize, whole: bool) -> Message {
    let block = Message::default()
        .tensor(1, &run(first, kernel))
        .tensor(3, &run(first + 1, outputs))
        .tensor(4, &run(first + 2, outputs));
    if !whole {
        return block;
    }
    block.tensor(2, &run(first + 3, outputs)).tensor(5, &run(first + 4, outputs)).tensor(6, &run(first + 5, outputs))
}

pub fn dense(message: Message, [w, b]: [u64; 2], first: usize, inputs: usize, outputs: usize) -> Message {
    message.tensor(w, &run(first, inputs * outputs)).tensor(b, &run(first + 7, outputs))
}

/// Two blocks of two channels without squeeze-and-excitation, the dense policy from 3 channels, a value head 4 → 5, moves
/// left 1 → 6, Mish.
pub fn oldest() -> Message {
    let area = CHANNELS * CHANNELS * 9;
    let block = |first| {
        Message::default()
            .message(1, &normed(first, area, CHANNELS, true))
            .message(2, &normed(first + 50, area, CHANNELS, false))
    };
    let mut weights = Message::default()
        .message(1, &normed(0, CHANNELS * PLANES * 9, CHANNELS, true))
        .message(2, &block(1000))
        .message(2, &block(2000))
        .message(3, &normed(3000, 3 * CHANNELS, 3, false))
        .message(6, &normed(4000, 4 * CHANNELS, 4, true))
        .message(12, &normed(5000, CHANNELS, 1, true));
    weights = dense(weights, [4, 5], 6000, 3 * SQUARES, MOVES);
    weights = dense(weights, [7, 8], 7000, 4 * SQUARES, 5);
    weights = dense(weights, [9, 10], 8000, 5, 3);
    weights = dense(weights, [13, 14], 9000, SQUARES, 6);
    dense(weights, [15, 16], 10_000, 6, 1)
}

/// Classical input, WDL, convolutions with head format, the dense policy, moves left, Mish.
pub const FORMAT: [u64; 7] = [1, 2, 3, 1, 2, 1, 1];

/// The first form: a map behind the planes, one head of each kind.
pub fn with_a_map() -> Shape {
    Shape {
        width: 24,
        heads: 3,
        layers: 2,
        ff: 32,
        dense: None,
        gate: true,
        smolgen: None,
        qkv_bias: true,
        policies: vec![("", 12)],
        values: vec![("", [3, 0, 0])],
        mish: false,
        smolgen_activation: DEFAULT,
        ff_activation: DEFAULT,
    }
}

/// The later form, with all there is.
pub fn with_everything() -> Shape {
    Shape {
        layers: 3,
        dense: Some([6, 20]),
        smolgen: Some([4, 9, 5]),
        qkv_bias: false,
        policies: vec![("vanilla", 12), ("optimistic_st", 12), ("soft", 8), ("opponent", 6), ("mine", 12)],
        values: vec![("winner", [3, 0, 0]), ("q", [3, 1, 11]), ("st", [1, 1, 0])],
        mish: true,
        smolgen_activation: SWISH,
        ..with_a_map()
    }
}
