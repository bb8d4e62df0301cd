//! Σ_c softplus(q_ic)·softplus(k_jc)·cos(φ_jc − φ_ic + δ_c) − q_i·k_j before the scale.

use super::*;
use encodings::pope::Config;

impl Definition for Config {
    fn macs(&self, dims: Dims, tokens: &Tokens) -> usize {
        3 * dims.layers * tokens.len() * tokens.len() * dims.width
    }

    fn before_scale(&self, given: &Given<'_>, board: &Board) -> Vec<f64> {
        let (l, k) = (given.len(), given.head_width());
        let shifts = given.of_layer("shift");
        let length = |x: f64| x.exp().ln_1p();
        let angle = |token: usize, channel: usize| {
            let [rank, file] = given.place(token).unwrap_or([0, 0]);
            let steps = if channel < k / 2 { rank } else { file };
            steps as f64 / self.theta.powf((channel % (k / 2)) as f64 * 2.0 / k as f64)
        };
        given.of_pairs(|head, i, j| {
            let q_i = given.row(&board.q_hlk, head * l + i, k);
            let k_j = given.row(&board.k_hlk, head * l + j, k);
            let of_channel =
                |c: usize| length(q_i[c]) * length(k_j[c]) * (angle(j, c) - angle(i, c) + shifts[head * k + c]).cos();
            (0..k).map(of_channel).sum::<f64>() - dot(q_i, k_j)
        })
    }
}
