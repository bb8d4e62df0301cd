//! The log-likelihood ratio against other programs, against a search over all distributions, and its laws.

use super::*;
use crate::pairs::{Pentanomial, Trinomial};

fn test(model: Model, elo0: f64, elo1: f64) -> Sprt {
    Sprt::new(model, [elo0, elo1], 0.05, 0.05).expect("a valid test")
}

fn llr<O: Outcomes>(model: Model, elo0: f64, elo1: f64, outcomes: &O) -> f64 {
    test(model, elo0, elo1).llr(outcomes).expect("within reach")
}

/// Half a unit of the second decimal, which is the last one that other programs print.
const PRINTED: f64 = 0.005_001;

fn agrees(ours: f64, theirs: f64, within: f64) {
    assert!((ours - theirs).abs() <= within, "{ours} is not {theirs}");
}

/// Fastchess, `app/tests/sprt_test.cpp` at 0cbac49; "normalized trinomial 3" and "normalized pentanomial 3", whose figures
/// changed with fastchess's formula, as of its exact ratio.
#[test]
fn ratios_agree_with_fastchess() {
    use Model::{Logistic, Normalized};
    // Losses, draws, wins.
    let games = [
        (Normalized, 0.0, 2.0, [36027, 68692, 36433], 0.92),
        (Normalized, -1.75, 0.25, [10650, 20431, 10871], 2.30),
        (Logistic, 0.5, 2.5, [21184, 40708, 21404], -1.57),
        (Logistic, 0.0, 2.0, [57030, 106_593, 57433], -2.59),
    ];
    for (model, elo0, elo1, counts, theirs) in games {
        agrees(llr(model, elo0, elo1, &Trinomial(counts)), theirs, PRINTED);
    }
    // From the worst pair to the best.
    let pairs = [
        (Normalized, 0.0, 2.0, [365, 16618, 36229, 16974, 390], 2.25),
        (Normalized, -1.75, 0.25, [127, 4883, 10712, 5150, 104], 3.01),
        (Logistic, 0.5, 2.5, [223, 9863, 21279, 10037, 246], -3.07),
        (Logistic, 0.0, 2.0, [871, 26175, 55983, 26678, 821], -4.98),
    ];
    for (model, elo0, elo1, counts, theirs) in pairs {
        agrees(llr(model, elo0, elo1, &Pentanomial(counts)), theirs, PRINTED);
    }
}

/// The formulas of the module's page computed with 60 digits, also of wins only.
#[test]
fn ratios_have_their_digits() {
    let of = |elo0, elo1, counts| llr(Model::Normalized, elo0, elo1, &Pentanomial(counts));
    agrees(llr(Model::Normalized, 0.0, 10.0, &Trinomial([0, 0, 4250])), 120.548_267_741_203_32, 1e-9);
    agrees(of(0.0, 5.0, [0, 0, 0, 0, 5550]), 111.797_555_086_714_16, 1e-9);
    agrees(of(0.0, 2.0, [2, 40, 72, 14, 0]), -0.359_601_377_244_784_87, 1e-11);
    agrees(of(-5.0, 15.0, [10, 20, 40, 20, 10]), -0.165_598_423_332_504_96, 1e-11);
}

/// Tests that ran on fishtest, by the end of their address <https://tests.stockfishchess.org/tests/view/…>, with the
/// ratio printed there. The test of `calculateSPRT` in a public shogi program, `@/renderer/game/sprt`, has collected
/// them. Normalized Elo.
#[test]
fn ratios_agree_with_fishtest() {
    let runs = [
        ("69675ab9d5a3b5895b50fb44", -1.75, 0.25, [19, 4020, 10316, 4215, 24], 2.94),
        ("6984bbe6473df9d1d24a937b", 0.0, 2.0, [103, 3851, 8316, 3728, 98], -2.03),
        ("698432f5473df9d1d24a926d", 0.0, 2.0, [99, 3323, 8399, 3606, 109], 2.98),
        ("6983946d473df9d1d24a916d", 0.5, 2.5, [45, 8506, 25934, 8883, 57], 2.94),
        ("697f19db5f56030af97b5b01", 0.5, 2.5, [105, 19880, 51075, 20005, 108], -2.94),
    ];
    for (run, elo0, elo1, counts, theirs) in runs {
        let ours = llr(Model::Normalized, elo0, elo1, &Pentanomial(counts));
        assert!((ours - theirs).abs() <= PRINTED, "{run}: {ours} is not {theirs}");
    }
    let few = [([0, 0, 0, 0, 3], 0.02), ([10, 0, 0, 0, 0], -0.08), ([0, 2, 4, 6, 10], 0.13), ([10, 5, 2, 5, 10], 0.0)];
    for (counts, theirs) in few {
        let ours = llr(Model::Normalized, -1.75, 0.25, &Pentanomial(counts));
        assert!((ours - theirs).abs() <= PRINTED, "{counts:?}: {ours} is not {theirs}");
    }
}

