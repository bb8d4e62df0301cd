//! Reports of run folders that are written by hand, so that every number in them is known.

mod baselines;
mod compare;
mod controls;
mod curves;
mod diverged;
mod equivalence;
mod figures;
mod folder;
mod formats;
mod gaps;
mod groups;
mod heads;
mod hostile;
mod inactive;
mod interactions;
mod movements;
mod noise;
mod page;
mod ranks;
mod run_summary;
mod scaling;
mod strength;
mod variants;

use self::folder::{ABSOLUTE, Folder, SEEDS, SHAW, close, comparison, has, in_chess, is_warned, lacks, row, says};
use self::heads::tables;
use facts::{ReadAt, Role};
use records::status::{State, Status};
use records::step_times::StepTime;
use records::{CellLock, FailureKind};
use report::comparison::Verdict;
use report::no_verdict::Missing;
use report::sections::interactions::Change;
use report::{Report, text};
use serde_json::json;
use std::fs;

#[test]
fn numbers_of_a_finished_grid_are_those_of_scipy() {
    let report = Folder::finished().report();
    assert_eq!((report.cells.all, report.cells.done, report.twins.done, report.family), (9, 9, 3, 2));
    assert_eq!(report.games[0].rows.iter().map(|row| &row.label[..]).collect::<Vec<_>>(), ["absolute", "shaw", "rope"]);
    let reference = row(&report, "absolute").primary.expect("three seeds");
    close(reference.mean, 2.41);
    close(reference.sd.expect("three seeds"), 0.01);

    let shaw = comparison(&report, "shaw");
    let test = shaw.test.expect("three pairs");
    close(test.mean, -0.096_666_666_666_666_68);
    close(test.sd, 0.005_773_502_691_896_391);
    close(test.p, 0.001_186_944_038_478_615_8);
    let plain = shaw.interval.expect("three pairs");
    close(plain.low, -0.111_008_842_432_498_55);
    close(plain.high, -0.082_324_490_900_834_81);
    let corrected = shaw.holm.expect("three pairs");
    close(corrected.holm.p, 2.0 * 0.001_186_944_038_478_615_8);
    close(corrected.interval.low, -0.117_351_156_055_236_13);
    close(corrected.interval.high, -0.075_982_177_278_097_18);
    assert_eq!((shaw.verdict, &shaw.missing[..]), (Verdict::Better, &[][..]));

    let rope = comparison(&report, "rope");
    close(rope.holm.expect("three pairs").holm.p, 0.807_549_910_270_120_9);
    assert_eq!(rope.verdict, Verdict::Open);
}

#[test]
fn the_direction_of_a_verdict_belongs_to_the_metric() {
    let mut folder = Folder::finished();
    folder.edit(|plan| plan.primary.metric = "policy_loss.novel".to_owned());
    assert_eq!(comparison(&folder.report(), "shaw").verdict, Verdict::Better);
    // The same numbers as an accuracy are worse where they are lower.
    folder.by_loss(|loss, line| line["metrics"]["policy_accuracy"] = json!(loss / 10.0));
    folder.edit(|plan| plan.primary.metric = "policy_accuracy".to_owned());
    assert_eq!(comparison(&folder.report(), "shaw").verdict, Verdict::Worse);
}

#[test]
fn rows_that_are_no_contrast_are_exploratory_and_not_counted() {
    let mut folder = Folder::finished();
    let all = folder.report();
    assert_eq!(all.family, 2);
    let plain = comparison(&all, "shaw").test.expect("three pairs").p;
    folder.edit_rows("rope", |row| row.exploratory = true);
    let report = folder.report();
    assert_eq!(report.family, 1);
    let corrected = comparison(&report, "shaw").holm.expect("a contrast");
    close(corrected.holm.p, plain);
    let rope = comparison(&report, "rope");
    assert_eq!((rope.verdict, rope.holm), (Verdict::Missing, None));
    assert!(rope.test.is_some() && rope.missing == [Missing::Exploratory], "{rope:?}");
    says(&report, &["one other row has no verdict: exploratory"]);
}

