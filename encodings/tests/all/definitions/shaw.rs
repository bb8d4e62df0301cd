//! q_i·a^K_ij + k_j·a^Q_ij (+ a^Q_ij·a^K_ij) before the scale, Σ_j α_ij·a^V_ij in the output.

use super::*;
use encodings::displacements::PairSharing;
use encodings::shaw::{Config, Term};

/// The table that queries, keys or attention weights are multiplied with.
struct Vectors<'a> {
    table: Vec<f64>,
    given: &'a Given<'a>,
    share: PairSharing,
    by_key: bool,
}

impl Vectors<'_> {
    fn of(&self, head: usize, i: usize, j: usize) -> &[f64] {
        let (l, k) = (self.given.len(), self.given.head_width());
        let class = match self.share {
            PairSharing::Displacement => displacement_class(self.given, i, j),
            // The keys' table is stored by key.
            PairSharing::Pair if self.by_key => j * l + i,
            PairSharing::Pair => i * l + j,
        };
        self.given.row(&self.table, head * classes(self.share, self.given.tokens) + class, k)
    }
}

fn vectors<'a>(config: &Config, given: &'a Given<'a>, term: Term) -> Option<Vectors<'a>> {
    let (name, by_key) = match term {
        Term::Q => ("q", false),
        Term::K => ("k", true),
        Term::V => ("v", false),
    };
    config.terms.contains(&term).then(|| Vectors { table: given.of_layer(name), given, share: config.share, by_key })
}

impl Definition for Config {
    fn macs(&self, dims: Dims, tokens: &Tokens) -> usize {
        dims.layers * self.terms.len() * tokens.len() * tokens.len() * dims.width
    }

    fn before_scale(&self, given: &Given<'_>, board: &Board) -> Vec<f64> {
        let (of_queries, of_keys) = (vectors(self, given, Term::Q), vectors(self, given, Term::K));
        let (l, k) = (given.len(), given.head_width());
        given.of_pairs(|head, i, j| {
            let q_i = given.row(&board.q_hlk, head * l + i, k);
            let k_j = given.row(&board.k_hlk, head * l + j, k);
            let (a_k, a_q) =
                (of_queries.as_ref().map(|a| a.of(head, i, j)), of_keys.as_ref().map(|a| a.of(head, i, j)));
            let cross = match (self.cross, a_q, a_k) {
                (true, Some(a_q), Some(a_k)) => dot(a_q, a_k),
                _ => 0.0,
            };
            a_k.map_or(0.0, |a_k| dot(q_i, a_k)) + a_q.map_or(0.0, |a_q| dot(k_j, a_q)) + cross
        })
    }

    fn values(&self, given: &Given<'_>, board: &Board) -> Vec<f64> {
        let (l, k) = (given.len(), given.head_width());
        let mut sums = vec![0.0; given.heads() * l * k];
        if let Some(a_v) = vectors(self, given, Term::V) {
            for pair in 0..given.heads() * l * l {
                let (head, i, j) = (pair / l / l, pair / l % l, pair % l);
                for (channel, a) in a_v.of(head, i, j).iter().enumerate() {
                    sums[(head * l + i) * k + channel] += board.weights_hll[pair] * a;
                }
            }
        }
        sums
    }
}
