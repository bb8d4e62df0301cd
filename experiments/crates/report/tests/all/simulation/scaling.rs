//! Curves over budgets with known multipliers and exponents, three seeds each: how often intervals cover, and how often equal
//! exponents are called different.

use super::{asked, grids, noise, sample};
use report::statistics::across::welch;
use report::statistics::curve::{Measured, curve, multiplier};
use report::statistics::ladder::{Bounded, Multiple};
use report::statistics::power_law::PowerLaw;
use streams::Stream;

const FIRST: f64 = 16e3;
const BUDGETS: [f64; 5] = [FIRST, 4.0 * FIRST, 16.0 * FIRST, 64.0 * FIRST, 256.0 * FIRST];
const SEEDS: usize = 3;

/// The noise of seeds: standard deviations of the logarithm of the loss at each budget, and the share of its variance that a
/// seed has at all budgets.
struct Noise {
    name: &'static str,
    sd: [f64; 5],
    shared: f64,
}

/// Equal at all budgets, rising as losses fall, and largest where a curve leaves its plateau.
const NOISE: [Noise; 6] = [
    Noise { name: "unequal", sd: [0.06, 0.12, 0.25, 0.4, 0.5], shared: 0.0 },
    Noise { name: "unequal, half shared", sd: [0.06, 0.12, 0.25, 0.4, 0.5], shared: 0.5 },
    Noise { name: "equal", sd: [0.1; 5], shared: 0.0 },
    Noise { name: "equal, half shared", sd: [0.1; 5], shared: 0.5 },
    Noise { name: "peak", sd: [0.05, 0.1, 0.45, 0.2, 0.1], shared: 0.0 },
    Noise { name: "peak, half shared", sd: [0.05, 0.1, 0.45, 0.2, 0.1], shared: 0.5 },
];

/// A loss that is constant up to a budget and follows a power law after it.
#[derive(Clone, Copy)]
struct Truth {
    escape: f64,
    start: f64,
    exponent: f64,
    floor: f64,
}

impl Truth {
    fn loss(self, budget: f64) -> f64 {
        self.floor + self.start * (budget / self.escape).max(1.0).powf(-self.exponent)
    }

    fn budget(self, loss: f64) -> f64 {
        self.escape * ((loss - self.floor) / self.start).powf(-1.0 / self.exponent)
    }
}

const STRAIGHT: Truth = Truth { escape: FIRST, start: 0.7, exponent: 0.5, floor: 0.0 };
const STEEPER: Truth = Truth { escape: FIRST, start: 0.4, exponent: 0.7, floor: 0.0 };
/// Its plateau ends half way between the first and the second budget, where the rule decides.
const SHORT: Truth = Truth { escape: 2.0 * FIRST, start: 0.7, exponent: 1.0, floor: 0.0 };
/// Its plateau ends between the second and the third budget.
const LONG: Truth = Truth { escape: 6.0 * FIRST, start: 0.7, exponent: 0.9, floor: 0.0 };
const LEVELS_OFF: Truth = Truth { escape: FIRST, start: 0.6, exponent: 0.6, floor: 0.3 };

fn draw(truth: Truth, noise: &Noise, scale: f64, stream: &mut Stream) -> Vec<Measured> {
    let luck: Vec<f64> = (0..SEEDS).map(|_| streams::normal(stream)).collect();
    let at = |(budget, sd): (&f64, &f64)| {
        let mut of_seed = |luck: &f64| {
            let own = noise.shared.sqrt() * luck + (1.0 - noise.shared).sqrt() * streams::normal(stream);
            truth.loss(*budget) * (scale * sd * own).exp()
        };
        (*budget, luck.iter().map(&mut of_seed).collect())
    };
    let budgets: Vec<(f64, Vec<f64>)> = BUDGETS.iter().zip(&noise.sd).map(at).collect();
    curve(&budgets, 0.0).expect("losses above 0")
}

fn covers(found: &Multiple, truth: f64) -> bool {
    let [low, high] = found.ends;
    let above = match low {
        Bounded::At(low) | Bounded::AtLeast(low) => low <= truth,
        Bounded::AtMost(_) => true,
    };
    let below = match high {
        Bounded::At(high) | Bounded::AtMost(high) => truth <= high,
        Bounded::AtLeast(_) => true,
    };
    above && below
}

fn count() -> u64 {
    if asked().is_some() { grids() } else { grids() / 4 }
}

