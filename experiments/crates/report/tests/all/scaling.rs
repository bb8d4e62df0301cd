//! Multipliers and power laws of curves over budgets: by hand and against SciPy.

use crate::close;
use report::statistics::curve::{Measured, curve, multiplier};
use report::statistics::ladder::{Bounded, Multiple};
use report::statistics::power_law::{PowerLaw, plateau};
use serde_json::Value;

const BUDGETS: [f64; 5] = [16e3, 64e3, 256e3, 1_024e3, 4_096e3];

fn exact(loss: impl Fn(f64) -> f64) -> Vec<Measured> {
    let budgets: Vec<(f64, Vec<f64>)> = BUDGETS.map(|budget| (budget, vec![loss(budget); 3])).to_vec();
    curve(&budgets, 0.0).expect("losses above 0")
}

pub(crate) fn at(size: Bounded) -> f64 {
    size.exact().unwrap_or_else(|| panic!("{size:?}"))
}

#[test]
fn a_row_that_needs_an_eighth_of_the_positions_has_the_multiplier_8() {
    let loss = |budget: f64| 0.7 * (budget / 16e3).powf(-0.6);
    let (reference, row) = (exact(loss), exact(|budget| loss(8.0 * budget)));
    let found: Vec<Multiple> =
        (0..5).map(|budget| multiplier(&row, &reference, budget).expect("five budgets")).collect();
    // The loss of the reference at 16,000 and 64,000 positions is above that of the row at 16,000.
    assert_eq!(found[0].at, Bounded::AtLeast(1.0));
    assert_eq!(found[0].ends, [Bounded::AtLeast(1.0); 2]);
    assert!(matches!(found[1].at, Bounded::AtLeast(bound) if (bound - 4.0).abs() < 1e-9), "{:?}", found[1]);
    found[2..].iter().for_each(|own| close(at(own.at), 8.0, 1e-9));
    // Turned round, the reference never has what the row has at the end.
    let back = multiplier(&reference, &row, 4).expect("five budgets");
    assert!(matches!(back.at, Bounded::AtMost(bound) if (bound - 1.0).abs() < 1e-9), "{back:?}");
    close(at(multiplier(&reference, &row, 0).expect("five budgets").at), 0.125, 1e-9);
    assert_eq!(multiplier(&row[..1], &reference, 0), None, "one budget has no curve");
    assert_eq!(multiplier(&row, &reference, 5), None, "the reference has no sixth budget");
}

#[test]
fn exact_curves_have_their_exponents_floors_and_next_budget() {
    let curve = exact(|budget| 0.2 + 0.6 * (budget / 16e3).powf(-0.8));
    let fitted = PowerLaw::fitted(&curve).expect("five budgets");
    close(fitted.exponent.mean, 0.8, 1e-6);
    close(fitted.floor, 0.2, 1e-6);
    let next = 0.2 + 0.6 * 1024.0_f64.powf(-0.8);
    close(fitted.predict(16_384e3).expect("a prediction").loss, next, 1e-6);
    let budgets: Vec<(f64, Vec<f64>)> = BUDGETS.map(|d| (d, vec![0.2 + 0.6 * (d / 16e3).powf(-0.8); 3])).to_vec();
    let above = report::statistics::curve::curve(&budgets, 0.2).expect("losses above the floor");
    let given = PowerLaw::with_floor(&above, 0.2).expect("five budgets");
    close(given.exponent.mean, 0.8, 1e-9);
    close(given.predict(16_384e3).expect("a prediction").loss, next, 1e-9);
    assert_eq!(report::statistics::curve::curve(&budgets, 0.5), None, "a loss below the floor");
    assert_eq!(PowerLaw::with_floor(&above[..2], 0.2), None, "two budgets");
    assert_eq!(PowerLaw::fitted(&curve[..3]), None, "three budgets");
    // A curve without a floor is fitted with none.
    let straight = PowerLaw::fitted(&exact(|budget| (budget / 16e3).powf(-0.8))).expect("five budgets");
    assert!(straight.floor.abs() < 1e-6, "{}", straight.floor);
    // At the last budget all but 0.06 % of the loss is the floor.
    let steep = PowerLaw::fitted(&exact(|budget| 0.3 + 0.7 * (budget / 16e3).powf(-1.5))).expect("five budgets");
    close(steep.exponent.mean, 1.5, 1e-6);
    // One that is level from the second budget on has any large exponent.
    let level = exact(|budget| if budget > 16e3 { 0.3 } else { 1.0 });
    assert_eq!(PowerLaw::fitted(&level), None, "no exponent is best");
}

