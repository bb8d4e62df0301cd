//! The head of the next board, which the decoder has: its answer comes from a pass of the decoder's own.

use super::head::{HeadDeclaration, Need, always};
use super::output::{Output, Reading};
use super::visit::Visit;
use crate::loss::{log_prob_of, masked};
use facts::HeadName;
use facts::heads::board::{ACCURACY, LOSS};
use tch::Tensor;

pub(super) const DECLARATION: HeadDeclaration =
    HeadDeclaration { columns: &[], needs: &[Need::Boards], asked: always, evaluate, declare: |_| None };

fn evaluate(visit: &mut Visit<'_>) {
    let Some(board) = BoardTokens::of(visit.output) else { return };
    visit.loss(&LOSS, || board.losses());
    visit.value(&ACCURACY, || board.hits());
}

const TOKENS: &str = "tokens";
/// Which of them are predicted.
const PREDICTED: &str = "asked";

/// The predictions of a decoder for the tokens of boards.
#[derive(Debug)]
pub struct BoardTokens {
    /// Logits `[b,c,w]` for each token of a row's board, from what came before it.
    pub logits_bcw: Tensor,
    /// The tokens of the board `[b,c]`, i64.
    pub token_bc: Tensor,
    /// Which of them are predicted, bool `[b,c]`.
    pub present_bc: Tensor,
}

impl BoardTokens {
    /// Those of an output; `None` if the network does not have the head.
    pub fn of(output: &Output) -> Option<Self> {
        let part = |part| output.part(HeadName::Board, part).map(Tensor::shallow_clone);
        Some(Self { logits_bcw: part("")?, token_bc: part(TOKENS)?, present_bc: part(PREDICTED)? })
    }

    pub(crate) fn set(self, output: &mut Output) {
        output.set(HeadName::Board, Reading::Internal, self.logits_bcw);
        output.set_part(HeadName::Board, TOKENS, Reading::Internal, self.token_bc);
        output.set_part(HeadName::Board, PREDICTED, Reading::Internal, self.present_bc);
    }

    /// Cross-entropy in nats with each token `[b,c]`, f32; 0 where none is predicted.
    pub fn losses(&self) -> Tensor {
        -masked(&log_prob_of(&self.logits_bcw, &self.token_bc), &self.present_bc)
    }

    /// Which tokens are the likeliest ones, bool `[b,c]`; false where none is predicted.
    pub fn hits(&self) -> Tensor {
        self.logits_bcw.argmax(-1, false).eq_tensor(&self.token_bc).logical_and(&self.present_bc)
    }
}
