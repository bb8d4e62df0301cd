//! Queries and keys as in `rope`; Σ_j α_ij (R(p_j − p_i)·v_j − v_j) in the output.

use super::rope::angle;
use super::*;
use encodings::rove::Config;

impl Definition for Config {
    fn macs(&self, dims: Dims, tokens: &Tokens) -> usize {
        2 * dims.layers * tokens.len() * tokens.len() * dims.width
    }

    fn rotate(&self, given: &Given<'_>, x_hlk: &[f64]) -> Vec<f64> {
        self.rotation.rotate(given, x_hlk)
    }

    fn values(&self, given: &Given<'_>, board: &Board) -> Vec<f64> {
        let (h, l, pairs) = (given.heads(), given.len(), given.head_width() / 2);
        let angles: Vec<f64> = (0..h * l * pairs)
            .map(|place| angle(&self.rotation, given, [place / pairs / l, place / pairs % l, place % pairs]))
            .collect();
        let mut sums = vec![0.0; h * l * 2 * pairs];
        for place in 0..h * l * pairs {
            let (row, pair) = (place / pairs, place % pairs);
            for j in 0..l {
                let from = (row / l * l + j) * pairs + pair;
                let (sin, cos) = (angles[from] - angles[place]).sin_cos();
                let (weight, a, b) = (board.weights_hll[row * l + j], board.v_hlk[2 * from], board.v_hlk[2 * from + 1]);
                sums[2 * place] += weight * (a * cos - b * sin - a);
                sums[2 * place + 1] += weight * (a * sin + b * cos - b);
            }
        }
        sums
    }
}
