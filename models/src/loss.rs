//! Examples, their targets, and the formulas of losses.
//!
//! Every `*_rows` function returns `[b]`, f32, with 0 in rows that have no target; `*_cells` of maps return `[b,cells]`. Means are
//! `sum / count` over all micro-batches of a step together, never means of means ([`crate::measure`]).

pub mod examples;

use nn::constant;
use tch::{Kind, Reduction, Tensor};

/// The mean of a sum over examples, `count` of which have a target, scalars both; 0 if there are none.
pub fn mean(sum: &Tensor, count: &Tensor) -> Tensor {
    sum / count.clamp_min(1.0)
}

/// Which of these numbers are known, bool; NaN is unknown.
pub fn known(numbers: &Tensor) -> Tensor {
    numbers.isnan().logical_not()
}

/// Numbers with 0 where they are not present.
fn or_zero(numbers: &Tensor, present: &Tensor) -> Tensor {
    numbers.where_self(present, &numbers.zeros_like())
}

/// Losses times 0 where they have no target.
pub(crate) fn masked(losses: &Tensor, present: &Tensor) -> Tensor {
    losses * present.to_kind(Kind::Float)
}

fn row_sums(values: &Tensor) -> Tensor {
    values.sum_dim_intlist([-1i64].as_slice(), false, Kind::Float)
}

fn row_means(values: &Tensor) -> Tensor {
    values.mean_dim([-1i64].as_slice(), false, Kind::Float)
}

/// Logarithms of the softmax of logits `[…,n]` at an index `[…]` each.
pub(crate) fn log_prob_of(logits: &Tensor, index: &Tensor) -> Tensor {
    logits.log_softmax(-1, Kind::Float).gather(-1, &index.unsqueeze(-1), false).squeeze_dim(-1)
}

/// Binary cross-entropy in nats of each logit with a label of its own.
fn binary_cross_entropy(logits: &Tensor, labels: &Tensor) -> Tensor {
    logits.binary_cross_entropy_with_logits::<Tensor>(labels, None, None, Reduction::None)
}

/// The logit of an illegal move: far enough down that its probability is exactly 0 beside any legal move, and finite,
/// so that neither a row without legal moves nor a target on an illegal move makes a NaN.
pub(crate) const ILLEGAL_LOGIT: f64 = -1e30;

/// Sparse policy targets of a batch.
#[derive(Debug, Clone, Copy)]
pub struct PolicyTargets<'a> {
    /// Vocabulary indices `[b,k]`, i64; −1 where a row has fewer than `k` candidates, in all places if it is no target.
    pub index_bk: &'a Tensor,
    /// Their probabilities `[b,k]`, f32, 1 together in a row that is a target; what stands beside −1 is not read.
    pub prob_bk: &'a Tensor,
}

impl PolicyTargets<'_> {
    /// Which rows have a target, bool `[b]`.
    pub fn present(&self) -> Tensor {
        self.used().any_dim(1, false)
    }

    /// The targets' entropy in nats, `[b]`: what cross-entropy can fall to.
    pub fn entropy_rows(&self) -> Tensor {
        let prob = self.probabilities();
        -row_sums(&prob.xlogy(&prob))
    }

    /// The targets' probabilities at a temperature T, `[b,k]`: p^(1/T), made to add up to 1 again in each row. (Lc0's
    /// training code, `soft_policy_temperature`: moves of probability 0 keep it.)
    pub fn softened(&self, temperature: f64) -> Tensor {
        let raised = self.probabilities().pow_tensor_scalar(temperature.recip());
        let whole = raised.sum_dim_intlist([1i64].as_slice(), true, Kind::Float);
        raised / whole.clamp_min(f64::from(f32::MIN_POSITIVE))
    }

    /// Whether one of the moves `[b,m]` is one of the target's best, of which ties are all: bool `[b]`; false in rows without a
    /// target.
    pub fn hits(&self, moves_bm: &Tensor) -> Tensor {
        let prob = self.probabilities();
        let best_bk = prob.eq_tensor(&prob.amax([1i64].as_slice(), true)).logical_and(&self.used());
        let same_bmk = moves_bm.unsqueeze(2).eq_tensor(&self.index_bk.unsqueeze(1));
        same_bmk.logical_and(&best_bk.unsqueeze(1)).flatten(1, 2).any_dim(1, false)
    }

    fn used(&self) -> Tensor {
        self.index_bk.ge(0)
    }

    /// Probabilities with 0 in unused places.
    fn probabilities(&self) -> Tensor {
        or_zero(self.prob_bk, &self.used())
    }
}

