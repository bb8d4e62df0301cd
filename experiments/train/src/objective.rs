//! What a step minimises, and what its line says.

use super::tensors::Tensors;
use models::decoder::asks_for_board;
use models::loss::{
    MapTargets, PolicyTargets, RefinedTargets, RewardTargets, Sum, moves_left_present, moves_left_rows, pair_map_cells,
    points_present, policy_cross_entropy, refined_rows, result_share_rows, reward_bucket_rows, reward_error_rows,
    reward_squared_error_rows, rights_rows, square_map_cells, wdl_cross_entropy, win_rate_rows,
};
use models::{Network, Output, Reward, RightsOptions};
use nn::Views;
use spec::{Loss, LossWeights, Mask, RunConfig};
use tch::Tensor;

/// One loss on a batch.
#[derive(Debug)]
pub(super) struct Term {
    /// Which.
    pub(super) loss: Loss,
    /// Its weight in the objective.
    pub(super) weight: f64,
    /// What gradients flow through.
    pub(super) trained: Sum,
    /// The same as evaluations measure it, where that is not what is trained.
    shown: Option<Sum>,
}

impl Term {
    /// What lines show.
    pub(super) fn shown(&self) -> &Sum {
        self.shown.as_ref().unwrap_or(&self.trained)
    }
}

/// How the losses of a run are made.
#[derive(Debug, Clone, Copy)]
pub(super) struct Objective {
    pub(super) mask: Mask,
    pub(super) weights: LossWeights,
    /// Size of the vocabulary.
    pub(super) moves: usize,
    /// T of the soft policy's targets.
    pub(super) temperature: f64,
    /// Rows of a sequence.
    plies: i64,
    /// Words of a board.
    board: i64,
    /// Which rights there are.
    pub(super) rights: Option<RightsOptions>,
}

impl Objective {
    /// Those of a run, with the weights that hold outside of phases.
    pub(super) fn of(run: &RunConfig) -> Self {
        let outputs = run.outputs();
        Self {
            mask: run.train.mask,
            weights: run.train.loss,
            moves: run.spec().moves.len(),
            temperature: outputs.temperature(),
            plies: run.plies() as i64,
            board: run.spec().input.tokens() as i64,
            rights: outputs.rights,
        }
    }

    /// The same with these weights.
    pub(super) fn weighing(self, weights: LossWeights) -> Self {
        Self { weights, ..self }
    }

    /// Runs the network on a batch: the loss of each of its heads, in the order of [`Loss::ALL`].
    pub(super) fn terms(&self, network: &Network, views: &Views, batch: &Tensors) -> Vec<Term> {
        let output = batch.answer(network, views, self.moves);
        Loss::ALL.iter().filter_map(|&loss| self.term(loss, &output, batch)).collect()
    }

    /// Where a batch has the target of a loss, bool, as [`Self::terms`] counts it.
    pub(super) fn present(&self, loss: Loss, batch: &Tensors) -> Tensor {
        match loss {
            // The choice's count must be known before the choices are, so it is that of the policy.
            Loss::Policy | Loss::SoftPolicy | Loss::Refined => batch.targets().present(),
            Loss::Rights => batch.rights.ge(0),
            Loss::Value | Loss::ResultShares => batch.outcome.ge(0),
            Loss::WinRateResult => points_present(&batch.points),
            Loss::WinRateValue => points_present(&batch.value),
            Loss::Q | Loss::QError | Loss::QBuckets => batch.rewards().present_b,
            Loss::ShortTerm | Loss::ShortTermError | Loss::ShortTermBuckets => batch.short_term_rewards().present_b,
            Loss::MovesLeft => moves_left_present(&batch.moves_left),
            Loss::Map => batch.map.ge(0),
            Loss::Board => {
                asks_for_board(&batch.packed, self.plies).unsqueeze(1).expand([batch.rows(), self.board], false)
            }
        }
    }

