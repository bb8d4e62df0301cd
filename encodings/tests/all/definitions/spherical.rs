//! R_x(rank·f)·R_y(file·f) of each three channels, as matrices.

use super::*;
use encodings::spherical::{Config, Frequencies};

impl Definition for Config {
    fn rotate(&self, given: &Given<'_>, x_hlk: &[f64]) -> Vec<f64> {
        let (h, l, k) = (given.heads(), given.len(), given.head_width());
        let vectors = k / 3;
        let learned = (self.frequencies == Frequencies::Learned).then(|| given.of_layer("frequencies"));
        let rotate = |(row, x): (usize, &[f64])| {
            let Some([rank, file]) = given.place(row % l) else { return x.to_vec() };
            let of_vector = |i: usize| {
                let frequency = |axis: usize| match &learned {
                    Some(frequencies) => frequencies[(axis * h + row / l) * vectors + i],
                    None => self.theta.powf(-((2 * i) as f64) / k as f64),
                };
                let (sin, cos) = (file as f64 * frequency(1)).sin_cos();
                let about_y = [cos, 0.0, -sin, 0.0, 1.0, 0.0, sin, 0.0, cos];
                let (sin, cos) = (rank as f64 * frequency(0)).sin_cos();
                let about_x = [1.0, 0.0, 0.0, 0.0, cos, -sin, 0.0, sin, cos];
                affine(&about_x, None, &affine(&about_y, None, &x[3 * i..3 * i + 3]))
            };
            let rotated: Vec<f64> = (0..vectors).flat_map(of_vector).collect();
            [&rotated[..], &x[3 * vectors..]].concat()
        };
        x_hlk.chunks(k).enumerate().flat_map(rotate).collect()
    }
}
