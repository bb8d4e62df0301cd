//! The learnable range of the policy loss on a test set: from a uniform choice down to the entropy of the targets.

use crate::model::RowReport;
use facts::Mask;

/// From the loss of a uniform choice among legal moves, which needs no training, to the entropy of the targets, which no
/// training goes below.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Learnable {
    /// The loss of a uniform choice among legal moves, in nats.
    pub uniform: f64,
    pub floor: f64,
}

impl Learnable {
    pub fn gap(&self) -> f64 {
        self.uniform - self.floor
    }

    /// The share of the gap that a policy with this loss has learnt.
    pub fn learnt(&self, loss: f64) -> f64 {
        (self.uniform - loss) / self.gap()
    }
}

/// The range on the positions of a bucket, e.g. `.novel`; on all with an empty one. None if no row that is evaluated among
/// legal moves has measured it. It is the same for all rows, because it is of the targets.
pub(crate) fn of(rows: &[RowReport], bucket: &str) -> Option<Learnable> {
    rows.iter().filter(|row| row.mask != Mask::None).find_map(|row| {
        let value = |name: &str| row.test.get(&format!("{name}{bucket}")).map(|summary| summary.mean);
        let (uniform, floor) = (value("uniform_baseline")?, value("policy_loss")? - value("policy_kl")?);
        (uniform > floor).then_some(Learnable { uniform, floor })
    })
}