#[test]
fn the_primary_metric_is_read_where_the_plan_says() {
    let mut folder = Folder::finished();
    folder.edit(|plan| plan.primary.at = ReadAt::Step(50));
    close(row(&folder.report(), "absolute").primary.expect("three seeds").mean, 3.41);
    folder.edit(|plan| plan.primary.at = ReadAt::Step(60));
    let report = folder.report();
    assert_eq!(report.cells.failed, 9);
    assert!(report.failures[0].failure.cause.contains("no validation line of step 60"), "{:?}", report.failures[0]);
}

#[test]
fn the_other_columns_hold_what_was_measured() {
    let folder = Folder::finished();
    assert!(row(&folder.report(), "shaw").step_time.is_none());
    let time = |label: &str, median_s: f64, ratio| StepTime { folder: in_chess(label), batch: 4, median_s, ratio };
    folder.times(vec![time("absolute", 0.02, Some(1.0)), time("shaw", 0.05, Some(2.5))]);
    let report = folder.report();
    let shaw = row(&report, "shaw");
    assert_eq!(shaw.step_time.and_then(|time| time.ratio), Some(2.5));
    assert_eq!(shaw.epochs, Some(0.5));
    close(shaw.test["policy_accuracy"].mean, 0.4);
    assert!(shaw.not_applicable.contains(&"legal_mass"));
    let game = &report.games[0];
    close(game.uniform_baseline.expect("measured"), 3.4);
    close(game.novel_share.expect("measured"), 0.9);
    assert_eq!(game.test_positions, Some(4000));
    let heads: Vec<_> = game.heads.iter().map(|head| (head.name, &head.phases[..])).collect();
    assert_eq!(heads, [("policy", &[("opening", Some(1000))][..]), ("result", &[("opening", Some(1200))][..])]);
    assert_eq!(game.heads[0].targets.map(|(metric, count)| (metric.name, count)), Some(("policy_targets", 3000)));
    assert_eq!(game.common_sources, ["value head"]);
}

#[test]
fn the_drawn_table_says_all_of_it() {
    let folder = Folder::finished();
    let drawn = text::draw(&folder.report());
    let parts = [
        "by-hand: 9 of 9 cells done (and 3 of 3 A/A controls done)",
        "On chess, Shaw is better than absolute: policy_loss −0.097, Holm-corrected interval [−0.117, −0.076], p = 0.0024.",
        "On chess, whether RoPE differs from absolute is open: policy_loss +0.003",
        "[−0.111, −0.082]",
        "1,382,400",
        "2.410 ± 0.010",
        "A/A control",
        "as expected (p = 1.00)",
        "3,000 policy targets",
        "opening (1,200)",
        "55.00 ± 0",
    ];
    has(&drawn, &parts);
    let widest = drawn.lines().map(|line| line.chars().count()).max().unwrap_or(0);
    assert!(widest <= 140, "{widest} columns:\n{drawn}");
    assert!(!drawn.contains('\u{1b}'), "colours");
}

#[test]
fn two_pairs_are_no_verdict_and_say_which_seed_is_missing() {
    let folder = Folder::finished();
    folder.failed("shaw", 1, "step 7: the loss is not finite");
    let report = folder.report();
    let shaw = comparison(&report, "shaw");
    assert_eq!((shaw.verdict, shaw.pairs, shaw.holm), (Verdict::Missing, 2, None));
    assert_eq!(shaw.missing, [Missing::Pairs { has: 2 }, Missing::Failed { seed: 1 }]);
    assert_eq!((report.failures.len(), report.failures[0].failure.kind), (1, FailureKind::NotFinite));
    // It still counts in the family, so the other row's p is corrected for two comparisons.
    assert_eq!(report.family, 2);
    close(comparison(&report, "rope").holm.expect("three pairs").holm.p, 1.0);
    let parts = [
        "Shaw against absolute has no verdict: needs ≥ 3 complete pairs, has 2 (seed 1 failed)",
        "2/3, 1 FAILED",
        "posenc does not retry it; to retry it, delete chess-shaw-0123456789ab/seed-1",
    ];
    says(&report, &parts);
}

