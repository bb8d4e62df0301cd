//! Pairs of channels rotated by angles.

use crate::Constant;
use crate::fused::rotation::rotated;
use tch::{Kind, Tensor};

/// A rotation of the channels (0,1), (2,3), … of vectors, each pair by its own angle.
#[derive(Debug)]
pub struct Rotation {
    /// The matrix J `[k,k]` with (x₀, x₁, …)·J = (−x₁, x₀, …): one small product instead of strided slices.
    swap: Constant,
}

impl Rotation {
    /// Of vectors of this width, k.
    pub fn new(width: usize) -> Self {
        let swap = move || {
            let mut swap = vec![0f32; width * width];
            for first in (0..width).step_by(2) {
                swap[(first + 1) * width + first] = -1.0;
                swap[first * width + first + 1] = 1.0;
            }
            swap
        };
        Self { swap: Constant::floats_from(&[width as i64; 2], swap) }
    }

    /// Vectors `[b,h,l,k]` rotated by angles whose cosines and sines broadcast to this shape; in the element type of `x_bhlk`,
    /// computed in f32.
    pub fn apply(&self, x_bhlk: &Tensor, cosine: &Tensor, sine: &Tensor) -> Tensor {
        if let Some(found) = rotated(x_bhlk, cosine, sine) {
            return found;
        }
        let x = x_bhlk.to_kind(Kind::Float);
        (&x * cosine + x.matmul(&self.swap.on(x.device())) * sine).to_kind(x_bhlk.kind())
    }
}
