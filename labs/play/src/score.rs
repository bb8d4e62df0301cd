//! Expected points as the scores of UCI and USI.

/// The largest score in centipawns.
const MOST: f64 = 12_800.0;

/// Expected points in centipawns, by Lc0's conversion of Q (`src/search/classic/search.cc`): 90·tan(1.5637541897·Q) with
/// Q = 2·points − 1.
pub(crate) fn centipawns(points: f64) -> i32 {
    const FACTOR: f64 = 90.0;
    const ANGLE: f64 = 1.563_754_189_7;
    let score = FACTOR * (ANGLE * (2.0 * points.clamp(0.0, 1.0) - 1.0)).tan();
    score.clamp(-MOST, MOST).round() as i32
}

/// Win, draw and loss in thousandths that sum to 1,000.
pub(crate) fn permille([win, draw, _]: [f64; 3]) -> [i32; 3] {
    let part = |share: f64| (1000.0 * share.clamp(0.0, 1.0)).round() as i32;
    let win = part(win);
    let draw = part(draw).min(1000 - win);
    [win, draw, 1000 - win - draw]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_odd_in_the_points_and_finite() {
        assert_eq!(centipawns(0.5), 0);
        assert_eq!(centipawns(0.2), -centipawns(0.8));
        assert!(centipawns(1.0) > 12_000 && centipawns(1.0) <= 12_800);
        assert_eq!(centipawns(1.5), centipawns(1.0), "raw shares may lie outside of 0 to 1");
        assert_eq!(permille([1.0, 0.0, 0.0]), [1000, 0, 0]);
        assert_eq!(permille([0.3336, 0.3336, 0.3328]).iter().sum::<i32>(), 1000);
    }
}
