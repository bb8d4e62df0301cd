//! What evaluations measure on a batch, head by head.

use super::tally::Target;
use super::tensors::Tensors;
use models::loss::{
    MapTargets, PolicyTargets, RefinedTargets, RewardTargets, moves_left_present, moves_left_rows, pair_map_answer,
    pair_map_cells, points_present, policy_cross_entropy_rows, policy_entropy_rows, policy_log_probs, refined_rows,
    result_share_rows, reward_bucket_rows, reward_error_rows, reward_squared_error_rows, rights_hit_rows, rights_rows,
    square_map_answer, square_map_cells, wdl_cross_entropy_rows, win_rate_entropy_rows, win_rate_rows,
};
use models::{Output, Reward, RightsOptions};
use spec::Mask;
use tch::{Kind, TchError, Tensor};

/// How many likeliest moves `policy_top5` looks at.
const TOP: i64 = 5;

/// The points of a draw.
const DRAWN: f64 = 0.5;

/// Measurements of a batch, each `[b]`, f32.
#[derive(Debug, Default)]
pub(super) struct Measured {
    /// By names of [`super::tally::ROWS`].
    pub(super) values: Vec<(&'static str, Tensor)>,
    /// How much of each target the rows have; what the network has no head for is left out.
    pub(super) counts: Vec<(Target, Tensor)>,
}

/// How a run is measured.
#[derive(Debug, Clone, Copy)]
pub(super) struct Measure {
    pub(super) mask: Mask,
    /// Size of the vocabulary.
    pub(super) moves: usize,
    /// T of the soft policy's targets.
    pub(super) temperature: f64,
    /// Which rights there are.
    pub(super) rights: Option<RightsOptions>,
}

impl Measure {
    /// Everything that the heads' answers allow.
    pub(super) fn all(&self, output: &Output, batch: &Tensors) -> Result<Measured, TchError> {
        let mut measured = Measured::default();
        if let Some(logits) = &output.policy_bv {
            self.policy(logits, batch, &mut measured)?;
        }
        if let Some(logits) = &output.wdl_b3 {
            let hit = logits.f_argmax(-1, false)?.f_eq_tensor(&batch.outcome)?;
            measured.values("value_loss", wdl_cross_entropy_rows(logits, &batch.outcome));
            measured.values("value_accuracy", hit.to_kind(Kind::Float));
            measured.counts(Target::Value, &batch.outcome.f_ge(0)?);
        }
        if let Some(shares) = &output.result_shares_b3 {
            let hit = shares.f_argmax(-1, false)?.f_eq_tensor(&batch.outcome)?;
            measured.values("result_shares_loss", result_share_rows(shares, &batch.outcome));
            measured.values("result_shares_accuracy", hit.to_kind(Kind::Float));
            measured.counts(Target::Shares, &batch.outcome.f_ge(0)?);
        }
        if let Some(logits) = &output.win_rate_b {
            measured.win_rate(logits, batch)?;
        }
        if let Some(logits) = &output.soft_policy_bv {
            self.soft_policy(logits, batch, &mut measured)?;
        }
        let q = ["q_loss", "q_error_loss", "q_buckets_loss"];
        measured.reward(output.q.as_ref(), q, Target::Q, &batch.rewards());
        let short_term = ["short_term_loss", "short_term_error_loss", "short_term_buckets_loss"];
        measured.reward(output.short_term.as_ref(), short_term, Target::ShortTerm, &batch.short_term_rewards());
        if let Some(moves) = &output.moves_left_b {
            let present = moves_left_present(&batch.moves_left);
            let off = (moves - &batch.moves_left).f_abs()?.where_self(&present, &moves.f_zeros_like()?);
            measured.values("moves_left_loss", moves_left_rows(moves, &batch.moves_left));
            measured.values("moves_left_error", off);
            measured.counts(Target::MovesLeft, &present);
        }
        measured.map(output, batch)?;
        if let Some(board) = &output.board {
            let over_words = |words: &Tensor| words.f_sum_dim_intlist([1i64].as_slice(), false, Kind::Float);
            measured.values("board_loss", over_words(&board.losses())?);
            measured.values("board_accuracy", over_words(&board.hits())?);
            measured.counts(Target::BoardWords, &over_words(&board.present_bc)?);
        }
        if let (Some(logits), Some(columns)) = (&output.rights_bn, self.rights.and_then(RightsOptions::columns)) {
            let targets = batch.rights_targets(&columns);
            measured.values("rights_loss", rights_rows(logits, &targets));
            measured.values("rights_accuracy", rights_hit_rows(logits, &targets));
            measured.counts(Target::Rights, &targets.present_b);
        }
        if let Some(refined) = &output.refined {
            let targets = RefinedTargets::new(refined, batch.targets());
            measured.values("refined_loss", refined_rows(refined, &targets));
            measured.values("refined_accuracy", hit(&refined.chosen(), &wanted_moves(batch))?);
            measured.values("refined_among", targets.among_b.to_kind(Kind::Float));
        }
        Ok(measured)
    }

