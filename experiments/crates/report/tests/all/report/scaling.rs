//! Multipliers and power laws of a run folder, in every format.

use crate::report::folder::{Folder, close, drawn, has, is_warned, written};
use facts::Extrapolate;
use records::plan::Row;
use records::step_times::StepTime;
use report::figures::Figure;
use report::sections::scaling::Scaling;
use report::statistics::ladder::Bounded;
use report::{Report, ReportOptions, csv, html};
use serde_json::json;
use std::collections::BTreeMap;

const STEPS: [u64; 4] = [250, 1000, 4000, 16_000];

/// Two rows at four budgets of 64 positions a step; shaw has the losses that absolute has with eight times as many.
pub(crate) fn grid() -> Folder {
    with_exponent(0.5)
}

/// The same with another exponent of shaw.
fn with_exponent(of_shaw: f64) -> Folder {
    with_losses(&STEPS, |encoding, steps| {
        let (times, exponent) = if encoding == "shaw" { (8.0, of_shaw) } else { (1.0, 0.5) };
        (64.0 * steps as f64 * times / 16e3).powf(-exponent)
    })
}

/// The encoding, steps and label of each row.
fn rows(steps: &[u64]) -> Vec<(&'static str, u64, String)> {
    let of = |encoding: &'static str| steps.iter().map(move |&steps| (encoding, steps, format!("{encoding}-{steps}")));
    ["absolute", "shaw"].into_iter().flat_map(of).collect()
}

fn with_losses(steps: &[u64], loss: impl Fn(&str, u64) -> f64) -> Folder {
    let mut folder = Folder::new();
    let rows = rows(steps);
    let planned = rows.iter().map(|(_, steps, label)| folder.beside(label, &format!("absolute-{steps}"))).collect();
    folder.edit(|plan| {
        plan.rows = planned;
        plan.primary.metric = "map_loss".to_owned();
    });
    for (encoding, steps, label) in &rows {
        let loss = loss(encoding, *steps);
        folder.row(label, [0.99 * loss, loss, 1.01 * loss]);
        folder.lines_of(label, |line| line["metrics"]["map_loss"] = line["metrics"]["policy_loss"].clone());
        folder.run(label, &json!({"encoding": encoding, "train": {"steps": steps, "batch": 64}}));
    }
    folder
}

fn scaling(report: &Report) -> &Scaling {
    &report.games[0].scaling[0]
}

#[test]
fn a_row_has_multipliers_at_the_losses_of_its_reference_and_both_have_exponents() {
    let report = grid().report();
    let Scaling { budgets, floor, rows, to, .. } = scaling(&report);
    assert_eq!((&budgets[..], *floor, *to), (&[16_000, 64_000, 256_000, 1_024_000][..], Some(0.0), None));
    let [absolute, shaw] = &rows[..] else { panic!("{rows:?}") };
    assert_eq!((&absolute.label[..], &shaw.label[..]), ("absolute", "shaw"));
    let multipliers: Vec<Bounded> = shaw.multipliers.iter().map(|own| own.expect("four budgets").at).collect();
    assert!(matches!(multipliers[..2], [Bounded::AtLeast(_), Bounded::AtLeast(_)]), "{multipliers:?}");
    for place in &multipliers[2..] {
        assert!(matches!(place, Bounded::At(multiplier) if (multiplier - 8.0).abs() < 1e-9), "{place:?}");
    }
    for row in rows {
        let [Some(given), Some(_)] = &row.laws else { panic!("{row:?}") };
        close(given.exponent.mean, 0.5);
    }
    assert!(shaw.steeper[0].expect("two exponents").p > 0.05);
    assert_eq!(absolute.steeper, [None; 2]);
}

