//! A number per head and class of pairs, after the scale.

use super::*;
use encodings::displacements::PairSharing;
use encodings::relative_bias::Config;

impl Definition for Config {
    fn after_scale(&self, given: &Given<'_>, _: &Board) -> Vec<f64> {
        let (bias, count) = (given.of_layer("bias"), classes(self.share, given.tokens));
        given.of_pairs(|head, i, j| {
            let class = match self.share {
                PairSharing::Displacement => displacement_class(given, i, j),
                PairSharing::Pair => i * given.len() + j,
            };
            bias[head * count + class]
        })
    }
}
