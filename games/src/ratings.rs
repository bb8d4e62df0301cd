//! A rating as one byte of a packed row, for networks with the strength of the players as an input.
//!
//! Source: Maia-2 (arXiv 2409.20553) gives its network the ratings of both players in classes of 100 points. Here a rating is
//! a thermometer ([`FeatureKind::Thermometer`](crate::FeatureKind::Thermometer)), so that near ratings share channels: the
//! first channel marks a known rating, and one follows for every 100 points from 1,000 to 4,000, which covers the
//! ratings of Lichess and of Floodgate.

const LOWEST: i32 = 1_000;

const POINTS: i32 = 100;

/// The number of channels of a rating.
pub(crate) const STEPS: u8 = 32;

/// 0 for an unknown rating, 1 below [`LOWEST`], then one more for every [`POINTS`], up to [`STEPS`].
pub(crate) fn byte(rating: Option<i32>) -> u8 {
    let channels = |rating: i32| rating.saturating_sub(LOWEST).div_euclid(POINTS) + 2;
    rating.map_or(0, |rating| channels(rating).clamp(1, STEPS.into()) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_channel_is_added_every_hundred_points() {
        let ratings = [None, Some(-5), Some(999), Some(1_000), Some(1_099), Some(1_100), Some(3_999), Some(4_000)];
        assert_eq!(ratings.map(byte), [0, 1, 1, 2, 2, 3, 31, 32]);
        assert_eq!(byte(Some(9_000)), STEPS);
        assert_eq!([i32::MIN, i32::MAX].map(|rating| byte(Some(rating))), [1, STEPS]);
    }
}
