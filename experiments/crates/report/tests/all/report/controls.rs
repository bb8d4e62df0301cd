//! How a report speaks of matched controls.

use crate::report::folder::{Folder, in_chess, is_warned, row, says};
use facts::Quantity;
use records::plan::MatchedTo;
use records::step_times::StepTime;

const LABEL: &str = "absolute [= params of shaw by ffn 352]";

/// The finished grid with `rope` made a control of Shaw.
fn folder(quantity: Quantity, ratio: Option<f64>) -> Folder {
    let mut folder = Folder::finished();
    folder.edit(|plan| {
        plan.rows[2].label = LABEL.to_owned();
        plan.rows[2].matched = Some(MatchedTo { quantity, goal: plan.rows[0].folder.clone(), ratio });
    });
    folder
}

fn times(folder: &Folder, [own, goal]: [f64; 2]) {
    let time = |label: &str, median_s: f64| StepTime { folder: in_chess(label), batch: 4, median_s, ratio: None };
    folder.times(vec![time("shaw", goal), time("absolute", 0.1), time("rope", own)]);
}

#[test]
fn a_control_is_named_with_what_it_was_matched_to() {
    let report = folder(Quantity::Params, Some(0.99873)).report();
    says(&report, &[&format!("On chess, whether {LABEL} differs from absolute is open: policy_loss +0.003")]);
    says(&report, &[&format!("matched controls\n  {LABEL} has 0.9987 times the params of Shaw\n")]);
    let matched = row(&report, LABEL).matched.clone().expect("it is a control");
    assert_eq!((matched.goal.as_str(), matched.ratio), ("shaw", Some(0.99873)));
    assert!(!is_warned(&report, "control"), "{:?}", report.warnings);
}

#[test]
fn a_control_of_step_time_is_as_good_as_its_measurement() {
    let folder = folder(Quantity::StepTime, None);
    let unmeasured = format!("{LABEL}: its step time is not measured, so its match with Shaw is not checked");
    says(&folder.report(), &[&unmeasured]);
    times(&folder, [0.201, 0.2]);
    let near = folder.report();
    says(&near, &[&format!("{LABEL} has 1.0050 times the step time of Shaw")]);
    assert!(!is_warned(&near, "control"));
    times(&folder, [0.25, 0.2]);
    assert!(is_warned(&folder.report(), &format!("chess: {LABEL} has 1.250 times the step time of Shaw; a control")));
}
