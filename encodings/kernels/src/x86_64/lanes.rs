//! Vector instructions: several numbers in one register.

use crate::operands::TILE;
use std::arch::x86_64::{
    __m256, __m512, _mm256_add_ps, _mm256_broadcast_ss, _mm256_fmadd_ps, _mm256_loadu_ps, _mm256_permute2f128_ps,
    _mm256_setzero_ps, _mm256_shuffle_ps, _mm256_storeu_ps, _mm256_unpackhi_ps, _mm256_unpacklo_ps, _mm512_add_ps,
    _mm512_fmadd_ps, _mm512_loadu_ps, _mm512_set1_ps, _mm512_setzero_ps, _mm512_storeu_ps,
};

/// A register of numbers.
///
/// # Safety
/// All functions need the processor's instructions of that name; pointers must point to that many numbers.
pub(super) trait Lanes: Copy {
    /// Numbers in a register; those of the widest one are a multiple of it.
    const COUNT: usize;

    unsafe fn zero() -> Self;
    unsafe fn load(from: *const f32) -> Self;
    /// One number in every place.
    unsafe fn spread(from: *const f32) -> Self;
    unsafe fn store(self, to: *mut f32);
    unsafe fn plus(self, other: Self) -> Self;
    /// `a·b + self`, rounded once.
    unsafe fn plus_product(self, a: Self, b: Self) -> Self;
}

/// AVX-512F.
impl Lanes for __m512 {
    const COUNT: usize = WIDEST;

    #[inline(always)]
    unsafe fn zero() -> Self {
        unsafe { _mm512_setzero_ps() }
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        unsafe { _mm512_loadu_ps(from) }
    }

    #[inline(always)]
    unsafe fn spread(from: *const f32) -> Self {
        unsafe { _mm512_set1_ps(from.read()) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        unsafe { _mm512_storeu_ps(to, self) }
    }

    #[inline(always)]
    unsafe fn plus(self, other: Self) -> Self {
        unsafe { _mm512_add_ps(self, other) }
    }

    #[inline(always)]
    unsafe fn plus_product(self, a: Self, b: Self) -> Self {
        unsafe { _mm512_fmadd_ps(a, b, self) }
    }
}

/// AVX2 and FMA.
impl Lanes for __m256 {
    const COUNT: usize = TILE;

    #[inline(always)]
    unsafe fn zero() -> Self {
        unsafe { _mm256_setzero_ps() }
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        unsafe { _mm256_loadu_ps(from) }
    }

    #[inline(always)]
    unsafe fn spread(from: *const f32) -> Self {
        unsafe { _mm256_broadcast_ss(&*from) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        unsafe { _mm256_storeu_ps(to, self) }
    }

    #[inline(always)]
    unsafe fn plus(self, other: Self) -> Self {
        unsafe { _mm256_add_ps(self, other) }
    }

    #[inline(always)]
    unsafe fn plus_product(self, a: Self, b: Self) -> Self {
        unsafe { _mm256_fmadd_ps(a, b, self) }
    }
}

/// Numbers in the widest register.
pub(super) const WIDEST: usize = 16;

/// Rows of a tile, transposed: row r of the result is column r of `rows`. Needs AVX.
#[inline(always)]
unsafe fn transposed(rows: [*const f32; TILE]) -> [__m256; TILE] {
    unsafe {
        let [a, b, c, d, e, f, g, h] = rows;
        // Columns of two rows, then of four, in either half of the register; then the halves.
        let (ab, ab_high) = twos(a, b);
        let (cd, cd_high) = twos(c, d);
        let (ef, ef_high) = twos(e, f);
        let (gh, gh_high) = twos(g, h);
        let (top_0, top_1) = fours(ab, cd);
        let (top_2, top_3) = fours(ab_high, cd_high);
        let (bottom_0, bottom_1) = fours(ef, gh);
        let (bottom_2, bottom_3) = fours(ef_high, gh_high);
        [
            _mm256_permute2f128_ps::<LOW_HALVES>(top_0, bottom_0),
            _mm256_permute2f128_ps::<LOW_HALVES>(top_1, bottom_1),
            _mm256_permute2f128_ps::<LOW_HALVES>(top_2, bottom_2),
            _mm256_permute2f128_ps::<LOW_HALVES>(top_3, bottom_3),
            _mm256_permute2f128_ps::<HIGH_HALVES>(top_0, bottom_0),
            _mm256_permute2f128_ps::<HIGH_HALVES>(top_1, bottom_1),
            _mm256_permute2f128_ps::<HIGH_HALVES>(top_2, bottom_2),
            _mm256_permute2f128_ps::<HIGH_HALVES>(top_3, bottom_3),
        ]
    }
}

const LOW_HALVES: i32 = 0b0010_0000;
const HIGH_HALVES: i32 = 0b0011_0001;

#[inline(always)]
unsafe fn twos(a: *const f32, b: *const f32) -> (__m256, __m256) {
    unsafe {
        let (a, b) = (_mm256_loadu_ps(a), _mm256_loadu_ps(b));
        (_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b))
    }
}

#[inline(always)]
unsafe fn fours(a: __m256, b: __m256) -> (__m256, __m256) {
    unsafe { (_mm256_shuffle_ps::<0b01_00_01_00>(a, b), _mm256_shuffle_ps::<0b11_10_11_10>(a, b)) }
}

/// Writes the tile of `rows`, transposed, to rows that lie `stride` apart.
#[inline(always)]
pub(super) unsafe fn transpose(rows: [*const f32; TILE], to: *mut f32, stride: usize) {
    let transposed = unsafe { transposed(rows) };
    let mut to = to;
    for row in &transposed {
        unsafe { _mm256_storeu_ps(to, *row) };
        to = to.wrapping_add(stride);
    }
}

/// Adds the tile of `rows`, transposed, to rows that lie `stride` apart.
#[inline(always)]
pub(super) unsafe fn add_transposed(rows: [*const f32; TILE], to: *mut f32, stride: usize) {
    let transposed = unsafe { transposed(rows) };
    let mut to = to;
    for row in &transposed {
        unsafe { _mm256_storeu_ps(to, _mm256_add_ps(_mm256_loadu_ps(to), *row)) };
        to = to.wrapping_add(stride);
    }
}
