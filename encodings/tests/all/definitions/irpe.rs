//! Tables of buckets of displacements, by the piecewise function of each axis: products before the scale and in the output,
//! numbers after it.

use super::*;
use encodings::irpe::{Config, Heads, Method, Term};

/// g(x), eq. 18: a whole number between −⌊β⌋ and ⌊β⌋.
fn piecewise(config: &Config, x: f64) -> i64 {
    if x.abs() <= config.alpha {
        return x.round() as i64;
    }
    let (alpha, beta, gamma) = (config.alpha, config.beta, config.gamma);
    let place = (alpha + (x.abs() / alpha).ln() / (gamma / alpha).ln() * (beta - alpha)).round().min(beta);
    (x.signum() * place).trunc() as i64
}

/// Which row of which part each pair reads: `(part, row)`.
fn rows(config: &Config, given: &Given<'_>, i: usize, j: usize) -> Vec<(&'static str, usize)> {
    let half = config.beta.floor() as i64;
    let side = 2 * half + 1;
    let parts = if config.method == Method::Product { vec!["table"] } else { vec!["ranks", "files"] };
    let on_board = if config.method == Method::Product { side * side } else { side };
    let (Some(to), Some(from)) = (given.place(i), given.place(j)) else {
        return parts.into_iter().map(|part| (part, on_board as usize + aux_class(given, i, j))).collect();
    };
    let [r, c] = [0, 1].map(|axis| piecewise(config, to[axis] as f64 - from[axis] as f64) + half);
    match config.method {
        Method::Product => vec![("table", (r * side + c) as usize)],
        Method::Cross => vec![("ranks", r as usize), ("files", c as usize)],
    }
}

/// Rows of one part of a table.
fn count(config: &Config, tokens: &Tokens) -> usize {
    let side = 2 * config.beta.floor() as usize + 1;
    let on_board = if config.method == Method::Product { side * side } else { side };
    on_board + if tokens.len() > tokens.geometry().squares() { 3 } else { 0 }
}

/// The vector of every pair, `[h,l,l]` in order; `None` without the term.
fn vectors(config: &Config, given: &Given<'_>, term: Term, name: &str) -> Option<Vec<Vec<f64>>> {
    config.terms.contains(&term).then_some(())?;
    let width = if term == Term::Bias { 1 } else { given.head_width() };
    let (l, count) = (given.len(), count(config, given.tokens));
    let parts = if config.method == Method::Product { vec!["table"] } else { vec!["ranks", "files"] };
    let tables: Vec<_> = parts.iter().map(|part| (*part, given.of_layer(&format!("{name}.{part}")))).collect();
    let of_pair = |place: usize| {
        let head = if config.heads == Heads::Shared { 0 } else { place / l / l };
        let mut vector = vec![0.0; width];
        for (part, row) in rows(config, given, place / l % l, place % l) {
            let (_, table) = tables.iter().find(|(name, _)| *name == part).expect("a part");
            for (sum, entry) in vector.iter_mut().zip(given.row(table, head * count + row, width)) {
                *sum += entry;
            }
        }
        vector
    };
    Some((0..given.heads() * l * l).map(of_pair).collect())
}

impl Definition for Config {
    fn macs(&self, dims: Dims, tokens: &Tokens) -> usize {
        let products = self.terms.iter().filter(|term| **term != Term::Bias).count();
        dims.layers * products * tokens.len() * tokens.len() * dims.width
    }

    fn before_scale(&self, given: &Given<'_>, board: &Board) -> Vec<f64> {
        let (of_queries, of_keys) = (vectors(self, given, Term::Q, "q"), vectors(self, given, Term::K, "k"));
        let (l, k) = (given.len(), given.head_width());
        given.of_pairs(|head, i, j| {
            let pair = (head * l + i) * l + j;
            let of_query = of_queries.as_ref().map_or(0.0, |a| dot(&a[pair], given.row(&board.q_hlk, head * l + i, k)));
            let of_key = of_keys.as_ref().map_or(0.0, |a| dot(&a[pair], given.row(&board.k_hlk, head * l + j, k)));
            of_query + of_key
        })
    }

    fn after_scale(&self, given: &Given<'_>, _: &Board) -> Vec<f64> {
        let (l, bias) = (given.len(), vectors(self, given, Term::Bias, "bias"));
        given.of_pairs(|head, i, j| bias.as_ref().map_or(0.0, |bias| bias[(head * l + i) * l + j][0]))
    }

    fn values(&self, given: &Given<'_>, board: &Board) -> Vec<f64> {
        let (l, k) = (given.len(), given.head_width());
        let mut sums = vec![0.0; given.heads() * l * k];
        for (pair, vector) in vectors(self, given, Term::V, "v").into_iter().flatten().enumerate() {
            for (channel, a) in vector.iter().enumerate() {
                sums[pair / l * k + channel] += board.weights_hll[pair] * a;
            }
        }
        sums
    }
}
