//! Σ_n K[n]·v_(i+n) over the square itself and its neighbours.

use super::*;
use encodings::lepe::Config;

impl Definition for Config {
    fn macs(&self, dims: Dims, tokens: &Tokens) -> usize {
        9 * dims.width * dims.layers * tokens.geometry().files() * tokens.geometry().ranks()
    }

    fn values(&self, given: &Given<'_>, board: &Board) -> Vec<f64> {
        let (kernel, l, k) = (given.of_layer("kernel"), given.len(), given.head_width());
        let mut sums = vec![0.0; given.heads() * l * k];
        for (place, sum) in sums.iter_mut().enumerate() {
            let (head, i, channel) = (place / k / l, place / k % l, place % k);
            for j in 0..l {
                let (Some(here), Some(there)) = (given.place(i), given.place(j)) else { continue };
                let [up, right] = [0, 1].map(|axis| there[axis] as i64 - here[axis] as i64);
                if up.abs() <= 1 && right.abs() <= 1 {
                    let weight = kernel[9 * (head * k + channel) + (3 * (up + 1) + right + 1) as usize];
                    *sum += weight * board.v_hlk[(head * l + j) * k + channel];
                }
            }
        }
        sums
    }
}
