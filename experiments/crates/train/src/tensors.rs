//! The targets that a run requests from its dataset, and batches as tensors, in memory and on the device.

use super::micro::measure;
use config::RunConfig;
use dataset::value::SHORT_TERM_DECAY;
use dataset::{Batch, Targets, ValueTarget};
use models::{Column, Examples};
use nn::pinned;
use tch::{Device, Kind, TchError, Tensor};

/// The columns that the heads of a run read, beside the policy and the outcome, which every batch has.
pub(super) fn required_targets(config: &RunConfig) -> Targets {
    let measure = measure(config);
    let reads = |column| measure.reads(column);
    Targets {
        // Without a configured value target the stored value is used, and it must exist.
        value: config.view.value.or_else(|| reads(Column::Value).then_some(ValueTarget::Score)),
        draw: reads(Column::Draw),
        short_term: reads(Column::ShortTerm).then_some(SHORT_TERM_DECAY),
        plies_left: reads(Column::MovesLeft),
        points: reads(Column::Points),
        rights: reads(Column::Rights),
        repeats: reads(Column::Repeats),
    }
}

/// A batch as tensors in the host's memory; for a GPU in pinned memory, so that the copy to it waits for nothing. Rows stay packed
/// and legal moves stay bits until the network reads them. A column that was not requested is empty.
#[derive(Debug)]
pub(super) struct Staged {
    rows: i64,
    columns: Examples,
}

impl Staged {
    pub(super) fn new(batch: &Batch, device: Device) -> Result<Self, TchError> {
        let rows = batch.size as i64;
        let by_row = |tensor: Tensor, columns: usize| tensor.f_view([rows, columns as i64]);
        let columns = Examples::new(|column| {
            let tensor = match column {
                Column::Packed => Tensor::f_from_slice(&batch.packed)?.f_view([rows, -1])?,
                Column::Legal => Tensor::f_from_slice(&batch.legal)?.f_view([rows, -1])?,
                Column::PolicyIndex => Tensor::f_from_slice(&batch.policy_index)?.f_view([rows, -1])?,
                Column::PolicyProb => Tensor::f_from_slice(&batch.policy_prob)?.f_view([rows, -1])?,
                Column::Outcome => Tensor::f_from_slice(&batch.outcome)?,
                Column::Value => Tensor::f_from_slice(&batch.value)?,
                Column::ShortTerm => Tensor::f_from_slice(&batch.short_term)?,
                Column::MovesLeft => Tensor::f_from_slice(&batch.plies_left)?,
                Column::Points => Tensor::f_from_slice(&batch.points)?,
                Column::Draw => Tensor::f_from_slice(&batch.draw)?,
                Column::Map => by_row(Tensor::f_from_slice(&batch.map)?, batch.map_cells)?,
                Column::Rights => Tensor::f_from_slice(&batch.rights)?,
                Column::Repeats => by_row(Tensor::f_from_slice(&batch.repeats)?, batch.repeats.len() / batch.size)?,
            };
            if device.is_cuda() && tensor.numel() > 0 { pinned(&tensor) } else { Ok(tensor) }
        })?;
        Ok(Self { rows, columns })
    }

    /// A copy on a device. What was not requested is unknown for every example.
    pub(super) fn on(&self, device: Device) -> Result<Examples, TchError> {
        Examples::new(|column| {
            let staged = self.columns.get(column);
            match column {
                Column::Value | Column::ShortTerm | Column::MovesLeft | Column::Points | Column::Draw
                    if staged.numel() == 0 =>
                {
                    Tensor::f_full([self.rows], f64::NAN, (Kind::Float, device))
                }
                Column::Rights if staged.numel() == 0 => Tensor::f_full([self.rows], -1, (Kind::Int64, device)),
                _ => staged.f_to_device_(device, staged.kind(), true, false),
            }
        })
    }
}

pub fn on_device(batch: &Batch, device: Device) -> Result<Examples, TchError> {
    Staged::new(batch, device)?.on(device)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_that_were_not_requested_are_unknown_and_the_others_keep_their_numbers() {
        let batch = Batch {
            size: 2,
            packed: vec![1, 2, 3, 4, 5, 6],
            legal: vec![7, 8],
            policy_index: vec![4, -1],
            policy_prob: vec![1.0, 0.0],
            outcome: vec![0, 2],
            value: vec![0.25, 0.5],
            ..Batch::default()
        };
        let examples = on_device(&batch, Device::Cpu).expect("memory");
        let shape = |column| examples.get(column).size();
        assert_eq!((shape(Column::Packed), shape(Column::Legal)), (vec![2, 3], vec![2, 1]));
        assert_eq!((shape(Column::PolicyIndex), shape(Column::Map)), (vec![2, 1], vec![2, 0]));
        let numbers = |column| Vec::<f64>::try_from(examples.get(column).to_kind(Kind::Double)).expect("numbers");
        assert_eq!((numbers(Column::Value), numbers(Column::Outcome)), (vec![0.25, 0.5], vec![0.0, 2.0]));
        assert_eq!(numbers(Column::Rights), [-1.0; 2]);
        for unknown in [Column::ShortTerm, Column::MovesLeft, Column::Points, Column::Draw] {
            assert!(numbers(unknown).iter().all(|number| number.is_nan()));
        }
    }
}
