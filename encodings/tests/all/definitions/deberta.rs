//! (q_i·K_δ(i,j) + k_j·Q_δ(j,i))/√3 before the scale, and queries and keys so that their product is divided by √3 too.

use super::*;
use encodings::deberta::Config;

impl Definition for Config {
    fn macs(&self, dims: Dims, tokens: &Tokens) -> usize {
        dims.layers * 2 * tokens.len() * tokens.len() * dims.width
    }

    fn rotate(&self, _: &Given<'_>, x_hlk: &[f64]) -> Vec<f64> {
        x_hlk.iter().map(|x| x / 3f64.sqrt().sqrt()).collect()
    }

    fn before_scale(&self, given: &Given<'_>, board: &Board) -> Vec<f64> {
        let (l, k, d) = (given.len(), given.head_width(), given.width());
        let embeddings = given.parameter("embeddings");
        let projected = |name: &str| -> Vec<Vec<f64>> {
            let weight = given.of_layer(&format!("{name}.weight"));
            embeddings.chunks(d).map(|row| affine(&weight, None, row)).collect()
        };
        let (keys, queries) = (projected("to_keys"), projected("to_queries"));
        given.of_pairs(|head, i, j| {
            let of_head = |row: &[f64]| row[head * k..(head + 1) * k].to_vec();
            let relative_key = of_head(&keys[displacement_class(given, i, j)]);
            let relative_query = of_head(&queries[displacement_class(given, j, i)]);
            let q_i = given.row(&board.q_hlk, head * l + i, k);
            let k_j = given.row(&board.k_hlk, head * l + j, k);
            (dot(q_i, &relative_key) + dot(k_j, &relative_query)) / 3f64.sqrt()
        })
    }
}
