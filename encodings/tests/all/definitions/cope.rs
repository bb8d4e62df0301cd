//! q_i·e[p_ij] before the scale, with p_ij the sum of σ(q_i·k_m/√k) along the ray, walked step by step.

use super::*;
use encodings::cope::{Config, OffRay};

/// The squares that a queen passes from one square to another, the last included; `None` if she cannot go there.
fn way([rank, file]: [usize; 2], to: [usize; 2]) -> Option<Vec<[usize; 2]>> {
    let (mut place, mut way) = ([rank as i64, file as i64], vec![]);
    let goal = to.map(|coordinate| coordinate as i64);
    let distances = [(goal[0] - place[0]).abs(), (goal[1] - place[1]).abs()];
    if distances[0] != 0 && distances[1] != 0 && distances[0] != distances[1] {
        return None;
    }
    while place != goal {
        place = [0, 1].map(|axis| place[axis] + (goal[axis] - place[axis]).signum());
        way.push(place.map(|coordinate| coordinate as usize));
    }
    Some(way)
}

impl Definition for Config {
    fn macs(&self, dims: Dims, tokens: &Tokens) -> usize {
        let l = tokens.len();
        let vectors = self.positions + if self.off_ray == OffRay::Learned { 1 } else { 0 };
        dims.layers * (l * l * dims.width + dims.heads * l * l * l + l * dims.width * vectors)
    }

    fn before_scale(&self, given: &Given<'_>, board: &Board) -> Vec<f64> {
        let (l, k) = (given.len(), given.head_width());
        let vectors = given.of_layer("positions");
        let off_ray = (self.off_ray == OffRay::Learned).then(|| given.of_layer("off_ray"));
        let token_at = |place| (0..l).find(|&token| given.place(token) == Some(place)).expect("a square");
        given.of_pairs(|head, i, j| {
            let (Some(from), Some(to)) = (given.place(i), given.place(j)) else { return 0.0 };
            let q_i = given.row(&board.q_hlk, head * l + i, k);
            let Some(way) = way(from, to) else { return off_ray.as_ref().map_or(0.0, |vector| dot(q_i, vector)) };
            let gate = |place| {
                let logit = dot(q_i, given.row(&board.k_hlk, head * l + token_at(place), k)) / (k as f64).sqrt();
                1.0 / (1.0 + (-logit).exp())
            };
            let position = way.into_iter().map(gate).sum::<f64>().min((self.positions - 1) as f64);
            let at = |row: usize| dot(q_i, given.row(&vectors, row.min(self.positions - 1), k));
            let below = position.floor();
            at(below as usize) * (1.0 - (position - below)) + at(below as usize + 1) * (position - below)
        })
    }
}
