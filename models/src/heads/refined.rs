//! The choice of a second pass among the policy's likeliest moves, which `refinement` of a model adds ([`crate::trunks::refine`]).

use super::head::{HeadDeclaration, always};
use super::output::{Output, Reading};
use super::visit::Visit;
use crate::loss::examples::Column;
use crate::loss::{Refined, RefinedTargets, refined_rows};
use facts::HeadName;
use facts::heads::refined::{ACCURACY, LOSS, TARGET_IN_CANDIDATES};
use tch::Tensor;

pub(super) const DECLARATION: HeadDeclaration = HeadDeclaration {
    columns: &[Column::PolicyIndex, Column::PolicyProb, Column::Legal, Column::Repeats],
    needs: &[],
    asked: always,
    evaluate,
    declare: |_| None,
};

fn evaluate(visit: &mut Visit<'_>) {
    let Some(refined) = Refined::of(visit.output) else { return };
    let targets = visit.examples.policy();
    let among = RefinedTargets::new(&refined, targets);
    visit.loss(&LOSS, || refined_rows(&refined, &among));
    visit.value(&ACCURACY, || targets.hits(&refined.chosen()));
    visit.value(&TARGET_IN_CANDIDATES, || among.among_b.shallow_clone());
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

    pub(crate) fn set(self, output: &mut Output) {
        output.set_part(HeadName::Refined, MOVES, Reading::Moves, self.moves_bk);
        output.set_part(HeadName::Refined, PRESENT, Reading::Internal, self.present_bk);
        output.set(HeadName::Refined, Reading::Choice, self.logits_bk);
    }
}
