//! The range of a policy loss.

/// From the loss of a uniform choice among legal moves, which needs no training, to the entropy of the targets, which no
/// training goes below.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Learnable {
    /// The loss of a uniform choice among legal moves, in nats.
    pub uniform: f64,
    /// The entropy of the targets, in nats.
    pub floor: f64,
}

impl Learnable {
    /// The learnable gap, in nats.
    pub fn gap(&self) -> f64 {
        self.uniform - self.floor
    }

    /// The share of the gap that a policy with this loss has learnt.
    pub fn learnt(&self, loss: f64) -> f64 {
        (self.uniform - loss) / self.gap()
    }
}
