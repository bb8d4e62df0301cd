//! x + c, at the input or at every layer, or x·max(m, 0) + a.

use super::*;
use encodings::absolute::{Config, InjectAt, VectorTable};

/// sin(p·f), then cos(p·f), with f = 10000^(−2i/width) for i below half the width.
fn sines(position: usize, width: usize) -> Vec<f64> {
    let angle = |i: usize| position as f64 / 10_000f64.powf((2 * i) as f64 / width as f64);
    (0..width / 2).map(|i| angle(i).sin()).chain((0..width / 2).map(|i| angle(i).cos())).collect()
}

/// The vector of a token; parameters are below `scope`.
fn vector(table: VectorTable, given: &Given<'_>, scope: &str, token: usize) -> Vec<f64> {
    let d = given.width();
    let row = |name: &str, row: usize| given.row(&given.parameter(&format!("{scope}{name}")), row, d).to_vec();
    let number_of_aux = (0..token).filter(|&before| given.place(before).is_none()).count();
    match (table, given.place(token)) {
        (VectorTable::Learned, _) => row("table", token),
        (VectorTable::Factorised, None) => row("aux", number_of_aux),
        (VectorTable::Factorised, Some([rank, file])) => {
            row("rank", rank).iter().zip(row("file", file)).map(|(r, f)| r + f).collect()
        }
        (VectorTable::Sinusoidal1d | VectorTable::Sinusoidal2d, None) => vec![0.0; d],
        (VectorTable::Sinusoidal1d, Some([rank, file])) => sines(rank * given.tokens.geometry().files() + file, d),
        (VectorTable::Sinusoidal2d, Some([rank, file])) => [sines(rank, d / 2), sines(file, d / 2)].concat(),
    }
}

fn plus_vectors(table: VectorTable, given: &Given<'_>, scope: &str, x_ld: &[f64]) -> Vec<f64> {
    let vectors = (0..given.len()).flat_map(|token| vector(table, given, scope, token));
    x_ld.iter().zip(vectors).map(|(x, c)| x + c).collect()
}

impl Definition for Config {
    fn embed(&self, given: &Given<'_>, x_ld: &[f64]) -> Vec<f64> {
        match self.at {
            InjectAt::EveryLayer => x_ld.to_vec(),
            InjectAt::Input => plus_vectors(self.table, given, "", x_ld),
            InjectAt::Gate => {
                let (factor, summand) = (given.parameter("factor"), given.parameter("summand"));
                assert!(factor.iter().any(|m| *m < 0.0), "some gate must be closed");
                x_ld.iter().zip(factor.iter().zip(summand)).map(|(x, (m, a))| x * m.max(0.0) + a).collect()
            }
        }
    }

    fn attend(&self, given: &Given<'_>, x_ld: &[f64]) -> [Vec<f64>; 2] {
        if self.at != InjectAt::EveryLayer {
            return [x_ld.to_vec(), x_ld.to_vec()];
        }
        let qk = plus_vectors(self.table, given, "layer.1.", x_ld);
        let v = if self.values { qk.clone() } else { x_ld.to_vec() };
        [qk, v]
    }
}
