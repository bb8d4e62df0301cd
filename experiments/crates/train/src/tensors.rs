//! The targets that a run requests from its dataset, and batches as tensors on the device.

use super::micro::measure;
use config::RunConfig;
use dataset::value::SHORT_TERM_DECAY;
use dataset::{Batch, Targets, ValueTarget};
use models::{Column, Examples};
use tch::{Device, Kind, TchError, Tensor};

/// The columns that the heads of a run read, beside the policy and the outcome, which every batch has.
pub(super) fn required_targets(config: &RunConfig) -> Targets {
    let measure = measure(config);
    let reads = |column| measure.reads(column);
    Targets {
        // Without a configured value target the stored value is used, and it must exist.
        value: config.view.value.or_else(|| reads(Column::Value).then_some(ValueTarget::Score)),
        draw: false,
        short_term: reads(Column::ShortTerm).then_some(SHORT_TERM_DECAY),
        plies_left: reads(Column::MovesLeft),
        points: reads(Column::Points),
        rights: reads(Column::Rights),
        repeats: reads(Column::Repeats),
    }
}

/// Copies a batch to a device. Rows stay packed and legal moves stay bits until the network reads them.
pub fn on_device(batch: &Batch, device: Device) -> Result<Examples, TchError> {
    let rows = batch.size as i64;
    let place = |tensor: Tensor| tensor.f_view([rows, -1])?.f_to_device(device);
    // A column that was not requested is empty in the batch, so it is unknown for every example.
    let numbers = |values: &[f32]| match values.is_empty() {
        true => Tensor::f_full([rows], f64::NAN, (Kind::Float, device)),
        false => Tensor::f_from_slice(values)?.f_to_device(device),
    };
    Examples::new(|column| match column {
        Column::Packed => place(Tensor::f_from_slice(&batch.packed)?),
        Column::Legal => place(Tensor::f_from_slice(&batch.legal)?),
        Column::PolicyIndex => place(Tensor::f_from_slice(&batch.policy_index)?),
        Column::PolicyProb => place(Tensor::f_from_slice(&batch.policy_prob)?),
        Column::Outcome => Tensor::f_from_slice(&batch.outcome)?.f_to_device(device),
        Column::Value => numbers(&batch.value),
        Column::ShortTerm => numbers(&batch.short_term),
        Column::MovesLeft => numbers(&batch.plies_left),
        Column::Points => numbers(&batch.points),
        Column::Map => Tensor::f_from_slice(&batch.map)?.f_view([rows, batch.map_cells as i64])?.f_to_device(device),
        Column::Rights => match batch.rights.is_empty() {
            true => Tensor::f_full([rows], -1, (Kind::Int64, device)),
            false => Tensor::f_from_slice(&batch.rights)?.f_to_device(device),
        },
        Column::Repeats => {
            let bytes = (batch.repeats.len() / batch.size) as i64;
            Tensor::f_from_slice(&batch.repeats)?.f_view([rows, bytes])?.f_to_device(device)
        }
    })
}
