//! Defaults of options, and how serde leaves them out.

/// An option with its default is not written, so that networks keep the text, and cells the name, that they had before
/// there was such an option. (For those that are true by default, `bool::clone` asks the same.)
pub(crate) fn is_default<T: Default + PartialEq>(option: &T) -> bool {
    *option == T::default()
}

pub(super) fn one() -> usize {
    1
}

pub(super) fn is_one(count: &usize) -> bool {
    *count == one()
}

pub(super) fn yes() -> bool {
    true
}

pub(super) fn unit() -> f64 {
    1.0
}

pub(super) fn is_unit(factor: &f64) -> bool {
    *factor == unit()
}
