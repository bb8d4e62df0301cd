//! Convolutions and batch normalisation against plain loops, and the life of running statistics.

use crate::numbers;
use nn::{Arena, BatchNorm, Convolution, ConvolutionSizes, Init, Layout, LayoutBuilder, Part};
use std::sync::Arc;
use tch::{Device, Tensor};

const CHANNELS: usize = 2;
const ROWS: usize = 3;
const AREA: usize = 6;

fn input() -> (Vec<f32>, Tensor) {
    let values: Vec<f32> = (0..ROWS * CHANNELS * AREA).map(|i| ((i * i + 3 * i) % 17) as f32 / 4.0 - 1.0).collect();
    let tensor = Tensor::from_slice(&values).view([ROWS as i64, CHANNELS as i64, 2, 3]);
    (values, tensor)
}

fn declared() -> (BatchNorm, Arc<Layout>) {
    let mut builder = LayoutBuilder::default();
    let norm = BatchNorm::declare(&mut builder.scope("norm", Part::Trunk), CHANNELS as i64, 0.25);
    (norm, Arc::new(builder.finish().expect("names are unique")))
}

/// Gain 2 and 3, bias 1 and −1, running mean 0.5 and 1.5, running variance 4 and 0.25.
fn arena(layout: &Arc<Layout>) -> Arena {
    let mut values = vec![0.0; layout.len()];
    for (name, own) in
        [("gain", [2.0, 3.0]), ("bias", [1.0, -1.0]), ("running_mean", [0.5, 1.5]), ("running_variance", [4.0, 0.25])]
    {
        let param = layout.param(layout.find(&format!("norm.{name}")).expect("a parameter"));
        values[param.offset..][..CHANNELS].copy_from_slice(&own);
    }
    Arena::from_values(layout.clone(), &values, Device::Cpu).expect("memory")
}

fn of_channel(values: &[f32], channel: usize) -> Vec<f64> {
    let rows = values.chunks(CHANNELS * AREA);
    rows.flat_map(|row| &row[channel * AREA..][..AREA]).map(|&value| f64::from(value)).collect()
}

fn mean_and_square(values: &[f64]) -> (f64, f64) {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    (mean, values.iter().map(|value| (value - mean).powi(2)).sum())
}

fn assert_normed(found: &Tensor, values: &[f32], statistics: impl Fn(usize) -> (f64, f64)) {
    let found = numbers(found);
    for channel in 0..CHANNELS {
        let (gain, bias) = [(2.0, 1.0), (3.0, -1.0)][channel];
        let (mean, variance) = statistics(channel);
        for (found, value) in of_channel(&found, channel).into_iter().zip(of_channel(values, channel)) {
            let expected = (value - mean) / (variance + 1e-5).sqrt() * gain + bias;
            assert!((found - expected).abs() < 1e-5, "{found} instead of {expected}");
        }
    }
}

#[test]
fn without_training_the_running_statistics_normalise() {
    let (norm, layout) = declared();
    let (values, x) = input();
    let views = arena(&layout).frozen_views();
    assert_normed(&norm.forward(&views, &x), &values, |channel| [(0.5, 4.0), (1.5, 0.25)][channel]);
    assert!(views.into_observed().is_empty());
}

#[test]
fn in_training_the_batch_normalises_and_the_statistics_follow_it() {
    let (norm, layout) = declared();
    let (values, x) = input();
    let mut arena = arena(&layout);
    let views = arena.views().for_training();
    let count = (ROWS * AREA) as f64;
    let of = |channel| mean_and_square(&of_channel(&values, channel));
    let y = norm.forward(&views, &x);
    assert_normed(&y, &values, |channel| (of(channel).0, of(channel).1 / count));
    // Nothing is learnt of a statistic.
    let gradient = numbers(&arena.gradient(&y.square().sum(tch::Kind::Float)).expect("a gradient"));
    let place = |name: &str| layout.param(layout.find(name).expect("a parameter")).offset;
    let (gain, mean, variance) = (place("norm.gain"), place("norm.running_mean"), place("norm.running_variance"));
    assert!(gradient[gain] != 0.0);
    assert!([mean, variance].iter().all(|&at| gradient[at..at + CHANNELS] == [0.0; CHANNELS]));
    // A quarter of the way, to the mean and to the variance over n − 1.
    arena.update_statistics(&views.into_observed()).expect("memory");
    let after = arena.values().expect("numbers");
    for channel in 0..CHANNELS {
        let (batch_mean, squares) = of(channel);
        let before = [(0.5, 4.0), (1.5, 0.25)][channel];
        let expected = [before.0 * 0.75 + batch_mean * 0.25, before.1 * 0.75 + squares / (count - 1.0) * 0.25];
        let found = [mean, variance].map(|at| f64::from(after[at + channel]));
        assert!(found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-5), "{found:?}");
    }
}

#[test]
fn a_convolution_is_the_sum_over_its_kernel_and_zeros_beyond_the_edge() {
    let mut builder = LayoutBuilder::default();
    let sizes = ConvolutionSizes { inputs: CHANNELS as i64, outputs: 3, kernel: 3 };
    let init = Init::glorot_normal(sizes.fan_in(), sizes.fan_out(), 1.0);
    let convolution = Convolution::declare(&mut builder.scope("conv", Part::Trunk), sizes, init, true);
    let layout = Arc::new(builder.finish().expect("names are unique"));
    let weights: Vec<f32> = (0..layout.len()).map(|i| ((7 * i) % 11) as f32 / 8.0 - 0.5).collect();
    let arena = Arena::from_values(layout.clone(), &weights, Device::Cpu).expect("memory");
    let (values, x) = input();
    let found = numbers(&convolution.forward(&arena.frozen_views(), &x));
    let bias = layout.param(layout.find("conv.bias").expect("a bias")).offset;
    let (ranks, files) = (2i64, 3i64);
    let at = |row: usize, channel: usize, rank: i64, file: i64| {
        let inside = (0..ranks).contains(&rank) && (0..files).contains(&file);
        if inside { values[(row * CHANNELS + channel) * AREA + (rank * files + file) as usize] } else { 0.0 }
    };
    for row in 0..ROWS {
        for out in 0..3 {
            for (rank, file) in (0..ranks).flat_map(|rank| (0..files).map(move |file| (rank, file))) {
                let mut sum = weights[bias + out];
                for channel in 0..CHANNELS {
                    for (dr, df) in (0..3).flat_map(|dr| (0..3).map(move |df| (dr, df))) {
                        let weight = weights[((out * CHANNELS + channel) * 3 + dr as usize) * 3 + df as usize];
                        sum += weight * at(row, channel, rank + dr - 1, file + df - 1);
                    }
                }
                let found = found[(row * 3 + out) * AREA + (rank * files + file) as usize];
                assert!((found - sum).abs() < 1e-5, "{found} instead of {sum}");
            }
        }
    }
    assert_eq!(convolution.macs(AREA as u64), (AREA * 3 * CHANNELS * 9) as u64);
}
