//! Gaps that are compared over something else, against statsmodels' analysis of variance.

use crate::report::folder::{Csv, Folder, SEEDS, drawn, has, in_chess, is_warned, says};
use crate::{close, number};
use facts::Interaction;
use games::GameKind;
use report::no_verdict::Missing;
use report::sections::interactions::Change;
use report::{html, text};
use serde_json::Value;

fn cases() -> Vec<Value> {
    let fixture = include_str!("../../fixtures/interaction.json");
    serde_json::from_str(fixture).expect("a list")
}

/// One four of rows for each case, `plain` and `shaw` with `low` and `high`, every cell done.
fn folder(cases: &[Value]) -> Folder {
    let mut folder = Folder::new();
    let labels = |case: usize| ["low", "high"].map(|by| ["plain", "shaw"].map(|gap| format!("{gap}-{by}-{case}")));
    let rows = folder.rows((0..cases.len()).flat_map(|case| labels(case).concat()));
    let asked = |case: usize| Interaction {
        game: GameKind::Chess,
        gap: ["plain".to_owned(), "shaw".to_owned()],
        by: ["batch 64".to_owned(), "batch 256".to_owned()],
        within: Some(format!("case {case}")),
        rows: labels(case).map(|side| side.map(|label| in_chess(&label))),
    };
    folder.edit(|plan| {
        plan.rows = rows;
        plan.interactions = (0..cases.len()).map(asked).collect();
    });
    for (number_of, case) in cases.iter().enumerate() {
        for (by, side) in labels(number_of).iter().enumerate() {
            for (gap, label) in side.iter().enumerate() {
                let values = &case["values"][by][gap];
                folder.row(label, [0, 1, 2].map(|seed| number(&values[seed])));
            }
        }
    }
    folder
}

#[test]
fn interactions_are_those_of_an_analysis_of_variance() {
    let cases = cases();
    let report = folder(&cases).report();
    let found = &report.games[0].interactions;
    assert_eq!((report.interaction_family, found.len()), (cases.len(), cases.len()));
    for (one, case) in found.iter().zip(&cases) {
        let test = one.test.expect("three seeds");
        close(test.mean, number(&case["change"]), 1e-7);
        close(test.p, number(&case["p"]), 1e-7);
        let interval = one.interval.expect("three seeds");
        close(interval.low, number(&case["interval"][0]), 1e-7);
        close(interval.high, number(&case["interval"][1]), 1e-7);
        for (gap, expected) in one.gaps.iter().zip(case["gaps"].as_array().expect("two gaps")) {
            close(gap.expect("three seeds").mean, number(expected), 1e-7);
        }
    }
    // Holm over the four interactions, and not over the fifteen comparisons: the least p times four.
    let least = cases.iter().map(|case| number(&case["p"])).fold(1.0, f64::min);
    let adjusted = found.iter().filter_map(|one| Some(one.holm?.holm.p)).fold(1.0, f64::min);
    close(adjusted, 4.0 * least, 1e-7);
    let changes: Vec<Change> = found.iter().map(|one| one.change).collect();
    assert_eq!(changes, [Change::Changes, Change::NotDistinguishable, Change::Grows, Change::Reverses]);
}

#[test]
fn every_format_has_them() {
    let report = folder(&cases()).report();
    for format in drawn(&report) {
        has(&format, &["it changes by +0.0", "it grows by 0.0", "it reverses", "interactions: does the gap change?"]);
    }
    assert!(html::draw(&report).contains("chess-interactions"), "a forest of gaps");
    let table = Csv::of(&report).0;
    let line = table.iter().find(|line| line[3] == "interaction").expect("a line of an interaction");
    assert_eq!(line[2], "shaw less plain (case 0): batch 256 against batch 64");
    close(line[8].parse().expect("a number"), number(&cases()[0]["change"]), 1e-7);
}

/// Two gaps by hand that differ for sure: the first is far from 0, the second is 0 on average.
#[test]
fn a_gap_that_is_not_significant_itself_changes_and_neither_shrinks_nor_grows() {
    let case = |second: [f64; 3]| {
        serde_json::json!({"values": [
            [[2.40, 2.41, 2.42], [2.30, 2.311, 2.319]],
            [[2.40, 2.41, 2.42], [2.40 + second[0], 2.41 + second[1], 2.42 + second[2]]],
        ]})
    };
    let change = |second: [f64; 3]| folder(&[case(second)]).report().games[0].interactions[0].change;
    assert_eq!(change([0.001, -0.001, 0.0005]), Change::Changes);
    assert_eq!(change([-0.02, -0.021, -0.019]), Change::Shrinks);
    assert_eq!(change([-0.2, -0.201, -0.199]), Change::Grows);
    assert_eq!(change([0.02, 0.0215, 0.0195]), Change::Reverses);
    let drawn = text::draw(&folder(&[case([0.001, -0.001, 0.0005])]).report());
    assert!(drawn.contains("it changes by +0.1") && !drawn.contains("it shrinks"), "{drawn}");
}