/// Legal moves, one bit each (the lowest bit of a byte first), as bool `[b,v]`. `bits_bn`: u8 `[b, ⌈v/8⌉]`.
pub fn expand_mask(bits_bn: &Tensor, moves: usize) -> Tensor {
    const PLACES: [i64; 8] = [1, 2, 4, 8, 16, 32, 64, 128];
    let places = constant::kept(&PLACES, Kind::Uint8, bits_bn.device());
    bits_bn.unsqueeze(-1).bitwise_and_tensor(&places).ne(0).flatten(1, 2).narrow(1, 0, moves as i64)
}

/// Masked policy logits `[b,v]`: −1e30 where a move is illegal (`legal_bv`: bool).
pub fn mask_policy(logits_bv: &Tensor, legal_bv: &Tensor) -> Tensor {
    logits_bv.masked_fill(&legal_bv.logical_not(), ILLEGAL_LOGIT)
}

/// Log-probabilities `[b,v]` of policy logits, over the legal moves (bool `[b,v]`) or over the whole vocabulary. The
/// probability of an illegal move is exactly 0.
pub fn policy_log_probs(logits_bv: &Tensor, legal_bv: Option<&Tensor>) -> Tensor {
    match legal_bv {
        None => logits_bv.log_softmax(-1, Kind::Float),
        Some(legal) => mask_policy(logits_bv, legal).log_softmax(-1, Kind::Float),
    }
}

/// Cross-entropy of the policy against sparse targets in nats, `[b]`.
pub fn policy_cross_entropy_rows(log_probs_bv: &Tensor, targets: PolicyTargets<'_>) -> Tensor {
    let chosen = log_probs_bv.gather(1, &targets.index_bk.clamp_min(0), false);
    -row_sums(&(chosen * targets.probabilities()))
}

/// Squared logarithm of the sum of the exponentials of logits `[b,v]`, `[b]`, f32; 0 in rows that are not present (bool
/// `[b]`).
pub fn policy_z_rows(logits_bv: &Tensor, present_b: &Tensor) -> Tensor {
    let log_sum = logits_bv.to_kind(Kind::Float).logsumexp([-1i64].as_slice(), false);
    or_zero(&(&log_sum * &log_sum), present_b)
}

/// Entropy of the policy in nats, `[b]`; of masked log-probabilities, that over the legal moves.
pub fn policy_entropy_rows(log_probs_bv: &Tensor) -> Tensor {
    -row_sums(&(log_probs_bv.exp() * log_probs_bv))
}

/// Kullback–Leibler divergence of the policy from sparse targets in nats, `[b]`: cross-entropy without the targets'
/// own entropy, so that a perfect policy has 0. (Lc0's "policy loss".)
pub fn policy_divergence_rows(log_probs_bv: &Tensor, targets: PolicyTargets<'_>) -> Tensor {
    policy_cross_entropy_rows(log_probs_bv, targets) - targets.entropy_rows()
}

/// Cross-entropy in nats of win/draw/loss logits `[b,3]` against outcomes `[b]`, i64: 0 win, 1 draw, 2 loss for the
/// side to move, −1 unknown. `[b]`.
pub fn wdl_cross_entropy_rows(wdl_b3: &Tensor, outcome_b: &Tensor) -> Tensor {
    -masked(&log_prob_of(wdl_b3, &outcome_b.clamp_min(0)), &outcome_b.ge(0))
}

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

    /// The move that is chosen in the end, an index of the vocabulary, `[b,1]`.
    pub fn chosen(&self) -> Tensor {
        self.moves_bk.gather(1, &self.logits_bk.argmax(1, true), false)
    }
}

/// A policy's targets for the candidates.
#[derive(Debug)]
pub struct RefinedTargets {
    /// The share of the target's probability that lies on each of the candidates, 1 together, `[b,k]`; zeros in rows whose
    /// candidates have none of it.
    pub prob_bk: Tensor,
    /// Which rows' candidates have some, bool `[b]`.
    pub among_b: Tensor,
}

impl RefinedTargets {
    /// Looks up the candidates in the targets.
    pub fn new(refined: &Refined, targets: PolicyTargets<'_>) -> Self {
        let same = refined.moves_bk.unsqueeze(2).eq_tensor(&targets.index_bk.unsqueeze(1));
        let mass = row_sums(&(same.to_kind(Kind::Float) * targets.probabilities().unsqueeze(1)));
        let mass = masked(&mass, &refined.present_bk);
        let whole = mass.sum_dim_intlist([1i64].as_slice(), true, Kind::Float);
        let prob_bk = &mass / whole.clamp_min(f64::from(f32::MIN_POSITIVE));
        Self { prob_bk, among_b: whole.gt(0.0).squeeze_dim(1) }
    }
}

/// Cross-entropy in nats of the choice, `[b]`: 0 in rows whose target is none of the candidates.
pub fn refined_rows(refined: &Refined, targets: &RefinedTargets) -> Tensor {
    let log_probs = refined.logits_bk.log_softmax(-1, Kind::Float);
    -row_sums(&(log_probs * &targets.prob_bk))
}

