//! Pairs of channels rotated by angles.

use crate::fused::rotation::rotated;
use crate::pair_tables::contract;
use crate::{Backend, Constant};
use tch::{Kind, Tensor};

/// A rotation of the channels (0,1), (2,3), … of vectors, each pair by its own angle.
#[derive(Debug)]
pub struct Rotation {
    /// The matrix J `[k,k]` with (x₀, x₁, …)·J = (−x₁, x₀, …): one small product instead of strided slices.
    swap: Constant,
}

impl Rotation {
    /// For vectors of this width, k.
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
    /// computed in f32, or, on a GPU, by [`Self::by_products`].
    pub fn apply(&self, x_bhlk: &Tensor, cosine: &Tensor, sine: &Tensor) -> Tensor {
        if let Some(found) = rotated(x_bhlk, cosine, sine) {
            return found;
        }
        if Backend::on(x_bhlk.device()) == Backend::Fused && cosine.dim() <= 3 {
            return self.by_products(x_bhlk, cosine, sine);
        }
        let x = x_bhlk.to_kind(Kind::Float);
        (&x * cosine + x.matmul(&self.swap.on(x.device())) * sine).to_kind(x_bhlk.kind())
    }

    /// A product with a matrix for each token and head, given cosines `[l,k]` or `[h,l,k]`: vectors are read and written once, in
    /// their element type, to which the matrices are rounded.
    fn by_products(&self, x_bhlk: &Tensor, cosine: &Tensor, sine: &Tensor) -> Tensor {
        let heads = x_bhlk.size()[1];
        let matrices = cosine.diag_embed(0, -2, -1) + self.swap.on(x_bhlk.device()) * sine.unsqueeze(-2);
        let matrices = matrices.to_kind(x_bhlk.kind());
        let matrices_lhkk = match matrices.dim() {
            3 => matrices.unsqueeze(1).expand([-1, heads, -1, -1], false),
            _ => matrices.transpose(0, 1),
        };
        // In the order `[b,l,h,k]` the projections are read as they lie.
        contract(&x_bhlk.transpose(1, 2), &matrices_lhkk).transpose(1, 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tch::Device;

    #[test]
    fn products_with_matrices_rotate_as_sums_do() {
        let random = |shape: &[i64]| Tensor::rand(shape, (Kind::Float, Device::Cpu));
        let (rotation, x_bhlk) = (Rotation::new(4), random(&[2, 3, 5, 4]));
        for angles in [&[5, 4][..], &[3, 5, 4]] {
            let (cosine, sine) = (random(angles), random(angles));
            let apply = |backend: Backend| backend.run(|| rotation.apply(&x_bhlk, &cosine, &sine));
            let error = (apply(Backend::Fused) - apply(Backend::Operations)).abs().max().double_value(&[]);
            assert!(error < 1e-6, "{angles:?}: {error}");
        }
    }
}
