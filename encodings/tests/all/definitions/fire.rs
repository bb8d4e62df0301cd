//! W₂·relu(W₁·[ψ(Δrank)/ψ(R), ψ(Δfile)/ψ(F)] + b), ψ(n) = sign(n)·ln(c|n| + 1).

use super::*;
use encodings::fire::Config;

impl Definition for Config {
    fn after_scale(&self, given: &Given<'_>, _: &Board) -> Vec<f64> {
        let c = given.of_layer("c")[0].abs() + 1e-6;
        let psi = |n: f64| if n < 0.0 { -(1.0 - c * n).ln() } else { (1.0 + c * n).ln() };
        let [inner, bias, outer] = ["hidden.weight", "hidden.bias", "out.weight"].map(|name| given.of_layer(name));
        let aux = if given.has_aux() { given.of_layer("aux") } else { vec![] };
        let board = given.tokens.geometry();
        given.of_pairs(|head, i, j| {
            let Some([ranks, files]) = displacement(given, i, j) else { return aux_number(given, &aux, [head, i, j]) };
            let x = [psi(ranks) / psi(board.ranks() as f64), psi(files) / psi(board.files() as f64)];
            let hidden: Vec<f64> = affine(&inner, Some(&bias), &x).into_iter().map(|u| u.max(0.0)).collect();
            affine(&outer, None, &hidden)[head]
        })
    }
}
