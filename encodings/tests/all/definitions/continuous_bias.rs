//! 16·σ(W₂·relu(W₁·x + b)) − 8 with x = sign(n)·log₈(1 + 8|n|/(N−1)), and cosines for products.

use super::*;
use encodings::continuous_bias::{Attention, Config};

fn bias(x: f64) -> f64 {
    16.0 / (1.0 + (-x).exp()) - 8.0
}

fn log_spaced(n: f64, squares: usize) -> f64 {
    let n = 8.0 * n / (squares as f64 - 1.0);
    n.signum() * (1.0 + n.abs()).log(8.0)
}

impl Definition for Config {
    /// So that the product of two, divided by √k, is τ times their cosine.
    fn rotate(&self, given: &Given<'_>, x_hlk: &[f64]) -> Vec<f64> {
        if self.attention == Attention::Dot {
            return x_hlk.to_vec();
        }
        let (s, k) = (given.of_layer("temperature"), given.head_width());
        let scaled = |(row, x): (usize, &[f64])| {
            let tau = s[row / given.len()].exp().min(100.0);
            let factor = (tau * (k as f64).sqrt()).sqrt() / dot(x, x).sqrt();
            x.iter().map(|x| x * factor).collect::<Vec<_>>()
        };
        x_hlk.chunks(k).enumerate().flat_map(scaled).collect()
    }

    fn after_scale(&self, given: &Given<'_>, _: &Board) -> Vec<f64> {
        let [inner, offset, outer] = ["hidden.weight", "hidden.bias", "out.weight"].map(|name| given.of_layer(name));
        let aux = if given.has_aux() { given.of_layer("aux") } else { vec![] };
        let board = given.tokens.geometry();
        given.of_pairs(|head, i, j| {
            let Some([ranks, files]) = displacement(given, i, j) else {
                return bias(aux_number(given, &aux, [head, i, j]));
            };
            let x = [log_spaced(ranks, board.ranks()), log_spaced(files, board.files())];
            let hidden: Vec<f64> = affine(&inner, Some(&offset), &x).into_iter().map(|u| u.max(0.0)).collect();
            bias(affine(&outer, None, &hidden)[head])
        })
    }
}
