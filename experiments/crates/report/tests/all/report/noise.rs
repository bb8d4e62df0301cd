//! Verdicts count the noise of seeds and of test games where cells stored what they measured on each position.

use crate::report::folder::{Csv, Folder, GAMES, LOSSES, SEEDS, TARGETS, close, comparison, is_warned, lacks, says};
use records::positions;
use report::comparison::Verdict;
use report::noise::{NoGameNoise, Noise};
use report::statistics::MeanTest;
use report::statistics::crossed::{Crossed, Differences, test};
use report::{Report, text};
use std::fs;

/// A row's losses: a seed's luck, a row's own effect on a game, and a row's mean.
fn loss(row: usize, seed: u64, game: u32, ply: u16) -> f32 {
    let luck = [0.010, -0.004, 0.002][seed as usize] + row as f32 * [0.001, 0.0, -0.001][seed as usize];
    let of_game = (((game * (7 + row as u32 * 4)) % 13) as f32 - 6.0) * 0.1 * row as f32;
    let of_ply = [0.2, -0.1, -0.1][usize::from(ply)];
    2.4 - 0.05 * row as f32 + luck + of_game + of_ply
}

fn folder() -> Folder {
    Folder::stored(|row, seed, game, ply| loss(row % 3, seed, game, ply))
}

/// The test of a sum of rows, each with its sign, from the losses themselves.
fn by_hand(terms: &[(usize, f64)]) -> Crossed {
    let sum = |seed, game| -> f64 {
        let all = terms.iter().flat_map(|&(row, sign)| (0..TARGETS).map(move |ply| (row, sign, ply)));
        all.map(|(row, sign, ply)| sign * f64::from(loss(row, seed, game, ply))).sum()
    };
    let sums: Vec<Vec<f64>> = SEEDS.iter().map(|&seed| (0..GAMES).map(|game| sum(seed, game)).collect()).collect();
    let positions = vec![u32::from(TARGETS); GAMES as usize];
    test(Differences { sums: &sums, positions: &positions }).expect("three seeds and sixty games")
}

#[test]
fn test_games_that_agree_are_no_warning() {
    let folder = Folder::stored(|row, seed, game, ply| {
        let luck = [0.01, -0.02, 0.015][seed as usize] * row as f32;
        2.0 + luck + (game % 7) as f32 * 0.1 + f32::from(ply)
    });
    let report = folder.report();
    assert!(crossed(comparison(&report, "shaw").noise.as_ref()).games_share < 0.01);
    assert!(!is_warned(&report, "test games") && !is_warned(&report, "test positions"), "{:?}", report.warnings);
}

fn crossed(noise: Option<&Noise>) -> Crossed {
    *noise.expect("a test").as_ref().expect("seeds and games")
}

#[test]
fn a_difference_that_three_seeds_agree_on_is_not_real_if_the_games_do_not_agree() {
    let report = folder().report();
    let shaw = comparison(&report, "shaw");
    let (seeds_only, decisive) = (shaw.test.expect("three pairs"), shaw.decisive.expect("three pairs"));
    assert!(2.0 * seeds_only.p < 0.05, "seeds alone would decide: {}", seeds_only.p);
    let expected = by_hand(&[(1, 1.0), (0, -1.0)]);
    close(decisive.error, expected.test.error);
    close(decisive.freedom, expected.test.freedom);
    assert!(decisive.error > 10.0 * seeds_only.error(), "{decisive:?} {seeds_only:?}");
    assert_eq!((shaw.verdict, crossed(shaw.noise.as_ref()).games), (Verdict::Open, 60));
    assert!(crossed(shaw.noise.as_ref()).games_share > 0.99);
    assert!(is_warned(&report, "chess: 60 test games give up to 100 %"), "{:?}", report.warnings);
    let corrected = shaw.holm.expect("a test");
    assert!(!corrected.interval.excludes_zero() && corrected.holm.p > 0.05, "{corrected:?}");

    says(&report, &["at one learning rate, paired t-tests over seeds and test games, Holm-corrected"]);
    lacks(&text::draw(&report), &["noise of seeds only:"]);
    let table = Csv::of(&report);
    close(table.number("shaw", "p"), decisive.p);
    close(table.number("shaw", "p_seeds_only"), seeds_only.p);
    assert_eq!(table.at("shaw", "games"), "60");
}

#[test]
fn the_metric_of_a_phase_is_tested_on_the_positions_of_that_phase() {
    let mut folder = folder();
    folder.edit(|plan| plan.primary.metric = "policy_loss.opening".to_owned());
    let report = folder.report();
    // Every game has one such position, and the same effects as on all of its positions.
    let (opening, all) = (comparison(&report, "shaw").decisive.expect("a test"), by_hand(&[(1, 1.0), (0, -1.0)]));
    assert!(comparison(&report, "shaw").noise.as_ref().is_some_and(Result::is_ok));
    assert!((opening.error - all.test.error).abs() < 1e-6, "{opening:?} {all:?}");
}

