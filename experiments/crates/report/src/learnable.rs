//! What a policy can learn on a test set: from the loss of a uniform choice down to the entropy of the targets.

use super::model::RowReport;
use super::model::learnable::Learnable;
use facts::Mask;

/// The metrics of the learnable range, each on all positions or on a bucket of them.
const UNIFORM: &str = "uniform_baseline";
const LOSS: &str = "policy_loss";
const DIVERGENCE: &str = "policy_kl";

/// The range on the positions of a bucket, e.g. `.novel`; on all with an empty one. None if no row that is evaluated among
/// legal moves has measured it. It is the same for all rows, because it is of the targets.
pub(super) fn of(rows: &[RowReport], bucket: &str) -> Option<Learnable> {
    rows.iter().filter(|row| row.mask != Mask::None).find_map(|row| {
        let value = |name: &str| row.test.get(&format!("{name}{bucket}")).map(|summary| summary.mean);
        let (uniform, floor) = (value(UNIFORM)?, value(LOSS)? - value(DIVERGENCE)?);
        (uniform > floor).then_some(Learnable { uniform, floor })
    })
}
