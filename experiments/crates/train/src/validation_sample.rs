//! Some validation positions: the same in every cell of a dataset with the same input.

use super::error::TrainError;
use super::setup::Setup;
use dataset::{Split, evaluation_batches};
use encodings::Tokens;
use std::collections::BTreeSet;
use tch::Tensor;

/// The positions are spread evenly over the first this many, so that they come from several games.
const CHOSEN_FROM: usize = 1024;

/// Packed rows of at most `most` validation positions, and no more than an evaluation batch, `[b,row]`, u8, on the cell's
/// device.
pub fn validation_positions(setup: &Setup, most: usize) -> Result<Tensor, TrainError> {
    let (config, plies) = (&setup.config, setup.config.plies());
    let from = config.eval.validation_positions.min(CHOSEN_FROM) as u64;
    let batches = evaluation_batches(&setup.dataset, Split::Validation, config.input, config.eval.batch, from)?;
    let (mut rows, mut row_bytes) = (Vec::new(), 0);
    for batch in batches {
        let batch = batch?;
        row_bytes = batch.row_bytes;
        rows.extend(batch.packed);
    }
    // The unit that a network reads: a position, or a sequence of positions.
    let piece = plies * row_bytes;
    let pieces = rows.len() / piece;
    let wanted = (most.min(config.eval.batch) / plies).clamp(1, pieces);
    let chosen = (0..wanted).flat_map(|i| &rows[i * pieces / wanted * piece..][..piece]);
    let chosen: Vec<u8> = chosen.copied().collect();
    Ok(Tensor::f_from_slice(&chosen)?.f_view([-1, row_bytes as i64])?.f_to_device(setup.device)?)
}

/// The first token of each square, in the order of squares; for a sequence, those of its first board.
pub fn first_board(tokens: &Tokens) -> Vec<i64> {
    let mut known = BTreeSet::new();
    let mut first: Vec<_> = tokens.squares().filter(|&(_, square)| known.insert(square)).collect();
    first.sort_by_key(|&(_, square)| square);
    first.into_iter().map(|(token, _)| token as i64).collect()
}
