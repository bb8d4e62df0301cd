//! One linear map from the summary token to all pairs, for all heads and layers.

use super::*;
use encodings::Role;
use encodings::cls_map::{Config, MapTokens};

fn covered(config: &Config, tokens: &Tokens) -> Vec<usize> {
    let is_covered =
        |&token: &usize| config.tokens == MapTokens::All || matches!(tokens.roles()[token], Role::Square(_));
    (0..tokens.len()).filter(is_covered).collect()
}

impl Definition for Config {
    fn macs(&self, dims: Dims, tokens: &Tokens) -> usize {
        dims.layers * dims.width * covered(self, tokens).len().pow(2)
    }

    fn after_scale(&self, given: &Given<'_>, board: &Board) -> Vec<f64> {
        let summary = match given.tokens.roles().iter().position(|role| *role == Role::Cls) {
            Some(cls) => given.row(&board.x_ld, cls, given.width()).to_vec(),
            None => mean_of_squares(given, board),
        };
        let map = affine(&given.parameter("map.weight"), Some(&given.parameter("map.bias")), &summary);
        let covered = covered(self, given.tokens);
        let place = |token: usize| covered.iter().position(|&t| t == token);
        given.of_pairs(|_, i, j| match (place(i), place(j)) {
            (Some(i), Some(j)) => map[i * covered.len() + j],
            _ => 0.0,
        })
    }
}
