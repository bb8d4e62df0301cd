//! A network's answers to positions, as named tensors.

use super::cell::Loaded;
use super::error::InspectError;
use super::positions::Request;
use super::tensors_file::Named;
use models::input::Expander;
use models::loss::mask_policy;
use models::{Choices, Output, Reward};
use nn::Views;
use tch::{Kind, Tensor};

/// What stands before the name of a further policy.
pub(super) const FURTHER: &str = "further_policies.";

/// What follows the name of a policy behind the mask of legal moves.
const MASKED: &str = "masked";

/// Inputs and outputs of one forward pass, on the cell's device. `v` is the size of the vocabulary.
#[derive(Debug)]
pub struct Answers {
    /// Packed rows `[b,row]`, u8.
    pub packed: Tensor,
    /// What the network makes of them, `[b,l,c]`, f32.
    pub channels: Tensor,
    /// Legal moves `[b,v]`, bool.
    pub legal: Tensor,
    /// What the heads read, `[b,l,d]`.
    pub trunk: Tensor,
    /// Every output by the name of its head, see [`outputs`].
    pub outputs: Vec<Named>,
}

impl Answers {
    /// Asks a network about positions, all at once.
    ///
    /// # Errors
    /// If LibTorch fails.
    pub fn of(cell: &Loaded, asked: &[Request]) -> Result<Self, InspectError> {
        let (spec, device) = (cell.config.spec(), cell.arena.device());
        let plies = cell.config.plies();
        let (rows, places): (Vec<Vec<u8>>, Vec<usize>) = asked.iter().map(|asked| asked.sequence(plies)).unzip();
        let rows =
            Tensor::f_from_slice(&rows.concat())?.f_view([(asked.len() * plies) as i64, -1])?.f_to_device(device)?;
        let own: Vec<i64> = places.into_iter().enumerate().map(|(i, place)| (i * plies + place) as i64).collect();
        let own = Tensor::f_from_slice(&own)?.f_to_device(device)?;
        let packed = rows.f_index_select(0, &own)?;
        let legal = legal(asked, spec.moves.len())?.f_to_device(device)?;
        let repeats = repeats(asked, spec.moves.len())?.f_to_device(device)?;
        let choices = Choices { legal_bv: &legal, repeats_bv: &repeats };
        let views = Views::split_in(cell.layout(), &cell.arena.flat(), cell.kind);
        Ok(tch::no_grad(|| Self {
            channels: Expander::new(spec.input).expand(&packed),
            trunk: cell.network.trunk(&views, &rows).index_select(0, &own).to_kind(Kind::Float),
            outputs: of_rows(in_f32(outputs(cell.network.answer(&views, &rows, Some(choices)))), &own),
            packed,
            legal: legal.shallow_clone(),
        }))
    }

    /// An output by its name.
    #[must_use]
    pub fn output(&self, name: &str) -> Option<&Tensor> {
        self.outputs.iter().find(|named| named.name == name).map(|named| &named.tensor)
    }

    /// All of it, under the names of `forward.safetensors`: each policy once more behind the mask.
    #[must_use]
    pub fn named(self) -> Vec<Named> {
        let policies = self.outputs.iter().filter(|named| is_policy(&named.name));
        let masked =
            |named: &Named| Named::new(format!("{}.{MASKED}", named.name), mask_policy(&named.tensor, &self.legal));
        let masked: Vec<Named> = policies.map(masked).collect();
        let inputs =
            [("packed", self.packed), ("channels", self.channels), ("legal", self.legal), ("trunk", self.trunk)];
        inputs.map(|(name, tensor)| Named::new(name, tensor)).into_iter().chain(self.outputs).chain(masked).collect()
    }
}

/// What is said about these rows.
fn of_rows(outputs: Vec<Named>, rows: &Tensor) -> Vec<Named> {
    outputs.into_iter().map(|named| Named { tensor: named.tensor.index_select(0, rows), ..named }).collect()
}

