//! Losses of batches as steps take them: sums of rows over the rows that have a target.

use models::loss::{PolicyTargets, mean, policy_cross_entropy_rows, policy_log_probs, wdl_cross_entropy_rows};
use tch::{Kind, Tensor};

/// A sum of rows and how many rows have a target.
pub(crate) struct Sum {
    pub(crate) sum: Tensor,
    pub(crate) count: Tensor,
}

impl Sum {
    pub(crate) fn of(rows: &Tensor, present: &Tensor) -> Self {
        Self { sum: rows.sum(Kind::Float), count: present.sum(Kind::Float) }
    }

    pub(crate) fn mean(&self) -> Tensor {
        mean(&self.sum, &self.count)
    }
}

pub(crate) fn policy_cross_entropy(logits: &Tensor, legal: Option<&Tensor>, targets: PolicyTargets<'_>) -> Sum {
    Sum::of(&policy_cross_entropy_rows(&policy_log_probs(logits, legal), targets), &targets.present())
}

pub(crate) fn wdl_cross_entropy(logits: &Tensor, outcome: &Tensor) -> Sum {
    Sum::of(&wdl_cross_entropy_rows(logits, outcome), &outcome.ge(0))
}
