//! Histograms with bins of equal width.

use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

/// The number of values in each bin; empty bins between others are shown as 0.
#[derive(Debug, Clone, PartialEq)]
pub struct Histogram {
    width: f64,
    /// Values that reach this number or its negative are counted in one bin.
    most: f64,
    counts: BTreeMap<i64, u64>,
}

/// A bin and the number of values in it; its end may be infinite, in JSON null.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Bin {
    pub from: f64,
    pub to: f64,
    pub count: u64,
}

impl Histogram {
    /// Bins of this width, one starting at 0.
    pub fn new(width: f64) -> Self {
        Self::within(width, f64::INFINITY)
    }

    /// Bins of this width between a multiple of it and its negative, and one without end on either side.
    pub fn within(width: f64, most: f64) -> Self {
        Self { width, most, counts: BTreeMap::new() }
    }

    /// Counts a value. Infinite ones and NaN are not counted.
    pub fn add(&mut self, value: f64) {
        let value = match value.clamp(-self.most, self.most) {
            lowest if lowest == -self.most => lowest - self.width,
            other => other,
        };
        if value.is_finite() {
            *self.counts.entry((value / self.width).floor() as i64).or_default() += 1;
        }
    }

    /// The bins from the lowest to the highest value.
    pub fn bins(&self) -> Vec<Bin> {
        let (Some((&first, _)), Some((&last, _))) = (self.counts.first_key_value(), self.counts.last_key_value())
        else {
            return Vec::new();
        };
        let bin = |i: i64| {
            let [from, to] = [i, i + 1].map(|i| i as f64 * self.width);
            Bin {
                from: if from < -self.most { f64::NEG_INFINITY } else { from },
                to: if to > self.most { f64::INFINITY } else { to },
                count: self.counts.get(&i).copied().unwrap_or(0),
            }
        };
        (first..=last).map(bin).collect()
    }
}

impl Serialize for Histogram {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.bins().serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_lie_in_half_open_ranges() {
        let mut histogram = Histogram::new(10.0);
        for value in [0.0, 9.9, 10.0, 39.0, f64::NAN, f64::INFINITY] {
            histogram.add(value);
        }
        let bins: Vec<(f64, u64)> = histogram.bins().iter().map(|bin| (bin.from, bin.count)).collect();
        assert_eq!(bins, [(0.0, 2), (10.0, 1), (20.0, 0), (30.0, 1)]);
        assert_eq!(Histogram::new(1.0).bins(), []);
    }

    #[test]
    fn the_ends_are_open() {
        let mut histogram = Histogram::within(10.0, 10.0);
        for value in [f64::NEG_INFINITY, -10.0, -9.9, 9.9, 10.0, 99.0, f64::INFINITY, f64::NAN] {
            histogram.add(value);
        }
        let bins: Vec<_> = histogram.bins().iter().map(|bin| (bin.from, bin.to, bin.count)).collect();
        let [low, high] = [f64::NEG_INFINITY, f64::INFINITY];
        assert_eq!(bins, [(low, -10.0, 2), (-10.0, 0.0, 1), (0.0, 10.0, 1), (10.0, high, 3)]);
    }
}
