//! P = (I + S)⁻¹(I − S) of each head, by elimination, then the rotation of `rope`.

use super::*;
use encodings::string::Config;

/// X with A·X = B, `[k,k]` each, by Gauss and Jordan with pivots.
fn solve(a: &[f64], b: &[f64], k: usize) -> Vec<f64> {
    let mut rows: Vec<Vec<f64>> = (0..k).map(|i| [&a[i * k..(i + 1) * k], &b[i * k..(i + 1) * k]].concat()).collect();
    for column in 0..k {
        let pivot = (column..k).max_by(|&x, &y| rows[x][column].abs().total_cmp(&rows[y][column].abs()));
        rows.swap(column, pivot.expect("a row is left"));
        let divided: Vec<f64> = rows[column].iter().map(|x| x / rows[column][column]).collect();
        for (i, row) in rows.iter_mut().enumerate() {
            let factor = row[column];
            for (x, from) in row.iter_mut().zip(&divided) {
                *x = if i == column { *from } else { *x - factor * from };
            }
        }
    }
    rows.into_iter().flat_map(|row| row[k..].to_vec()).collect()
}

/// P of a head, row by row.
fn matrix(given: &Given<'_>, head: usize) -> Vec<f64> {
    let k = given.head_width();
    let lower = given.of_layer("lower");
    let below = given.row(&lower, head, k * (k - 1) / 2);
    let s = |i: usize, j: usize| match i.cmp(&j) {
        std::cmp::Ordering::Equal => 0.0,
        std::cmp::Ordering::Greater => below[i * (i - 1) / 2 + j],
        std::cmp::Ordering::Less => -below[j * (j - 1) / 2 + i],
    };
    let with_sign = |sign: f64| -> Vec<f64> {
        (0..k * k).map(|place| if place % (k + 1) == 0 { 1.0 } else { sign * s(place / k, place % k) }).collect()
    };
    solve(&with_sign(1.0), &with_sign(-1.0), k)
}

impl Definition for Config {
    fn macs(&self, dims: Dims, tokens: &Tokens) -> usize {
        dims.layers * 2 * tokens.len() * dims.heads * (dims.width / dims.heads).pow(2)
    }

    fn rotate(&self, given: &Given<'_>, x_hlk: &[f64]) -> Vec<f64> {
        let (l, k) = (given.len(), given.head_width());
        let of_head = |(head, x_lk): (usize, &[f64])| -> Vec<f64> {
            let matrix = matrix(given, head);
            x_lk.chunks(k).flat_map(|x| affine(&matrix, None, x)).collect()
        };
        let mixed: Vec<f64> = x_hlk.chunks(l * k).enumerate().flat_map(of_head).collect();
        self.rotation.rotate(given, &mixed)
    }
}
