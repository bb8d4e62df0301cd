//! Evaluation on fixed positions: the same in every cell of every experiment on a dataset.

use super::error::TrainError;
use super::setup::Setup;
use super::tally::{ROWS, Row, Tally};
use super::tensors::Tensors;
use crate::config::Mask;
use crate::sinks::Metrics;
use dataset::{Batch, Split, evaluation_batches};
use models::loss::{policy_cross_entropy_rows, policy_log_probs, wdl_cross_entropy_rows};
use models::{Network, Output};
use nn::Views;
use tch::{Kind, TchError, Tensor};

/// How many likeliest moves `policy_top5` looks at.
const TOP: i64 = 5;

/// Evaluates weights on at most `positions` positions of a split (whole games, at least one), without gradients.
///
/// # Errors
/// If the split is empty or a game of it cannot be replayed, or LibTorch fails.
pub fn evaluate(setup: &Setup, views: &Views, split: Split, positions: usize) -> Result<Metrics, TrainError> {
    let config = &setup.config;
    let batches = evaluation_batches(&setup.dataset, split, config.input, config.eval.batch, positions as u64)?;
    let moves = config.spec().moves.len();
    let mut tally = Tally::default();
    for batch in batches {
        let batch = batch?;
        let tensors = Tensors::new(&batch, setup.device)?;
        let rows = tch::no_grad(|| measure(&setup.network, views, &tensors, config.train.mask, moves))?;
        add_rows(&mut tally, &batch, &rows);
    }
    Ok(tally.metrics(config.train.mask))
}

/// Every measurement of [`ROWS`] on every row, `[rows of ROWS][b]` one after the other.
fn measure(network: &Network, views: &Views, batch: &Tensors, mask: Mask, moves: usize) -> Result<Vec<f32>, TchError> {
    let Output { policy_bv, wdl_b3 } = network.forward(views, &batch.packed);
    let targets = batch.targets();
    let legal = batch.legal(moves);
    let unmasked = policy_log_probs(&policy_bv, None);
    let log_probs = match mask {
        Mask::Train | Mask::Eval => policy_log_probs(&policy_bv, Some(&legal)),
        Mask::None => unmasked.shallow_clone(),
    };
    let cross_entropy = policy_cross_entropy_rows(&log_probs, targets);
    let wanted_b1 = wanted_moves(batch);
    let likeliest = log_probs.f_topk(TOP.min(moves as i64), -1, true, true)?.1;
    let outcome_hit = wdl_b3.f_argmax(-1, false)?.f_eq_tensor(&batch.outcome)?;
    let measured: [Tensor; ROWS.len()] = [
        cross_entropy.shallow_clone(),
        cross_entropy - targets.entropy_rows(),
        hit(&log_probs.f_argmax(-1, true)?, &wanted_b1)?,
        hit(&likeliest, &wanted_b1)?,
        hit(&unmasked.f_argmax(-1, true)?, &wanted_b1)?,
        (unmasked.f_exp()? * legal.to_kind(Kind::Float)).f_sum_dim_intlist([-1i64].as_slice(), false, Kind::Float)?,
        legal.f_sum_dim_intlist([-1i64].as_slice(), false, Kind::Float)?.f_log()?,
        wdl_cross_entropy_rows(&wdl_b3, &batch.outcome),
        outcome_hit.to_kind(Kind::Float),
    ];
    Vec::try_from(Tensor::f_cat(&measured, 0)?.f_to_device(tch::Device::Cpu)?)
}

/// The likeliest target move of every row, `[b,1]`, −1 where it has none.
fn wanted_moves(batch: &Tensors) -> Tensor {
    let best = batch.policy_prob.argmax(1, true);
    batch.policy_index.gather(1, &best, false)
}

/// Whether one of the moves `[b,k]` is the wanted one, `[b]`.
fn hit(moves_bk: &Tensor, wanted_b1: &Tensor) -> Result<Tensor, TchError> {
    Ok(moves_bk.f_eq_tensor(wanted_b1)?.f_any_dim(1, false)?.to_kind(Kind::Float))
}

fn add_rows(tally: &mut Tally, batch: &Batch, measured: &[f32]) {
    for i in 0..batch.size {
        let candidates = &batch.policy_index[i * batch.candidates..(i + 1) * batch.candidates];
        tally.add(&Row {
            values: std::array::from_fn(|metric| measured[metric * batch.size + i]),
            has_policy: candidates.iter().any(|&index| index >= 0),
            has_value: batch.outcome[i] >= 0,
            phase: usize::from(batch.phase[i]),
            novel: batch.novel[i],
        });
    }
}
