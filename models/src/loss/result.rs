//! Losses of results as plain numbers: of win, draw and loss, and of the share of points. Row by row, as in [`super`].

use tch::{Kind, Reduction, Tensor};

/// Which of these numbers are known, bool; NaN is unknown.
pub fn known(numbers: &Tensor) -> Tensor {
    numbers.isnan().logical_not()
}

/// Binary cross-entropy in nats of logits `[b]` with points `[b]` (0 for a loss, ½ for a draw, 1 for a win, or a mean or an
/// estimate of these; NaN where there is none): −p·ln σ(x) − (1 − p)·ln(1 − σ(x)), `[b]`. dlshogi's
/// training code has it twice, for the game's result and for the evaluation's winning probability.
pub fn win_rate_rows(logit_b: &Tensor, points_b: &Tensor) -> Tensor {
    let present = known(points_b);
    let points = points_b.where_self(&present, &points_b.zeros_like());
    let rows = logit_b.binary_cross_entropy_with_logits::<Tensor>(&points, None, None, Reduction::None);
    rows * present.to_kind(Kind::Float)
}

/// The entropy in nats of the predictions of logits `[b]`: [`win_rate_rows`] with the points σ(x), `[b]`.
pub fn win_rate_entropy_rows(logit_b: &Tensor) -> Tensor {
    logit_b.binary_cross_entropy_with_logits::<Tensor>(&logit_b.sigmoid(), None, None, Reduction::None)
}

/// The squared error of three numbers `[b,3]` against 1 for what happened and 0 for the others, the mean over the three;
/// outcomes as in [`super::wdl_cross_entropy_rows`], `[b]`.
///
/// ChessDecoder (maxlegrec1/ChessDecoder@405b565, `train.py`): `MSELoss` of the value head's outputs as they are, without a
/// softmax, over all three numbers of all moves together. Its targets are an engine's shares of win, draw and loss, as in
/// [`value_share_rows`]; here it is how the game ended.
pub fn result_share_rows(shares_b3: &Tensor, outcome_b: &Tensor) -> Tensor {
    let wanted = outcome_b.clamp_min(0).one_hot(3).to_kind(Kind::Float);
    let rows = (shares_b3 - wanted).square().mean_dim([1i64].as_slice(), false, Kind::Float);
    rows * outcome_b.ge(0).to_kind(Kind::Float)
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
    let [p, d] = [value_b, draw_b].map(|x| x.where_self(&present, &x.zeros_like()));
    let half = &d * 0.5;
    let shares = Tensor::stack(&[&p - &half, d, p.ones_like() - &p - &half], -1).clamp_min(0);
    let sum = shares.sum_dim_intlist([-1i64].as_slice(), true, Kind::Float);
    shares / sum
}

/// Cross-entropy in nats of logits `[b,3]` with [`value_shares`], `[b]`.
pub fn value_cross_entropy_rows(wdl_b3: &Tensor, value_b: &Tensor, draw_b: &Tensor) -> Tensor {
    let products = value_shares(value_b, draw_b) * wdl_b3.log_softmax(-1, Kind::Float);
    let rows = products.sum_dim_intlist([-1i64].as_slice(), false, Kind::Float);
    rows.neg() * value_shares_present(value_b, draw_b).to_kind(Kind::Float)
}

/// The squared error of three numbers `[b,3]` against [`value_shares`], the mean over the three, `[b]`.
pub fn value_share_rows(shares_b3: &Tensor, value_b: &Tensor, draw_b: &Tensor) -> Tensor {
    let off = shares_b3 - value_shares(value_b, draw_b);
    let rows = off.square().mean_dim([1i64].as_slice(), false, Kind::Float);
    rows * value_shares_present(value_b, draw_b).to_kind(Kind::Float)
}
