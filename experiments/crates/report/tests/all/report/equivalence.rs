//! Margins: verdicts of equivalence, where the margin comes from, and groups of tied rows.

use crate::report::folder::{Csv, Folder, close, comparison, drawn, has, lacks, says};
use facts::Margins;
use report::comparison::{Comparison, Verdict};
use report::{Report, ReportOptions, csv, html, side_by_side, text};
use serde_json::json;

fn margin(size: f64) -> Margins {
    serde_json::from_value(json!({"policy_loss": size})).expect("a margin")
}

/// The finished grid with a margin that was written before it ran.
fn folder(size: f64) -> Folder {
    let mut folder = Folder::finished();
    folder.edit(|plan| plan.equivalent_within = margin(size));
    folder
}

fn judged(comparison: &Comparison) -> (Verdict, bool) {
    (comparison.verdict, comparison.is_within_margin())
}

#[test]
fn verdicts_are_better_worse_equivalent_or_open() {
    let report = folder(0.12).report();
    // SciPy: t.sf((0.12 − |mean|)/error, 2), and Holm's correction over the two comparisons.
    let (shaw, rope) = (comparison(&report, "shaw"), comparison(&report, "rope"));
    let of = |comparison: &Comparison| comparison.equivalence.expect("a margin");
    close(of(shaw).p, 0.009_901_970_590_197_024);
    close(of(rope).p, 0.005_223_124_353_350_325);
    close(of(rope).holm.p, 2.0 * 0.005_223_124_353_350_325);
    close(of(rope).interval.low, -0.048_378_116_792_089_35);
    close(of(rope).interval.high, 0.055_044_783_458_756_17);
    assert_eq!((judged(shaw), judged(rope)), ((Verdict::Better, true), (Verdict::Equivalent, true)));
    let twin = report.games[0].twin.as_ref().and_then(|twin| twin.comparison.as_ref());
    assert_eq!(twin.map(|twin| twin.equivalence), Some(None), "an A/A control is no comparison of the grid");

    // With a smaller margin the difference of shaw is not within it, with a still smaller one rope is open too.
    let report = folder(0.1).report();
    assert_eq!(judged(comparison(&report, "shaw")), (Verdict::Better, false));
    assert_eq!(judged(comparison(&report, "rope")), (Verdict::Equivalent, true));
    let report = folder(0.02).report();
    assert_eq!(judged(comparison(&report, "rope")), (Verdict::Open, false));
    let without = Folder::finished().report();
    assert_eq!((comparison(&without, "rope").verdict, comparison(&without, "rope").equivalence), (Verdict::Open, None));
}

#[test]
fn every_format_shows_the_margin_the_verdicts_and_the_ties() {
    let report = folder(0.12).report();
    for drawn in drawn(&report).map(|drawn| drawn.replace("$\\pm$", "±")) {
        let parts = [
            "p = 0.0024; the difference is within ±0.12 nats.",
            "On chess, RoPE is equivalent to absolute within ±0.12 nats: policy",
            "+0.055], p = 0.010.",
            "Holm p of equivalence",
            "better, within the margin",
            "Shaw; absolute",
            "absolute; RoPE",
        ];
        has(&drawn, &parts);
        lacks(&drawn, &["chosen after the run"]);
    }
    assert!(html::draw(&report).contains("≈ equivalent"));
    let tables = side_by_side::compare(&[report.clone(), report.clone()]);
    assert_eq!(tables[1].rows[1][1], "−0.097 [−0.111, −0.082] better, within the margin");
    assert!(tables[1].notes.iter().any(|note| note == "equivalent rows of by-hand (1) are within ±0.12 nats"));

    let table = Csv::of(&report);
    assert_eq!(["verdict", "margin", "margin_chosen"].map(|c| table.at("rope", c)), ["equivalent", "0.12", "before"]);
    assert_eq!(["verdict", "tied"].map(|column| table.at("shaw", column)), ["better", "1"]);
    assert_eq!(["margin", "tied"].map(|column| table.at("absolute", column)), ["", "1 2"]);
    close(table.number("rope", "p_equivalence"), 0.005_223_124_353_350_325);

    let plain = html::draw(&Folder::finished().report());
    assert!(plain.contains("○ open") && !plain.contains('≈'), "what is not significant is not drawn as equal");
    // Without a margin nothing speaks of it.
    lacks(&text::draw(&Folder::finished().report()), &["equivalen", "tied", "margin"]);
}

