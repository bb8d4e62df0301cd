//! Why an encoding cannot be declared.

use nn::layout::LARGEST_SIZE;

/// What messages call the head width.
pub(crate) const HEAD_WIDTH: &str = "head width (width / heads)";

/// An encoding's options do not fit each other, the network or its neighbours in the list.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages document the variants")]
pub enum EncodingError {
    /// An option that the other options make meaningless. Such options are refused, since a grid would otherwise
    /// compare a network with itself.
    #[error("{encoding}: {option} has no effect with {setting}; {remedy}")]
    NoEffect { encoding: &'static str, option: String, setting: String, remedy: &'static str },
    #[error("{encoding}: the {what}, {size}, is not divisible by {divisor}; {remedy}")]
    Indivisible { encoding: String, what: &'static str, size: usize, divisor: usize, remedy: &'static str },
    #[error("{encoding}: {option} must be {wanted}, not {found}")]
    OutOfRange { encoding: &'static str, option: &'static str, wanted: &'static str, found: String },
    #[error(
        "{0} shows the edge of the board, which `edge: hidden` hides; take none, or an encoding that sees displacements only, as relative_bias or shaw by displacement, log_buckets, fire, irpe or deberta"
    )]
    ShowsEdge(String),
    #[error("the encodings of one network name \"{0}\" twice; keep one of them")]
    Twice(String),
    /// Two encodings that rotate queries and keys. Rotations of different planes do not commute, so q·k would depend on the
    /// places of both tokens and not on their displacement alone.
    #[error(
        "{0} and {1} both rotate queries and keys, and the product of two rotations is not relative; keep one of them"
    )]
    TwoRotations(String, String),
    /// An encoding that replaces the products of queries and keys, and one that changes queries and keys.
    #[error("{0} replaces the products of queries and keys, which {1} changes; keep one of them")]
    Replaced(String, String),
}

impl EncodingError {
    /// Refuses a size that is 0 or too large for any network.
    pub(crate) fn check_size(encoding: &'static str, option: &'static str, size: usize) -> Result<(), Self> {
        if (1..=LARGEST_SIZE).contains(&size) {
            return Ok(());
        }
        let wanted = if size == 0 { "1 or more" } else { "at most 16777216" };
        Err(Self::out_of_range(encoding, option, wanted, size))
    }

    /// Refuses a standard deviation `init_std` of first values that is not a number from 0 on.
    pub(crate) fn check_init_std(encoding: &'static str, std: f64) -> Result<(), Self> {
        if std.is_finite() && std >= 0.0 {
            return Ok(());
        }
        Err(Self::out_of_range(encoding, "init_std", "0 or more", std))
    }

    /// Refuses a size, with its name, that is not a multiple of a number.
    pub(crate) fn check_divisible(
        encoding: impl Into<String>,
        (what, size): (&'static str, usize),
        divisor: usize,
        remedy: &'static str,
    ) -> Result<(), Self> {
        if size.is_multiple_of(divisor) {
            return Ok(());
        }
        Err(Self::Indivisible { encoding: encoding.into(), what, size, divisor, remedy })
    }

    pub(crate) fn out_of_range(
        encoding: &'static str,
        option: &'static str,
        wanted: &'static str,
        found: impl ToString,
    ) -> Self {
        Self::OutOfRange { encoding, option, wanted, found: found.to_string() }
    }

    pub(crate) fn no_effect(
        encoding: &'static str,
        option: impl Into<String>,
        setting: impl Into<String>,
        remedy: &'static str,
    ) -> Self {
        Self::NoEffect { encoding, option: option.into(), setting: setting.into(), remedy }
    }
}
