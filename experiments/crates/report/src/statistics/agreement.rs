//! How well two rankings of the same items agree, with an interval over the items.

use super::Interval;
use super::across::{DRAWS, kendall, middle};
use streams::below;

/// Fewer items have no ranking to speak of.
pub const ITEMS_NEEDED: usize = 3;

/// Kendall's τ_b of two rankings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Agreement {
    /// How many items there are.
    pub items: usize,
    pub tau: f64,
    /// The middle 95 % of τ over [`DRAWS`] draws of the items with replacement, the same in every call. An item that is drawn
    /// twice is tied with itself, which τ_b leaves out. Draws without a τ are left out.
    pub interval: Interval,
}

/// The agreement of two lists with a value of each item. None below [`ITEMS_NEEDED`] items, or if a list ties all of them.
///
/// # Panics
/// If the lists have different lengths.
pub fn agreement(a: &[f64], b: &[f64]) -> Option<Agreement> {
    let tau = kendall(a, b)?;
    let items = a.len();
    if items < ITEMS_NEEDED {
        return None;
    }
    let mut stream = streams::stream(0, &["report", "agreement of rankings"]);
    let mut draw = |_| {
        let drawn: Vec<usize> = (0..items).map(|_| below(&mut stream, items as u64) as usize).collect();
        let of = |values: &[f64]| -> Vec<f64> { drawn.iter().map(|&item| values[item]).collect() };
        kendall(&of(a), &of(b))
    };
    let mut taus: Vec<f64> = (0..DRAWS).filter_map(&mut draw).collect();
    taus.sort_by(f64::total_cmp);
    Some(Agreement { items, tau, interval: middle(&taus)? })
}