/// The largest log-likelihood of losses, draws and wins over all distributions that meet a constraint, which gives the
/// wins' share from the draws' share: a search over the draws by golden sections.
fn searched(counts: [f64; 3], wins_of_draws: impl Fn(f64) -> Option<f64>) -> f64 {
    let value = |draws: f64| {
        let Some(wins) = wins_of_draws(draws) else { return f64::NEG_INFINITY };
        let shares = [1.0 - draws - wins, draws, wins];
        if shares.iter().any(|share| *share <= 0.0) {
            return f64::NEG_INFINITY;
        }
        counts.iter().zip(shares).map(|(count, share)| count * share.ln()).sum()
    };
    let best = (1..2000).map(|step| f64::from(step) / 2000.0).max_by(|a, b| value(*a).total_cmp(&value(*b))).unwrap();
    let (mut low, mut high) = (best - 1.0 / 2000.0, best + 1.0 / 2000.0);
    for _ in 0..100 {
        let (left, right) = (high - 0.618 * (high - low), low + 0.618 * (high - low));
        if value(left) < value(right) { low = left } else { high = right }
    }
    value(low)
}

#[test]
fn ratios_are_those_of_a_search_over_all_distributions() {
    for counts in [[20, 50, 30], [4, 3, 9], [300, 100, 310]] {
        let weights = counts.map(|count| count as f64);
        for (elo0, elo1) in [(0.0, 5.0), (-10.0, 30.0), (50.0, 200.0)] {
            // Mean: wins + draws/2.
            let of_mean = |elo| searched(weights, |draws| Some(score_of_elo(elo) - draws / 2.0));
            let ours = llr(Model::Logistic, elo0, elo1, &Trinomial(counts));
            agrees(ours, of_mean(elo1) - of_mean(elo0), 1e-7);
            // With m = mean − ½ and v = (1 − draws)/4 − m², m = t·√v has the root m² = t²(1 − draws)/4/(1 + t²).
            let of_t = |elo: f64| {
                let t = elo / NORMALIZED_PER_DEVIATION;
                let above = |draws: f64| t.signum() * (t * t * (1.0 - draws) / 4.0 / (1.0 + t * t)).sqrt();
                searched(weights, |draws| Some(0.5 - draws / 2.0 + above(draws)))
            };
            let ours = llr(Model::Normalized, elo0, elo1, &Trinomial(counts));
            agrees(ours, of_t(elo1) - of_t(elo0), 1e-7);
        }
    }
}

#[test]
fn exchanged_players_and_hypotheses_have_the_opposite_ratio() {
    for model in Model::ALL {
        for counts in [[3, 14, 20, 17, 8], [0, 3, 5, 1, 0], [0, 0, 0, 0, 50], [0, 0, 9, 0, 0]] {
            let ours = llr(model, -3.0, 7.0, &Pentanomial(counts));
            let mut turned = counts;
            turned.reverse();
            agrees(ours, -llr(model, -7.0, 3.0, &Pentanomial(turned)), 1e-7);
        }
    }
}

#[test]
fn every_small_count_has_a_ratio() {
    for index in 0..4_u64.pow(5) {
        let counts = [0, 1, 2, 3, 4].map(|place| [0, 1, 7, 500][(index / 4_u64.pow(place) % 4) as usize]);
        for model in Model::ALL {
            for (elo0, elo1) in [(0.0, 2.0), (-50.0, 0.0), (0.0, 100.0)] {
                let ratio = test(model, elo0, elo1).llr(&Pentanomial(counts));
                assert!(
                    ratio.as_ref().is_ok_and(|ratio| ratio.is_finite()),
                    "{model:?} {elo0} {elo1} {counts:?}: {ratio:?}"
                );
            }
        }
    }
}

#[test]
fn the_bounds_decide() {
    let sprt = Sprt::new(Model::Logistic, [0.0, 5.0], 0.05, 0.10).unwrap();
    let [lower, upper] = sprt.bounds();
    agrees(lower, (0.1_f64 / 0.95).ln(), 1e-15);
    agrees(upper, (0.9_f64 / 0.05).ln(), 1e-15);
    // Fishtest prints −2.94 and 2.94 for error rates of 5 %.
    agrees(test(Model::Logistic, 0.0, 1.0).bounds()[1], 2.94, PRINTED);
    assert_eq!(sprt.decide(lower), Decision::AcceptH0);
    assert_eq!(sprt.decide(0.0), Decision::Continue);
    assert_eq!(sprt.decide(upper), Decision::AcceptH1);
    assert_eq!(sprt.llr(&Trinomial::default()), Ok(0.0));
}

#[test]
fn tests_that_cannot_be_are_refused() {
    for (elos, alpha, beta, reason) in [
        ([5.0, 5.0], 0.05, 0.05, "below elo1"),
        ([0.0, f64::NAN], 0.05, 0.05, "below elo1"),
        ([0.0, 5.0], 0.0, 0.05, "alpha and beta"),
        ([0.0, 5.0], 0.5, 0.5, "alpha and beta"),
    ] {
        let error = Sprt::new(Model::Logistic, elos, alpha, beta).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
    let far = Sprt::new(Model::Logistic, [0.0, 1e6], 0.05, 0.05).unwrap();
    let error = far.llr(&Trinomial([1, 1, 1])).unwrap_err().to_string();
    assert!(error.starts_with("no distribution of the results has 1000000 logistic Elo"), "{error}");
    for model in Model::ALL {
        assert_eq!(Model::named(model.name()), Some(model));
    }
    assert_eq!(Model::named("bayesian"), None);
}
