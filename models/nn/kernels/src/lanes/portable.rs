//! Lanes without instructions for vectors: arrays, which the compiler vectorises as far as the processor allows.

use super::Lanes;
use crate::operands::TILE;
use std::array::from_fn;

const COUNT: usize = TILE;

/// An array of numbers as a register.
#[derive(Clone, Copy)]
pub(crate) struct Portable([f32; COUNT]);

impl Portable {
    #[inline(always)]
    fn with(self, other: Self, of: impl Fn(f32, f32) -> f32) -> Self {
        Self(from_fn(|i| of(self.0[i], other.0[i])))
    }

    /// The places joined in pairs, pairs of pairs and so on.
    #[inline(always)]
    fn join(self, of: impl Fn(f32, f32) -> f32) -> f32 {
        let mut left = self.0;
        let mut count = COUNT;
        while count > 1 {
            count /= 2;
            for i in 0..count {
                left[i] = of(left[i], left[i + count]);
            }
        }
        left[0]
    }
}

#[inline(always)]
fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// One instruction where the processor has it, and never a call of a function that computes it digit by digit.
#[inline(always)]
fn multiply_add(a: f32, b: f32, c: f32) -> f32 {
    if cfg!(any(target_arch = "aarch64", target_feature = "fma")) { a.mul_add(b, c) } else { a * b + c }
}

/// Functions of [`Lanes`] that touch no memory.
macro_rules! by_places {
    ($(fn $name:ident($($argument:tt)*) -> $result:ty = $body:expr;)+) => {
        $(
            #[inline(always)]
            unsafe fn $name($($argument)*) -> $result {
                $body
            }
        )+
    };
}

impl Lanes for Portable {
    const COUNT: usize = COUNT;

    by_places! {
        fn zero() -> Self = Self([0.0; COUNT]);
        fn plus(self, other: Self) -> Self = self.with(other, |a, b| a + b);
        fn minus(self, other: Self) -> Self = self.with(other, |a, b| a - b);
        fn times(self, other: Self) -> Self = self.with(other, |a, b| a * b);
        fn plus_product(self, a: Self, b: Self) -> Self = Self(from_fn(|i| multiply_add(a.0[i], b.0[i], self.0[i])));
        fn larger(self, other: Self) -> Self = self.with(other, larger);
        fn smaller(self, other: Self) -> Self = self.with(other, |a, b| if a < b { a } else { b });
        fn over(self, other: Self) -> Self = self.with(other, |a, b| a / b);
        fn scaled_by_power(self, power: Self) -> Self =
            self.with(power, |number, power| f32::from_bits(number.to_bits().wrapping_add(power.to_bits() << 23)));
        fn zero_where_below(self, of: Self, limit: Self) -> Self =
            Self(from_fn(|i| if of.0[i] < limit.0[i] { 0.0 } else { self.0[i] }));
        fn sum(self) -> f32 = self.join(|a, b| a + b);
        fn largest(self) -> f32 = self.join(larger);
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: the caller vouches for the numbers of a register at `from`, of any alignment.
        Self(unsafe { from.cast::<[f32; COUNT]>().read_unaligned() })
    }

    #[inline(always)]
    unsafe fn load_first(from: *const f32, count: usize) -> Self {
        let mut numbers = [0.0; COUNT];
        for (i, number) in numbers.iter_mut().enumerate().take(count) {
            // SAFETY: the caller vouches for `count` numbers.
            *number = unsafe { from.wrapping_add(i).read() };
        }
        Self(numbers)
    }

    #[inline(always)]
    unsafe fn spread(from: *const f32) -> Self {
        // SAFETY: the caller vouches for one number.
        Self([unsafe { from.read() }; COUNT])
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: the caller vouches for place for the numbers of a register at `to`, of any alignment.
        unsafe { to.cast::<[f32; COUNT]>().write_unaligned(self.0) };
    }

    #[inline(always)]
    unsafe fn store_first(self, to: *mut f32, count: usize) {
        for (i, number) in self.0.iter().enumerate().take(count) {
            // SAFETY: the caller vouches for place for `count` numbers.
            unsafe { to.wrapping_add(i).write(*number) };
        }
    }

    #[inline(always)]
    unsafe fn transpose(rows: [*const f32; TILE], to: *mut f32, stride: usize) {
        for i in 0..TILE {
            for (j, row) in rows.iter().enumerate() {
                // SAFETY: the caller vouches for a tile of numbers in `rows`, and for place for one at `to`.
                unsafe { to.wrapping_add(i * stride + j).write(row.wrapping_add(i).read()) };
            }
        }
    }

    #[inline(always)]
    unsafe fn add_transposed(rows: [*const f32; TILE], to: *mut f32, stride: usize) {
        for i in 0..TILE {
            for (j, row) in rows.iter().enumerate() {
                // SAFETY: as in `transpose`, with numbers at `to`.
                unsafe { *to.wrapping_add(i * stride + j) += row.wrapping_add(i).read() };
            }
        }
    }
}
