//! b[bucket of ranks] + c[bucket of files].

use super::*;
use encodings::log_buckets::Config;
use std::collections::BTreeSet;

/// T5's bucket of an absolute displacement n > 0 along an axis of `squares`: the largest t below `buckets` for which n is
/// `exact` and at least (squares/exact)^((t − exact)/(buckets − exact)) times it, or n itself.
fn bucket(config: &Config, n: usize, squares: usize) -> usize {
    if n < config.exact {
        return n;
    }
    let steps = config.buckets - config.exact;
    let begins = |t: usize| {
        config.exact as f64 * (squares as f64 / config.exact as f64).powf((t - config.exact) as f64 / steps as f64)
    };
    (config.exact..config.buckets)
        .rev()
        .find(|&t| t == config.exact || n as f64 >= begins(t) - 1e-7)
        .unwrap_or(config.exact - 1)
}

/// The number of a bucket among those that an axis uses.
fn number(config: &Config, n: usize, squares: usize) -> usize {
    let used: BTreeSet<_> = (0..squares).map(|n| bucket(config, n, squares)).collect();
    used.iter().position(|&one| one == bucket(config, n, squares)).expect("it is used")
}

/// The column of a table, and how many columns it has.
fn column(config: &Config, displacement: f64, squares: usize) -> [usize; 2] {
    let last = number(config, squares - 1, squares) as i64;
    let own = number(config, displacement.abs() as usize, squares) as i64;
    [if displacement < 0.0 { last - own } else { last + own }, 2 * last + 1].map(|n| n as usize)
}

impl Definition for Config {
    fn after_scale(&self, given: &Given<'_>, _: &Board) -> Vec<f64> {
        let (rank, file) = (given.of_layer("rank"), given.of_layer("file"));
        let aux = if given.has_aux() { given.of_layer("aux") } else { vec![] };
        let board = given.tokens.geometry();
        given.of_pairs(|head, i, j| {
            let Some([ranks, files]) = displacement(given, i, j) else { return aux_number(given, &aux, [head, i, j]) };
            let entry = |table: &[f64], [column, columns]: [usize; 2]| table[head * columns + column];
            entry(&rank, column(self, ranks, board.ranks())) + entry(&file, column(self, files, board.files()))
        })
    }
}