#[test]
fn comparisons_of_exponents_are_corrected_over_the_rows_of_the_grid() {
    let mut folder = with_exponent(0.6);
    let later = folder.beside("rope-250", "absolute-250");
    folder.edit(|plan| plan.rows.push(later));
    folder.run("rope-250", &json!({"encoding": "rope", "train": {"steps": 250, "batch": 64}}));
    let of_shaw = |folder: &Folder| {
        let shaw = scaling(&folder.report()).rows[1].clone();
        (shaw.steeper[0].expect("two exponents").p, shaw.holm_p[0])
    };
    let (p, corrected) = of_shaw(&folder);
    assert!(p < 0.01, "{p}");
    assert_eq!(corrected, Some(2.0 * p), "rope has no curve, and counts");
    // Rows that have not begun: another budget of rope, and an encoding at two budgets.
    let axes = |encoding: &str, steps: u64| -> BTreeMap<String, String> {
        let values = [("encoding", encoding.to_owned()), ("train.steps", steps.to_string())];
        values.map(|(axis, value)| (axis.to_owned(), value)).into()
    };
    let pending = [("rope", 1000), ("lepe", 250), ("lepe", 1000)].map(|(encoding, steps)| Row {
        axes: axes(encoding, steps),
        ..folder.beside(&format!("{encoding}-{steps}"), &format!("absolute-{steps}"))
    });
    folder.edit(|plan| plan.rows.extend(pending));
    folder.edit_rows("rope-250", |row| row.axes = axes("rope", 250));
    assert_eq!(of_shaw(&folder), (p, Some(3.0 * p)));
}

#[test]
fn losses_are_drawn_over_positions_operations_and_time() {
    let folder = grid();
    let figures = |folder: &Folder| {
        let mut figures = written(&folder.report());
        figures.retain(|figure| figure.id.starts_with("chess-scaling"));
        figures
    };
    let ids = |figures: &[Figure]| figures.iter().map(|figure| figure.id.clone()).collect::<Vec<_>>();
    assert_eq!(ids(&figures(&folder)), ["chess-scaling", "chess-scaling-flops"], "no step times");
    let time = |row: &Row| StepTime { folder: row.folder.clone(), batch: 64, median_s: 0.064, ratio: None };
    folder.times(folder.plan.rows.iter().map(time).collect());
    let drawn = figures(&folder);
    assert_eq!(ids(&drawn), ["chess-scaling", "chess-scaling-flops", "chess-scaling-time"]);
    // A position is 2,400 multiplications and 1 ms.
    for (figure, place) in drawn.iter().zip(["positions 16000: ", "operations 0.00023: ", "time 16: "]) {
        assert!(figure.svg.contains(&format!("absolute, {place}")), "{place}: {}", figure.svg);
    }
}

#[test]
fn the_page_opens_with_the_curve_and_keeps_budgets_together() {
    // The gap grows, so that the last budget has the largest difference.
    let loss = |encoding: &str, steps: u64| if encoding == "shaw" { 1.0 / steps as f64 } else { 1.0 };
    let page = html::draw(&with_losses(&STEPS, loss).report());
    let hero = ["id=\"chess-scaling\"", "id=\"chess-hero\"", "<h2>Results</h2>", "id=\"chess-scaling-flops\""];
    let (_, panel) = page.split_once(hero[1]).expect("a panel");
    for (text, parts) in [(&*page, hero), (panel, ["Shaw-250", "Shaw-1000", "Shaw-4000", "Shaw-16000"])] {
        let places: Vec<usize> = parts.iter().map(|part| text.find(part).unwrap_or_else(|| panic!("{part}"))).collect();
        assert!(places.is_sorted(), "{parts:?}: {places:?}");
    }
    assert_eq!(page.matches(hero[0]).count(), 1);
}