#[test]
fn seeds_needed_follow_from_the_seeds_part_of_the_variance() {
    let report = folder().report();
    // With the variance in the games, no number of seeds helps.
    let precision = comparison(&report, "shaw").precision.expect("three pairs");
    assert_eq!(precision.seeds, None);
    assert!(precision.detectable.is_some_and(|size| size > 0.1), "{precision:?}");
    let crossed = by_hand(&[(1, 1.0), (0, -1.0)]);
    let (error, freedom) = crossed.with_seeds(3);
    close(error, crossed.test.error);
    close(freedom, crossed.test.freedom);
    let of_games = crossed.test.error * crossed.games_share.sqrt();
    let (error, _) = crossed.with_seeds(1_000_000);
    assert!((error / of_games - 1.0).abs() < 1e-6, "{error} {of_games}");
}

#[track_caller]
fn only_seeds(folder: &Folder, label: &str, expected: impl Fn(&NoGameNoise) -> bool) -> Report {
    let report = folder.report();
    let comparison = comparison(&report, label);
    let why = comparison.noise.as_ref().and_then(|noise| noise.as_ref().err());
    assert!(why.is_some_and(expected), "{why:?}");
    assert_eq!(comparison.decisive, comparison.test.map(MeanTest::from), "the paired test over seeds decides");
    says(&report, &["count the noise of seeds only"]);
    report
}

#[test]
fn a_mean_of_stored_values_that_is_not_the_metric_is_not_used_and_a_warning() {
    let folder = folder();
    folder.done("shaw", 1, 2.34);
    let report = only_seeds(&folder, "shaw", |why| matches!(why, NoGameNoise::OtherMean { seed: 1, .. }));
    assert!(is_warned(&report, "at seed 1 the stored positions have the mean 2.34"), "{:?}", report.warnings);
    assert!(comparison(&report, "rope").noise.as_ref().is_some_and(Result::is_ok));
    says(&report, &["intervals and p of Shaw count the noise of seeds only"]);
}

#[test]
fn without_positions_the_verdict_is_over_seeds_only() {
    let folder = folder();
    let file = |label: &str, seed: u64| folder.cell(label, seed).join("test-positions.parquet");
    fs::write(file("shaw", 2), b"damaged").expect("written");
    let report = only_seeds(&folder, "shaw", |why| *why == NoGameNoise::NotStored { seed: 2 });
    assert!(is_warned(&report, "a cell of seed 2 stored no test positions"));
    for (label, seed) in LOSSES.iter().flat_map(|(label, _)| SEEDS.map(|seed| (label, seed))) {
        fs::remove_file(file(label, seed)).expect("removed");
    }
    let report = only_seeds(&folder, "shaw", |why| *why == NoGameNoise::NothingStored);
    assert!(!is_warned(&report, "seeds only"), "older cells stored nothing: {:?}", report.warnings);
}

/// A compact bundle beside cells that were trained after it.
#[test]
fn means_of_games_and_single_positions_are_compared_by_games() {
    let folder = folder();
    let whole = folder.report();
    for seed in SEEDS {
        let file = folder.cell("absolute", seed).join("test-positions.parquet");
        let rows = positions::read(&file).expect("its positions");
        fs::write(&file, positions::write(&positions::of_games(&rows)).expect("means")).expect("written");
    }
    let mixed = folder.report();
    for label in ["shaw", "rope"] {
        let [whole, mixed] = [&whole, &mixed].map(|report| comparison(report, label));
        assert_eq!(crossed(mixed.noise.as_ref()).games, 60);
        let [whole, mixed] = [whole, mixed].map(|comparison| comparison.decisive.expect("three pairs"));
        assert!((whole.error / mixed.error - 1.0).abs() < 1e-5, "{whole:?} {mixed:?}");
    }
}

#[test]
fn a_metric_that_is_not_stored_or_is_read_on_validation_is_tested_over_seeds_only() {
    let mut folder = folder();
    folder.edit(|plan| plan.primary.metric = "policy_kl".to_owned());
    only_seeds(&folder, "shaw", |why| *why == NoGameNoise::NoMean);
    folder.plan.primary.metric = "policy_loss".to_owned();
    folder.edit(|plan| plan.primary.at = facts::ReadAt::Step(50));
    only_seeds(&folder, "shaw", |why| *why == NoGameNoise::OnValidation);
}

#[test]
fn interactions_count_the_games_too() {
    let mut folder = folder();
    folder.ask(["a", "b"], [["absolute", "shaw"], ["absolute-twin", "rope"]]);
    let report = folder.report();
    let one = &report.games[0].interactions[0];
    let expected = by_hand(&[(2, 1.0), (0, -1.0), (1, -1.0), (0, 1.0)]);
    close(one.decisive.expect("three seeds").error, expected.test.error);
    assert_eq!(crossed(one.noise.as_ref()).games, 60);
    says(&report, &["differences of differences, paired t-tests over seeds and test games, Holm"]);
    let gap = by_hand(&[(1, 1.0), (0, -1.0)]).test.interval(0.95);
    let shown = one.gaps[0].expect("three seeds").interval;
    assert!((shown.high - shown.low - (gap.high - gap.low)).abs() < 1e-6, "{shown:?} {gap:?}");
}
