//! Linear equations with a symmetric positive definite matrix: Cholesky's method.
//!
//! Golub & Van Loan, "Matrix Computations" (2013), section 4.2.

/// The lower triangle `L` of a matrix that is `L·Lᵀ`.
pub(super) struct Cholesky(Vec<Vec<f64>>);

impl Cholesky {
    /// None if the matrix is not positive definite.
    pub(super) fn of(matrix: &[Vec<f64>]) -> Option<Self> {
        let size = matrix.len();
        let mut lower = vec![vec![0.0; size]; size];
        for row in 0..size {
            for column in 0..=row {
                let known: f64 = (0..column).map(|k| lower[row][k] * lower[column][k]).sum();
                let rest = matrix[row][column] - known;
                // A rest of the diagonal within rounding is zero.
                if row == column
                    && rest.partial_cmp(&(f64::EPSILON * matrix[row][row])) != Some(std::cmp::Ordering::Greater)
                {
                    return None;
                }
                lower[row][column] = if row == column { rest.sqrt() } else { rest / lower[column][column] };
            }
        }
        Some(Self(lower))
    }

    /// The solution of `matrix · x = right`.
    pub(super) fn solve(&self, right: &[f64]) -> Vec<f64> {
        let (lower, size) = (&self.0, right.len());
        let mut x = right.to_vec();
        for row in 0..size {
            let known: f64 = (0..row).map(|k| lower[row][k] * x[k]).sum();
            x[row] = (x[row] - known) / lower[row][row];
        }
        for row in (0..size).rev() {
            let known: f64 = (row + 1..size).map(|k| lower[k][row] * x[k]).sum();
            x[row] = (x[row] - known) / lower[row][row];
        }
        x
    }

    /// The inverse of the matrix, row by row.
    pub(super) fn inverse(&self) -> Vec<Vec<f64>> {
        let size = self.0.len();
        let unit = |at: usize| (0..size).map(|k| f64::from(u8::from(k == at))).collect::<Vec<_>>();
        (0..size).map(|at| self.solve(&unit(at))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_without_inverse_is_refused() {
        assert!(Cholesky::of(&[vec![1.0, 1.0], vec![1.0, 1.0]]).is_none());
        assert!(Cholesky::of(&[vec![1.0, 2.0], vec![2.0, 1.0]]).is_none());
        assert!(Cholesky::of(&[vec![f64::NAN]]).is_none());
    }
}
