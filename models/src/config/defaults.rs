//! Defaults of options, and how serde leaves them out.

pub(crate) use facts::numbers::is_default;

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