/// Binary cross-entropy in nats of logits `[b]` with points `[b]` (0 for a loss, ½ for a draw, 1 for a win, or a mean or an
/// estimate of these; NaN where there is none): −p·ln σ(x) − (1 − p)·ln(1 − σ(x)), `[b]`. dlshogi's
/// training code has it twice, for the game's result and for the evaluation's winning probability.
pub fn win_rate_rows(logit_b: &Tensor, points_b: &Tensor) -> Tensor {
    let present = known(points_b);
    masked(&binary_cross_entropy(logit_b, &or_zero(points_b, &present)), &present)
}

/// The entropy in nats of the predictions of logits `[b]`: [`win_rate_rows`] with the points σ(x), `[b]`.
pub fn win_rate_entropy_rows(logit_b: &Tensor) -> Tensor {
    binary_cross_entropy(logit_b, &logit_b.sigmoid())
}

/// The squared error of three numbers `[b,3]` against 1 for what happened and 0 for the others, the mean over the three;
/// outcomes as in [`wdl_cross_entropy_rows`], `[b]`.
///
/// ChessDecoder (maxlegrec1/ChessDecoder@405b565, `train.py`): `MSELoss` of the value head's outputs as they are, without a
/// softmax, over all three numbers of all moves together. Its targets are an engine's shares of win, draw and loss, as in
/// [`value_share_rows`]; here it is how the game ended.
pub fn result_share_rows(shares_b3: &Tensor, outcome_b: &Tensor) -> Tensor {
    let wanted = outcome_b.clamp_min(0).one_hot(3).to_kind(Kind::Float);
    masked(&row_means(&(shares_b3 - wanted).square()), &outcome_b.ge(0))
}

/// Which rows have a value and a probability of a draw, bool `[b]`; NaN is unknown.
pub fn value_shares_present(value_b: &Tensor, draw_b: &Tensor) -> Tensor {
    known(value_b).logical_and(&known(draw_b))
}

/// Win, draw and loss `[b,3]` of winning probabilities p (a draw is half a win) and probabilities of a draw d: p − d/2, d and
/// 1 − p − d/2, cut off at 0 and divided by their sum. With q = 2p − 1 they are Lc0's (1 + q − d)/2, d and (1 − q − d)/2.
/// Rows without a target are a certain loss.
pub fn value_shares(value_b: &Tensor, draw_b: &Tensor) -> Tensor {
    let present = value_shares_present(value_b, draw_b);
    let [p, d] = [value_b, draw_b].map(|x| or_zero(x, &present));
    let half = &d * 0.5;
    let shares = Tensor::stack(&[&p - &half, d, p.ones_like() - &p - &half], -1).clamp_min(0);
    let sum = shares.sum_dim_intlist([-1i64].as_slice(), true, Kind::Float);
    shares / sum
}

/// Cross-entropy in nats of logits `[b,3]` with [`value_shares`], `[b]`.
pub fn value_cross_entropy_rows(wdl_b3: &Tensor, value_b: &Tensor, draw_b: &Tensor) -> Tensor {
    let products = value_shares(value_b, draw_b) * wdl_b3.log_softmax(-1, Kind::Float);
    masked(&row_sums(&products).neg(), &value_shares_present(value_b, draw_b))
}

/// The squared error of three numbers `[b,3]` against [`value_shares`], the mean over the three, `[b]`.
pub fn value_share_rows(shares_b3: &Tensor, value_b: &Tensor, draw_b: &Tensor) -> Tensor {
    let off = shares_b3 - value_shares(value_b, draw_b);
    masked(&row_means(&off.square()), &value_shares_present(value_b, draw_b))
}

const MOVES_LEFT_UNIT: f64 = 20.0;

/// Where the loss of moves left goes over from squares to straight lines, in [`MOVES_LEFT_UNIT`]s.
const MOVES_LEFT_DELTA: f64 = 0.5;

/// Targets of a batch.
#[derive(Debug)]
pub struct Targets {
    /// The targets, of the shape and type that the constructors name; 0 where there is none.
    pub values: Tensor,
    /// Which rows, bool `[b]`, or of maps which cells, bool `[b,cells]`, have one.
    pub present: Tensor,
}

impl Targets {
    /// Rewards q = 2p − 1 `[b]`, f32, −1 for a loss of the side to move, 1 for a win: from winning probabilities p `[b]` (a draw
    /// is half a win; NaN where there is none).
    pub fn rewards(p_b: &Tensor) -> Self {
        let present = known(p_b);
        Self { values: or_zero(&(p_b * 2.0 - 1.0), &present), present }
    }

    /// Labels of maps `[b,cells]`, i64: from labels of any integer type, −1 where there is none.
    pub fn map(labels_bc: &Tensor) -> Self {
        Self { values: labels_bc.to_kind(Kind::Int64).clamp_min(0), present: labels_bc.ge(0) }
    }

