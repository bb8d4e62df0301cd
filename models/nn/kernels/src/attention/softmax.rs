//! The softmax of one row of logits, and its derivative.

use crate::exponential::exponential;
use crate::lanes::{Lanes, WIDEST, load, store};

/// A row's part of a term: where its numbers begin, and the factor.
#[derive(Clone, Copy)]
pub(super) struct RowTerm<L> {
    pub(super) start: *const f32,
    pub(super) factor: L,
}

/// What is added to the last register of a row of logits: 0, and −∞ where the row has ended.
#[inline(always)]
pub(super) unsafe fn ending<L: Lanes>(length: usize) -> L {
    let mut numbers = [0.0; WIDEST];
    if !length.is_multiple_of(L::COUNT) {
        numbers[length % L::COUNT..L::COUNT].fill(f32::NEG_INFINITY);
    }
    // SAFETY: the array has the numbers of the widest register; the caller vouches for the instructions.
    unsafe { L::load(numbers.as_ptr()) }
}

/// Replaces products `row`, padded to whole registers, by the weights softmax(scale·product + terms), and writes them to
/// `weights` too.
///
/// # Safety
/// As for [`Lanes`]: whole registers at `row`, `length` numbers in each term, and place for them at `weights`.
#[inline(always)]
pub(super) unsafe fn softmax<L: Lanes>(
    row: *mut f32,
    length: usize,
    scale: L,
    terms: &[RowTerm<L>],
    ending: L,
    weights: Option<*mut f32>,
) {
    // SAFETY: the caller vouches for `row` of whole registers, for `length` numbers of each term and of `weights`, and
    // for the instructions.
    unsafe {
        let mut largest = L::spread(&f32::NEG_INFINITY);
        for j in (0..length).step_by(L::COUNT) {
            let mut logits = L::load(row.wrapping_add(j)).times(scale);
            for term in terms {
                let numbers = load::<L>(term.start.wrapping_add(j), length - j);
                logits = logits.plus_product(numbers, term.factor);
            }
            if length - j <= L::COUNT {
                logits = logits.plus(ending);
            }
            logits.store(row.wrapping_add(j));
            largest = largest.larger(logits);
        }
        let largest = L::spread(&largest.largest());
        let mut sum = L::zero();
        for j in (0..length).step_by(L::COUNT) {
            let found = exponential(L::load(row.wrapping_add(j)).minus(largest));
            found.store(row.wrapping_add(j));
            sum = sum.plus(found);
        }
        let share = L::spread(&sum.sum().recip());
        for j in (0..length).step_by(L::COUNT) {
            let found = L::load(row.wrapping_add(j)).times(share);
            found.store(row.wrapping_add(j));
            if let Some(weights) = weights {
                store(found, weights.wrapping_add(j), length - j);
            }
        }
    }
}

/// Replaces the gradient of weights in `row`, padded to whole registers, by that of the logits:
/// weight·(gradient − Σ weight·gradient). `also` is a further part of the weights' gradient.
///
/// # Safety
/// As for [`Lanes`]: whole registers at `row`, `length` numbers at `weights` and at `also`.
#[inline(always)]
pub(super) unsafe fn of_logits<L: Lanes>(row: *mut f32, length: usize, weights: *const f32, also: Option<*const f32>) {
    // SAFETY: the caller vouches for `row` of whole registers, for `length` numbers of `weights` and `also`, and for
    // the instructions.
    unsafe {
        let mut sum = L::zero();
        for j in (0..length).step_by(L::COUNT) {
            let mut gradient = L::load(row.wrapping_add(j));
            if let Some(also) = also {
                gradient = gradient.plus(load(also.wrapping_add(j), length - j));
                gradient.store(row.wrapping_add(j));
            }
            sum = sum.plus_product(load(weights.wrapping_add(j), length - j), gradient);
        }
        let mean = L::spread(&sum.sum());
        for j in (0..length).step_by(L::COUNT) {
            let gradient = L::load(row.wrapping_add(j)).minus(mean);
            load::<L>(weights.wrapping_add(j), length - j).times(gradient).store(row.wrapping_add(j));
        }
    }
}