    /// One loss; `None` if the network has no head for it.
    fn term(&self, loss: Loss, output: &Output, batch: &Tensors) -> Option<Term> {
        let (trained, shown) = match loss {
            Loss::Policy => self.policy(output.policy_bv.as_ref()?, batch, batch.targets()),
            Loss::SoftPolicy => {
                let soft = batch.targets().softened(self.temperature);
                let targets = PolicyTargets { index_bk: &batch.policy_index, prob_bk: &soft };
                self.policy(output.soft_policy_bv.as_ref()?, batch, targets)
            }
            Loss::Value => (wdl_cross_entropy(output.wdl_b3.as_ref()?, &batch.outcome), None),
            Loss::ResultShares => {
                let rows = result_share_rows(output.result_shares_b3.as_ref()?, &batch.outcome);
                (Sum::of(&rows, &batch.outcome.ge(0)), None)
            }
            Loss::WinRateResult => (win_rate(output, &batch.points)?, None),
            Loss::WinRateValue => (win_rate(output, &batch.value)?, None),
            Loss::Q | Loss::QError | Loss::QBuckets => (reward(loss, output.q.as_ref()?, &batch.rewards())?, None),
            Loss::ShortTerm | Loss::ShortTermError | Loss::ShortTermBuckets => {
                (reward(loss, output.short_term.as_ref()?, &batch.short_term_rewards())?, None)
            }
            Loss::MovesLeft => {
                let rows = moves_left_rows(output.moves_left_b.as_ref()?, &batch.moves_left);
                (Sum::of(&rows, &moves_left_present(&batch.moves_left)), None)
            }
            Loss::Map => (map(output, batch)?, None),
            Loss::Board => {
                let board = output.board.as_ref()?;
                (Sum::of(&board.losses(), &board.present_bc), None)
            }
            Loss::Rights => {
                let targets = batch.rights_targets(&self.rights?.columns()?);
                (Sum::of(&rights_rows(output.rights_bn.as_ref()?, &targets), &targets.present_b), None)
            }
            Loss::Refined => {
                let refined = output.refined.as_ref()?;
                let rows = refined_rows(refined, &RefinedTargets::new(refined, batch.targets()));
                (Sum::of(&rows, &batch.targets().present()), None)
            }
        };
        Some(Term { loss, weight: self.weights.of(loss), trained, shown })
    }

    /// What is trained, and what is shown where that is something else: masked in evaluations only, the line shows what
    /// evaluations will, so that the two can be compared.
    fn policy(&self, logits_bv: &Tensor, batch: &Tensors, targets: PolicyTargets<'_>) -> (Sum, Option<Sum>) {
        let masked = || batch.legal(self.moves);
        match self.mask {
            Mask::Train => (policy_cross_entropy(logits_bv, Some(&masked()), targets), None),
            Mask::None => (policy_cross_entropy(logits_bv, None, targets), None),
            Mask::Eval => {
                let shown = tch::no_grad(|| policy_cross_entropy(&logits_bv.detach(), Some(&masked()), targets));
                (policy_cross_entropy(logits_bv, None, targets), Some(shown))
            }
        }
    }
}

/// A loss of the win rate against points `[b]`.
fn win_rate(output: &Output, points_b: &Tensor) -> Option<Sum> {
    Some(Sum::of(&win_rate_rows(output.win_rate_b.as_ref()?, points_b), &points_present(points_b)))
}

/// A loss of a reward; `None` if the head does not say that much.
fn reward(loss: Loss, reward: &Reward, targets: &RewardTargets) -> Option<Sum> {
    let rows = match loss {
        Loss::QError | Loss::ShortTermError => reward_error_rows(reward.error_b.as_ref()?, &reward.value_b, targets),
        Loss::QBuckets | Loss::ShortTermBuckets => reward_bucket_rows(reward.buckets_bn.as_ref()?, targets),
        _ => reward_squared_error_rows(&reward.value_b, targets),
    };
    Some(Sum::of(&rows, &targets.present_b))
}

/// The loss of a map over its labelled cells.
fn map(output: &Output, batch: &Tensors) -> Option<Sum> {
    let of = |cells: Tensor, targets: &MapTargets| Sum::of(&cells, &targets.present_bc);
    if let Some(logits) = &output.squares_bnc {
        let targets = batch.map_targets(logits.size()[1]);
        return Some(of(square_map_cells(logits, &targets), &targets));
    }
    let logits = output.pairs_bnn.as_ref()?;
    let targets = batch.map_targets(logits.size()[1] * logits.size()[2]);
    Some(of(pair_map_cells(logits, &targets), &targets))
}