/// Some heads end in a matrix product, whatever it runs in.
fn in_f32(outputs: Vec<Named>) -> Vec<Named> {
    let is_number = |named: &Named| named.name != REFINED_MOVES;
    let in_f32 = |named: Named| match is_number(&named) {
        true => Named { tensor: named.tensor.to_kind(Kind::Float), ..named },
        false => named,
    };
    outputs.into_iter().map(in_f32).collect()
}

/// The candidates of a second look, and the logits of its choice.
pub(super) const REFINED_MOVES: &str = "refined.moves";
pub(super) const REFINED: &str = "refined";

/// Whether an output is logits over the vocabulary.
pub(super) fn is_policy(name: &str) -> bool {
    matches!(name, "policy" | "soft_policy") || name.starts_with(FURTHER)
}

/// A network's outputs by the names that experiments give its heads; what belongs to a reward is `<head>.wdl`,
/// `<head>.error` and `<head>.buckets`.
pub(super) fn outputs(output: Output) -> Vec<Named> {
    // What a decoder says about boards is a question about the past: no part of an answer.
    let Output { policy_bv, soft_policy_bv, further_policies, wdl_b3, result_shares_b3, .. } = output;
    let Output { win_rate_b, q, short_term, .. } = output;
    let Output { moves_left_b, squares_bnc, pairs_bnn, rights_bn, refined, board: _, .. } = output;
    let further = further_policies.into_iter().map(|(name, logits)| Named::new(format!("{FURTHER}{name}"), logits));
    let further: Vec<Named> = further.collect();
    let policies = [("policy", policy_bv), ("soft_policy", soft_policy_bv)];
    let result = [("result", wdl_b3), ("result_shares", result_shares_b3)];
    let mut named: Vec<_> = result.into_iter().chain([("win_rate", win_rate_b.map(|logit| logit.sigmoid()))]).collect();
    let parts = |reward: Option<Reward>| match reward {
        None => [None, None, None, None],
        Some(Reward { value_b, wdl_b3, error_b, buckets_bn }) => [Some(value_b), wdl_b3, error_b, buckets_bn],
    };
    named.extend(["q", "q.wdl", "q.error", "q.buckets"].into_iter().zip(parts(q)));
    let of_short_term = ["short_term", "short_term.wdl", "short_term.error", "short_term.buckets"];
    named.extend(of_short_term.into_iter().zip(parts(short_term)));
    named.extend([
        ("moves_left", moves_left_b),
        ("per_square", squares_bnc),
        ("pairs", pairs_bnn),
        ("rights", rights_bn),
    ]);
    if let Some(refined) = refined {
        let choices = refined.choices();
        named.extend([(REFINED_MOVES, Some(refined.moves_bk)), (REFINED, Some(choices))]);
    }
    let there = |(name, tensor): (&str, Option<Tensor>)| Some(Named::new(name, tensor?));
    let policies = policies.into_iter().filter_map(there).chain(further);
    policies.chain(named.into_iter().filter_map(there)).collect()
}

/// How often the position behind each move occurred before, i64 `[b,v]`.
fn repeats(asked: &[Request], moves: usize) -> Result<Tensor, InspectError> {
    let mut repeats = vec![0i64; asked.len() * moves];
    for (row, asked) in repeats.chunks_exact_mut(moves).zip(asked) {
        for mv in &asked.legal {
            row[usize::from(mv.index)] = mv.repetitions.into();
        }
    }
    Ok(Tensor::f_from_slice(&repeats)?.f_view([asked.len() as i64, moves as i64])?)
}

fn legal(asked: &[Request], moves: usize) -> Result<Tensor, InspectError> {
    let mut legal = vec![0u8; asked.len() * moves];
    for (row, asked) in legal.chunks_exact_mut(moves).zip(asked) {
        for mv in &asked.legal {
            row[usize::from(mv.index)] = 1;
        }
    }
    Ok(Tensor::f_from_slice(&legal)?.f_view([asked.len() as i64, moves as i64])?.f_to_kind(Kind::Bool)?)
}
