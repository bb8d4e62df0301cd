//! What a forward pass costs, counted from declared shapes.

/// Multiplications of one forward pass for one position; softmax, norms and elementwise work are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Macs {
    /// Input embedding and body, the two products of attention included.
    pub trunk: u64,
    /// What the position encodings add.
    pub encoding: u64,
    /// The policy head.
    pub policy: u64,
    /// The value head.
    pub value: u64,
    /// The count that the Chessformer paper reports as "FLOPs": multiplications by weights of the encoder blocks and
    /// of the policy's embedding, queries and keys. It leaves out the input embedding, the products of attention,
    /// position encodings and the value head. CF-6M: 213,909,504.
    pub paper: u64,
}

impl Macs {
    /// All multiplications.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.trunk + self.encoding + self.policy + self.value
    }

    /// Floating-point operations: a multiplication and an addition each.
    #[must_use]
    pub fn flops(&self) -> u64 {
        2 * self.total()
    }
}