#[test]
fn power_laws_use_the_floor_of_the_experiment() {
    let mut folder = grid();
    folder.edit(|plan| plan.floor = serde_json::from_value(json!({"map_loss": 0.01})).expect("a floor"));
    for (.., label) in rows(&STEPS) {
        folder.lines_of(&label, |line| {
            let above = line["metrics"]["map_loss"].as_f64().expect("a loss");
            line["metrics"]["map_loss"] = json!(above + 0.01);
        });
    }
    let report = folder.report();
    let Scaling { floor, rows, .. } = scaling(&report);
    let law = rows[0].laws[0].as_ref().expect("losses above the floor");
    assert_eq!((*floor, law.floor), (Some(0.01), 0.01));
    assert!((law.exponent.mean - 0.5).abs() < 1e-3, "{}", law.exponent.mean);
    assert!(drawn(&report).iter().all(|text| text.contains("E = 0.010")));
}

#[test]
fn every_format_has_the_multipliers_and_the_exponents() {
    let report = grid().report();
    for text in drawn(&report) {
        has(&text, &["data multipliers: how many times fewer positions than absolute", "power laws of the loss"]);
        has(&text, &["8.00 ["]);
    }
    let table = csv::draw(&report);
    let line = |start: &str| table.lines().find(|line| line.contains(start)).unwrap_or_else(|| panic!("no {start}"));
    let mean = line(",shaw,multiplier,positions@256000,").split(',').nth(6).expect("a mean");
    close(mean.parse().expect("a number"), 8.0);
    assert!(line(",shaw,multiplier,positions@16000,").contains("at least"));
    line(",absolute,exponent,given floor,4,");
    line(",shaw,exponent,fitted floor,4,");
}

#[test]
fn a_row_without_a_power_law_is_named() {
    let flat_first = |encoding: &str, steps: u64| match (encoding, steps) {
        ("absolute", 250 | 1000) => 1.0,
        ("absolute", _) => 0.3,
        _ => (steps as f64 / 250.0).powf(-0.5),
    };
    let report = with_losses(&STEPS[..3], flat_first).report();
    assert!(scaling(&report).rows[0].laws.iter().all(Option::is_none));
    drawn(&report).iter().for_each(|text| has(text, &["no fit: absolute (too few budgets after a plateau, or"]));
    assert!(drawn(&grid().report()).iter().all(|text| !text.contains("no fit: ")));
}

#[test]
fn a_budget_is_predicted_from_smaller_ones_and_stands_beside_what_was_measured() {
    let mut folder = grid();
    folder.edit(|plan| plan.extrapolate = Some(Extrapolate { to: 1_024_000 }));
    let report = folder.report();
    let absolute = &scaling(&report).rows[0];
    let predicted = absolute.predicted[0].expect("three smaller budgets");
    close(predicted.loss, absolute.measured(1_024_000).expect("it has finished").0);
    assert_eq!(absolute.predicted[1], None, "a fitted floor needs four budgets");
    let (ratio, ends) = absolute.outcome(0).expect("measured and predicted");
    close(ratio, 1.0);
    assert!(ends.low < 1.0 && 1.0 < ends.high, "{ends:?}");
    assert_eq!((absolute.outcomes_holm_p[0], absolute.outcome(1)), (Some(1.0), None));
    assert_eq!(absolute.predicted_from.len(), 9);
    assert!(!absolute.predicted_from.iter().any(|cell| cell.contains("16000")), "{:?}", absolute.predicted_from);
    drawn(&report).iter().for_each(|text| has(text, &["predicted for 1,024,000 positions"]));
    let asked = ReportOptions { extrapolate: Some(4_096_000), ..ReportOptions::default() };
    let report = Report::with_options(folder.path(), &asked).expect("a report");
    assert_eq!((scaling(&report).to, scaling(&report).rows[0].predicted_from.len()), (Some(4_096_000), 12));
}

