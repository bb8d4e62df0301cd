//! Registers of several numbers, which kernels are written for once.

mod portable;
#[cfg(target_arch = "x86_64")]
mod x86_64;

pub(crate) use portable::Portable;

use crate::operands::TILE;

/// Numbers in the widest register.
pub(crate) const WIDEST: usize = 16;

/// A register of numbers.
///
/// # Safety
/// All functions need the processor's instructions of that register; pointers must point to that many numbers.
pub(crate) trait Lanes: Copy {
    /// Numbers in a register; those of the widest one are a multiple of it.
    const COUNT: usize;

    unsafe fn zero() -> Self;
    unsafe fn load(from: *const f32) -> Self;
    /// The first `count` numbers, fewer than [`Self::COUNT`], and zeros.
    unsafe fn load_first(from: *const f32, count: usize) -> Self;
    /// One number in every place.
    unsafe fn spread(from: *const f32) -> Self;
    unsafe fn store(self, to: *mut f32);
    /// The first `count` numbers, fewer than [`Self::COUNT`].
    unsafe fn store_first(self, to: *mut f32, count: usize);
    unsafe fn plus(self, other: Self) -> Self;
    unsafe fn minus(self, other: Self) -> Self;
    unsafe fn times(self, other: Self) -> Self;
    /// `a·b + self`, rounded once where the processor can.
    unsafe fn plus_product(self, a: Self, b: Self) -> Self;
    /// The larger of two; `other` where one is not a number.
    unsafe fn larger(self, other: Self) -> Self;
    /// The smaller of two; `other` where one is not a number.
    unsafe fn smaller(self, other: Self) -> Self;
    unsafe fn over(self, other: Self) -> Self;
    /// `self·2ⁿ` for the integer n in the lowest bits of `power`'s significand. Neither `self` nor the result is subnormal.
    unsafe fn scaled_by_power(self, power: Self) -> Self;
    /// 0 where `of` is below `limit`, `self` elsewhere.
    unsafe fn zero_where_below(self, of: Self, limit: Self) -> Self;
    /// The sum of all places, in an order that never changes.
    unsafe fn sum(self) -> f32;
    /// The largest of all places.
    unsafe fn largest(self) -> f32;

    /// Writes the tile of `rows`, transposed, to rows that lie `stride` apart.
    unsafe fn transpose(rows: [*const f32; TILE], to: *mut f32, stride: usize);
    /// Adds the tile of `rows`, transposed, to rows that lie `stride` apart.
    unsafe fn add_transposed(rows: [*const f32; TILE], to: *mut f32, stride: usize);
}

/// As many of the `left` numbers as fit into a register, and zeros.
///
/// # Safety
/// As for [`Lanes`], with `left` numbers at `from`.
#[inline(always)]
pub(crate) unsafe fn load<L: Lanes>(from: *const f32, left: usize) -> L {
    // SAFETY: as the caller vouches: `left` numbers at `from`, and the instructions.
    unsafe { if left >= L::COUNT { L::load(from) } else { L::load_first(from, left) } }
}

/// As many of the `left` numbers as a register holds.
///
/// # Safety
/// As for [`Lanes`], with place for `left` numbers at `to`.
#[inline(always)]
pub(crate) unsafe fn store<L: Lanes>(numbers: L, to: *mut f32, left: usize) {
    // SAFETY: as the caller vouches: place for `left` numbers at `to`, and the instructions.
    unsafe { if left >= L::COUNT { numbers.store(to) } else { numbers.store_first(to, left) } }
}

/// Adds as many of the `left` numbers as a register holds to those at `to`.
///
/// # Safety
/// As for [`Lanes`], with `left` numbers at `to`.
#[inline(always)]
pub(crate) unsafe fn add<L: Lanes>(numbers: L, to: *mut f32, left: usize) {
    // SAFETY: as the caller vouches: `left` numbers at `to`, and the instructions.
    unsafe { store(load::<L>(to, left).plus(numbers), to, left) }
}
