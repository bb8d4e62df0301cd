//! Visits of candidate moves, from their shares.

/// The smallest numbers of visits that are read again as these shares: by [`games::shogi::hcpe3::parse`] alone, or by an
/// import, which scales shares to the sum 1. If 65,535 visits or fewer do not have these shares, they are rounded.
pub(super) fn of(shares: &[f32]) -> Vec<u16> {
    let sum = (1..=u16::MAX).find(|&sum| are_shares(shares, sum)).unwrap_or(u16::MAX);
    counts(shares, sum).map(|count| count as u16).collect()
}

fn counts(shares: &[f32], sum: u16) -> impl Iterator<Item = f64> {
    shares.iter().map(move |&share| (f64::from(share) * f64::from(sum)).round())
}

fn are_shares(shares: &[f32], sum: u16) -> bool {
    const ROUNDING: f64 = 1e-4;
    let near = |(&share, count): (&f32, f64)| (f64::from(share) * f64::from(sum) - count).abs() <= ROUNDING * count;
    // Most sums fail at the first move.
    if !shares.iter().zip(counts(shares, sum)).all(near) || counts(shares, sum).sum::<f64>() != f64::from(sum) {
        return false;
    }
    let read: Vec<f32> = counts(shares, sum).map(|count| (count / f64::from(sum)) as f32).collect();
    let total: f32 = read.iter().sum();
    read == shares || read.iter().map(|share| share / total).eq(shares.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(visits: &[u16]) -> Vec<f32> {
        let sum: f64 = visits.iter().copied().map(f64::from).sum();
        visits.iter().map(|&visits| (f64::from(visits) / sum) as f32).collect()
    }

    #[test]
    fn shares_of_visits_come_back_to_the_bit() {
        for visits in [&[1][..], &[3, 1], &[800, 150, 49, 1], &[601, 97, 11, 7, 5, 3], &[1; 593], &[40_000, 25_534, 1]]
        {
            assert_eq!(of(&shares(visits)), visits);
            // As an import stores them.
            let total: f32 = shares(visits).iter().sum();
            let stored: Vec<f32> = shares(visits).iter().map(|share| share / total).collect();
            assert_eq!(of(&stored), visits);
        }
        assert_eq!(of(&shares(&[30, 10])), [3, 1], "the fraction is what is kept");
        let of_engines = [512.0 / 1024.0, 511.0 / 1024.0, 1.0 / 1024.0];
        assert_eq!(of(&of_engines), [512, 511, 1]);
    }

    #[test]
    fn other_shares_are_rounded() {
        let uneven = [0.7, 0.299_999, 0.000_001];
        let visits = of(&uneven);
        let sum: f64 = visits.iter().copied().map(f64::from).sum();
        for (visits, share) in visits.iter().zip(uneven) {
            assert!((f64::from(*visits) / sum - f64::from(share)).abs() < 1.0 / 65_535.0, "{visits} for {share}");
        }
    }
}
