//! Numbers in tables: with the digits that their uncertainty allows, the same for a number and its interval.

pub use figures::fixed;

use super::statistics::across::RankCorrelation;
use super::statistics::{Interval, MeanTest, Summary};
use super::table::ABSENT;
use chrono::DateTime;
use facts::grouped;

/// Losses on exact labels reach 10^−5.
const MOST_DECIMALS: i32 = 7;
/// The decimals of a number of unknown uncertainty.
const USUAL_DECIMALS: usize = 4;

/// Decimals that show two significant digits of a spread.
pub fn decimals(spread: f64) -> usize {
    if !spread.is_finite() || spread <= 0.0 {
        return USUAL_DECIMALS;
    }
    (1 - spread.log10().floor() as i32).clamp(0, MOST_DECIMALS) as usize
}

/// Decimals of a number with a spread: more than four only where they show three significant digits of the number.
fn decimals_of(number: f64, spread: f64) -> usize {
    let significant = if number.is_normal() { 2 - number.abs().log10().floor() as i32 } else { 0 };
    decimals(spread).min(USUAL_DECIMALS.max(significant.clamp(0, MOST_DECIMALS) as usize))
}

/// A time in seconds since 1970, as this format of chrono writes it.
pub fn time(unix_s: f64, format: &str) -> String {
    DateTime::from_timestamp(unix_s.floor() as i64, 0).unwrap_or_default().format(format).to_string()
}

/// A number as [`fixed`] writes it, with a plus sign if it is positive.
pub fn signed(value: f64, decimals: usize) -> String {
    let text = fixed(value, decimals);
    let zero = text.bytes().all(|byte| matches!(byte, b'0' | b'.'));
    if zero || text.starts_with('−') { text } else { format!("+{text}") }
}

/// `mean ± sd` of values times `scale` (100 for percent); the mean alone if there is one value.
pub fn mean_sd(summary: &Summary, scale: f64) -> String {
    match mean_and_sd(summary, scale) {
        (mean, None) => mean,
        (mean, Some(sd)) => format!("{mean} ± {sd}"),
    }
}

/// The mean of [`mean_sd`] alone, with as many digits.
pub fn mean(summary: &Summary, scale: f64) -> String {
    mean_and_sd(summary, scale).0
}

fn mean_and_sd(summary: &Summary, scale: f64) -> (String, Option<String>) {
    let mean = summary.mean * scale;
    let alone = || fixed(mean, decimals(mean.abs() / 100.0));
    match summary.sd.map(|sd| sd * scale) {
        None => (alone(), None),
        // Equal numbers whose mean was rounded have a spread of the last bit.
        Some(sd) if sd <= 1e-12 * mean.abs() => (alone(), Some("0".to_owned())),
        Some(sd) => {
            let decimals = decimals_of(mean, sd);
            (fixed(mean, decimals), Some(fixed(sd, decimals)))
        }
    }
}

/// A count in millions with four digits: `0.0123`, `12.62`, `12,818`.
pub fn mega(count: Option<u64>) -> String {
    let Some(count) = count else { return ABSENT.to_owned() };
    match count as f64 / 1e6 {
        many if many >= 1000.0 => grouped(many.round() as u64),
        few => fixed(few, (3 - few.max(1e-3).log10().floor() as i32).clamp(0, 4) as usize),
    }
}

/// A count in three characters and its unit: `4 k`, `363 k`, `1.4 M`; a dash for none.
pub fn short_count(count: u64) -> String {
    match count {
        0 => ABSENT.to_owned(),
        1..1000 => count.to_string(),
        1000..999_500 => format!("{} k", fixed(count as f64 / 1e3, 0)),
        _ => format!("{} M", fixed(count as f64 / 1e6, 1)),
    }
}

pub fn interval(interval: &Interval, decimals: usize) -> String {
    format!("[{}, {}]", signed(interval.low, decimals), signed(interval.high, decimals))
}

/// `−0.097 [−0.111, −0.082]`: a difference and its interval.
pub fn with_interval(difference: f64, ends: &Interval) -> String {
    let decimals = interval_decimals(ends);
    format!("{} {}", signed(difference, decimals), interval(ends, decimals))
}

/// The mean of a test with its plain 95 % interval.
pub(crate) fn of_test(test: &MeanTest) -> String {
    with_interval(test.mean, &test.interval(0.95))
}

/// `Kendall's τ = 0.87, over draws of the seeds [+0.60, +1.00]`.
pub(crate) fn of_ranks(RankCorrelation { tau, interval: ends }: &RankCorrelation) -> String {
    format!("Kendall's τ = {}, over draws of the seeds {}", fixed(*tau, 2), interval(ends, 2))
}

