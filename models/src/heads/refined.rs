//! The choice of a second pass among the policy's likeliest moves, which `refinement` of a model adds ([`crate::refine`]).

use super::{HeadDeclaration, HeadName, Output, Reading, always};
use crate::examples::Column;
use crate::loss::{ILLEGAL_LOGIT, RefinedTargets, refined_rows};
use crate::measure::Visit;
use facts::heads::refined::{ACCURACY, AMONG, LOSS};
use tch::Tensor;

pub(super) const DECLARATION: HeadDeclaration = HeadDeclaration {
    columns: &[Column::PolicyIndex, Column::PolicyProb, Column::Legal, Column::Repeats],
    needs: &[],
    asked: always,
    evaluate,
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

/// The choice among a few moves.
#[derive(Debug)]
pub struct Refined {
    /// The candidates, indices of the vocabulary, the first pass's likeliest first, i64 `[b,k]`.
    pub moves_bk: Tensor,
    /// Which of them are legal moves, bool `[b,k]`.
    pub present_bk: Tensor,
    /// The second pass's logits `[b,k]`, −1e30 where there are fewer legal moves.
    pub logits_bk: Tensor,
}

impl Refined {
    /// From the candidates `[b,k]`, which of them are legal moves, bool `[b,k]`, and the logits of all `[b,k]`.
    pub fn new(moves_bk: Tensor, present_bk: Tensor, logits_bk: &Tensor) -> Self {
        let logits_bk = logits_bk.masked_fill(&present_bk.logical_not(), ILLEGAL_LOGIT);
        Self { moves_bk, present_bk, logits_bk }
    }

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

    /// The move that is chosen in the end, an index of the vocabulary, `[b,1]`.
    pub fn chosen(&self) -> Tensor {
        self.moves_bk.gather(1, &self.logits_bk.argmax(1, true), false)
    }
}
