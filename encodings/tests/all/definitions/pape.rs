//! Σ_m −a_im·p_m² + b_im·p_m before the scale, p_m being the displacement along direction m.

use super::*;
use encodings::pape::Config;

impl Definition for Config {
    fn macs(&self, dims: Dims, tokens: &Tokens) -> usize {
        let of_token = self.parabolas * (2 * dims.width + 5);
        dims.layers * dims.heads * tokens.len() * (of_token + 5 * tokens.len())
    }

    fn before_scale(&self, given: &Given<'_>, board: &Board) -> Vec<f64> {
        let (directions, weight) = (given.of_layer("directions"), given.of_layer("choice.weight"));
        let count = given.heads() * self.parabolas;
        let choices: Vec<Vec<f64>> = board.x_ld.chunks(given.width()).map(|x| affine(&weight, None, x)).collect();
        given.of_pairs(|head, i, j| {
            let Some([ranks, files]) = displacement(given, i, j) else { return 0.0 };
            let of_parabola = |m: usize| {
                let place = head * self.parabolas + m;
                let along = directions[place] * ranks + directions[count + place] * files;
                let opening = choices[i][place].exp().ln_1p();
                choices[i][count + place] * along - opening * along * along
            };
            (0..self.parabolas).map(of_parabola).sum()
        })
    }
}
