//! The exponential function in lanes.

use crate::lanes::Lanes;

/// Below it the result is 0: eˣ would be almost subnormal.
const LOWEST: f32 = -87.0;
/// 1.5·2²³: added to a number and taken away again, it leaves the nearest integer, which stands in the sum's lowest bits.
const ROUNDING: f32 = 12_582_912.0;
/// ln 2 in two parts, the first so short that its products with exponents are exact.
const LN_2_HIGH: f32 = 0.693_359_4;
const LN_2_LOW: f32 = -2.121_944_4e-4;
/// (eʳ − 1 − r) / r² for |r| ≤ ln(2)/2 as a polynomial, lowest degree first: interpolated at Chebyshev's points, so that
/// the relative error of eʳ is below 1.1e-8.
const POLYNOMIAL: [f32; 5] = [0.5, 0.166_665_76, 0.041_666_552, 0.008_363_233, 0.001_392_625];

/// eˣ for x ≤ 87, to 1.5 units in the last place; 0 below −87. What is not a number stays so.
///
/// # Safety
/// As for [`Lanes`].
#[inline(always)]
pub(crate) unsafe fn exponential<L: Lanes>(x: L) -> L {
    // SAFETY: the caller vouches for the instructions; constants are read through references.
    unsafe {
        let constant = |number: &f32| L::spread(number);
        let rounding = constant(&ROUNDING);
        let power = rounding.plus_product(x, constant(&std::f32::consts::LOG2_E));
        let n = rounding.minus(power);
        let r = x.plus_product(n, constant(&LN_2_HIGH)).plus_product(n, constant(&LN_2_LOW));
        let [c2, c3, c4, c5, c6] = POLYNOMIAL.each_ref().map(constant);
        let squared = r.times(r);
        let upper = c4.plus_product(r, c5.plus_product(r, c6));
        let bent = c2.plus_product(r, c3).plus_product(squared, upper);
        let near_one = constant(&1.0).plus(r.plus_product(squared, bent));
        near_one.scaled_by_power(power).zero_where_below(x, constant(&LOWEST))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Instructions;
    use crate::instructions::Kernel;

    struct Exponentials<'a>(&'a mut [f32]);

    impl Kernel for Exponentials<'_> {
        #[inline(always)]
        unsafe fn run<L: Lanes, const ROWS: usize>(self) {
            for part in self.0.chunks_exact_mut(L::COUNT) {
                // SAFETY: `part` has the numbers of a register; the caller vouches for the instructions.
                unsafe { exponential(L::load(part.as_ptr())).store(part.as_mut_ptr()) };
            }
        }
    }

    fn of(numbers: &[f32], instructions: Instructions) -> Vec<f32> {
        let mut found = numbers.to_vec();
        // SAFETY: the set is one of the processor's.
        unsafe { instructions.run(Exponentials(&mut found)) };
        found
    }

    #[test]
    fn the_relative_error_is_that_of_rounding() {
        let numbers: Vec<f32> = (-(1 << 20)..1 << 20).map(|i| 87.0 * i as f32 / (1 << 20) as f32).collect();
        for instructions in Instructions::available() {
            let error = |(x, found): (&f32, &f32)| (f64::from(*found) / f64::from(*x).exp() - 1.0).abs();
            let worst = numbers.iter().zip(&of(&numbers, instructions)).map(error).fold(0.0, f64::max);
            assert!(worst < 1.5e-7, "{instructions:?}: off by {worst}");
        }
    }

    #[test]
    fn the_ends_are_exact_and_what_is_not_a_number_stays_so() {
        let mut numbers = [0.0, -0.0, -87.5, -104.0, -1e9, f32::MIN, f32::NEG_INFINITY, f32::NAN].repeat(2);
        numbers.rotate_left(1);
        for instructions in Instructions::available() {
            let mut found = of(&numbers, instructions);
            found.rotate_right(1);
            assert_eq!(found[..7], [1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0], "{instructions:?}");
            assert!(found[7].is_nan(), "{instructions:?}: {}", found[7]);
        }
    }
}