#[test]
fn a_margin_chosen_after_the_run_is_marked() {
    let mut folder = folder(0.12);
    let asked = |metric: &str, size: f64| {
        let asked = ReportOptions { equivalent_within: Some((metric.to_owned(), size)), ..ReportOptions::default() };
        Report::with_options(folder.path(), &asked)
    };
    let report = asked("policy_loss", 0.1).expect("a report");
    assert_eq!(judged(comparison(&report, "rope")), (Verdict::Equivalent, true));
    let marked = "equivalent to absolute within ±0.1 nats (margin chosen after the run): policy_loss";
    for drawn in drawn(&report) {
        assert!(drawn.contains(marked) || drawn.contains(&marked.replace('_', "\\_")), "{drawn}");
    }
    assert!(csv::draw(&report).contains(",0.1,after,"));
    assert_eq!(asked("policy_loss", 0.12).expect("a report"), folder.report(), "it is that of the plan");
    let error = asked("value_loss", 0.1).expect_err("verdicts are about policy_loss");
    assert!(error.to_string().contains("write policy_loss=SIZE"), "{error}");

    folder.edit(|plan| plan.late_margin = true);
    says(&folder.report(), &["within ±0.12 nats (margin chosen after the run)"]);
    let plain = serde_json::to_string(&Folder::new().plan).expect("JSON");
    assert!(!plain.contains("equivalent_within") && !plain.contains("late_margin"), "old plans stay as they are");
}

#[test]
fn what_has_no_verdict_is_not_equivalent_and_not_tied() {
    let mut folder = folder(1.0);
    folder.fourth_seed(&["absolute", "shaw", "absolute-twin"]);
    folder.failed("rope", 3, "step 7: the loss is not finite");
    let report = folder.report();
    let rope = comparison(&report, "rope");
    assert_eq!((rope.verdict, rope.equivalence), (Verdict::Open, None), "the seeds that are left are a choice");
    let ties = report.games[0].ties.as_ref().expect("a margin");
    assert_eq!((ties.pairs.len(), ties.groups_of("shaw"), ties.groups_of("rope")), (3, vec![1], vec![]));

    folder.failed("rope", 3, "out of memory");
    folder.edit_rows("shaw", |row| row.exploratory = true);
    let report = folder.report();
    assert_eq!(comparison(&report, "rope").verdict, Verdict::Equivalent);
    let shaw = comparison(&report, "shaw");
    assert_eq!((shaw.verdict, shaw.equivalence), (Verdict::Missing, None));
    let ties = report.games[0].ties.as_ref().expect("a margin");
    assert_eq!(ties.rows.iter().map(|row| &row.label[..]).collect::<Vec<_>>(), ["absolute", "rope"]);

    folder.edit(|plan| plan.smoke = true);
    let smoke = folder.report();
    assert_eq!((comparison(&smoke, "rope").verdict, &smoke.games[0].ties), (Verdict::Missing, &None));
}

#[test]
fn pairs_of_rows_without_a_value_count_in_the_family_of_ties() {
    let mut folder = folder(1.0);
    let least = |folder: &Folder| {
        let ties = folder.report().games[0].ties.clone().expect("a margin");
        let tested = ties.pairs.iter().filter_map(|pair| Some((pair.p?, pair.holm_p?)));
        (ties.family, tested.min_by(|a, b| a.0.total_cmp(&b.0)).expect("three pairs"))
    };
    let (family, (p, corrected)) = least(&folder);
    assert_eq!((family, corrected), (3, 3.0 * p));
    let late = folder.like("late");
    folder.edit(|plan| plan.rows.push(late));
    assert_eq!(least(&folder), (6, (p, 6.0 * p)));
}

#[test]
fn equivalence_counts_the_noise_of_test_games_as_differences_do() {
    let mut folder = Folder::stored(|row, seed, game, _| {
        let luck = [0.001, -0.001, 0.002][seed as usize] * row as f32;
        // Games of shaw differ by up to 0.6 from those of the reference, and by 0.03 on average.
        let of_game = ((game % 13) as f32 - 6.0) * if row == 1 { 0.1 } else { 0.0 };
        2.0 + luck + of_game
    });
    folder.edit(|plan| plan.equivalent_within = margin(0.1));
    let report = folder.report();
    let shaw = comparison(&report, "shaw");
    let (seeds, decisive) = (shaw.test.expect("three pairs"), shaw.decisive.expect("three pairs"));
    assert!(shaw.noise.as_ref().is_some_and(Result::is_ok));
    assert!(decisive.error > 5.0 * seeds.error(), "{decisive:?} {seeds:?}");
    assert_eq!(judged(shaw), (Verdict::Open, false), "the seeds alone would decide");
    assert_eq!(judged(comparison(&report, "rope")), (Verdict::Equivalent, true));
    let ties = report.games[0].ties.as_ref().expect("a margin");
    assert_eq!((ties.groups_of("rope"), ties.groups_of("shaw")), (vec![1], vec![]));
}