#[test]
fn pairs_of_other_numerics_device_or_dtype_do_not_count() {
    for (key, value, what) in [
        ("numerics", json!(2), "numerics version"),
        ("device", json!("cuda:0"), "device"),
        ("dtype", json!("bf16"), "dtype"),
    ] {
        let folder = Folder::finished();
        folder.manifest("shaw", 0, |manifest| manifest["identity"][key] = value.clone());
        let report = folder.report();
        let shaw = comparison(&report, "shaw");
        assert_eq!((shaw.verdict, shaw.pairs), (Verdict::Missing, 2));
        assert!(matches!(shaw.missing[1], Missing::Differs { seed: 0, what: found, .. } if found == what), "{shaw:?}");
        assert_eq!(comparison(&report, "rope").pairs, 3);
        assert_eq!(report.conditions.len(), 2);
        says(&report, &[&format!("seed 0: {what} differs")]);
    }
}

#[test]
fn a_cell_of_another_hash_than_its_row_is_no_fair_partner() {
    let folder = Folder::finished();
    let trained_as = |seed: u64, hash: &str| {
        folder
            .manifest("shaw", seed, |manifest| manifest["identity"]["config"] = json!(format!("{hash}, seed {seed}")));
    };
    trained_as(0, "0123456789ab");
    let planned = folder.report();
    assert_eq!(comparison(&planned, "shaw").pairs, 3);
    assert!(!is_warned(&planned, "another dataset"), "{:?}", planned.warnings);
    trained_as(1, "ba9876543210");
    let report = folder.report();
    assert_eq!(comparison(&report, "shaw").missing, [Missing::Pairs { has: 2 }, Missing::OtherHash { seed: 1 }]);
    assert!(is_warned(&report, "1 cell trained with another dataset"), "{:?}", report.warnings);
    says(&report, &["seed 1 has another hash than its row"]);
}

#[test]
fn a_pair_of_two_gpu_models_does_not_count() {
    let folder = Folder::finished();
    let (h100, h200) = ("NVIDIA H100 80GB HBM3", "NVIDIA H200");
    let trained_on = |label: &str, seed: u64, model: &str| {
        folder.manifest(label, seed, |manifest| manifest["identity"]["device"] = json!(format!("cuda, {model}")));
    };
    for seed in SEEDS {
        ["absolute", "shaw"].iter().for_each(|label| trained_on(label, seed, h100));
    }
    assert_eq!(comparison(&folder.report(), "shaw").pairs, 3);
    trained_on("shaw", 0, h200);
    let report = folder.report();
    let shaw = comparison(&report, "shaw");
    assert_eq!((shaw.verdict, shaw.pairs), (Verdict::Missing, 2));
    assert_eq!(shaw.missing[1].to_string(), format!("seed 0: GPU differs ({h200} against {h100})"));
    says(&report, &["seed 0: GPU differs"]);
    // Manifests of older versions name the model beside the identity. Threads are no reason.
    folder.manifest("shaw", 0, |manifest| {
        manifest["identity"]["device"] = json!("cuda:1");
        manifest["identity"]["threads"] = json!(4);
        manifest["gpu"] = json!(h100);
    });
    assert_eq!(comparison(&folder.report(), "shaw").pairs, 3);
}

#[test]
fn a_cell_without_a_manifest_is_no_fair_partner() {
    let folder = Folder::finished();
    fs::write(folder.cell("shaw", 0).join("manifest.json"), "{").expect("the manifest is damaged");
    fs::remove_file(folder.cell("shaw", 1).join("manifest.json")).expect("the manifest is removed");
    let report = folder.report();
    let missing = &comparison(&report, "shaw").missing;
    let expected = [Missing::Pairs { has: 1 }, Missing::NoManifest { seed: 0 }, Missing::NoManifest { seed: 1 }];
    assert_eq!(missing[..], expected);
}

#[test]
fn differences_that_are_the_same_in_every_seed_are_questioned() {
    let folder = Folder::finished();
    // The mean of three differences of 0.05 is not 0.05 in the last bit.
    for (absolute, shaw) in [(ABSOLUTE, ABSOLUTE), ([0.02; 3], [0.07; 3])] {
        folder.row("absolute", absolute);
        folder.row("shaw", shaw);
        let shaw = comparison(&folder.report(), "shaw").clone();
        assert_eq!((shaw.verdict, &shaw.missing[..]), (Verdict::Missing, &[Missing::NoSpread][..]));
    }
    folder.row("shaw", [0.02; 3]);
    let tables = tables(&folder.report());
    let column = |table: &Vec<Vec<String>>| table[0].iter().position(|name| name == "seeds for this difference");
    let (table, column) = tables.iter().find_map(|table| Some((table, column(table)?))).expect("a table of precision");
    let needed = |name: &str| table.iter().find(|line| line[0] == name).expect("the row")[column].clone();
    assert_eq!(needed("Shaw"), "–", "nothing varies");
    assert!(needed("RoPE").parse::<usize>().is_ok(), "{table:?}");
}

