//! x + Wᵀ·f with eigenvectors of I − D^(−1/2)·A·D^(−1/2), found by Jacobi's rotations.

use super::*;
use encodings::laplacian::{Config, Graph};
use games::Geometry;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// Whether a piece could move by this many ranks and files.
fn joined(graph: Graph, up: usize, right: usize) -> bool {
    match graph {
        Graph::King => up.max(right) == 1,
        Graph::Rook => up.min(right) == 0 && up + right > 0,
        Graph::Bishop => up == right && up > 0,
        Graph::Knight => (up, right) == (1, 2) || (up, right) == (2, 1),
    }
}

fn laplacian(graph: Graph, board: Geometry) -> Vec<Vec<f64>> {
    let n = board.files() * board.ranks();
    let joined = |a: usize, b: usize| {
        let apart = |of: &dyn Fn(usize) -> usize| of(a).abs_diff(of(b));
        joined(graph, apart(&|square| square / board.files()), apart(&|square| square % board.files()))
    };
    let degree = |a: usize| (0..n).filter(|&b| joined(a, b)).count() as f64;
    let degrees: Vec<f64> = (0..n).map(degree).collect();
    let entry = |a: usize, b: usize| match (a == b, joined(a, b)) {
        (true, _) => 1.0,
        (false, true) => -1.0 / (degrees[a] * degrees[b]).sqrt(),
        (false, false) => 0.0,
    };
    (0..n).map(|a| (0..n).map(|b| entry(a, b)).collect()).collect()
}

/// Eigenvalues and eigenvectors of a symmetric matrix, the smallest first.
fn eigen(mut matrix: Vec<Vec<f64>>) -> Vec<(f64, Vec<f64>)> {
    let n = matrix.len();
    let mut vectors: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    while (0..n).any(|p| (p + 1..n).any(|q| matrix[p][q].abs() > 1e-14)) {
        for p in 0..n {
            for q in p + 1..n {
                if matrix[p][q].abs() < 1e-15 {
                    continue;
                }
                // The angle that makes entry (p, q) zero.
                let angle = (2.0 * matrix[p][q]).atan2(matrix[q][q] - matrix[p][p]) / 2.0;
                let (sin, cos) = angle.sin_cos();
                let turn = |a: f64, b: f64| (cos * a - sin * b, sin * a + cos * b);
                for row in &mut matrix {
                    (row[p], row[q]) = turn(row[p], row[q]);
                }
                for i in 0..n {
                    (matrix[p][i], matrix[q][i]) = turn(matrix[p][i], matrix[q][i]);
                    (vectors[p][i], vectors[q][i]) = turn(vectors[p][i], vectors[q][i]);
                }
            }
        }
    }
    let mut all: Vec<_> = vectors.into_iter().enumerate().map(|(i, vector)| (matrix[i][i], vector)).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    all
}

/// All vectors with eigenvalues above 0, of each eigenvalue those that the squares give in turn.
fn basis(graph: Graph, board: Geometry) -> Vec<Vec<f64>> {
    let all: Vec<_> = eigen(laplacian(graph, board)).into_iter().filter(|(value, _)| *value > 1e-8).collect();
    let mut basis: Vec<Vec<f64>> = vec![];
    for space in all.chunk_by(|a, b| b.0 - a.0 < 1e-8) {
        let first = basis.len();
        for square in 0..board.files() * board.ranks() {
            // The projection of the square onto what is left of the space: onto the space, less its parts along the vectors
            // that were found.
            let mut left: Vec<f64> = (0..space[0].1.len())
                .map(|entry| space.iter().map(|(_, vector)| vector[square] * vector[entry]).sum())
                .collect();
            for found in &basis[first..] {
                let along = found[square];
                left.iter_mut().zip(found).for_each(|(left, found)| *left -= along * found);
            }
            let length = dot(&left, &left).sqrt();
            if length > 1e-6 {
                basis.push(left.iter().map(|entry| entry / length).collect());
            }
        }
        assert_eq!(basis.len() - first, space.len(), "a basis has as many vectors as the eigenvalue");
    }
    basis
}

type Basis = Rc<Vec<Vec<f64>>>;

thread_local! {
    static KNOWN: RefCell<HashMap<(String, usize), Basis>> = RefCell::default();
}

fn known_basis(graph: Graph, board: Geometry) -> Basis {
    let key = (format!("{graph:?}"), board.files());
    KNOWN.with_borrow_mut(|known| Rc::clone(known.entry(key).or_insert_with(|| Rc::new(basis(graph, board)))))
}

impl Definition for Config {
    fn embed(&self, given: &Given<'_>, x_ld: &[f64]) -> Vec<f64> {
        let (board, d) = (given.tokens.geometry(), given.width());
        let (basis, projection) = (known_basis(self.graph, board), given.parameter("projection"));
        let scale = ((board.files() * board.ranks()) as f64).sqrt();
        let added = |token: usize, channel: usize| match given.place(token) {
            None => 0.0,
            Some([rank, file]) => (0..self.vectors)
                .map(|v| basis[v][rank * board.files() + file] * scale * projection[v * d + channel])
                .sum(),
        };
        x_ld.iter().enumerate().map(|(place, x)| x + added(place / d, place % d)).collect()
    }
}
