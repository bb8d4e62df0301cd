//! The choice of a second pass among the policy's likeliest moves, which `refinement` of a model adds ([`crate::trunks::refine`]).

use super::head::HeadDeclaration;
use super::output::{Output, Reading};
use super::visit::Visit;
use crate::config::HeadName;
use crate::loss::examples::{Column, Target};
use crate::loss::metric::{Direction, Loss, Metric, loss};
use crate::loss::{Refined, RefinedTargets, refined_rows};
use tch::Tensor;

/// A batch's count must be known before the candidates are, so it is that of the policy's targets.
const LOSS: Loss = loss!(
    "refined" = 1.0,
    "nats",
    Target::Policy,
    "Cross-entropy of the choice among the likeliest moves.",
    "cross-entropy of the choice among the likeliest moves, 0 where the target is none of them"
);
const ACCURACY: Metric = Metric::mean(
    "refined_accuracy",
    "share",
    Direction::Higher,
    Target::Policy,
    "positions whose move after the second pass is one of the target's best",
);
const AMONG: Metric = Metric::mean(
    "refined_among",
    "share",
    Direction::Higher,
    Target::Policy,
    "positions whose target is among the moves of the second pass",
);

pub(super) const DECLARATION: HeadDeclaration = HeadDeclaration {
    losses: &[LOSS],
    metrics: &[ACCURACY, AMONG],
    columns: &[Column::PolicyIndex, Column::PolicyProb, Column::Legal, Column::Repeats],
    needs: &[],
    evaluate,
    declare: |_| None,
};

fn evaluate(visit: &mut Visit<'_>) {
    let Some(refined) = Refined::of(visit.output) else { return };
    let targets = visit.examples.policy();
    let among = RefinedTargets::new(&refined, targets);
    visit.loss(&LOSS, || refined_rows(&refined, &among));
    visit.value(&ACCURACY, || targets.hits(&refined.chosen()));
    visit.value(&AMONG, || among.among_b.shallow_clone());
}

const MOVES: &str = "moves";
/// Which of them are legal moves.
const PRESENT: &str = "present";

impl Refined {
    /// That of an output; `None` if the network takes no second pass.
    pub fn of(output: &Output) -> Option<Self> {
        let part = |part| output.part(HeadName::Refined, part).map(Tensor::shallow_clone);
        Some(Self { moves_bk: part(MOVES)?, present_bk: part(PRESENT)?, logits_bk: part("")? })
    }

    /// Adds it to an output.
    pub(crate) fn set(self, output: &mut Output) {
        output.set_part(HeadName::Refined, MOVES, Reading::Moves, self.moves_bk);
        output.set_part(HeadName::Refined, PRESENT, Reading::Internal, self.present_bk);
        output.set(HeadName::Refined, Reading::Choice, self.logits_bk);
    }
}
