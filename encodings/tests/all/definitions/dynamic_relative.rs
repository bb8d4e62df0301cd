//! r_ij = P_i·w_j with w = W₂·u and u = W₁·flat(x), before the scale or after it.

use super::*;
use encodings::dynamic_relative::{BottleneckNorm, Config, KeySharing};

fn term(config: &Config, given: &Given<'_>, board: &Board) -> Vec<f64> {
    let (l, k) = (given.len(), given.head_width());
    let mut u = affine(&given.of_layer("down.weight"), None, &board.x_ld);
    if config.inside != BottleneckNorm::None {
        u = layer_norm(&u, &given.of_layer("norm.gain"), &given.of_layer("norm.bias"));
    }
    if config.inside == BottleneckNorm::LayerNormRelu {
        u = u.into_iter().map(|u| u.max(0.0)).collect();
    }
    let (w, position) = (affine(&given.of_layer("up.weight"), None, &u), given.of_layer("position"));
    given.of_pairs(|head, i, j| {
        let generated = if config.share == KeySharing::All { 0 } else { head };
        (0..k).map(|c| position[(head * l + i) * k + c] * w[(generated * k + c) * l + j]).sum()
    })
}

impl Definition for Config {
    fn macs(&self, dims: Dims, tokens: &Tokens) -> usize {
        let board = tokens.len() * dims.width;
        let generated = if self.share == KeySharing::All { board / dims.heads } else { board };
        dims.layers * ((board + generated) * self.bottleneck + tokens.len() * board)
    }

    fn before_scale(&self, given: &Given<'_>, board: &Board) -> Vec<f64> {
        if self.scaled { term(self, given, board) } else { given.of_pairs(|_, _, _| 0.0) }
    }

    fn after_scale(&self, given: &Given<'_>, board: &Board) -> Vec<f64> {
        if self.scaled { given.of_pairs(|_, _, _| 0.0) } else { term(self, given, board) }
    }
}
