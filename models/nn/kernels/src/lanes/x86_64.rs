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

/// Bits of a number's significand.
const SIGNIFICAND_BITS: i32 = 23;
const SIGNIFICAND_BITS_512: u32 = SIGNIFICAND_BITS.unsigned_abs();

/// Operations of two registers that are one instruction each.
macro_rules! by_one_instruction {
    ($($operation:ident: $instruction:ident),+ $(,)?) => {
        $(
            #[inline(always)]
            unsafe fn $operation(self, other: Self) -> Self {
                // SAFETY: the caller vouches for the register's instructions; no memory is touched.
                unsafe { $instruction(self, other) }
            }
        )+
    };
}

/// Transpositions of tiles, whose rows are registers of AVX in either set.
macro_rules! tiles_of_avx {
    () => {
        #[inline(always)]
        unsafe fn transpose(rows: [*const f32; TILE], to: *mut f32, stride: usize) {
            // SAFETY: as the trait asks; either set has AVX.
            unsafe { transpose(rows, to, stride) }
        }

        #[inline(always)]
        unsafe fn add_transposed(rows: [*const f32; TILE], to: *mut f32, stride: usize) {
            // SAFETY: as the trait asks; either set has AVX.
            unsafe { add_transposed(rows, to, stride) }
        }
    };
}

impl Lanes for __m512 {
    const COUNT: usize = WIDEST;

    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: the caller vouches for AVX-512F.
        unsafe { _mm512_setzero_ps() }
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: the caller vouches for AVX-512F and 16 numbers, of any alignment.
        unsafe { _mm512_loadu_ps(from) }
    }

    #[inline(always)]
    unsafe fn load_first(from: *const f32, count: usize) -> Self {
        // SAFETY: the caller vouches for AVX-512F and `count` numbers; what the mask hides is not read.
        unsafe { _mm512_maskz_loadu_ps(mask_512(count), from) }
    }

    #[inline(always)]
    unsafe fn spread(from: *const f32) -> Self {
        // SAFETY: the caller vouches for AVX-512F and one number.
        unsafe { _mm512_set1_ps(from.read()) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: the caller vouches for AVX-512F and place for 16 numbers, of any alignment.
        unsafe { _mm512_storeu_ps(to, self) }
    }

    #[inline(always)]
    unsafe fn store_first(self, to: *mut f32, count: usize) {
        // SAFETY: the caller vouches for AVX-512F and place for `count` numbers; what the mask hides is not written.
        unsafe { _mm512_mask_storeu_ps(to, mask_512(count), self) }
    }

    by_one_instruction! {
        plus: _mm512_add_ps,
        minus: _mm512_sub_ps,
        times: _mm512_mul_ps,
        larger: _mm512_max_ps,
        smaller: _mm512_min_ps,
        over: _mm512_div_ps,
    }

    #[inline(always)]
    unsafe fn plus_product(self, a: Self, b: Self) -> Self {
        // SAFETY: the caller vouches for AVX-512F.
        unsafe { _mm512_fmadd_ps(a, b, self) }
    }

    #[inline(always)]
    unsafe fn scaled_by_power(self, power: Self) -> Self {
        // SAFETY: the caller vouches for AVX-512F.
        unsafe {
            let exponent = _mm512_slli_epi32::<SIGNIFICAND_BITS_512>(_mm512_castps_si512(power));
            _mm512_castsi512_ps(_mm512_add_epi32(_mm512_castps_si512(self), exponent))
        }
    }

    #[inline(always)]
    unsafe fn zero_where_below(self, of: Self, limit: Self) -> Self {
        // SAFETY: the caller vouches for AVX-512F.
        unsafe { _mm512_maskz_mov_ps(!_mm512_cmp_ps_mask::<_CMP_LT_OQ>(of, limit), self) }
    }

    #[inline(always)]
    unsafe fn sum(self) -> f32 {
        // SAFETY: the caller vouches for AVX-512F.
        unsafe { _mm512_reduce_add_ps(self) }
    }

    #[inline(always)]
    unsafe fn largest(self) -> f32 {
        // SAFETY: the caller vouches for AVX-512F.
        unsafe { _mm512_reduce_max_ps(self) }
    }

    tiles_of_avx!();
}

