//! Lanes of AVX-512 and of AVX2.

use super::{Lanes, WIDEST};
use crate::operands::TILE;
use std::arch::x86_64::{
    __m256, __m256i, __m512, _CMP_LT_OQ, _mm_add_ps, _mm_add_ss, _mm_cvtss_f32, _mm_max_ps, _mm_max_ss, _mm_movehl_ps,
    _mm_shuffle_ps, _mm256_add_epi32, _mm256_add_ps, _mm256_andnot_ps, _mm256_broadcast_ss, _mm256_castps_si256,
    _mm256_castps256_ps128, _mm256_castsi256_ps, _mm256_cmp_ps, _mm256_cmpgt_epi32, _mm256_div_ps,
    _mm256_extractf128_ps, _mm256_fmadd_ps, _mm256_loadu_ps, _mm256_maskload_ps, _mm256_maskstore_ps, _mm256_max_ps,
    _mm256_min_ps, _mm256_mul_ps, _mm256_permute2f128_ps, _mm256_set1_epi32, _mm256_setr_epi32, _mm256_setzero_ps,
    _mm256_shuffle_ps, _mm256_slli_epi32, _mm256_storeu_ps, _mm256_sub_ps, _mm256_unpackhi_ps, _mm256_unpacklo_ps,
    _mm512_add_epi32, _mm512_add_ps, _mm512_castps_si512, _mm512_castsi512_ps, _mm512_cmp_ps_mask, _mm512_div_ps,
    _mm512_fmadd_ps, _mm512_loadu_ps, _mm512_mask_storeu_ps, _mm512_maskz_loadu_ps, _mm512_maskz_mov_ps, _mm512_max_ps,
    _mm512_min_ps, _mm512_mul_ps, _mm512_reduce_add_ps, _mm512_reduce_max_ps, _mm512_set1_ps, _mm512_setzero_ps,
    _mm512_slli_epi32, _mm512_storeu_ps, _mm512_sub_ps,
};

const SIGNIFICAND_BITS: i32 = 23;
const SIGNIFICAND_BITS_512: u32 = SIGNIFICAND_BITS.unsigned_abs();

/// Functions of [`Lanes`], each by its instructions.
macro_rules! by_instructions {
    ($(fn $name:ident($($argument:tt)*) $(-> $result:ty)? = $body:expr;)+) => {
        $(
            #[inline(always)]
            unsafe fn $name($($argument)*) $(-> $result)? {
                // SAFETY: as the trait asks: the caller vouches for the register's instructions, and for the numbers
                // that are read or written, of any alignment; what a mask hides is not touched.
                unsafe { $body }
            }
        )+
    };
}

/// With AVX-512F.
impl Lanes for __m512 {
    const COUNT: usize = WIDEST;

    by_instructions! {
        fn zero() -> Self = _mm512_setzero_ps();
        fn load(from: *const f32) -> Self = _mm512_loadu_ps(from);
        fn load_first(from: *const f32, count: usize) -> Self = _mm512_maskz_loadu_ps(mask_512(count), from);
        fn spread(from: *const f32) -> Self = _mm512_set1_ps(from.read());
        fn store(self, to: *mut f32) = _mm512_storeu_ps(to, self);
        fn store_first(self, to: *mut f32, count: usize) = _mm512_mask_storeu_ps(to, mask_512(count), self);
        fn plus(self, other: Self) -> Self = _mm512_add_ps(self, other);
        fn minus(self, other: Self) -> Self = _mm512_sub_ps(self, other);
        fn times(self, other: Self) -> Self = _mm512_mul_ps(self, other);
        fn plus_product(self, a: Self, b: Self) -> Self = _mm512_fmadd_ps(a, b, self);
        fn larger(self, other: Self) -> Self = _mm512_max_ps(self, other);
        fn smaller(self, other: Self) -> Self = _mm512_min_ps(self, other);
        fn over(self, other: Self) -> Self = _mm512_div_ps(self, other);
        fn scaled_by_power(self, power: Self) -> Self = {
            let exponent = _mm512_slli_epi32::<SIGNIFICAND_BITS_512>(_mm512_castps_si512(power));
            _mm512_castsi512_ps(_mm512_add_epi32(_mm512_castps_si512(self), exponent))
        };
        fn zero_where_below(self, of: Self, limit: Self) -> Self =
            _mm512_maskz_mov_ps(!_mm512_cmp_ps_mask::<_CMP_LT_OQ>(of, limit), self);
        fn sum(self) -> f32 = _mm512_reduce_add_ps(self);
        fn largest(self) -> f32 = _mm512_reduce_max_ps(self);
        fn transpose(rows: [*const f32; TILE], to: *mut f32, stride: usize) = transpose::<false>(rows, to, stride);
        fn add_transposed(rows: [*const f32; TILE], to: *mut f32, stride: usize) = transpose::<true>(rows, to, stride);
    }
}

