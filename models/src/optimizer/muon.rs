//! Muon: the momentum of a matrix, made orthogonal, is its step.
//!
//! For a weight W `[r,c]` with gradient G: M ← μ·M + (1−μ)·G, U = (1−μ)·G + μ·M (Nesterov), and
//! W ← W − lr·scale·NS(U), where NS brings all singular values near 1: X = U/(‖U‖ + 1e-7), then five times
//! X ← a·X + (b·A + c·A²)·X with A = X·Xᵀ and (a, b, c) = (3.4445, −4.7750, 2.0315), on the smaller side of the matrix.
//!
//! Source: Jordan et al. 2024 (kellerjordan.github.io/posts/muon; KellerJordan/Muon; `torch.optim.Muon`). Scales are
//! √max(1, r/c) there, and 0.2·√max(r, c) in Moonlight (Liu et al. 2025, arXiv 2502.16982), with which a step is about as long
//! as AdamW's, so that both can have one learning rate. Deviations: the iteration is computed in f32, not in bf16; queries,
//! keys and values, one weight here, are three matrices, and W and V of a gated feed-forward layer are two.
//!
//! It takes the matrix weights of the body. All other parameters (embeddings, norms, biases, heads, encodings) take the steps
//! of another optimiser, as in the source.

use super::config::{MuonConfig, MuonScale, OptimizerError};
use super::groups::Span;
use nn::{Layout, Part, Range};
use std::ops::Range as Elements;
use tch::{Kind, TchError, Tensor};

const QUINTIC: [f64; 3] = [3.4445, -4.7750, 2.0315];
const EPSILON: f64 = 1e-7;
/// The scope of the weights that it takes, the weight that is three, and the one that is two if it is gated.
const BODY: &str = "body.";
const THREE: &str = ".attention.qkv.weight";
const GATED: &str = ".feed_forward.hidden.weight";
const OUT: &str = ".feed_forward.out.weight";

impl MuonScale {
    fn factor(self, [rows, columns]: [i64; 2]) -> f64 {
        let (rows, columns) = (rows as f64, columns as f64);
        match self {
            Self::MatchAdamw => 0.2 * rows.max(columns).sqrt(),
            Self::Original => (rows / columns).max(1.0).sqrt(),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Matrix {
    start: usize,
    shape: [i64; 2],
    rate: f64,
}

impl Matrix {
    pub(super) fn elements(&self) -> Elements<usize> {
        self.start..self.start + (self.shape[0] * self.shape[1]) as usize
    }

    fn of(self, flat: &Tensor) -> Result<Tensor, TchError> {
        flat.f_narrow(0, self.start as i64, self.shape[0] * self.shape[1])?.f_view(self.shape)
    }
}

/// The matrices that Muon takes, in the order of the store, each with the factor on its learning rate.
pub(super) fn matrices(layout: &Layout, rates: &[Span]) -> Vec<Matrix> {
    let mut all = Vec::new();
    for param in layout.params() {
        let is_taken = param.part == Part::Trunk && param.range == Range::Matrix && param.name.starts_with(BODY);
        let (true, &[rows, columns]) = (is_taken, &param.shape[..]) else { continue };
        let parts = parts(layout, &param.name, rows);
        let rate = rates.iter().find(|span| span.start <= param.offset && param.offset < span.end);
        let shape = [rows / parts, columns];
        let size = (shape[0] * shape[1]) as usize;
        let part = |i| Matrix { start: param.offset + i * size, shape, rate: rate.map_or(1.0, |span| span.value) };
        all.extend((0..parts as usize).map(part));
    }
    all.sort_by_key(|matrix| matrix.start);
    all
}

/// How many matrices a weight of the body is. A gated hidden layer has two rows for each number that the output layer takes.
fn parts(layout: &Layout, name: &str, rows: i64) -> i64 {
    let out = name.strip_suffix(GATED).and_then(|block| layout.find(&format!("{block}{OUT}")));
    match out.map(|out| &layout.param(out).shape[..]) {
        Some(&[_, taken]) if rows == 2 * taken => 2,
        _ if name.ends_with(THREE) => 3,
        _ => 1,
    }
}

pub(super) fn step(
    matrices: &[Matrix],
    flat: &Tensor,
    gradient: &Tensor,
    momentum: &Tensor,
    config: &MuonConfig,
    learning_rate: f64,
) -> Result<(), OptimizerError> {
    for matrix in matrices {
        let (mut weight, gradient, mut momentum) = (matrix.of(flat)?, matrix.of(gradient)?, matrix.of(momentum)?);
        let _momentum = momentum.f_lerp_(&gradient, 1.0 - config.momentum)?;
        let update = gradient.f_lerp(&momentum, config.momentum)?;
        let length = learning_rate * matrix.rate * config.scale.factor(matrix.shape);
        let _moved = weight.f_add_(&(orthogonal(&update, config.iterations)?.f_mul_scalar(-length)?))?;
    }
    Ok(())
}

/// A matrix with the singular vectors of this one, and singular values near 1.
fn orthogonal(update: &Tensor, iterations: u32) -> Result<Tensor, TchError> {
    let size = update.size();
    let is_tall = size[0] > size[1];
    let x = if is_tall { update.f_transpose(0, 1)? } else { update.shallow_clone() };
    let norm = x.f_square()?.f_sum(Kind::Float)?.f_sqrt()?.f_add_scalar(EPSILON)?;
    let mut x = x.f_div(&norm)?;
    let [a, b, c] = QUINTIC;
    for _ in 0..iterations {
        let gram = x.f_matmul(&x.f_transpose(0, 1)?)?;
        let polynomial = gram.f_mul_scalar(b)?.f_add(&gram.f_matmul(&gram)?.f_mul_scalar(c)?)?;
        x = x.f_mul_scalar(a)?.f_add(&polynomial.f_matmul(&x)?)?;
    }
    if is_tall { x.f_transpose(0, 1) } else { Ok(x) }
}
