//! Several references in a game: each row is compared with that of its group.

use crate::report::folder::{Folder, SEEDS, close, comparison, has, says};
use crate::report::strength::leave;
use facts::Role;
use records::strength::Measure;
use report::comparison::Verdict;
use report::sections::budgets::Budgets;
use report::{Report, ReportOptions, html, text};
use serde_json::json;

const ROWS: [(&str, &str, [f64; 3]); 5] = [
    ("absolute-2", "absolute-2", [2.40, 2.42, 2.41]),
    ("absolute-4", "absolute-4", [2.20, 2.22, 2.21]),
    ("shaw-4", "absolute-4", [2.25, 2.24, 2.27]),
    ("shaw-2", "absolute-2", [2.30, 2.33, 2.31]),
    ("absolute-2-twin", "absolute-2", [2.39, 2.44, 2.40]),
];

/// Two encodings in networks of two and of four layers.
pub(crate) fn grid() -> Folder {
    let mut folder = Folder::new();
    let rows = ROWS.map(|(label, reference, _)| folder.beside(label, reference));
    folder.edit(|plan| plan.rows = rows.into());
    ROWS.iter().for_each(|(label, _, losses)| folder.row(label, *losses));
    folder
}

#[test]
fn every_row_is_compared_with_the_reference_of_its_group() {
    let report = grid().report();
    let game = &report.games[0];
    let labels: Vec<&str> = game.rows.iter().map(|row| row.label.as_str()).collect();
    assert_eq!(labels, ["absolute-2", "shaw-2", "absolute-4", "shaw-4"], "group by group, the reference first");
    let references = ["shaw-2", "shaw-4"].map(|label| comparison(&report, label).reference.as_str());
    assert_eq!(references, ["absolute-2", "absolute-4"]);
    assert!(game.rows.iter().all(|row| (row.role == Role::Reference) == row.comparison.is_none()));
    // By itself 0.16 below the other reference.
    close(comparison(&report, "shaw-4").test.expect("three pairs").mean, 0.13 / 3.0);
    close(comparison(&report, "shaw-2").test.expect("three pairs").mean, -0.29 / 3.0);
    let twin = game.twin.as_ref().and_then(|row| row.comparison.as_ref()).expect("a control");
    assert_eq!((&twin.reference[..], twin.holm), ("absolute-2", None));
    let gain = game.rows[3].curve.last().and_then(|point| point.difference).expect("a learning curve");
    close(gain.mean, 0.13 / 3.0);

    // One family for both groups.
    assert_eq!(report.family, 2);
    let shaw = comparison(&report, "shaw-2");
    close(shaw.holm.expect("three pairs").holm.p, 2.0 * shaw.test.expect("three pairs").p);
    assert_eq!((shaw.verdict, comparison(&report, "shaw-4").verdict), (Verdict::Better, Verdict::Open));
}

/// The report of a folder whose rows are compared with those of this encoding.
fn against(folder: &Folder, encoding: &str) -> anyhow::Result<Report> {
    let reference = Some(("encoding".to_owned(), encoding.to_owned()));
    Report::with_options(folder.path(), &ReportOptions { reference, ..ReportOptions::default() })
}

#[test]
fn a_reader_chooses_another_reference_of_each_group() {
    let mut folder = grid();
    folder.edit(|plan| {
        for row in &mut plan.rows {
            let values: Vec<String> = row.label.splitn(2, '-').map(str::to_owned).collect();
            let names = ["encoding", "model.chessformer.layers"].map(str::to_owned);
            row.axes = names.into_iter().zip(values).collect();
            row.exploratory = row.label == "absolute-4";
        }
    });
    let planned = folder.report();
    let report = against(&folder, "shaw").expect("a report");
    let game = &report.games[0];
    let labels: Vec<&str> = game.rows.iter().map(|row| row.label.as_str()).collect();
    assert_eq!(labels, ["shaw-4", "absolute-4", "shaw-2", "absolute-2"]);
    for layers in [2, 4] {
        let [own, other] = [("absolute", &report), ("shaw", &planned)]
            .map(|(name, report)| comparison(report, &format!("{name}-{layers}")));
        assert_eq!(own.reference, format!("shaw-{layers}"));
        close(own.test.expect("three pairs").mean, -other.test.expect("three pairs").mean);
    }
    assert_eq!((comparison(&report, "absolute-2").verdict, report.family), (Verdict::Worse, 2));
    assert!(game.twin.is_none() && report.twins.all == 0, "a control of another reference is left out");
    says(&report, &["compared with encoding = shaw, which the reader chose after the run"]);
    assert_eq!(against(&folder, "absolute").expect("a report"), planned, "the planned reference changes nothing");
    assert_eq!(report.provenance, planned.provenance);

    let refused = |axis: &str, value: &str, part: &str| {
        let reference = Some((axis.to_owned(), value.to_owned()));
        let options = ReportOptions { reference, ..ReportOptions::default() };
        let error = Report::with_options(folder.path(), &options).expect_err(part).to_string();
        assert!(error.contains(part), "{error}");
    };
    refused("input", "turn", "there is no axis \"input\"; the axes are encoding, model.chessformer.layers");
    refused("encoding", "rope", "not every group of rows has one with encoding = rope; the values are absolute, shaw");
    refused("model.chessformer.layers", "2", "is several rows of one group");
}