#[test]
fn exponents_are_compared_over_the_budgets_that_both_fits_use() {
    // A curve that bends is steeper over all budgets than over its last three; the other one has no earlier ones.
    let bent = exact(|budget| if budget < 256e3 { (budget / 256e3).powf(-0.9) } else { (budget / 256e3).powf(-0.5) });
    let own = PowerLaw::with_floor(&bent, 0.0).expect("five budgets");
    let late = PowerLaw::with_floor(&exact(|budget| budget.powf(-0.5))[2..], 0.0).expect("three budgets");
    assert!(own.exponent.mean > 0.6, "{}", own.exponent.mean);
    close(own.on_budgets_of(&late).expect("three budgets").exponent.mean, 0.5, 1e-9);
    assert_eq!(late.on_budgets_of(&own).expect("its own").exponent, late.exponent);
    assert_eq!(own.on_budgets_of(&own).expect("its own").exponent, own.exponent);
    let early = PowerLaw::with_floor(&bent[..3], 0.0).expect("three budgets");
    assert_eq!(early.on_budgets_of(&late), None, "one budget in common");
}

#[test]
fn a_plateau_is_left_out_and_nothing_else() {
    let after = |escape: f64| exact(move |budget| (0.7 * (budget / escape).powf(-0.9)).min(0.7));
    // A curve that leaves its plateau between two budgets has the first of them on it.
    assert_eq!([16e3, 40e3, 64e3, 200e3, 256e3].map(|escape| plateau(&after(escape))), [0, 1, 1, 2, 2]);
    let fit = PowerLaw::with_floor(&after(200e3), 0.0).expect("three budgets after the plateau");
    close(fit.exponent.mean, 0.9, 1e-9);
    assert_eq!(fit.points, after(200e3)[2..]);
    assert_eq!(PowerLaw::with_floor(&after(600e3), 0.0), None, "two budgets after the plateau");
    assert_eq!(plateau(&exact(|budget| 0.2 + 0.6 * (budget / 16e3).powf(-0.8))), 0, "a curve that levels off");
}

#[test]
fn multipliers_and_power_laws_agree_with_scipy() {
    let cases: Vec<Value> = serde_json::from_str(include_str!("../fixtures/scaling.json")).expect("a list");
    let read = |case: &Value| {
        let budgets: Vec<(f64, Vec<f64>)> = serde_json::from_value(case["curve"].clone()).expect("budgets");
        curve(&budgets, 0.0).expect("losses above 0")
    };
    let reference = read(&cases[0]);
    let mut compared = 0;
    for case in &cases {
        let own = read(case);
        for (budget, expected) in case["multipliers"].as_array().expect("a list").iter().enumerate() {
            let Multiple { at, ends: [low, high] } = multiplier(&own, &reference, budget).expect("five budgets");
            for (got, expected) in [at, low, high].into_iter().zip(expected.as_array().expect("three")) {
                match (got, expected.as_f64()) {
                    (Bounded::At(got), Some(expected)) => close(got, expected, 1e-5),
                    (Bounded::At(_), None) | (_, Some(_)) => panic!("{}: {got:?}, {expected}", case["name"]),
                    (_, None) => {}
                }
                compared += 1;
            }
        }
        for (fit, name) in [(PowerLaw::with_floor(&own, 0.0), "given"), (PowerLaw::fitted(&own), "fitted")] {
            let expected = &case[name];
            assert_eq!(fit.is_some(), expected.is_object(), "{}: {name}", case["name"]);
            let Some(fit) = fit else { continue };
            let number = |key: &str| expected[key].as_f64().expect("a number");
            assert_eq!(Some(plateau(&own) as u64), expected["plateau"].as_u64());
            close(fit.exponent.mean, number("exponent"), 1e-5);
            close(fit.exponent.interval(0.95).half_width(), number("half"), 1e-4);
            if name == "fitted" {
                assert!((fit.floor - number("floor")).abs() < 1e-6, "{}: {}", case["name"], fit.floor);
            }
            compared += 2;
        }
    }
    assert!(compared > 60, "{compared}");
}