impl Lanes for __m256 {
    const COUNT: usize = TILE;

    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: the caller vouches for AVX2.
        unsafe { _mm256_setzero_ps() }
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: the caller vouches for AVX2 and 8 numbers, of any alignment.
        unsafe { _mm256_loadu_ps(from) }
    }

    #[inline(always)]
    unsafe fn load_first(from: *const f32, count: usize) -> Self {
        // SAFETY: the caller vouches for AVX2 and `count` numbers; what the mask hides is not read.
        unsafe { _mm256_maskload_ps(from, mask_256(count)) }
    }

    #[inline(always)]
    unsafe fn spread(from: *const f32) -> Self {
        // SAFETY: the caller vouches for AVX2 and one number, which nothing writes meanwhile.
        unsafe { _mm256_broadcast_ss(&*from) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: the caller vouches for AVX2 and place for 8 numbers, of any alignment.
        unsafe { _mm256_storeu_ps(to, self) }
    }

    #[inline(always)]
    unsafe fn store_first(self, to: *mut f32, count: usize) {
        // SAFETY: the caller vouches for AVX2 and place for `count` numbers; what the mask hides is not written.
        unsafe { _mm256_maskstore_ps(to, mask_256(count), self) }
    }

    by_one_instruction! {
        plus: _mm256_add_ps,
        minus: _mm256_sub_ps,
        times: _mm256_mul_ps,
        larger: _mm256_max_ps,
        smaller: _mm256_min_ps,
        over: _mm256_div_ps,
    }

    #[inline(always)]
    unsafe fn plus_product(self, a: Self, b: Self) -> Self {
        // SAFETY: the caller vouches for FMA.
        unsafe { _mm256_fmadd_ps(a, b, self) }
    }

    #[inline(always)]
    unsafe fn scaled_by_power(self, power: Self) -> Self {
        // SAFETY: the caller vouches for AVX2.
        unsafe {
            let exponent = _mm256_slli_epi32::<SIGNIFICAND_BITS>(_mm256_castps_si256(power));
            _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(self), exponent))
        }
    }

    #[inline(always)]
    unsafe fn zero_where_below(self, of: Self, limit: Self) -> Self {
        // SAFETY: the caller vouches for AVX2.
        unsafe { _mm256_andnot_ps(_mm256_cmp_ps::<_CMP_LT_OQ>(of, limit), self) }
    }

    #[inline(always)]
    unsafe fn sum(self) -> f32 {
        // SAFETY: the caller vouches for AVX2.
        unsafe {
            let half = _mm_add_ps(_mm256_castps256_ps128(self), _mm256_extractf128_ps::<1>(self));
            let two = _mm_add_ps(half, _mm_movehl_ps(half, half));
            _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps::<1>(two, two)))
        }
    }

    #[inline(always)]
    unsafe fn largest(self) -> f32 {
        // SAFETY: the caller vouches for AVX2.
        unsafe {
            let half = _mm_max_ps(_mm256_castps256_ps128(self), _mm256_extractf128_ps::<1>(self));
            let two = _mm_max_ps(half, _mm_movehl_ps(half, half));
            _mm_cvtss_f32(_mm_max_ss(two, _mm_shuffle_ps::<1>(two, two)))
        }
    }

    tiles_of_avx!();
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

/// Writes the tile of `rows`, transposed, to rows that lie `stride` apart.
#[inline(always)]
unsafe fn transpose(rows: [*const f32; TILE], to: *mut f32, stride: usize) {
    // SAFETY: the caller vouches for AVX and the tile.
    let transposed = unsafe { transposed(rows) };
    let mut to = to;
    for row in &transposed {
        // SAFETY: the caller vouches for place for 8 numbers in each of the rows from `to` on.
        unsafe { _mm256_storeu_ps(to, *row) };
        to = to.wrapping_add(stride);
    }
}

/// Adds the tile of `rows`, transposed, to rows that lie `stride` apart.
#[inline(always)]
unsafe fn add_transposed(rows: [*const f32; TILE], to: *mut f32, stride: usize) {
    // SAFETY: the caller vouches for AVX and the tile.
    let transposed = unsafe { transposed(rows) };
    let mut to = to;
    for row in &transposed {
        // SAFETY: the caller vouches for 8 numbers in each of the rows from `to` on.
        unsafe { _mm256_storeu_ps(to, _mm256_add_ps(_mm256_loadu_ps(to), *row)) };
        to = to.wrapping_add(stride);
    }
}