#[test]
fn intervals_of_multipliers_cover() {
    let count = count();
    for &(name, reference) in sample(&[("power law", STRAIGHT), ("plateau", LONG)], 2) {
        for noise_of in sample(&NOISE, 1) {
            let (mut all, mut covered) = (0_u64, 0_u64);
            for trial in 0..count {
                let mut stream = streams::stream(trial, &["test", "multipliers", name, noise_of.name]);
                let base = draw(reference, noise_of, 1.0, &mut stream);
                let row = draw(STEEPER, noise_of, 1.0, &mut stream);
                for (place, budget) in BUDGETS.into_iter().enumerate() {
                    let needed = STEEPER.budget(reference.loss(budget));
                    // Beyond the budgets there is a bound only.
                    if !(BUDGETS[0]..=BUDGETS[4]).contains(&needed) {
                        continue;
                    }
                    let found = multiplier(&row, &base, place).expect("five budgets");
                    all += 1;
                    covered += u64::from(covers(&found, budget / needed));
                }
            }
            let share = covered as f64 / all as f64;
            println!(
                "multipliers, reference: {name}, noise {}: {:.1} % of {all} covered",
                noise_of.name,
                share * 100.0
            );
            assert!(share >= 0.93 - noise(count), "{name}, {}: {share}", noise_of.name);
        }
    }
}

#[test]
fn intervals_of_exponents_cover_and_equal_exponents_are_rarely_called_different() {
    let count = count();
    // Noise that is largest where the curve leaves its plateau hides from the rule that the third budget is on the way out.
    let truths = [("power law", STRAIGHT, 0.93), ("short plateau", SHORT, 0.93), ("long plateau", LONG, 0.6)];
    for &(name, truth, least) in sample(&truths, 3) {
        for noise_of in sample(&NOISE, 1) {
            let (mut fits, mut covered, mut pairs, mut different) = (0_u64, 0_u64, 0_u64, 0_u64);
            let (mut next, mut predicted, mut wrong) = (0_u64, 0_u64, 0_u64);
            let as_steep = Truth { escape: FIRST, start: 0.3, ..truth };
            for trial in 0..count {
                let mut stream = streams::stream(trial, &["test", "exponents", name, noise_of.name]);
                let [own, other] =
                    [truth, as_steep].map(|truth| PowerLaw::with_floor(&draw(truth, noise_of, 1.0, &mut stream), 0.0));
                let Some(own) = own else { continue };
                let ends = own.exponent.interval(0.95);
                fits += 1;
                covered += u64::from((ends.low..=ends.high).contains(&truth.exponent));
                let test =
                    |other: &PowerLaw| welch(&own.on_budgets_of(other)?.exponent, &other.on_budgets_of(&own)?.exponent);
                if let Some(test) = other.as_ref().and_then(test) {
                    pairs += 1;
                    different += u64::from(test.p < 0.05);
                }
                // The next budget has the noise of the last one.
                let budget = 4.0 * BUDGETS[4];
                let noise = || (noise_of.sd[4] * streams::normal(&mut stream)).exp();
                let losses: Vec<f64> = std::iter::repeat_with(noise).take(SEEDS).collect();
                let losses: Vec<f64> = losses.iter().map(|noise| truth.loss(budget) * noise).collect();
                let measured = Measured::of(budget, &losses, 0.0).expect("three seeds");
                let ends = own.predict(budget).expect("a prediction").interval;
                next += 1;
                predicted += u64::from((ends.low..=ends.high).contains(&measured.mean.exp()));
                let outcome = welch(&measured.test(), &own.log_at(budget).expect("a prediction"));
                wrong += u64::from(outcome.expect("a test").p < 0.05);
            }
            let share = |part: u64, all: u64| part as f64 / all.max(1) as f64;
            let (coverage, called) = (share(covered, fits), share(different, pairs));
            println!(
                "exponents, {name}, noise {}: {:.1} % of {fits} covered, {:.1} % of {pairs} equal pairs called different, \
                 {:.1} % of {next} predictions covered, {:.1} % called wrong",
                noise_of.name,
                coverage * 100.0,
                called * 100.0,
                share(predicted, next) * 100.0,
                share(wrong, next) * 100.0
            );
            assert!(coverage >= least - noise(fits), "{name}, {}: {coverage}", noise_of.name);
            assert!(called <= 1.01 - least + noise(pairs), "{name}, {}: {called}", noise_of.name);
            assert!(share(predicted, next) >= 0.9 - noise(next), "{name}, {}: {predicted} of {next}", noise_of.name);
            assert!(share(wrong, next) <= 1.01 - least + noise(next), "{name}, {}: {wrong} of {next}", noise_of.name);
        }
    }
}

#[test]
fn intervals_of_exponents_with_a_fitted_floor_cover() {
    let count = count();
    for noise_of in sample(&NOISE, 1) {
        let (mut fits, mut covered) = (0_u64, 0_u64);
        for trial in 0..count {
            let mut stream = streams::stream(trial, &["test", "fitted floors", noise_of.name]);
            // A fifth of the noise: with all of it three seeds do not see a floor.
            let Some(fit) = PowerLaw::fitted(&draw(LEVELS_OFF, noise_of, 0.2, &mut stream)) else { continue };
            let ends = fit.exponent.interval(0.95);
            fits += 1;
            covered += u64::from((ends.low..=ends.high).contains(&LEVELS_OFF.exponent));
        }
        let share = covered as f64 / fits as f64;
        println!("fitted floors, noise {}: {:.1} % of {fits} covered", noise_of.name, share * 100.0);
        assert!(share >= 0.91 - noise(fits), "{}: {share}", noise_of.name);
    }
}
