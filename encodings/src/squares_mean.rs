//! The mean of the tokens that stand for squares: a summary of the position.

use crate::Tokens;
use nn::Constant;
use tch::{Kind, Tensor};

/// Reads the mean of a sequence's squares.
#[derive(Debug)]
pub(crate) struct SquaresMean {
    /// The tokens that stand for squares.
    squares: Constant,
}

impl SquaresMean {
    pub(crate) fn new(tokens: &Tokens) -> Self {
        let squares: Vec<_> = tokens.squares().map(|(token, _)| token as i64).collect();
        Self { squares: Constant::indices(&squares, &[squares.len() as i64]) }
    }

    pub(crate) fn of(&self, x_bld: &Tensor) -> Tensor {
        let of_squares = x_bld.index_select(1, &self.squares.on(x_bld.device()));
        of_squares.mean_dim([1i64].as_slice(), false, None::<Kind>)
    }
}
