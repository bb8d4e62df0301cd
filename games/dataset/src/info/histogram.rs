//! Histograms with bins of equal width.

use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

/// The number of values in each bin; empty bins between others are shown as 0.
#[derive(Debug, Clone, PartialEq)]
pub struct Histogram {
    width: f64,
    counts: BTreeMap<i64, u64>,
}

/// A bin and the number of values in it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Bin {
    pub from: f64,
    pub to: f64,
    pub count: u64,
}

impl Histogram {
    /// Bins of this width, one starting at 0.
    pub fn new(width: f64) -> Self {
        Self { width, counts: BTreeMap::new() }
    }

    /// Counts a value. Infinite ones and NaN are not counted.
    pub fn add(&mut self, value: f64) {
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
        let bin = |i: i64| Bin {
            from: i as f64 * self.width,
            to: (i + 1) as f64 * self.width,
            count: self.counts.get(&i).copied().unwrap_or(0),
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
}
