//! exp(rank/(R−1)·A + file/(F−1)·B) of each block, by its power series, times queries and keys.

use super::*;
use encodings::liere::Config;

/// The product of two matrices of this width, row by row.
fn product(a: &[f64], b: &[f64], m: usize) -> Vec<f64> {
    (0..m * m).map(|at| (0..m).map(|i| a[at / m * m + i] * b[i * m + at % m]).sum()).collect()
}

/// The exponential: Σ_n (M/2^s)ⁿ/n!, squared s times.
fn exponential(matrix: &[f64], m: usize) -> Vec<f64> {
    const HALVINGS: i32 = 10;
    let small: Vec<f64> = matrix.iter().map(|x| x / 2f64.powi(HALVINGS)).collect();
    let identity = |at: usize| if at.is_multiple_of(m + 1) { 1.0 } else { 0.0 };
    let mut term: Vec<f64> = (0..m * m).map(identity).collect();
    let mut sum = term.clone();
    for n in 1..12 {
        term = product(&term, &small, m).into_iter().map(|x| x / f64::from(n)).collect();
        sum.iter_mut().zip(&term).for_each(|(sum, x)| *sum += x);
    }
    (0..HALVINGS).fold(sum, |root, _| product(&root, &root, m))
}

impl Definition for Config {
    fn macs(&self, dims: Dims, tokens: &Tokens) -> usize {
        dims.layers * 2 * tokens.len() * dims.width * self.block.unwrap_or(dims.head_width())
    }

    fn rotate(&self, given: &Given<'_>, x_hlk: &[f64]) -> Vec<f64> {
        let (h, l, k) = (given.heads(), given.len(), given.head_width());
        let m = self.block.unwrap_or(k);
        let (blocks, numbers) = (k / m, m * (m - 1) / 2);
        let generators = given.of_layer("generators");
        // Element (row, column) of the generator of an axis; above the diagonal column by column.
        let element = |axis: usize, of: usize, row: usize, column: usize| {
            let above = |row: usize, column: usize| {
                generators[(axis * h * blocks + of) * numbers + column * (column - 1) / 2 + row]
            };
            match row.cmp(&column) {
                std::cmp::Ordering::Less => above(row, column),
                std::cmp::Ordering::Equal => 0.0,
                std::cmp::Ordering::Greater => -above(column, row),
            }
        };
        let (last_rank, last_file) = (given.tokens.geometry().ranks() - 1, given.tokens.geometry().files() - 1);
        let rotate = |(place, x): (usize, &[f64])| {
            let (head, token, block) = (place / blocks / l, place / blocks % l, place % blocks);
            let Some([rank, file]) = given.place(token) else { return x.to_vec() };
            let shares = [rank as f64 / last_rank as f64, file as f64 / last_file as f64];
            let of = head * blocks + block;
            let at = |i: usize| (0..2).map(|axis| shares[axis] * element(axis, of, i / m, i % m)).sum::<f64>();
            let matrix: Vec<f64> = (0..m * m).map(at).collect();
            affine(&exponential(&matrix, m), None, x)
        };
        x_hlk.chunks(m).enumerate().flat_map(rotate).collect()
    }
}
