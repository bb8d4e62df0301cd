//! The sum of the numbers of all relations that hold, and of those of the line where a piece stands in between.

use super::*;
use encodings::relations::{Config, Gate};

const SIZES: [usize; 2] = [13, 4];

/// The relations of a key that stands `up` ranks and `right` files from the query, by walking.
fn relations(up: i64, right: i64) -> Vec<usize> {
    let mut held = vec![];
    match (up, right) {
        (0, 0) => held.push(0),
        (0, _) => held.push(1),
        (_, 0) => held.push(2),
        _ if up == right => held.push(3),
        _ if up == -right => held.push(4),
        _ => {}
    }
    held.extend(match (up, right.abs()) {
        (1, 0) => vec![5, 8],
        (-1, 0) => vec![5, 9],
        (0, 1) => vec![5, 10],
        (1, 1) => vec![5, 11],
        (-1, 1) => vec![5, 12],
        (2, 1) => vec![6, 7],
        (-2, 1) | (1 | -1, 2) => vec![6],
        _ => vec![],
    });
    held
}

/// The line of a pair and whether some square between its squares is occupied.
fn blocked_line(given: &Given<'_>, board: &Board, from: [usize; 2], up: i64, right: i64) -> Option<usize> {
    let line = *relations(up, right).iter().find(|relation| (1..=4).contains(*relation))? - 1;
    let files = given.tokens.geometry().files();
    let mut at = from.map(|coordinate| coordinate as i64);
    let end = [at[0] + up, at[1] + right];
    loop {
        at = [at[0] + up.signum(), at[1] + right.signum()];
        if at == end {
            return None;
        }
        if board.pieces[at[0] as usize * files + at[1] as usize] > 0.0 {
            return Some(line);
        }
    }
}

impl Definition for Config {
    /// Every square against every pair of squares on a line that are two or more steps apart.
    fn macs(&self, dims: Dims, tokens: &Tokens) -> usize {
        let (files, ranks) = (tokens.geometry().files() as i64, tokens.geometry().ranks() as i64);
        let far = (0..files * ranks).flat_map(|a| (0..a).map(move |b| (a / files - b / files, a % files - b % files)));
        let is_far = |&(up, right): &(i64, i64)| {
            up.abs().max(right.abs()) > 1 && relations(up, right).iter().any(|relation| (1..=4).contains(relation))
        };
        if self.gate == Gate::Board { dims.layers * (files * ranks) as usize * far.filter(is_far).count() } else { 0 }
    }

    fn after_scale(&self, given: &Given<'_>, board: &Board) -> Vec<f64> {
        let relation = given.of_layer("relation");
        let blocked = if self.gate == Gate::Board { given.of_layer("blocked") } else { vec![] };
        let aux = if given.has_aux() { given.of_layer("aux") } else { vec![] };
        given.of_pairs(|head, i, j| {
            let (Some(query), Some(key)) = (given.place(i), given.place(j)) else {
                return aux_number(given, &aux, [head, i, j]);
            };
            let [up, right] = [0, 1].map(|axis| key[axis] as i64 - query[axis] as i64);
            let held: f64 = relations(up, right).into_iter().map(|one| relation[SIZES[0] * head + one]).sum();
            let line = if blocked.is_empty() { None } else { blocked_line(given, board, query, up, right) };
            held + line.map_or(0.0, |line| blocked[SIZES[1] * head + line])
        })
    }
}