    /// Rights after the moves played, 0 or 1 `[b,bits]`, f32: from `[b]`, i64, the rights as bits, −1 where they are unknown.
    /// `columns` are the predicted bits, in order.
    pub fn rights(rights_b: &Tensor, columns: &[i64]) -> Self {
        let shifts = constant::kept(columns, Kind::Int64, rights_b.device());
        let bits = rights_b.clamp_min(0).unsqueeze(1).bitwise_right_shift(&shifts);
        Self { values: bits.remainder(2).to_kind(Kind::Float), present: rights_b.ge(0) }
    }
}

/// The squared error of rewards `[b]`, `[b]`.
pub fn reward_squared_error_rows(value_b: &Tensor, targets: &Targets) -> Tensor {
    masked(&(value_b - &targets.values).square(), &targets.present)
}

/// The squared error of the predicted squared error `[b]`, `[b]`: (ê − (q − q̂)²)². No gradient reaches q̂, so that a
/// reward is not made predictable at the cost of being right.
pub fn reward_error_rows(error_b: &Tensor, value_b: &Tensor, targets: &Targets) -> Tensor {
    masked(&(error_b - reward_squared_error_rows(&value_b.detach(), targets)).square(), &targets.present)
}

/// The interval of −1…1, cut into `buckets` equal ones, that rewards `[b]` lie in: ⌊(q + 1) / 2 · n⌋, and the last one
/// for q = 1. i64 `[b]`.
///
/// Lc0's training code (`tf/tfprocess.py`) clips q to 1 − 1e-9 for this, which is 1 in f32: its one-hot vector of a
/// certain win is all zeros, and the row teaches nothing. Here it is the last interval's.
pub fn reward_bucket(q_b: &Tensor, buckets: i64) -> Tensor {
    ((q_b + 1.0) / 2.0 * buckets as f64).floor().to_kind(Kind::Int64).clamp(0, buckets - 1)
}

/// Cross-entropy in nats of the logits `[b,buckets]` of a reward's interval, `[b]`.
pub fn reward_bucket_rows(buckets_bn: &Tensor, targets: &Targets) -> Tensor {
    let buckets = buckets_bn.size().last().copied().unwrap_or(1);
    masked(&-log_prob_of(buckets_bn, &reward_bucket(&targets.values, buckets)), &targets.present)
}

/// Huber's loss of the moves left `[b]`, both sides divided by 20, with δ = 0.5, `[b]` (Lc0's training code); `target_b` is NaN
/// where there is none.
pub fn moves_left_rows(moves_b: &Tensor, target_b: &Tensor) -> Tensor {
    let present = known(target_b);
    let target = or_zero(target_b, &present) / MOVES_LEFT_UNIT;
    masked(&(moves_b / MOVES_LEFT_UNIT).huber_loss(&target, Reduction::None, MOVES_LEFT_DELTA), &present)
}

/// Cross-entropy in nats of the squares' logits `[b,n,classes]` with their labels.
pub fn square_map_cells(logits_bnc: &Tensor, targets: &Targets) -> Tensor {
    masked(&-log_prob_of(logits_bnc, &targets.values), &targets.present)
}

/// Binary cross-entropy in nats of the pairs' logits `[b,n,n]` with their labels 0 and 1, cells from · n + to.
pub fn pair_map_cells(logits_bnn: &Tensor, targets: &Targets) -> Tensor {
    let label = targets.values.to_kind(Kind::Float);
    let logits = logits_bnn.flatten(1, 2).to_kind(Kind::Float);
    masked(&binary_cross_entropy(&logits, &label), &targets.present)
}

/// The likeliest label of each square, `[b,n]`, i64.
pub fn square_map_answer(logits_bnc: &Tensor) -> Tensor {
    logits_bnc.argmax(-1, false)
}

/// The likelier label of each pair, `[b,n·n]`, i64.
pub fn pair_map_answer(logits_bnn: &Tensor) -> Tensor {
    logits_bnn.flatten(1, 2).gt(0.0).to_kind(Kind::Int64)
}

/// Binary cross-entropy of the logits `[b,bits]` in nats, the mean over the bits, `[b]`.
pub fn rights_rows(logits_bn: &Tensor, targets: &Targets) -> Tensor {
    masked(&row_means(&binary_cross_entropy(logits_bn, &targets.values)), &targets.present)
}

/// Whether every bit is the likelier answer, `[b]`, f32.
pub fn rights_hit_rows(logits_bn: &Tensor, targets: &Targets) -> Tensor {
    let right = logits_bn.gt(0.0).to_kind(Kind::Float).eq_tensor(&targets.values);
    masked(&right.all_dim(1, false).to_kind(Kind::Float), &targets.present)
}
