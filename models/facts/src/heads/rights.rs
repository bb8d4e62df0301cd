//! The rights that the move played leaves.

use crate::metric::{Loss, Measures, Metric, Target, loss};

pub const LOSS: Loss = loss!(
    "rights" = 1.0,
    "nats",
    Target::Rights,
    "Binary cross-entropy of the rights after the move played.",
    "binary cross-entropy of the rights after the move played, the mean over the rights"
);
pub const ACCURACY: Metric = Metric::share(
    "rights_accuracy",
    Target::Rights,
    "positions of whose rights after the move played all are predicted right",
);
const TARGETS: Metric =
    Metric::count("rights_targets", "positions", Target::Rights, "positions whose move played is known");

pub(super) const MEASURES: Measures = Measures { losses: &[LOSS], metrics: &[ACCURACY, TARGETS] };
