//! Losses of label maps, cell by cell: `[b,cells]`, f32, with 0 in cells that have no label.

use tch::{Kind, Reduction, Tensor};

/// Labels of a batch's maps.
#[derive(Debug)]
pub struct MapTargets {
    /// The labels `[b,cells]`, i64; 0 where there is none.
    pub label_bc: Tensor,
    /// Which cells have one, bool `[b,cells]`.
    pub present_bc: Tensor,
}

impl MapTargets {
    /// From labels `[b,cells]` of any integer type, −1 where there is none.
    pub fn new(labels_bc: &Tensor) -> Self {
        Self { label_bc: labels_bc.to_kind(Kind::Int64).clamp_min(0), present_bc: labels_bc.ge(0) }
    }

    fn masked(&self, cells_bc: &Tensor) -> Tensor {
        cells_bc * self.present_bc.to_kind(Kind::Float)
    }
}

/// Cross-entropy in nats of the squares' logits `[b,n,classes]` with their labels.
pub fn square_map_cells(logits_bnc: &Tensor, targets: &MapTargets) -> Tensor {
    let log_probs = logits_bnc.log_softmax(-1, Kind::Float);
    let chosen = log_probs.gather(-1, &targets.label_bc.unsqueeze(-1), false).squeeze_dim(-1);
    targets.masked(&-chosen)
}

/// Binary cross-entropy in nats of the pairs' logits `[b,n,n]` with their labels 0 and 1, cells from · n + to.
pub fn pair_map_cells(logits_bnn: &Tensor, targets: &MapTargets) -> Tensor {
    let label = targets.label_bc.to_kind(Kind::Float);
    let logits = logits_bnn.flatten(1, 2).to_kind(Kind::Float);
    let cells = logits.binary_cross_entropy_with_logits::<Tensor>(&label, None, None, Reduction::None);
    targets.masked(&cells)
}

/// The likeliest label of each square, `[b,n]`, i64.
pub fn square_map_answer(logits_bnc: &Tensor) -> Tensor {
    logits_bnc.argmax(-1, false)
}

/// The likelier label of each pair, `[b,n·n]`, i64.
pub fn pair_map_answer(logits_bnn: &Tensor) -> Tensor {
    logits_bnn.flatten(1, 2).gt(0.0).to_kind(Kind::Int64)
}
