//! A batch as tensors on the device.

use dataset::Batch;
use models::loss::{MapTargets, PolicyTargets, RewardTargets, RightsTargets, expand_mask};
use models::{Choices, Network, Output};
use nn::Views;
use tch::{Device, Kind, TchError, Tensor};

/// A batch on the device. Rows stay packed and legal moves stay bits until the network needs them.
#[derive(Debug)]
pub struct Tensors {
    /// Packed rows `[b,row]`, u8.
    pub packed: Tensor,
    /// Legal moves as bits `[b,⌈v/8⌉]`, u8.
    pub legal_bits: Tensor,
    /// Policy indices `[b,k]`, i64; −1 for none.
    pub policy_index: Tensor,
    /// Their probabilities `[b,k]`, f32.
    pub policy_prob: Tensor,
    /// 0 win, 1 draw, 2 loss, −1 unknown, `[b]`, i64.
    pub outcome: Tensor,
    /// Winning probability of the side to move, `[b]`, f32; NaN where there is none.
    pub value: Tensor,
    /// The same averaged over the plies to come, `[b]`, f32; NaN where there is none.
    pub short_term: Tensor,
    /// Moves to the end of the game, `[b]`, f32; NaN where it is unknown.
    pub moves_left: Tensor,
    /// Points of the side to move, `[b]`, f32; NaN where the result is unknown.
    pub points: Tensor,
    /// Labels of the dataset's map `[b,cells]`, i8, −1 where there is none; no cells in a dataset without a map.
    pub map: Tensor,
    /// The rights behind the move played as bits, −1 where they are unknown, `[b]`, i64.
    pub rights: Tensor,
    /// Legal moves behind which a position occurred before, as bits `[b,2·⌈V/8⌉]`, u8; no columns where nobody asked.
    pub repeats: Tensor,
}

/// How often a position occurred before that a legal move leads to, as far as a row says.
const REPEATS: usize = 2;

impl Tensors {
    /// Copies a batch to a device.
    ///
    /// # Errors
    /// If the device has no room.
    pub fn new(batch: &Batch, device: Device) -> Result<Self, TchError> {
        let rows = batch.size as i64;
        let place = |tensor: Tensor| tensor.f_view([rows, -1])?.f_to_device(device);
        let numbers = |values: &[f32]| match values.is_empty() {
            true => Tensor::f_full([rows], f64::NAN, (Kind::Float, device)),
            false => Tensor::f_from_slice(values)?.f_to_device(device),
        };
        Ok(Self {
            packed: place(Tensor::f_from_slice(&batch.packed)?)?,
            legal_bits: place(Tensor::f_from_slice(&batch.legal)?)?,
            policy_index: place(Tensor::f_from_slice(&batch.policy_index)?)?,
            policy_prob: place(Tensor::f_from_slice(&batch.policy_prob)?)?,
            outcome: Tensor::f_from_slice(&batch.outcome)?.f_to_device(device)?,
            value: numbers(&batch.value)?,
            short_term: numbers(&batch.short_term)?,
            moves_left: numbers(&batch.plies_left)?,
            points: numbers(&batch.points)?,
            map: Tensor::f_from_slice(&batch.map)?.f_view([rows, batch.map_cells as i64])?.f_to_device(device)?,
            rights: match batch.rights.is_empty() {
                true => Tensor::f_full([rows], -1, (Kind::Int64, device))?,
                false => Tensor::f_from_slice(&batch.rights)?.f_to_device(device)?,
            },
            repeats: Tensor::f_from_slice(&batch.repeats)?
                .f_view([rows, (batch.repeats.len() / batch.size) as i64])?
                .f_to_device(device)?,
        })
    }

    /// How many positions it holds.
    #[must_use]
    pub fn rows(&self) -> i64 {
        self.packed.size()[0]
    }

    /// `len` positions from `start` on, as views.
    #[must_use]
    pub fn narrow(&self, start: i64, len: i64) -> Self {
        let part = |tensor: &Tensor| tensor.narrow(0, start, len);
        Self {
            packed: part(&self.packed),
            legal_bits: part(&self.legal_bits),
            policy_index: part(&self.policy_index),
            policy_prob: part(&self.policy_prob),
            outcome: part(&self.outcome),
            value: part(&self.value),
            short_term: part(&self.short_term),
            moves_left: part(&self.moves_left),
            points: part(&self.points),
            map: part(&self.map),
            rights: part(&self.rights),
            repeats: part(&self.repeats),
        }
    }

    /// Legal moves, bool `[b,v]`.
    pub fn legal(&self, moves: usize) -> Tensor {
        expand_mask(&self.legal_bits, moves)
    }

    /// How often the position behind each move occurred before, i64 `[b,v]`; zeros where it is not known.
    pub fn repeated(&self, moves: usize) -> Tensor {
        let columns = self.repeats.size()[1] / REPEATS as i64;
        if columns == 0 {
            return Tensor::zeros([self.rows(), moves as i64], (Kind::Int64, self.packed.device()));
        }
        let plane = |times: usize| expand_mask(&self.repeats.narrow(1, times as i64 * columns, columns), moves);
        (0..REPEATS).map(|times| plane(times).to_kind(Kind::Int64)).reduce(|sum, plane| sum + plane).unwrap_or_default()
    }

    /// What a network with these heads answers about the batch.
    pub fn answer(&self, network: &Network, views: &Views, moves: usize) -> Output {
        if !network.refines() {
            return network.forward(views, &self.packed);
        }
        let (legal, repeats) = (self.legal(moves), self.repeated(moves));
        network.answer(views, &self.packed, Some(Choices { legal_bv: &legal, repeats_bv: &repeats }))
    }

    /// The rights behind the moves played, those of `columns`.
    #[must_use]
    pub fn rights_targets(&self, columns: &[i64]) -> RightsTargets {
        RightsTargets::new(&self.rights, columns)
    }

    /// The rewards that the data's search or score expects.
    #[must_use]
    pub fn rewards(&self) -> RewardTargets {
        RewardTargets::of_probabilities(&self.value)
    }

    /// The rewards averaged over the plies to come.
    #[must_use]
    pub fn short_term_rewards(&self) -> RewardTargets {
        RewardTargets::of_probabilities(&self.short_term)
    }

    /// The labels of maps with so many cells; no label at all where the dataset has no map (steps that are only timed).
    #[must_use]
    pub fn map_targets(&self, cells: i64) -> MapTargets {
        match self.map.size()[1] {
            0 => MapTargets::new(&Tensor::full([self.map.size()[0], cells], -1, (Kind::Int8, self.map.device()))),
            _ => MapTargets::new(&self.map),
        }
    }

    /// The policy's targets.
    #[must_use]
    pub fn targets(&self) -> PolicyTargets<'_> {
        PolicyTargets { index_bk: &self.policy_index, prob_bk: &self.policy_prob }
    }
}