/// With AVX2 and FMA.
impl Lanes for __m256 {
    const COUNT: usize = TILE;

    by_instructions! {
        fn zero() -> Self = _mm256_setzero_ps();
        fn load(from: *const f32) -> Self = _mm256_loadu_ps(from);
        fn load_first(from: *const f32, count: usize) -> Self = _mm256_maskload_ps(from, mask_256(count));
        fn spread(from: *const f32) -> Self = _mm256_broadcast_ss(&*from);
        fn store(self, to: *mut f32) = _mm256_storeu_ps(to, self);
        fn store_first(self, to: *mut f32, count: usize) = _mm256_maskstore_ps(to, mask_256(count), self);
        fn plus(self, other: Self) -> Self = _mm256_add_ps(self, other);
        fn minus(self, other: Self) -> Self = _mm256_sub_ps(self, other);
        fn times(self, other: Self) -> Self = _mm256_mul_ps(self, other);
        fn plus_product(self, a: Self, b: Self) -> Self = _mm256_fmadd_ps(a, b, self);
        fn larger(self, other: Self) -> Self = _mm256_max_ps(self, other);
        fn smaller(self, other: Self) -> Self = _mm256_min_ps(self, other);
        fn over(self, other: Self) -> Self = _mm256_div_ps(self, other);
        fn scaled_by_power(self, power: Self) -> Self = {
            let exponent = _mm256_slli_epi32::<SIGNIFICAND_BITS>(_mm256_castps_si256(power));
            _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(self), exponent))
        };
        fn zero_where_below(self, of: Self, limit: Self) -> Self =
            _mm256_andnot_ps(_mm256_cmp_ps::<_CMP_LT_OQ>(of, limit), self);
        fn sum(self) -> f32 = {
            let half = _mm_add_ps(_mm256_castps256_ps128(self), _mm256_extractf128_ps::<1>(self));
            let two = _mm_add_ps(half, _mm_movehl_ps(half, half));
            _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps::<1>(two, two)))
        };
        fn largest(self) -> f32 = {
            let half = _mm_max_ps(_mm256_castps256_ps128(self), _mm256_extractf128_ps::<1>(self));
            let two = _mm_max_ps(half, _mm_movehl_ps(half, half));
            _mm_cvtss_f32(_mm_max_ss(two, _mm_shuffle_ps::<1>(two, two)))
        };
        fn transpose(rows: [*const f32; TILE], to: *mut f32, stride: usize) = transpose::<false>(rows, to, stride);
        fn add_transposed(rows: [*const f32; TILE], to: *mut f32, stride: usize) = transpose::<true>(rows, to, stride);
    }
}

#[inline(always)]
fn mask_512(count: usize) -> u16 {
    ((1u32 << count) - 1) as u16
}

#[inline(always)]
unsafe fn mask_256(count: usize) -> __m256i {
    // SAFETY: the caller vouches for AVX2.
    unsafe { _mm256_cmpgt_epi32(_mm256_set1_epi32(count as i32), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)) }
}

/// Rows of a tile, transposed: row r of the result is column r of `rows`. Needs AVX.
#[inline(always)]
unsafe fn transposed(rows: [*const f32; TILE]) -> [__m256; TILE] {
    // SAFETY: the caller vouches for AVX and 8 numbers at each of `rows`.
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
    // SAFETY: the caller vouches for AVX and 8 numbers at either place.
    unsafe {
        let (a, b) = (_mm256_loadu_ps(a), _mm256_loadu_ps(b));
        (_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b))
    }
}

#[inline(always)]
unsafe fn fours(a: __m256, b: __m256) -> (__m256, __m256) {
    // SAFETY: the caller vouches for AVX.
    unsafe { (_mm256_shuffle_ps::<0b01_00_01_00>(a, b), _mm256_shuffle_ps::<0b11_10_11_10>(a, b)) }
}

/// Writes the tile of `rows`, transposed, to rows that lie `stride` apart, or adds it to them.
#[inline(always)]
unsafe fn transpose<const ADD: bool>(rows: [*const f32; TILE], to: *mut f32, stride: usize) {
    // SAFETY: the caller vouches for AVX and the tile.
    let transposed = unsafe { transposed(rows) };
    let mut to = to;
    for &row in &transposed {
        // SAFETY: the caller vouches for 8 numbers, or place for them, in each of the rows from `to` on.
        unsafe { _mm256_storeu_ps(to, if ADD { _mm256_add_ps(_mm256_loadu_ps(to), row) } else { row }) };
        to = to.wrapping_add(stride);
    }
}