    fn log_probs(&self, logits_bv: &Tensor, legal_bv: &Tensor) -> Tensor {
        match self.mask {
            Mask::Train | Mask::Eval => policy_log_probs(logits_bv, Some(legal_bv)),
            Mask::None => policy_log_probs(logits_bv, None),
        }
    }

    fn policy(&self, logits_bv: &Tensor, batch: &Tensors, measured: &mut Measured) -> Result<(), TchError> {
        let targets = batch.targets();
        let legal = batch.legal(self.moves);
        let unmasked = policy_log_probs(logits_bv, None);
        let log_probs = self.log_probs(logits_bv, &legal);
        let cross_entropy = policy_cross_entropy_rows(&log_probs, targets);
        let wanted_b1 = wanted_moves(batch);
        let likeliest = log_probs.f_topk(TOP.min(self.moves as i64), -1, true, true)?.1;
        let on_legal = unmasked.f_exp()? * legal.to_kind(Kind::Float);
        measured.values("policy_loss", cross_entropy.shallow_clone());
        measured.values("policy_kl", cross_entropy - targets.entropy_rows());
        measured.values("policy_accuracy", hit(&log_probs.f_argmax(-1, true)?, &wanted_b1)?);
        measured.values("policy_top5", hit(&likeliest, &wanted_b1)?);
        measured.values("policy_accuracy_unmasked", hit(&unmasked.f_argmax(-1, true)?, &wanted_b1)?);
        measured.values("policy_loss_unmasked", policy_cross_entropy_rows(&unmasked, targets));
        measured.values("policy_entropy", policy_entropy_rows(&unmasked));
        measured.values("legal_mass", on_legal.f_sum_dim_intlist([-1i64].as_slice(), false, Kind::Float)?);
        let choices = legal.f_sum_dim_intlist([-1i64].as_slice(), false, Kind::Float)?;
        measured.values("uniform_baseline", choices.f_log()?);
        measured.counts(Target::Policy, &targets.present());
        Ok(())
    }

    fn soft_policy(&self, logits_bv: &Tensor, batch: &Tensors, measured: &mut Measured) -> Result<(), TchError> {
        let prob = batch.targets().softened(self.temperature);
        let targets = PolicyTargets { index_bk: &batch.policy_index, prob_bk: &prob };
        let log_probs = self.log_probs(logits_bv, &batch.legal(self.moves));
        let cross_entropy = policy_cross_entropy_rows(&log_probs, targets);
        measured.values("soft_policy_kl", cross_entropy.f_sub(&targets.entropy_rows())?);
        measured.values("soft_policy_loss", cross_entropy);
        measured.counts(Target::SoftPolicy, &targets.present());
        Ok(())
    }
}

impl Measured {
    fn values(&mut self, name: &'static str, rows_b: Tensor) {
        self.values.push((name, rows_b));
    }

    fn counts(&mut self, target: Target, present_b: &Tensor) {
        self.counts.push((target, present_b.to_kind(Kind::Float)));
    }

