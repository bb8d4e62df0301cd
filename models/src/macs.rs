//! The cost of a forward pass, counted from declared shapes.

/// Multiplications of one forward pass for one position; softmax, norms and elementwise work are left out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Macs {
    /// Input embedding and body, the two products of attention included.
    pub trunk: u64,
    /// The part of it that is the input embedding's.
    pub embedding: u64,
    /// Those of the position encodings.
    pub encoding: u64,
    /// The heads, in their order.
    pub heads: Vec<HeadMacs>,
    /// Multiplications by weights alone, of the input embedding, the body and all heads: without the products of
    /// activations (queries by keys, attention by values) and without position encodings.
    pub weights: u64,
    /// The count that the Chessformer paper reports as "FLOPs": multiplications by weights of the encoder blocks, of a
    /// feed-forward layer in the input embedding, and of the policy's embedding, queries and keys. It leaves out the
    /// rest of the input embedding, the products of attention, position encodings and all other heads. CF-6M:
    /// 213,909,504. Of a network of convolutions, which the paper gives no formula for, it is `weights`.
    pub paper: u64,
}

/// Multiplications of one head for one position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeadMacs {
    /// The scope of the head's parameters.
    pub name: &'static str,
    /// All its multiplications.
    pub macs: u64,
    /// Its multiplications by weights.
    pub weights: u64,
}

impl HeadMacs {
    /// Of a head that multiplies by nothing but weights.
    pub(crate) fn of_weights(name: &'static str, weights: u64) -> Self {
        Self { name, macs: weights, weights }
    }
}

impl Macs {
    /// The multiplications of the whole network.
    pub fn total(&self) -> u64 {
        self.trunk + self.encoding + self.of_heads()
    }

    /// Those of all heads together.
    pub fn of_heads(&self) -> u64 {
        self.heads.iter().map(|head| head.macs).sum()
    }

    /// Those of one head; 0 if the network has none of this name.
    pub fn of_head(&self, name: &str) -> u64 {
        self.heads.iter().filter(|head| head.name == name).map(|head| head.macs).sum()
    }

    /// Floating-point operations: a multiplication and an addition each.
    pub fn flops(&self) -> u64 {
        2 * self.total()
    }
}
