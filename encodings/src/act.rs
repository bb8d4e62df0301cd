//! How an encoding acts on what earlier encodings of its stack have left.

/// What an encoding does to what earlier encodings of its stack have left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Act {
    /// It adds terms that no other encoding changes, or rotates queries and keys.
    #[default]
    Free,
    /// It adds to the input embedding.
    Sum,
    /// It multiplies the input embedding.
    Gate,
    /// It multiplies queries and keys by a number.
    Factor,
    /// It gives queries and keys a length.
    Length,
}

impl Act {
    pub(crate) const fn commutes_with(self, other: Self) -> bool {
        !matches!(
            (self, other),
            (Self::Gate, Self::Gate | Self::Sum)
                | (Self::Sum, Self::Gate)
                | (Self::Length, Self::Length | Self::Factor)
                | (Self::Factor, Self::Length)
        )
    }
}
