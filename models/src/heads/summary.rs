//! The board as one token, which the heads of networks with a summary token read.

use crate::config::ModelError;
use encodings::Tokens;
use tch::{Kind, Tensor};

/// The place of the token that stands for the whole position; `what` wants to read it.
///
/// # Errors
/// If the input has none.
pub(super) fn token(tokens: &Tokens, what: &'static str) -> Result<i64, ModelError> {
    tokens.cls().map(|token| token as i64).ok_or(ModelError::NoSummaryToken { what })
}

/// Where the board's summary stands: the CLS token, or, where the input has none, the mean of the squares.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Summary {
    Cls(i64),
    /// Of the first so many tokens.
    Mean(i64),
}

impl Summary {
    pub(crate) fn of(tokens: &Tokens) -> Self {
        match tokens.cls() {
            Some(token) => Self::Cls(token as i64),
            None => Self::Mean(tokens.geometry().squares() as i64),
        }
    }

    pub(crate) fn read(self, x_bld: &Tensor) -> Tensor {
        match self {
            Self::Cls(token) => x_bld.select(1, token),
            Self::Mean(squares) => x_bld.narrow(1, 0, squares).mean_dim([1i64].as_slice(), false, Kind::Float),
        }
    }
}
