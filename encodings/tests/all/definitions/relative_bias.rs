//! A number per head and class of pairs, after the scale.

use super::*;
use encodings::displacements::Share;
use encodings::relative_bias::Config;

impl Definition for Config {
    fn after_scale(&self, given: &Given<'_>, _: &Board) -> Vec<f64> {
        let (bias, count) = (given.of_layer("bias"), classes(self.share, given.tokens));
        given.of_pairs(|head, i, j| {
            let class = match self.share {
                Share::Displacement => displacement_class(given, i, j),
                Share::Pair => i * given.len() + j,
            };
            bias[head * count + class]
        })
    }
}
