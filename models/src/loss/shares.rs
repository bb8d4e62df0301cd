//! The loss of win, draw and loss as three plain numbers, row by row, as in [`super`].

use tch::{Kind, Tensor};

/// The squared error of three numbers `[b,3]` against 1 for what happened and 0 for the others, the mean over the three;
/// outcomes as in [`super::wdl_cross_entropy_rows`], `[b]`.
///
/// ChessDecoder (maxlegrec1/ChessDecoder@405b565, `train.py`): `MSELoss` of the value head's outputs as they are, without a
/// softmax, over all three numbers of all moves together. Its targets are an engine's shares of win, draw and loss; here it
/// is how the game ended.
pub fn result_share_rows(shares_b3: &Tensor, outcome_b: &Tensor) -> Tensor {
    let wanted = outcome_b.clamp_min(0).one_hot(3).to_kind(Kind::Float);
    let rows = (shares_b3 - wanted).square().mean_dim([1i64].as_slice(), false, Kind::Float);
    rows * outcome_b.ge(0).to_kind(Kind::Float)
}
