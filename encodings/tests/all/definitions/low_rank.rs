//! Σ_r (W·x_i + b)_hr·D_r[class of i and j] after the scale, and the same with x_j.

use super::*;
use encodings::displacements::PairSharing;
use encodings::low_rank::Config;
use encodings::shaw::Term;

impl Definition for Config {
    fn macs(&self, dims: Dims, tokens: &Tokens) -> usize {
        let of_term = dims.heads * self.rank * tokens.len() * (dims.width + tokens.len());
        dims.layers * self.terms.len() * of_term
    }

    fn after_scale(&self, given: &Given<'_>, board: &Board) -> Vec<f64> {
        let (l, count) = (given.len(), classes(PairSharing::Displacement, given.tokens));
        let mut sums = vec![0.0; given.heads() * l * l];
        for term in &self.terms {
            let name = if *term == Term::Q { "q" } else { "k" };
            let [weight, bias, curves] = ["weights.weight", "weights.bias", "curves"]
                .map(|parameter| given.of_layer(&format!("{name}.{parameter}")));
            let mixtures: Vec<Vec<f64>> =
                board.x_ld.chunks(given.width()).map(|x| affine(&weight, Some(&bias), x)).collect();
            let of_pairs = given.of_pairs(|head, i, j| {
                let mixture = &mixtures[if *term == Term::Q { i } else { j }];
                let class = displacement_class(given, i, j);
                (0..self.rank).map(|r| mixture[head * self.rank + r] * curves[r * count + class]).sum()
            });
            sums.iter_mut().zip(of_pairs).for_each(|(sum, term)| *sum += term);
        }
        sums
    }
}
