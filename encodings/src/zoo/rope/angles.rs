//! The angles by which tokens are rotated: fixed, or from learned frequencies.

use super::config::{Config, Layout, Start, Theta};
use crate::prelude::*;
use std::f64::consts::{FRAC_PI_2, PI, TAU};
use std::sync::Arc;

#[derive(Debug)]
pub(super) enum Angles {
    Fixed {
        /// Cosines `[l, k]`, each pair's twice.
        cosine: Constant,
        /// Sines `[l, k]`, each pair's twice.
        sine: Constant,
    },
    Learned {
        /// `[2, h, k/2]` of each layer: radians per file, radians per rank.
        frequencies: Vec<ParamId>,
        /// File and rank of each token `[l, 2]`.
        coordinates: Constant,
    },
}

impl Angles {
    /// Declares what is learned of them in `scope`.
    pub(super) fn declare(config: &Config, scope: &mut Scope<'_>, dims: Dims, tokens: &Tokens) -> Self {
        let (own, head_width, sequence) = (config.clone(), dims.head_width(), tokens.clone());
        let shape = [tokens.len(), head_width];
        match config.layout {
            Layout::Flat1d => Self::fixed(shape, move || flat_angles(&own, head_width, &sequence)),
            Layout::Axial2d => Self::fixed(shape, move || axial_angles(own.theta, head_width, &sequence)),
            Layout::Mixed2d => Self::learned(config, scope, dims, tokens),
        }
    }

    /// From the angles `[l, k/2]`, which are computed at the first use.
    fn fixed(shape_lk: [usize; 2], angles: impl Fn() -> Vec<f64> + Send + Sync + 'static) -> Self {
        let angles = Arc::new(angles);
        let twice = |of: fn(f64) -> f64| {
            let angles = Arc::clone(&angles);
            let values = move || angles().into_iter().flat_map(|angle| [of(angle) as f32; 2]).collect();
            Constant::floats_from(&shape_lk.map(|size| size as i64), values)
        };
        Self::Fixed { cosine: twice(f64::cos), sine: twice(f64::sin) }
    }

    fn learned(config: &Config, scope: &mut Scope<'_>, dims: Dims, tokens: &Tokens) -> Self {
        let shape = [2, dims.heads as i64, dims.head_width() as i64 / 2];
        let theta = config.theta.base();
        let init = match config.start {
            Start::RotatedAxes => rotated_axes(powers(theta, dims.head_width())),
            Start::LogUniform => log_uniform(theta),
        };
        let places: Vec<_> = (0..tokens.len())
            .map(|token| coordinates(tokens, token))
            .flat_map(|(rank, file)| [file as f32, rank as f32])
            .collect();
        Self::Learned {
            frequencies: dims.per_layer(scope, |scope| scope.f32_param("frequencies", &shape, init.clone())),
            coordinates: Constant::floats(&places, &[tokens.len() as i64, 2]),
        }
    }

    /// Cosines and sines that broadcast to `[b,h,l,k]`, f32.
    pub(super) fn cosine_and_sine(&self, views: &Views, layer: usize) -> (Tensor, Tensor) {
        match self {
            Self::Fixed { cosine, sine } => (cosine.on(views.device()), sine.on(views.device())),
            Self::Learned { frequencies, coordinates } => {
                let places_l2 = coordinates.on(views.device());
                let axes_2hp = &views[frequencies[layer]];
                let along =
                    |axis: i64| places_l2.select(1, axis).view([1, -1, 1]) * axes_2hp.select(0, axis).unsqueeze(1);
                let angles_hlp = along(0) + along(1);
                let twice = |t: Tensor| t.unsqueeze(-1).expand([-1, -1, -1, 2], false).flatten(2, 3);
                (twice(angles_hlp.cos()), twice(angles_hlp.sin()))
            }
        }
    }
}

/// The angle of every token and pair, `[l, k/2]` row by row.
fn flat_angles(config: &Config, head_width: usize, tokens: &Tokens) -> Vec<f64> {
    let rotated = |token: usize| config.rotates_aux() || tokens.square(token).is_some();
    let index = |token: usize| if rotated(token) { token as f64 } else { 0.0 };
    let theta = config.theta.base();
    let frequency = |pair: usize| theta.powf(-2.0 * pair as f64 / head_width as f64);
    (0..tokens.len()).flat_map(|token| (0..head_width / 2).map(move |pair| index(token) * frequency(pair))).collect()
}

fn axial_angles(theta: Theta, head_width: usize, tokens: &Tokens) -> Vec<f64> {
    let sides = [tokens.geometry().ranks(), tokens.geometry().files()];
    let [of_ranks, of_files] = sides.map(|side| match theta {
        Theta::Base(base) => powers(base, head_width),
        Theta::Board => transform(side, head_width),
    });
    let of_token = |token: usize| {
        let (rank, file) = coordinates(tokens, token);
        let rotated = |coordinate: f64, frequencies: &[f64]| frequencies.iter().map(|f| coordinate * f).collect();
        let by_axis: [Vec<f64>; 2] = [rotated(rank, &of_ranks), rotated(file, &of_files)];
        by_axis.concat()
    };
    (0..tokens.len()).flat_map(of_token).collect()
}

/// θ^(−4i/k) for the k/4 pairs of one axis.
fn powers(theta: f64, head_width: usize) -> Vec<f64> {
    (0..head_width / 4).map(|i| theta.powf(-4.0 * i as f64 / head_width as f64)).collect()
}

/// πm/n for the p = k/4 pairs of an axis of n squares: m is 1 + (n−1)i/(p−1), rounded half up.
fn transform(side: usize, head_width: usize) -> Vec<f64> {
    let pairs = head_width / 4;
    let steps = (pairs - 1).max(1);
    let waves = |i: usize| 1 + (2 * (side - 1) * i + steps) / (2 * steps);
    (0..pairs).map(|i| PI * waves(i) as f64 / side as f64).collect()
}

/// Rank and file of a token, (0, 0) for one without a square, which therefore is not rotated.
fn coordinates(tokens: &Tokens, token: usize) -> (f64, f64) {
    let of_square = |s| (tokens.geometry().rank_of(s) as f64, tokens.geometry().file_of(s) as f64);
    tokens.square(token).map_or((0.0, 0.0), of_square)
}

/// RoPE-ViT's first frequencies `[2, h, k/2]`: each head draws one direction, half of its pairs look along it and half at
/// a right angle to it.
fn rotated_axes(magnitudes: Vec<f64>) -> Init {
    Init::Custom(Arc::new(move |stream, shape| {
        let heads = shape[1] as usize;
        let directions: Vec<_> = (0..heads).map(|_| TAU * streams::uniform(stream)).collect();
        let axis = |part: fn(f64) -> f64| {
            let of_head = |direction: f64| {
                let looking = [direction, direction + FRAC_PI_2];
                looking
                    .into_iter()
                    .flat_map(|to| magnitudes.iter().map(move |m| (m * part(to)) as f32))
                    .collect::<Vec<_>>()
            };
            directions.iter().flat_map(|&direction| of_head(direction)).collect::<Vec<_>>()
        };
        [axis(f64::cos), axis(f64::sin)].concat()
    }))
}

/// KataGo's first frequencies: random signs, magnitudes between 1/θ and 1 of which the logarithm is uniform.
pub(in crate::zoo) fn log_uniform(theta: f64) -> Init {
    Init::drawn(move |stream| {
        let magnitude = theta.powf(-streams::uniform(stream));
        let sign = if streams::uniform(stream) < 0.5 { -1.0 } else { 1.0 };
        sign * magnitude
    })
}
