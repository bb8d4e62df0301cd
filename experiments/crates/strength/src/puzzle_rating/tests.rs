//! Glickman's example, and the laws of a maximum.

use super::*;

fn attempts(of: &[(f64, f64, bool)]) -> Vec<Attempt> {
    of.iter().map(|&(rating, deviation, solved)| Attempt { rating, deviation, solved }).collect()
}

fn rated(of: &[(f64, f64, bool)], prior: Prior) -> PuzzleRating {
    PuzzleRating::of(&attempts(of), prior, 0.95).expect("a rating")
}

/// Glickman, "The Glicko system", the example at its end: a player of 1500 with deviation 200 against 1400 (30), won,
/// 1550 (100), lost, and 1700 (300), lost.
const EXAMPLE: [(f64, f64, bool); 3] = [(1400.0, 30.0, true), (1550.0, 100.0, false), (1700.0, 300.0, false)];

#[test]
fn weights_and_expectations_are_glickmans() {
    for ((rating, deviation, _), (g, e)) in EXAMPLE.into_iter().zip([(0.9955, 0.639), (0.9531, 0.432), (0.7242, 0.303)])
    {
        assert!((weight(deviation) - g).abs() < 5.1e-5);
        assert!((expected(1500.0, rating, deviation) - e).abs() < 5.1e-4);
    }
    assert_eq!(weight(0.0), 1.0);
    // His d² = 231.67².
    let example = attempts(&EXAMPLE);
    let information = Likelihood::new(&example, Prior::None).unwrap().information(1500.0);
    assert!((information.sqrt().recip() - 231.67).abs() < 0.05);
}

/// Glickman's new rating 1464 (151.4) is one step from the old one towards the maximum that we find.
#[test]
fn the_maximum_lies_near_glickmans_step() {
    let prior = Prior::Normal { mean: 1500.0, deviation: 200.0 };
    let example = attempts(&EXAMPLE);
    let likelihood = Likelihood::new(&example, prior).unwrap();
    let step = 1500.0 + likelihood.slope(1500.0) / likelihood.information(1500.0);
    assert!((step - 1464.0).abs() < 0.5, "{step}");
    assert!((likelihood.information(1500.0).sqrt().recip() - 151.4).abs() < 0.05);
    let ours = rated(&EXAMPLE, prior);
    assert!((ours.rating - step).abs() < 1.0, "{ours:?}");
    assert!((ours.error - 151.4).abs() < 1.0, "{ours:?}");
}

#[test]
fn equal_puzzles_have_the_logistic_rating() {
    // Three of four solved: 400·log₁₀ 3 above the puzzles; information q²·n·p(1 − p).
    let same = [(2000.0, 0.0, true), (2000.0, 0.0, true), (2000.0, 0.0, true), (2000.0, 0.0, false)];
    let ours = rated(&same, Prior::None);
    assert!((ours.rating - 2000.0 - crate::elo::elo_of_score(0.75)).abs() < 1e-7);
    assert!((ours.error - 1.0 / (LOGITS_PER_ELO * 0.75_f64.sqrt())).abs() < 1e-7);
}

#[test]
fn the_rating_is_a_maximum_and_the_ends_lie_at_the_drop() {
    let puzzles: Vec<(f64, f64, bool)> =
        (0..60).map(|i| (1000.0 + 40.0 * f64::from(i), 60.0 + f64::from(i), (i * 7) % 60 > i)).collect();
    for prior in [Prior::None, Prior::GLICKO] {
        let tried = attempts(&puzzles);
        let likelihood = Likelihood::new(&tried, prior).unwrap();
        let ours = rated(&puzzles, prior);
        assert!(likelihood.slope(ours.rating).abs() < 1e-12);
        assert!([-1.0, 1.0].iter().all(|step| likelihood.value(ours.rating + step) < likelihood.value(ours.rating)));
        let drop = standard_errors(0.95).powi(2) / 2.0;
        for end in [ours.interval.low, ours.interval.high] {
            assert!((likelihood.value(ours.rating) - likelihood.value(end) - drop).abs() < 1e-9);
        }
        // With many puzzles both intervals are nearly the same.
        assert!((ours.interval.half_width() / (standard_errors(0.95) * ours.error) - 1.0).abs() < 0.02);
    }
}

#[test]
fn all_or_none_solved_is_infinite_without_a_prior() {
    let all = [(1500.0, 50.0, true), (1700.0, 50.0, true)];
    let ours = rated(&all, Prior::None);
    assert_eq!((ours.rating, ours.error, ours.interval.high), (f64::INFINITY, f64::INFINITY, f64::INFINITY));
    let tried = attempts(&all);
    let drop = standard_errors(0.95).powi(2) / 2.0;
    assert!((Likelihood::new(&tried, Prior::None).unwrap().value(ours.interval.low) + drop).abs() < 1e-9);
    // The mirror image about 1600.
    let none = rated(&[(1700.0, 50.0, false), (1500.0, 50.0, false)], Prior::None);
    assert_eq!((none.rating, none.interval.low), (f64::NEG_INFINITY, f64::NEG_INFINITY));
    assert!((none.interval.high - 1600.0 + (ours.interval.low - 1600.0)).abs() < 1e-6);
    let prior = rated(&all, Prior::GLICKO);
    assert!(prior.rating.is_finite() && prior.rating > 1500.0 && prior.error < 350.0);
    assert!(prior.interval.low < prior.rating && prior.rating < prior.interval.high);
}

#[test]
fn what_is_not_a_rating_is_refused() {
    assert_eq!(PuzzleRating::of(&[], Prior::None, 0.95), Err(PuzzleError::Empty));
    let broken = attempts(&[(1500.0, 50.0, true), (f64::NAN, 50.0, true)]);
    assert!(matches!(PuzzleRating::of(&broken, Prior::None, 0.95), Err(PuzzleError::NotARating { index: 1, .. })));
    let prior = Prior::Normal { mean: 1500.0, deviation: 0.0 };
    assert_eq!(PuzzleRating::of(&attempts(&EXAMPLE), prior, 0.95), Err(PuzzleError::NotAPrior));
    assert_eq!(Prior::named("glicko"), Some(Prior::GLICKO));
    assert_eq!(Prior::named("none"), Some(Prior::None));
    assert_eq!(Prior::named("elo"), None);
}
