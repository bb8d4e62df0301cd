//! Sizes at which a metric is reached: series that never get worse, and their inverse.

use crate::numbers::{decimals, fixed};
use facts::metrics::Direction;
use std::fmt;

/// A size or a factor with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Multiple {
    pub at: Bounded,
    /// The ends of the interval, the smaller one first.
    pub ends: [Bounded; 2],
}

/// A size on a ladder, or a factor, or a bound of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bounded {
    At(f64),
    /// The largest size of the ladder, this one, or a larger one.
    AtLeast(f64),
    /// The smallest size of the ladder, this one, or a smaller one.
    AtMost(f64),
}

impl Bounded {
    /// Its number, and `at least` or `at most` of a bound.
    pub fn words(self) -> (f64, &'static str) {
        match self {
            Self::At(size) => (size, ""),
            Self::AtLeast(size) => (size, "at least"),
            Self::AtMost(size) => (size, "at most"),
        }
    }

    /// `None` if it is a bound.
    pub fn exact(self) -> Option<f64> {
        if let Self::At(size) = self { Some(size) } else { None }
    }

    pub(crate) fn over(self, unit: f64) -> Self {
        match self {
            Self::At(size) => Self::At(size / unit),
            Self::AtLeast(size) => Self::AtLeast(size / unit),
            Self::AtMost(size) => Self::AtMost(size / unit),
        }
    }

    /// How many times this size another one is.
    fn dividing(self, size: f64) -> Self {
        match self {
            Self::At(own) => Self::At(size / own),
            Self::AtLeast(own) => Self::AtMost(size / own),
            Self::AtMost(own) => Self::AtLeast(size / own),
        }
    }
}

impl Multiple {
    /// How many times this size another one is.
    pub(super) fn dividing(self, size: f64) -> Self {
        let [low, high] = self.ends.map(|end| end.dividing(size));
        Self { at: self.at.dividing(size), ends: [high, low] }
    }
}

impl fmt::Display for Multiple {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { at, ends: [low, high] } = self;
        write!(f, "{at} [{low}, {high}]")
    }
}

impl fmt::Display for Bounded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sign, size) = match *self {
            Self::At(size) => ("", size),
            Self::AtLeast(size) => ("≥ ", size),
            Self::AtMost(size) => ("≤ ", size),
        };
        // A small factor is not shown as 0.
        write!(f, "{sign}{}", fixed(size, if size < 0.01 { decimals(size) } else { 2 }))
    }
}

/// Sizes with a metric that never gets worse from one to the next.
#[derive(Debug, Clone, PartialEq)]
pub struct Ladder {
    /// Ascending sizes, each with its cost, which does not rise: the metric, or the metric with the other sign if higher is
    /// better.
    rungs: Vec<(f64, f64)>,
    sign: f64,
}

impl Ladder {
    /// Of sizes with their mean metric; where a larger size is worse, it and its neighbours get their common mean. None
    /// below two sizes or without a better side.
    pub fn of(rungs: &[(f64, f64)], direction: Direction) -> Option<Self> {
        let sign = match direction {
            Direction::Lower => 1.0,
            Direction::Higher => -1.0,
            Direction::Neither => return None,
        };
        let mut rungs: Vec<(f64, f64)> = rungs.iter().map(|&(size, metric)| (size, sign * metric)).collect();
        rungs.sort_by(|a, b| a.0.total_cmp(&b.0));
        let fitted = non_increasing(&rungs.iter().map(|rung| rung.1).collect::<Vec<_>>());
        rungs.iter_mut().zip(fitted).for_each(|(rung, fitted)| rung.1 = fitted);
        (rungs.len() >= 2).then_some(Self { rungs, sign })
    }

    /// The size that has this metric, on the line between two rungs, straight in the logarithm of the size. Between sizes
    /// that are equally good it is their geometric mean.
    pub fn size_at(&self, metric: f64) -> Bounded {
        let cost = self.sign * metric;
        let (first, last) = (self.rungs[0], self.rungs[self.rungs.len() - 1]);
        if cost < last.1 {
            return Bounded::AtLeast(last.0);
        }
        if cost > first.1 {
            return Bounded::AtMost(first.0);
        }
        let equal: Vec<f64> = self.rungs.iter().filter(|rung| rung.1 == cost).map(|rung| rung.0).collect();
        if let (Some(small), Some(large)) = (equal.first(), equal.last()) {
            return Bounded::At((small * large).sqrt());
        }
        let pair = self.rungs.windows(2).find(|pair| pair[0].1 > cost && cost > pair[1].1);
        pair.map_or(Bounded::AtLeast(last.0), |pair| {
            let ((small, at_small), (large, at_large)) = (pair[0], pair[1]);
            Bounded::At(small * (large / small).powf((at_small - cost) / (at_small - at_large)))
        })
    }
}

/// The non-increasing series with the least squared distance to `values`: neighbours that rise are replaced by their mean (pool
/// adjacent violators). Ayer, Brunk, Ewing, Reid & Silverman, "An empirical distribution function for sampling with incomplete
/// information", Annals of Mathematical Statistics 26 (1955); scikit-learn's `isotonic_regression`.
pub fn non_increasing(values: &[f64]) -> Vec<f64> {
    // Pools of neighbours: their mean and how many they are.
    let mut pools: Vec<(f64, usize)> = Vec::new();
    for &value in values {
        let mut own = (value, 1);
        while let Some(&(mean, count)) = pools.last().filter(|(mean, _)| *mean < own.0) {
            own = ((mean * count as f64 + own.0 * own.1 as f64) / (count + own.1) as f64, count + own.1);
            pools.pop();
        }
        pools.push(own);
    }
    pools.into_iter().flat_map(|(mean, count)| std::iter::repeat_n(mean, count)).collect()
}
