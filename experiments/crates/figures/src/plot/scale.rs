//! From values to places along an axis, and round numbers to mark it with.

use crate::fixed;

/// More than this factor between the ends of positive values, and an axis of sizes is logarithmic.
const WIDE: f64 = 12.0;
/// Above this factor a logarithmic axis marks powers of ten only.
const MANY_DECADES: f64 = 2e3;
/// About how many ticks an axis has.
const TICKS: f64 = 5.0;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scale {
    low: f64,
    high: f64,
    logarithmic: bool,
}

impl Scale {
    /// A linear axis that shows all values with a margin on both sides; of length 1 around a single value.
    pub(super) fn linear(values: impl IntoIterator<Item = f64>) -> Self {
        let (low, high) = ends(values);
        let margin = if high > low { 0.06 * (high - low) } else { 0.5 };
        Self { low: low - margin, high: high + margin, logarithmic: false }
    }

    pub(super) fn tight(values: impl IntoIterator<Item = f64>) -> Self {
        let (low, high) = ends(values);
        Self { low, high: if high > low { high } else { low + 1.0 }, logarithmic: false }
    }

    /// A logarithmic axis if positive values lie far apart, otherwise a linear one.
    pub(super) fn of_sizes(values: impl IntoIterator<Item = f64>) -> Self {
        let values: Vec<f64> = values.into_iter().collect();
        let (low, high) = ends(values.iter().copied());
        match low > 0.0 && high / low > WIDE {
            true => Self { low: low / 1.2, high: (high * 1.2).min(f64::MAX), logarithmic: true },
            false => Self::linear(values),
        }
    }

    /// 0 at the low end, 1 at the high one.
    pub(super) fn share(&self, value: f64) -> f64 {
        match self.logarithmic {
            true => (value / self.low).ln() / (self.high / self.low).ln(),
            false => (value - self.low) / (self.high - self.low),
        }
    }

    /// The value at a share of the axis.
    pub(super) fn invert(&self, share: f64) -> f64 {
        match self.logarithmic {
            true => self.low * (self.high / self.low).powf(share),
            false => self.low + share * (self.high - self.low),
        }
    }

    /// Round numbers along the axis; none where its ends are too close to each other, or too far apart, for a step between
    /// them.
    pub(super) fn ticks(&self) -> Vec<f64> {
        if self.logarithmic {
            let decades = self.low.log10().floor() as i32..=self.high.log10().ceil() as i32;
            let digits: &[f64] = if self.high / self.low > MANY_DECADES { &[1.0] } else { &[1.0, 2.0, 5.0] };
            let ticks = decades.flat_map(|decade| digits.iter().map(move |digit| digit * 10.0_f64.powi(decade)));
            return ticks.filter(|tick| (self.low..=self.high).contains(tick)).collect();
        }
        let step = self.step();
        let (first, last) = ((self.low / step).ceil(), (self.high / step).floor());
        if !(step.is_finite() && first.is_finite() && last.is_finite()) {
            return Vec::new();
        }
        (first as i64..=last as i64).map(|n| n as f64 * step).collect()
    }

    /// A tick's number, with enough digits to differ from its neighbours. The ticks of a linear axis have one unit, each of a
    /// logarithmic one has its own.
    pub(super) fn label(&self, tick: f64) -> String {
        let (size, thousands) = match self.logarithmic {
            true => (2.0 * tick, 2e3),
            false => (self.high.abs().max(self.low.abs()), 2e4),
        };
        match size {
            size if size >= 2e9 => format!("{}G", short(tick / 1e9)),
            size if size >= 2e6 => format!("{}M", short(tick / 1e6)),
            size if size >= thousands => format!("{}k", short(tick / 1e3)),
            _ if self.logarithmic && tick < 9e-4 => format!("{tick:.0e}"),
            _ if self.logarithmic && tick < 0.1 => fixed(tick, -tick.log10().floor() as usize),
            _ if self.logarithmic => short(tick),
            _ => fixed(tick, (-self.step().log10().floor()).max(0.0) as usize),
        }
    }

    /// 1, 2 or 5 times a power of ten.
    fn step(&self) -> f64 {
        let rough = (self.high - self.low) / TICKS;
        let power = 10.0_f64.powf(rough.log10().floor());
        let round = [1.0, 2.0, 5.0, 10.0].into_iter().find(|round| round * power >= rough).unwrap_or(10.0);
        round * power
    }
}

/// A number in up to three digits.
fn short(value: f64) -> String {
    fixed(value, 2).trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn ends(values: impl IntoIterator<Item = f64>) -> (f64, f64) {
    let all = values.into_iter().filter(|value| value.is_finite());
    let ends = all.fold(None, |ends: Option<(f64, f64)>, value| {
        Some(ends.map_or((value, value), |(low, high)| (low.min(value), high.max(value))))
    });
    ends.unwrap_or((0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        let labels = |scale: Scale| scale.ticks().iter().map(|&tick| scale.label(tick)).collect::<Vec<_>>();
        assert_eq!(labels(Scale::tight([-0.013, 0.11])), ["0.00", "0.05", "0.10"]);
        let sizes = Scale::of_sizes([3e5, 6e7]);
        assert_eq!(labels(sizes), ["500k", "1M", "2M", "5M", "10M", "20M", "50M"]);
        let budgets = labels(Scale::of_sizes([4e3, 2.5e6]));
        assert_eq!(budgets, ["5k", "10k", "20k", "50k", "100k", "200k", "500k", "1M", "2M"]);
        let losses = Scale::of_sizes([0.0015, 0.7]);
        assert_eq!(labels(losses), ["0.002", "0.005", "0.01", "0.02", "0.05", "0.1", "0.2", "0.5"]);
        let wide = Scale::of_sizes([0.00002, 0.7]);
        assert_eq!(labels(wide), ["1e-4", "0.001", "0.01", "0.1"], "short labels leave room for the axis' own");
        assert_eq!((sizes.share(2.5e5), sizes.share(7.2e7)), (0.0, 1.0));
    }

    /// Others write the numbers of a report.
    #[test]
    fn ends_without_a_step_between_them_have_few_ticks() {
        let (least, most) = (f64::from_bits(1), f64::MAX);
        for ends in [[0.0, least], [1e300, 1e300], [-most, most], [-1e308, 1e-308], [f64::INFINITY, f64::NAN]] {
            for scale in [Scale::linear(ends), Scale::tight(ends), Scale::of_sizes(ends)] {
                let ticks = scale.ticks();
                assert!(ticks.len() < 20, "{ends:?}: {ticks:?}");
                ticks.iter().for_each(|&tick| drop(scale.label(tick)));
            }
        }
        assert!(Scale::of_sizes([least, most]).ticks().len() < 2000);
    }

    #[test]
    fn a_single_value_lies_in_the_middle() {
        assert!((Scale::linear([2.0]).share(2.0) - 0.5).abs() < 1e-12);
        assert!((Scale::of_sizes([2.0, f64::NAN]).share(2.0) - 0.5).abs() < 1e-12);
        assert_eq!(Scale::linear([]).ticks(), [0.0, 0.5, 1.0]);
    }
}
