//! A curve of bounded length.

/// The most points; even, because full curves are halved.
const MOST: usize = 48;

/// Values by step. Each point is the mean of equally many values, so long runs have no more points than short ones.
#[derive(Debug)]
pub(crate) struct Curve {
    points: Vec<(f64, f64)>,
    /// Of how many values a point is the mean.
    each: u32,
    /// Sums and number of the values that are not a point yet.
    open: (f64, f64),
    count: u32,
}

impl Default for Curve {
    fn default() -> Self {
        Self { points: Vec::new(), each: 1, open: (0.0, 0.0), count: 0 }
    }
}

impl Curve {
    /// Adds a value; one that is not finite is left out.
    pub(crate) fn push(&mut self, step: u64, value: f64) {
        if !value.is_finite() {
            return;
        }
        self.open = (self.open.0 + step as f64, self.open.1 + value);
        self.count += 1;
        if self.count < self.each {
            return;
        }
        let point = self.last();
        self.points.extend(point);
        (self.open, self.count) = ((0.0, 0.0), 0);
        if self.points.len() == MOST {
            let halved =
                self.points.chunks_exact(2).map(|two| ((two[0].0 + two[1].0) / 2.0, (two[0].1 + two[1].1) / 2.0));
            self.points = halved.collect();
            self.each = self.each.saturating_mul(2);
        }
    }

    fn last(&self) -> Option<(f64, f64)> {
        let count = f64::from(self.count);
        (self.count > 0).then(|| (self.open.0 / count, self.open.1 / count))
    }

    /// Steps and values, the newest values included.
    pub(crate) fn points(&self) -> impl Iterator<Item = (f64, f64)> {
        self.points.iter().copied().chain(self.last())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_curve_keeps_its_shape_in_few_points() {
        let mut curve = Curve::default();
        for step in 0..10_000 {
            curve.push(step, step as f64);
        }
        let points: Vec<_> = curve.points().collect();
        assert!((MOST / 2..=MOST).contains(&points.len()), "{}", points.len());
        assert!(points.iter().all(|(step, value)| (step - value).abs() < 1e-6), "{points:?}");
        assert!(
            points.is_sorted_by(|one, other| one.0 < other.0) && points[points.len() - 1].0 > 9_700.0,
            "{points:?}"
        );
    }

    #[test]
    fn a_short_curve_has_every_value() {
        let mut curve = Curve::default();
        for (step, value) in [(10, 2.0), (20, f64::NAN), (30, 1.0)] {
            curve.push(step, value);
        }
        assert_eq!(curve.points().collect::<Vec<_>>(), [(10.0, 2.0), (30.0, 1.0)]);
    }
}