#[test]
fn a_running_grid_is_reported_as_far_as_it_is() {
    let folder = Folder::new();
    let parts = [
        "by-hand: 0 of 9 cells done, 9 pending (and 0 of 3 A/A controls done, 3 pending)",
        "not finished: 0 of 3 seeds done (seeds 0, 1, 2 are not done)",
    ];
    says(&folder.report(), &parts);

    folder.done("absolute", 0, 2.4);
    folder.done("shaw", 0, 2.3);
    let running = folder.cell("rope", 0);
    Status::new(State::Running, 40, 100).write(&running).expect("a status");
    let lock = CellLock::try_take(&running).expect("a lock").expect("it is free");
    Status::new(State::Running, 40, 100).write(&folder.cell("rope", 1)).expect("a status");
    // A line that is being written has no end yet.
    fs::write(running.join("metrics.jsonl"), "{\"step\":40,\"spl").expect("metrics");
    let report = folder.report();
    let cells = report.cells;
    assert_eq!((cells.done, cells.running, cells.interrupted, cells.pending), (2, 1, 1, 5));
    assert_eq!((comparison(&report, "shaw").pairs, comparison(&report, "rope").pairs), (1, 0));
    says(&report, &["1 running, 1 interrupted"]);
    drop(lock);
    assert_eq!(folder.report().cells.interrupted, 2, "without its lock a running cell was killed");
}

#[test]
fn the_twin_row_warns_when_it_differs_from_itself() {
    let folder = Folder::finished();
    assert!(!is_warned(&folder.report(), "A/A"));
    folder.row("absolute-twin", SHAW);
    let report = folder.report();
    assert!(is_warned(&report, "A/A row differs"), "{:?}", report.warnings);
    says(&report, &["differs from the reference (p = 0.0012)"]);
    assert_eq!(report.family, 2, "the twin is no comparison of the grid");
}

#[test]
fn a_grid_without_twins_says_how_to_get_them() {
    let mut folder = Folder::finished();
    folder.edit(|plan| plan.rows.retain(|row| row.role != Role::Twin));
    let orphan = "chess-absolute-twin-ba9876543210";
    fs::rename(folder.path().join(in_chess("absolute-twin")), folder.path().join(orphan)).expect("renamed");
    let report = folder.report();
    says(&report, &["A/A control: none, so the size of differences by chance is unknown"]);
    assert!(is_warned(&report, orphan), "{:?}", report.warnings);
}

#[test]
fn a_smoke_run_gives_no_verdicts() {
    let mut folder = Folder::finished();
    folder.ask(["absolute", "shaw"], [["absolute", "shaw"], ["rope", "absolute-twin"]]);
    folder.edit(|plan| plan.smoke = true);
    let report = folder.report();
    let shaw = comparison(&report, "shaw");
    assert_eq!((shaw.verdict, &shaw.missing[..], shaw.holm), (Verdict::Missing, &[Missing::Smoke][..], None));
    let interaction = &report.games[0].interactions[0];
    assert_eq!((interaction.change, &interaction.missing[0]), (Change::Missing, &Missing::Smoke));
    let drawn = text::draw(&report);
    assert!(drawn.contains("On chess, 2 rows have no verdict against absolute: a smoke run gives no verdicts."));
    assert_eq!(drawn.matches("no verdict against").count(), 1, "{drawn}");
}