#[test]
fn games_against_the_planned_reference_are_not_those_against_another() {
    let mut folder = Folder::finished();
    for label in ["absolute", "shaw", "rope"] {
        folder.edit_rows(label, |row| row.axes = [("encoding".to_owned(), label.to_owned())].into());
        leave(&folder, label, Measure::Suite, "kings", [0.5; 3]);
        if label != "absolute" {
            leave(&folder, label, Measure::Match, "reference", [0.6; 3]);
        }
    }
    folder.edit(|plan| plan.rows.retain(|row| row.role != Role::Twin));
    let measures = |report: &Report| report.games[0].strength.iter().map(|own| own.measure).collect::<Vec<_>>();
    assert_eq!(measures(&folder.report()), [Measure::Suite, Measure::Match]);
    assert_eq!(measures(&against(&folder, "shaw").expect("a report")), [Measure::Suite]);
}

#[test]
fn tables_sentences_and_plots_name_the_references() {
    let report = grid().report();
    let parts =
        ["the reference above it, the A/A control with absolute-2;", "Shaw-4 differs from absolute-4 is open: "];
    says(&report, &parts);
    assert!(html::draw(&report).contains("Differences to the reference of each group on chess."));
    let one = Folder::finished().report();
    assert!(!text::draw(&one).contains("the reference above it"), "a game with one reference has no groups");
    assert!(html::draw(&one).contains("Differences to absolute on chess."));
}

#[test]
fn groups_of_two_games_have_no_common_order() {
    let mut folder = grid();
    folder.add_shogi();
    folder.edit(|plan| {
        for row in plan.rows.iter_mut().filter(|row| row.folder.starts_with("shogi-")) {
            row.reference = row.reference.as_ref().map(|folder| folder.replace("chess-", "shogi-"));
        }
    });
    let report = folder.report();
    assert_eq!((report.transfer[0].rows.len(), report.transfer[0].ranks), (2, None));
    says(&report, &["order of the rows in both games: needs one reference, and two or more rows"]);
}

#[test]
fn slices_and_strength_are_differences_to_the_own_reference() {
    let folder = grid();
    for (label, off) in [("absolute-2", 0.0), ("shaw-2", 0.1), ("absolute-4", 0.5), ("shaw-4", 0.2)] {
        SEEDS.into_iter().for_each(|seed| folder.positions(label, seed, off));
    }
    for (label, solved) in [("absolute-2", 0.2), ("shaw-2", 0.3), ("absolute-4", 0.6), ("shaw-4", 0.5)] {
        leave(&folder, label, Measure::Puzzles, "puzzles.csv", [solved, solved + 0.01, solved + 0.02]);
    }
    let report = folder.report();
    let [two, four] = &report.games[0].slices[..] else { panic!("a report of slices for each reference") };
    let found = [two, four].map(|slices| (&slices.reference[..], slices.rows.join(" ")));
    assert_eq!(found, [("absolute-2", "shaw-2".to_owned()), ("absolute-4", "shaw-4".to_owned())]);
    for (slices, knight) in [(two, 0.1), (four, -0.3)] {
        let of_knight = slices.dimensions.iter().flat_map(|dimension| &dimension.slices);
        let mut of_knight = of_knight.filter(|slice| slice.name == "knight");
        let difference = of_knight.next().expect("the slice").differences[0].expect("three seeds").mean;
        assert!((difference - knight).abs() < 1e-6, "{difference}");
    }
    has(&html::draw(&report), &["\"chess-slice-phase-title\"", "\"chess-slice-phase-absolute-4-title\""]);

    let puzzles = &report.games[0].strength[0];
    let labels: Vec<&str> = puzzles.rows.iter().map(|row| row.label.as_str()).collect();
    assert_eq!(labels, ["absolute-2", "shaw-2", "absolute-4", "shaw-4"]);
    let differences: Vec<Option<f64>> = puzzles.rows.iter().map(|row| row.difference.map(|test| test.mean)).collect();
    assert!(differences[0].is_none() && differences[2].is_none(), "{differences:?}");
    close(differences[1].expect("three pairs"), 0.1);
    close(differences[3].expect("three pairs"), -0.1);
}

/// Steps and depths: rows of a budget are compared with the reference of their own depth and budget.
#[test]
fn budgets_are_those_of_each_group() {
    let mut folder = Folder::new();
    let losses = |depth: u64, steps: u64, of_shaw: f64| {
        let level = 4.0 - 0.5 * depth as f64 - 0.001 * steps as f64 + of_shaw * depth as f64;
        [level, level + 0.01, level + 0.02]
    };
    let cells = [(2, 100), (2, 400), (4, 100), (4, 400)].into_iter().flat_map(|(depth, steps)| {
        let name = |encoding: &str| format!("{encoding}-{depth}-{steps}");
        [("absolute", 0.0), ("shaw", -0.1)].map(|(own, of)| (name(own), name("absolute"), depth, steps, of))
    });
    let cells: Vec<(String, String, u64, u64, f64)> = cells.collect();
    let rows = cells.iter().map(|(label, reference, ..)| folder.beside(label, reference)).collect();
    folder.edit(|plan| plan.rows = rows);
    for (label, _, depth, steps, of_shaw) in &cells {
        folder.row(label, losses(*depth, *steps, *of_shaw));
        let encoding = label.split('-').next();
        folder.run(label, &json!({"encoding": encoding, "model": depth, "train": {"steps": steps}}));
    }
    let report: Report = folder.report();
    let Budgets { steps, rows, .. } = report.games[0].budgets.as_ref().expect("two budgets");
    assert_eq!(steps, &[100, 400]);
    let means: Vec<Vec<f64>> =
        rows.iter().map(|row| row.differences.iter().map(|test| test.expect("pairs")).collect()).collect();
    assert_eq!(means.len(), 2, "a row for each depth: {rows:?}");
    for (means, expected) in means.iter().zip([-0.2, -0.4]) {
        means.iter().for_each(|mean| close(*mean, expected));
    }
}