#[test]
fn a_seed_without_one_of_its_four_cells_is_left_out_and_too_few_give_no_verdict() {
    let folder = folder(&cases()[..1]);
    folder.failed("shaw-high-0", SEEDS[1], "a test");
    let report = folder.report();
    let one = &report.games[0].interactions[0];
    assert_eq!((one.differences.len(), one.change), (2, Change::Missing));
    assert_eq!(one.missing, [Missing::Pairs { has: 2 }, Missing::Failed { seed: SEEDS[1] }]);
    let value = |gap: usize, seed: usize| number(&cases()[0]["values"][0][gap][seed]);
    let mean = [0, 2].map(|seed| value(1, seed) - value(0, seed)).iter().sum::<f64>() / 2.0;
    close(one.gaps[0].expect("two seeds").mean, mean, 1e-7);
    says(&report, &["has no verdict: needs ≥ 3 complete pairs, has 2 (seed 1 failed)"]);
}

#[test]
fn a_seed_that_diverged_leaves_a_change_without_a_verdict() {
    // Five seeds; one cell of the last one diverged.
    let mut folder = folder(&cases()[..1]);
    folder.edit(|plan| plan.seeds.extend([3, 4]));
    for label in ["plain-low-0", "shaw-low-0", "plain-high-0", "shaw-high-0"] {
        folder.done(label, 3, 2.4);
        folder.done(label, 4, 2.4);
    }
    folder.failed("shaw-high-0", 4, "step 7: the loss is not finite");
    let report = folder.report();
    let one = &report.games[0].interactions[0];
    assert_eq!((one.differences.len(), one.change, one.holm), (4, Change::Missing, None));
    assert_eq!(one.missing, [Missing::Diverged { cells: 1 }, Missing::Failed { seed: 4 }]);
    let said = "has no verdict: 1 cell diverged, so the seeds that are left are selected (seed 4 failed)";
    assert!(text::draw(&report).contains(said), "{}", text::draw(&report));
}

#[test]
fn cells_of_two_kinds_of_device_make_no_interaction() {
    let folder = folder(&cases()[..1]);
    for label in ["plain-high-0", "shaw-high-0"] {
        folder.manifest(label, SEEDS[0], |manifest| manifest["identity"]["device"] = "cuda:0".into());
    }
    let report = folder.report();
    let one = &report.games[0].interactions[0];
    assert_eq!(one.differences.len(), 2, "{:?}", one.missing);
    assert!(matches!(one.missing[1], Missing::Differs { what: "device", .. }), "{:?}", one.missing);
}

/// Sixty simulated designs in one grid: the seed's luck in all four cells, effects of both factors, noise of each cell,
/// and in half of them an interaction of `TRUE` nats.
#[test]
fn simulated_interactions_are_found_and_none_is_invented() {
    const DESIGNS: usize = 60;
    const TRUE: f64 = 0.2;
    let real = |design: usize| if design.is_multiple_of(2) { TRUE } else { 0.0 };
    let designs: Vec<Value> = (0..DESIGNS)
        .map(|design| {
            let mut stream = streams::stream(design as u64, &["test", "simulated interactions"]);
            let luck: Vec<f64> = SEEDS.iter().map(|_| 2.0 + 0.1 * streams::normal(&mut stream)).collect();
            let mut cell = |effect: f64| -> Vec<f64> {
                luck.iter().map(|luck| luck + effect + 0.0015 * streams::normal(&mut stream)).collect()
            };
            let values = [[cell(0.0), cell(-0.1)], [cell(0.05), cell(-0.05 + real(design))]];
            serde_json::json!({"values": values})
        })
        .collect();
    let report = folder(&designs).report();
    let found = &report.games[0].interactions;
    let covers = |design: usize| {
        let interval = found[design].interval.expect("three seeds");
        interval.low <= real(design) && real(design) <= interval.high
    };
    let covered = (0..DESIGNS).filter(|&design| covers(design)).count();
    // 95 % of 60 are 57; beyond 51 lie three standard errors.
    assert!((52..=60).contains(&covered), "{covered} of {DESIGNS}");
    let judged = |odd: usize| (0..DESIGNS).filter(move |design| design % 2 == odd).map(|design| found[design].change);
    assert!(judged(1).all(|change| change == Change::NotDistinguishable), "an interaction is invented");
    let there = judged(0).filter(|change| *change == Change::Reverses).count();
    assert!(there >= 20, "{there} of 30 gaps of −0.1 that are +0.1 then");
}

#[test]
fn an_interaction_whose_rows_the_run_lacks_is_a_warning() {
    let mut folder = folder(&cases());
    let reported: usize = folder.report().games.iter().map(|game| game.interactions.len()).sum();
    let what = "interactions that are not reported";
    assert!(!is_warned(&folder.report(), what));
    folder.edit(|plan| plan.interactions[0].rows[1][1].push_str("-gone"));
    let report = folder.report();
    assert_eq!(report.games.iter().map(|game| game.interactions.len()).sum::<usize>(), reported - 1);
    assert!(is_warned(&report, what));
}