#[test]
fn a_prediction_that_failed_has_a_ratio_and_a_corrected_p() {
    // 1.2 times the predicted loss, with a spread of 1 % at each budget.
    let mut folder = with_losses(&STEPS, |encoding, steps| {
        let too_high = if (encoding, steps) == ("shaw", 16_000) { 1.2 } else { 1.0 };
        too_high * (64.0 * steps as f64 / 16e3).powf(-0.5)
    });
    folder.edit(|plan| plan.extrapolate = Some(Extrapolate { to: 1_024_000 }));
    let report = folder.report();
    let [absolute, shaw] = &scaling(&report).rows[..] else { panic!("two rows") };
    let (ratio, ends) = shaw.outcome(0).expect("measured and predicted");
    close(ratio, 1.2);
    assert!(ends.low > 1.0, "{ends:?}");
    let p = shaw.outcomes[0].expect("a test").p;
    assert!(p < 0.01, "{p}");
    assert_eq!(shaw.outcomes_holm_p[0], Some(2.0 * p), "two rows are predicted");
    assert!(absolute.outcomes_holm_p[0].expect("a test") > 0.5);
    assert!(drawn(&report).iter().all(|text| text.contains("1.20")));
}

/// Shaw's trials chose another factor at the largest budget.
#[test]
fn budgets_are_one_curve_though_trials_chose_other_settings_for_each() {
    const SCORES: &[f64] = &[1.0];
    let folder = grid();
    let rate = |encoding: &str, steps: u64| if (encoding, steps) == ("shaw", 16_000) { 16 } else { 4 };
    let run = |(encoding, steps, label): (&str, u64, String)| {
        let rate = rate(encoding, steps);
        let train = json!({"steps": steps, "batch": 64, "encoding_rate": rate});
        folder.run(&label, &json!({"encoding": encoding, "train": train}));
        (label, [(rate, SCORES)])
    };
    let rows: Vec<(String, [_; 1])> = rows(&STEPS).into_iter().map(run).collect();
    let budgets = |report: &Report| scaling(report).rows.iter().map(|row| row.points.len()).collect::<Vec<_>>();
    assert_eq!(budgets(&folder.report()), [4, 3], "without trials the factor is a setting as any other");
    let rows: Vec<_> = rows.iter().map(|(label, trials)| (&label[..], &trials[..], 0)).collect();
    folder.tuned("train.encoding_rate", &rows);
    assert_eq!(budgets(&folder.report()), [4, 4]);
}

#[test]
fn positions_that_are_seen_again_are_no_budget() {
    let folder = grid();
    STEPS.iter().for_each(|steps| folder.lines_of(&format!("absolute-{steps}"), |line| line["epochs"] = json!(1.5)));
    assert!(folder.report().games[0].scaling.is_empty());
    let asked = ReportOptions { extrapolate: Some(4_096_000), ..ReportOptions::default() };
    let report = Report::with_options(folder.path(), &asked).expect("a report");
    assert!(is_warned(&report, "no loss is predicted for 4,096,000 positions"), "{:?}", report.warnings);
}

/// Later programs know more losses, and a run has the weights of all. Bundles name a dataset without its folder.
#[test]
fn cells_of_other_programs_and_of_bundles_are_on_one_curve() {
    let report = |weight: f64| {
        let folder = grid();
        for (encoding, steps, label) in rows(&STEPS) {
            let newest = steps == STEPS[3];
            let loss = if newest { json!({"policy": 1.0, "value_shares": weight}) } else { json!({"policy": 1.0}) };
            let data = if newest { "/home/user/data/attacked" } else { "attacked" };
            let train = json!({"steps": steps, "batch": 64, "loss": loss});
            folder.run(&label, &json!({"encoding": encoding, "data": data, "train": train}));
        }
        folder.report()
    };
    let is_axis = |report: &Report| csv::draw(report).lines().next().is_some_and(|names| names.contains("train.loss"));
    let of_default = report(1.0);
    assert_eq!(scaling(&of_default).budgets, [16_000, 64_000, 256_000, 1_024_000]);
    assert!(!is_axis(&of_default));
    // Another weight is another curve.
    let of_another = report(0.5);
    assert_eq!(scaling(&of_another).budgets, [16_000, 64_000, 256_000]);
    assert!(is_axis(&of_another));
}