    fn reward(
        &mut self,
        reward: Option<&Reward>,
        [value, error, buckets]: [&'static str; 3],
        target: Target,
        targets: &RewardTargets,
    ) {
        let Some(reward) = reward else { return };
        self.values(value, reward_squared_error_rows(&reward.value_b, targets));
        if let Some(error_b) = &reward.error_b {
            self.values(error, reward_error_rows(error_b, &reward.value_b, targets));
        }
        if let Some(buckets_bn) = &reward.buckets_bn {
            self.values(buckets, reward_bucket_rows(buckets_bn, targets));
        }
        self.counts(target, &targets.present_b);
    }

    /// The win rate `[b]`, as dlshogi's training prints it and without its counting of draws.
    fn win_rate(&mut self, logit_b: &Tensor, batch: &Tensors) -> Result<(), TchError> {
        let present = points_present(&batch.points);
        let decided = present.f_logical_and(&batch.points.f_ne(DRAWN)?)?;
        let hit = logit_b.f_ge(0)?.f_eq_tensor(&batch.points.f_ge(DRAWN)?)?;
        let counted = |rows: &Tensor| Ok::<_, TchError>(hit.f_logical_and(rows)?.to_kind(Kind::Float));
        self.values("win_rate_result_loss", win_rate_rows(logit_b, &batch.points));
        self.values("win_rate_value_loss", win_rate_rows(logit_b, &batch.value));
        self.values("win_rate_accuracy", counted(&decided)?);
        self.values("win_rate_accuracy_draws_won", counted(&present)?);
        self.values("win_rate_entropy", win_rate_entropy_rows(logit_b));
        self.counts(Target::Points, &present);
        self.counts(Target::Decided, &decided);
        self.counts(Target::ScoredPoints, &points_present(&batch.value));
        Ok(())
    }

    /// Sums over the labelled cells of each row.
    fn map(&mut self, output: &Output, batch: &Tensors) -> Result<(), TchError> {
        let (cells, answers, targets) = match (&output.squares_bnc, &output.pairs_bnn) {
            (Some(logits), _) => {
                let targets = batch.map_targets(logits.size()[1]);
                (square_map_cells(logits, &targets), square_map_answer(logits), targets)
            }
            (None, Some(logits)) => {
                let targets = batch.map_targets(logits.size()[1] * logits.size()[2]);
                (pair_map_cells(logits, &targets), pair_map_answer(logits), targets)
            }
            (None, None) => return Ok(()),
        };
        let MapTargets { label_bc, present_bc } = targets;
        let over_cells = |cells: &Tensor| cells.f_sum_dim_intlist([1i64].as_slice(), false, Kind::Float);
        let right = answers.f_eq_tensor(&label_bc)?.f_logical_and(&present_bc)?;
        let zero = present_bc.f_logical_and(&label_bc.f_eq(0)?)?;
        let above = present_bc.f_logical_and(&label_bc.f_gt(0)?)?;
        self.values("map_loss", over_cells(&cells)?);
        self.values("map_accuracy", over_cells(&right)?);
        self.values("map_recall", over_cells(&right.f_logical_and(&above)?)?);
        self.values("map_specificity", over_cells(&right.f_logical_and(&zero)?)?);
        self.counts(Target::Cells, &over_cells(&present_bc)?);
        self.counts(Target::CellsAboveZero, &over_cells(&above)?);
        self.counts(Target::CellsOfZero, &over_cells(&zero)?);
        Ok(())
    }
}

/// The likeliest target move of every row, `[b,1]`, −1 where it has none.
fn wanted_moves(batch: &Tensors) -> Tensor {
    let best = batch.policy_prob.argmax(1, true);
    batch.policy_index.gather(1, &best, false)
}

/// Whether one of the moves `[b,k]` is the wanted one, `[b]`.
fn hit(moves_bk: &Tensor, wanted_b1: &Tensor) -> Result<Tensor, TchError> {
    Ok(moves_bk.f_eq_tensor(wanted_b1)?.f_any_dim(1, false)?.to_kind(Kind::Float))
}
