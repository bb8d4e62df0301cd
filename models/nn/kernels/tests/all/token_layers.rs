//! What a block does with each token by itself. Its values and gradients are compared with those of the parts in crate `nn`.

use crate::{assert_threads_change_no_bit, numbers, place};
use kernels::token_layers::{DenseLayer, Saved, TokenLayers, TokenLayersGradients};
use kernels::{Numbers, Workers};

/// More than two groups of rows that are summed up.
const ROWS: usize = 1100;
const WIDTH: usize = 16;
const HIDDEN: usize = 48;

/// Every number that the two passes write.
fn computed(workers: Workers) -> Vec<f32> {
    let (narrow, wide) = (ROWS * WIDTH, ROWS * HIDDEN);
    let weights = [WIDTH * WIDTH, HIDDEN * WIDTH, WIDTH * HIDDEN];
    let sizes = [narrow, narrow, weights[0], weights[1], weights[2], WIDTH, HIDDEN, WIDTH, WIDTH, WIDTH];
    let mut read: Vec<Vec<f32>> = sizes.iter().enumerate().map(|(seed, &size)| numbers(seed as f64, &[size])).collect();
    let mut of_output = numbers(99.0, &[narrow]);
    let mut written: Vec<Vec<f32>> = [narrow, narrow, wide, narrow].iter().map(|&size| vec![f32::NAN; size]).collect();
    let mut gradients: Vec<Vec<f32>> = sizes.iter().map(|&size| vec![f32::NAN; size]).collect();
    let at = |tensors: &mut Vec<Vec<f32>>| tensors.iter_mut().map(|tensor| place(tensor)).collect::<Vec<_>>();
    let (r, w, g) = (at(&mut read), at(&mut written), at(&mut gradients));
    let layer = |tensors: &[Numbers], i: usize| DenseLayer { weight: tensors[2 + i], bias: Some(tensors[5 + i]) };
    let layers = TokenLayers {
        rows: ROWS,
        width: WIDTH,
        hidden: HIDDEN,
        stream: r[0],
        mixed: r[1],
        out: layer(&r, 0),
        inner: layer(&r, 1),
        outer: layer(&r, 2),
        gains: [r[8], r[9]],
        factors: [1.0, 0.5],
        epsilon: 1e-5,
    };
    let kept = Saved { attended: w[1], hidden: w[2], fed: w[3] };
    let to = TokenLayersGradients {
        of_stream: g[0],
        of_mixed: g[1],
        of_out: layer(&g, 0),
        of_inner: layer(&g, 1),
        of_outer: layer(&g, 2),
        of_gains: [g[8], g[9]],
    };
    // SAFETY: all slices live and have these sizes.
    unsafe {
        layers.compute(w[0], Some(kept), workers);
        layers.gradients(kept, place(&mut of_output), to, workers);
    }
    let all: Vec<f32> = written.concat().into_iter().chain(gradients.concat()).collect();
    assert!(all.iter().all(|number| number.is_finite()), "everything is written");
    all
}

#[test]
fn threads_change_no_bit_of_token_layers() {
    assert_threads_change_no_bit("token layers", computed);
}
