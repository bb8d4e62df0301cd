//! A network's outputs on positions, as named tensors.

use super::cell::Loaded;
use super::situation::{LegalMove, Request};
use super::tensors_file::Named;
use crate::error::TrainError;
use models::input::Expander;
use models::loss::mask_policy;
use models::{Answer, MoveContext, Output, Reading};
use nn::Views;
use tch::{Kind, Tensor};

/// The suffix of a policy whose illegal moves are masked.
const MASKED: &str = "masked";

/// Inputs and outputs of one forward pass, on the cell's device. `v` is the size of the vocabulary.
#[derive(Debug)]
pub struct Answers {
    pub packed: Tensor,
    /// The expanded input, `[b,l,c]`, f32.
    pub channels: Tensor,
    pub legal: Tensor,
    pub trunk: Tensor,
    /// The heads' outputs, in order. Further tensors of a head are named `<head>.<part>`.
    pub outputs: Vec<Answer>,
}

impl Answers {
    /// Runs a network on positions, all at once.
    pub fn of(cell: &Loaded, requests: &[Request]) -> Result<Self, TrainError> {
        let spec = cell.config.spec();
        let batch = Batch::of(cell, requests)?;
        let views = Views::split_in(cell.layout(), &cell.arena.flat(), cell.kind);
        let packed = batch.rows.f_index_select(0, &batch.own)?;
        let legal = legal(requests, spec.moves.len())?.f_to_device(cell.arena.device())?;
        Ok(tch::no_grad(|| Self {
            channels: Expander::new(spec.input).expand(&packed),
            trunk: cell.network.trunk(&views, &batch.rows).index_select(0, &batch.own).to_kind(Kind::Float),
            outputs: batch.outputs(cell, &views),
            packed,
            legal,
        }))
    }

    pub fn output(&self, name: &str) -> Option<&Tensor> {
        self.outputs.iter().find(|answer| answer.name() == name).map(|answer| &answer.tensor)
    }

    /// All tensors, under the names of `forward.safetensors`; each policy is repeated with illegal moves masked.
    pub fn named(self) -> Vec<Named> {
        let policies = self.outputs.iter().filter(|answer| answer.reading == Reading::Policy);
        let masked = |answer: &Answer| {
            Named::new(format!("{}.{MASKED}", answer.name()), mask_policy(&answer.tensor, &self.legal))
        };
        let masked: Vec<Named> = policies.map(masked).collect();
        let answers = self.outputs.into_iter().map(|answer| Named::new(answer.name(), answer.tensor));
        let inputs =
            [("packed", self.packed), ("channels", self.channels), ("legal", self.legal), ("trunk", self.trunk)];
        inputs.map(|(name, tensor)| Named::new(name, tensor)).into_iter().chain(answers).chain(masked).collect()
    }
}

/// The heads' outputs on positions, in order, as [`Answers::outputs`]; nothing else is computed. Positions may come without
/// their moves if the network has no refinement pass.
pub fn outputs(cell: &Loaded, requests: &[Request]) -> Result<Vec<Answer>, TrainError> {
    let batch = Batch::of(cell, requests)?;
    let views = Views::split_in(cell.layout(), &cell.arena.flat(), cell.kind);
    Ok(tch::no_grad(|| batch.outputs(cell, &views)))
}

/// The packed rows of all plies, on the cell's device, and the place of each position in its own sequence.
pub(super) fn packed(cell: &Loaded, requests: &[Request]) -> Result<(Tensor, Vec<usize>), TrainError> {
    let plies = cell.config.plies();
    let (rows, places): (Vec<Vec<u8>>, Vec<usize>) = requests.iter().map(|request| request.sequence(plies)).unzip();
    let rows = Tensor::f_from_slice(&rows.concat())?.f_view([(requests.len() * plies) as i64, -1])?;
    Ok((rows.f_to_device(cell.arena.device())?, places))
}

struct Batch {
    /// Packed rows, for a network of sequences those of all plies.
    rows: Tensor,
    /// The rows of the positions themselves.
    own: Tensor,
    /// Which moves are legal, and how often the position after each occurred: for a network with a refinement pass.
    context: Option<[Tensor; 2]>,
}

impl Batch {
    fn of(cell: &Loaded, requests: &[Request]) -> Result<Self, TrainError> {
        let (spec, device, plies) = (cell.config.spec(), cell.arena.device(), cell.config.plies());
        let (rows, places) = packed(cell, requests)?;
        let own: Vec<i64> = places.into_iter().enumerate().map(|(i, place)| (i * plies + place) as i64).collect();
        let own = Tensor::f_from_slice(&own)?.f_to_device(device)?;
        let context = if cell.network.refines() {
            let moves = spec.moves.len();
            Some([legal(requests, moves)?.f_to_device(device)?, repeats(requests, moves)?.f_to_device(device)?])
        } else {
            None
        };
        Ok(Self { rows, own, context })
    }

    fn outputs(&self, cell: &Loaded, views: &Views) -> Vec<Answer> {
        let context = self.context.as_ref().map(|[legal_bv, repeats_bv]| MoveContext { legal_bv, repeats_bv });
        readable(cell.network.answer(views, &self.rows, context), &self.own)
    }
}

/// The outputs for these rows; sigmoid logits become probabilities.
fn readable(output: Output, rows: &Tensor) -> Vec<Answer> {
    // A decoder's board outputs predict earlier tokens, so they are left out.
    let there = output.into_iter().filter(|answer| answer.reading != Reading::Internal);
    let of_rows = |answer: Answer| {
        let tensor = answer.tensor.index_select(0, rows);
        let tensor = if answer.reading == Reading::WinRate { tensor.sigmoid() } else { tensor };
        Answer { tensor, ..answer }
    };
    there.map(of_rows).collect()
}

/// How often the position after each move occurred before, i64 `[b,v]`.
fn repeats(requests: &[Request], moves: usize) -> Result<Tensor, TrainError> {
    of_moves(requests, moves, |mv| mv.repetitions.into())
}

fn legal(requests: &[Request], moves: usize) -> Result<Tensor, TrainError> {
    Ok(of_moves(requests, moves, |_| 1)?.f_to_kind(Kind::Bool)?)
}

/// A number for each legal move, 0 for the others, i64 `[b,v]`.
fn of_moves(requests: &[Request], moves: usize, number: impl Fn(&LegalMove) -> i64) -> Result<Tensor, TrainError> {
    let mut numbers = vec![0i64; requests.len() * moves];
    for (row, request) in numbers.chunks_exact_mut(moves).zip(requests) {
        for mv in &request.legal {
            row[usize::from(mv.index)] = number(mv);
        }
    }
    Ok(Tensor::f_from_slice(&numbers)?.f_view([requests.len() as i64, moves as i64])?)
}
