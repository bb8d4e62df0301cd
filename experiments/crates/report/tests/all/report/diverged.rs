//! Seeds that diverged: what is left of their row is a choice of the better ones.

use crate::report::folder::{Folder, SHAW, comparison, says};
use report::comparison::Verdict;
use report::{csv, html};

#[test]
fn a_row_of_which_a_seed_diverged_cannot_be_better() {
    let mut folder = Folder::finished();
    folder.fourth_seed(&["absolute", "shaw", "absolute-twin"]);
    folder.failed("rope", 3, "step 7: the loss is not finite");
    folder.row("rope", SHAW);
    let report = folder.report();
    let rope = comparison(&report, "rope");
    assert_eq!((rope.verdict, rope.pairs, rope.diverged), (Verdict::Diverged, 3, 1));
    assert!(rope.holm.is_some_and(|corrected| corrected.interval.excludes_zero()), "the other seeds are better");
    assert_eq!(comparison(&report, "shaw").verdict, Verdict::Better);
    let parts = [
        "1 of 4 seeds diverged: cannot be better",
        "On chess, RoPE cannot be better than absolute: policy_loss −0.097",
        "left out: seed 3 failed; 1 of 4 seeds diverged: cannot be better.",
    ];
    says(&report, &parts);
    assert!(html::draw(&report).contains("✕ diverged"));
    assert!(csv::draw(&report).contains("cannot be better"));

    // Divergence does not save a row from being worse.
    folder.row("rope", [2.5, 2.53, 2.51]);
    let report = folder.report();
    assert_eq!(comparison(&report, "rope").verdict, Verdict::Worse);
    says(&report, &["worse; 1 of 4 seeds diverged"]);

    // With too few pairs left, the count is shown too.
    folder.failed("rope", 2, "the gradient is not finite");
    let report = folder.report();
    assert_eq!((comparison(&report, "rope").verdict, comparison(&report, "rope").diverged), (Verdict::Missing, 2));
    says(&report, &["has 2 (seeds 2, 3 failed); 2 of 4 seeds diverged: cannot be better"]);
}

#[test]
fn a_row_cannot_be_worse_than_a_reference_of_which_a_seed_diverged() {
    let mut folder = Folder::finished();
    folder.fourth_seed(&["shaw", "rope", "absolute-twin"]);
    folder.failed("absolute", 3, "the loss is not finite");
    let report = folder.report();
    let shaw = comparison(&report, "shaw");
    assert_eq!((shaw.verdict, shaw.diverged, shaw.reference_diverged), (Verdict::Better, 0, 1));
    says(&report, &["left out: seed 3 failed; 1 of 4 seeds of the reference diverged."]);

    // The other side needs the seed that is missing: the reference may have been no better.
    folder.row("shaw", [2.5, 2.53, 2.51]);
    let report = folder.report();
    assert_eq!(comparison(&report, "shaw").verdict, Verdict::ReferenceDiverged);
    let parts = [
        "1 of 4 seeds of the reference diverged: cannot be worse",
        "On chess, Shaw cannot be worse than absolute: policy_loss +0.1",
    ];
    says(&report, &parts);
    assert!(html::draw(&report).contains("✕ reference diverged"));
    assert!(csv::draw(&report).contains("cannot be worse"));
}