#[test]
fn there_is_no_verdict_while_seeds_are_to_come() {
    let mut folder = Folder::finished();
    folder.edit(|plan| plan.seeds.extend([3, 4]));
    folder.failed("shaw", 3, "the loss is not finite");
    for state in [State::Running, State::Interrupted] {
        for label in ["absolute", "shaw", "rope"] {
            Status::new(state, 40, 100).write(&folder.cell(label, 4)).expect("a status");
        }
        let report = folder.report();
        let shaw = comparison(&report, "shaw");
        assert_eq!((shaw.verdict, shaw.pairs, shaw.holm), (Verdict::Missing, 3, None));
        assert_eq!(shaw.missing[0], Missing::NotFinished { done: 3, planned: 5 });
        assert!(shaw.interval.is_some_and(|plain| plain.excludes_zero()), "three seeds alone would decide");
        says(&report, &["3 of 5 seeds done (seed 3 failed; seed 4 is not done)"]);
        // The A/A row is not judged either.
        lacks(&text::draw(&report), &["is better than", "as expected"]);
    }
    for label in ["absolute", "shaw", "rope", "absolute-twin"] {
        folder.done(label, 4, 2.4 - f64::from(u8::from(label == "shaw")) * 0.1);
        folder.failed(label, 3, "out of memory");
    }
    assert_eq!(comparison(&folder.report(), "shaw").verdict, Verdict::Better);
}

#[test]
fn the_gap_is_of_the_primary_metric_whichever_it_is() {
    let mut folder = Folder::finished();
    for (metric, gap) in [("policy_loss", 0.05), ("policy_accuracy", -0.1), ("policy_loss.novel", 0.15)] {
        folder.edit(|plan| plan.primary.metric = metric.to_owned());
        close(row(&folder.report(), "shaw").gap.expect("a sample and test").mean, gap);
    }
}

#[test]
fn what_makes_a_table_less_believable_is_a_warning() {
    let folder = Folder::finished();
    folder.row("rope", [3.5, 3.6, 3.4]);
    folder.manifest("rope", 0, |manifest| manifest["sessions"][0]["forced"] = json!(["threads"]));
    folder.lines("shaw", 0, |line| line["epochs"] = json!(2.25));
    let report = folder.report();
    for part in ["the policy loss of RoPE is not below", "training took 2.2 epochs", "1 cell resumed by force"] {
        assert!(is_warned(&report, part), "{part:?} is not in\n{:?}", report.warnings);
    }
}

#[test]
fn a_metric_that_still_falls_steeply_is_a_warning_with_its_slope() {
    let folder = Folder::finished();
    let report = folder.report();
    // 1 nat above test at step 50, half a nat at step 100.
    close(row(&report, "shaw").per_doubling().expect("two points"), -0.5);
    let steep = |report: &Report| report.warnings.iter().find(|warning| warning.contains("per doubling")).cloned();
    let warning = steep(&report).expect("a warning");
    assert!(warning.contains("policy_loss still improves by 0.50 per doubling"), "{warning}");
    assert!(warning.contains("rows differ by 0.097"), "{warning}");
    says(&report, &["per doubling"]);
    for label in ["absolute", "shaw", "rope"] {
        // The first validation line becomes one of the first half.
        folder.lines_of(label, |line| line["step"] = json!(line["step"].as_u64().expect("a step") - 1));
    }
    let report = folder.report();
    assert_eq!(row(&report, "shaw").per_doubling(), None, "one point is no slope");
    assert_eq!(steep(&report), None);
}

#[test]
fn the_page_asks_for_the_test_positions_that_the_warning_asks_for() {
    let page = include_str!("../../../../../docs/statistics.md");
    let wanted = facts::grouped(report::sections::warnings::TEST_POSITIONS_WANTED);
    assert!(page.contains(&format!("Use {wanted} test positions or more")), "{wanted}");
    assert!(is_warned(&Folder::finished().report(), &format!("4,000 test positions; use {wanted} or more")));
}

#[test]
fn damaged_cells_are_rows_and_damaged_plans_are_errors() {
    let folder = Folder::finished();
    fs::write(folder.cell("shaw", 0).join("status.json"), "{\"state\":").expect("a damaged status");
    fs::write(folder.cell("shaw", 1).join("metrics.jsonl"), "{}\n").expect("damaged metrics");
    let report = folder.report();
    assert_eq!(report.failures.len(), 2);
    assert!(report.failures[0].failure.cause.contains("status.json is damaged"), "{:?}", report.failures);
    assert!(report.failures[1].failure.cause.contains("line 1"), "{:?}", report.failures);

    fs::write(folder.path().join("grid.json"), "[]").expect("a damaged plan");
    assert!(Report::of(folder.path()).is_err_and(|error| error.to_string().contains("damaged")));
    let empty = tempfile::tempdir().expect("a folder");
    let error = Report::of(empty.path()).expect_err("no run folder").to_string();
    assert!(error.contains("grid.json") && error.contains("runs/"), "{error}");
}