/// A difference and its interval in two cells of a table; without an interval, the difference alone.
pub(crate) fn two_cells(difference: Option<f64>, ends: Option<Interval>) -> [String; 2] {
    match ends {
        Some(ends) => {
            let decimals = interval_decimals(&ends);
            [or_absent(difference, |difference| signed(difference, decimals)), interval(&ends, decimals)]
        }
        None => [or_absent(difference, alone), ABSENT.to_owned()],
    }
}

/// A difference of unknown uncertainty: with three significant digits.
pub fn alone(difference: f64) -> String {
    signed(difference, decimals(difference.abs() / 10.0))
}

/// A value as `format` shows it, or a dash.
pub fn or_absent<T>(value: Option<T>, format: impl FnOnce(T) -> String) -> String {
    value.map_or_else(|| ABSENT.to_owned(), format)
}

/// Decimals for a difference and its intervals: two significant digits of the half-width.
pub fn interval_decimals(interval: &Interval) -> usize {
    decimals_of(interval.low.abs().max(interval.high.abs()), interval.half_width())
}

/// A p-value; with more digits around 0.05.
pub fn p_value(p: f64) -> String {
    match p {
        p if p < 0.0001 => "<0.0001".to_owned(),
        p if p < 0.01 || (0.045..0.055).contains(&p) => format!("{p:.4}"),
        p if p < 0.1 => format!("{p:.3}"),
        p => format!("{p:.2}"),
    }
}

/// `p = 0.032`, or `p < 0.0001`, for a sentence.
pub fn p_in_words(p: f64) -> String {
    let value = p_value(p);
    value.strip_prefix('<').map_or_else(|| format!("p = {value}"), |bound| format!("p < {bound}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_follow_the_uncertainty() {
        assert_eq!([0.5, 0.0123, 0.1, 9.9, 12.0, 400.0, 3e-5].map(decimals), [2, 3, 2, 1, 0, 0, 6]);
        assert_eq!(with_interval(-3.2e-5, &Interval { low: -5e-5, high: -1.4e-5 }), "−0.000032 [−0.000050, −0.000014]");
        assert_eq!([0.0, f64::NAN, f64::INFINITY].map(decimals), [USUAL_DECIMALS; 3]);
        assert_eq!(mean_sd(&Summary { n: 3, mean: 2.34567, sd: Some(0.0123) }, 1.0), "2.346 ± 0.012");
        assert_eq!(mean_sd(&Summary { n: 3, mean: 1.226012, sd: Some(0.000918) }, 1.0), "1.2260 ± 0.0009");
        assert_eq!(mean_sd(&Summary { n: 3, mean: 0.000154, sd: Some(0.000032) }, 1.0), "0.000154 ± 0.000032");
        assert_eq!(mean_sd(&Summary { n: 3, mean: 0.41234, sd: Some(0.0051) }, 100.0), "41.23 ± 0.51");
        assert_eq!(mean_sd(&Summary { n: 1, mean: 2.34567, sd: None }, 1.0), "2.346");
        assert_eq!(mean_sd(&Summary { n: 3, mean: 1.5, sd: Some(0.0) }, 1.0), "1.500 ± 0");
        assert_eq!(mean_sd(&Summary { n: 3, mean: 0.4, sd: Some(6e-17) }, 100.0), "40.00 ± 0");
    }

    #[test]
    fn operations_are_counted_in_millions() {
        let counts = [Some(12_621_312), Some(12_817_793_024), Some(999_400), Some(12_300), Some(0), None];
        assert_eq!(counts.map(mega), ["12.62", "12,818", "0.9994", "0.0123", "0.0000", "–"]);
    }

    #[test]
    fn short_counts_have_a_unit() {
        let counts = [0, 64, 999, 1000, 4096, 57_600, 999_499, 999_500, 1_382_400];
        assert_eq!(counts.map(short_count), ["–", "64", "999", "1 k", "4 k", "58 k", "999 k", "1.0 M", "1.4 M"]);
    }

    #[test]
    fn signs_are_shown_and_zero_has_none() {
        assert_eq!(signed(-0.12345, 3), "−0.123");
        assert_eq!(signed(0.12345, 3), "+0.123");
        assert_eq!(signed(-0.0001, 3), "0.000");
        assert_eq!(interval(&Interval { low: -0.15, high: 0.09 }, 2), "[−0.15, +0.09]");
        assert_eq!([-0.096_67, 1.234_5, 123.4].map(alone), ["−0.0967", "+1.23", "+123"]);
    }

    #[test]
    fn p_values_keep_the_digits_that_decide() {
        assert_eq!(
            [0.00001, 0.0021, 0.0496, 0.0504, 0.07, 0.62, 1.0].map(p_value),
            ["<0.0001", "0.0021", "0.0496", "0.0504", "0.070", "0.62", "1.00"]
        );
    }
}
