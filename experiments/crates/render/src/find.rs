//! Rows by their names.

use crate::fields::{fault, unknown};
use minijinja::Error;

/// The parts of a label, as `shaw`, `steps 250` and `layers 1`.
pub(crate) fn parts(label: &str) -> Vec<&str> {
    label.split(", ").collect()
}

/// Whether a label has all parts of a name.
pub(crate) fn fits(label: &str, name: &str) -> bool {
    let label = parts(label);
    parts(name).iter().all(|part| label.contains(part))
}

/// The item whose label has all parts of a name; of several that with the fewest parts, so that `shaw` is found beside `shaw,
/// frozen`, and `absolute` in a grid whose labels name a tuned rate.
pub(crate) fn find<T>(items: Vec<(String, T)>, name: &str, of: &str) -> Result<T, Error> {
    let count = |label: &str| parts(label).len();
    let least = items.iter().filter(|(label, _)| fits(label, name)).map(|(label, _)| count(label)).min();
    let Some(least) = least else {
        return Err(unknown("row", name, of, items.iter().map(|(label, _)| label.as_str())));
    };
    let found = items.into_iter().filter(|(label, _)| fits(label, name) && count(label) == least);
    let (labels, mut found): (Vec<String>, Vec<T>) = found.unzip();
    match found.len() {
        1 => Ok(found.remove(0)),
        several => Err(fault(format!("{several} rows of {of} fit {name:?}: {}; name more of one", labels.join("; ")))),
    }
}

#[cfg(test)]
mod tests {
    use super::find;

    #[test]
    fn a_row_is_found_by_the_parts_of_its_label() {
        let labels = ["shaw", "shaw, frozen", "bias, steps 250, layers 1", "bias, steps 250, layers 2"];
        let items = || labels.iter().map(|label| ((*label).to_owned(), *label)).collect::<Vec<_>>();
        let found = |name: &str| find(items(), name, "the grid").map_err(|error| error.to_string());
        assert_eq!(found("shaw"), Ok("shaw"));
        assert_eq!(found("shaw, frozen"), Ok("shaw, frozen"));
        assert_eq!(found("bias, layers 2"), Ok("bias, steps 250, layers 2"));
        let several = found("bias").expect_err("two fit");
        assert!(several.contains("2 rows of the grid fit \"bias\""), "{several}");
        let none = found("lepe").expect_err("none fits");
        assert!(none.contains("the grid has no row \"lepe\"; it has: shaw; shaw, frozen;"), "{none}");
    }
}
