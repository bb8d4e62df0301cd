//! Solves symmetric positive definite systems of a few dozen unknowns.

/// A symmetric matrix; only its lower triangle is read.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Symmetric {
    size: usize,
    cells: Vec<f64>,
}

impl Symmetric {
    pub(crate) fn zero(size: usize) -> Self {
        Self { size, cells: vec![0.0; size * size] }
    }

    /// Adds to a cell of the lower triangle: `column` ≤ `row`.
    pub(crate) fn add(&mut self, row: usize, column: usize, value: f64) {
        self.cells[row * self.size + column] += value;
    }

    #[cfg(test)]
    pub(crate) fn at(&self, row: usize, column: usize) -> f64 {
        self.cells[row.max(column) * self.size + row.min(column)]
    }

    /// The solution `x` of `self · x = right`, by Cholesky's factors; none if the matrix is not positive definite.
    pub(crate) fn solve(mut self, right: &[f64]) -> Option<Vec<f64>> {
        let size = self.size;
        for column in 0..size {
            for row in column..size {
                let (above, below) = (&self.cells[column * size..][..column], &self.cells[row * size..][..column]);
                let left = self.cells[row * size + column] - dot(above, below);
                self.cells[row * size + column] = if row == column {
                    if left.is_nan() || left <= 0.0 {
                        return None;
                    }
                    left.sqrt()
                } else {
                    left / self.cells[column * size + column]
                };
            }
        }
        let mut x = right.to_vec();
        for row in 0..size {
            let known = dot(&self.cells[row * size..][..row], &x[..row]);
            x[row] = (x[row] - known) / self.cells[row * size + row];
        }
        for row in (0..size).rev() {
            let known: f64 = (row + 1..size).map(|below| self.cells[below * size + row] * x[below]).sum();
            x[row] = (x[row] - known) / self.cells[row * size + row];
        }
        Some(x)
    }
}

pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_is_solved_and_one_without_a_solution_refused() {
        let mut matrix = Symmetric::zero(3);
        for (row, column, value) in [(0, 0, 4.0), (1, 0, 2.0), (1, 1, 5.0), (2, 0, -1.0), (2, 1, 0.5), (2, 2, 3.0)] {
            matrix.add(row, column, value);
        }
        let wanted = [1.0, -2.0, 0.5];
        let right: Vec<f64> =
            (0..3).map(|row| (0..3).map(|column| matrix.at(row, column) * wanted[column]).sum()).collect();
        let solved = matrix.clone().solve(&right).expect("positive definite");
        assert!(solved.iter().zip(wanted).all(|(got, wanted)| (got - wanted).abs() < 1e-12), "{solved:?}");
        matrix.add(2, 2, -10.0);
        assert_eq!(matrix.solve(&right), None);
    }
}
