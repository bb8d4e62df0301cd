//! `contrasts:`: the comparisons that are the question; all others are exploratory.

use super::expand::{Combination, Matrix};
use super::row::Row;
use super::source::{ConfigError, at};
use facts::Role;

/// Marks the rows that are none of the file's contrasts, if it names some. `rows` begin with those of the combinations;
/// matched controls follow and are exploratory too.
pub(super) fn mark(rows: &mut [Row], combinations: &[Combination], matrix: Matrix<'_>) -> Result<(), ConfigError> {
    let contrasts = &matrix.file.contrasts;
    if contrasts.is_empty() {
        return Ok(());
    }
    let mut named = vec![false; rows.len()];
    for (i, contrast) in contrasts.iter().enumerate() {
        let found = matrix.matching(combinations, contrast)?;
        let compared: Vec<usize> = found.into_iter().filter(|&row| rows[row].role == Role::Compared).collect();
        if compared.is_empty() {
            let labels = rows.iter().filter(|row| row.role == Role::Compared).map(|row| row.label.clone());
            let error = matrix.document.error_at(&at!["contrasts", i], "this contrast matches no row but a reference");
            return Err(error.valid(labels).help("write its values as in `axes` or `base`, options included"));
        }
        compared.into_iter().for_each(|row| named[row] = true);
    }
    for (row, named) in rows.iter_mut().zip(named) {
        row.exploratory = !named && row.role == Role::Compared;
    }
    Ok(())
}
