//! Maps of a cell's encodings, from a forward pass on a few validation positions that records intermediate values.
//!
//! Drawing uses the training weights and no random numbers, so a cell with pictures trains bit-identically to one
//! without.

use super::error::TrainError;
use super::setup::{Setup, declare};
use crate::pictures::{Picture, PngError};
use dataset::{Split, evaluation_batches};
use encodings::{AttentionMap, Tokens};
use nn::Views;
use std::collections::BTreeSet;
use tch::{Device, Kind, TchError, Tensor};

/// A picture is the mean over at most this many positions.
const POSITIONS: usize = 50;

/// The positions are spread evenly over the first this many, so that they come from several games.
const CHOSEN_FROM: usize = 1024;

/// Why there are no pictures.
#[derive(Debug, thiserror::Error)]
pub(super) enum PictureError {
    #[error(transparent)]
    Train(#[from] TrainError),
    #[error(transparent)]
    Torch(#[from] TchError),
    #[error(transparent)]
    Png(#[from] PngError),
}

/// Draws every map of the encodings with these weights; no maps for a network without attention.
pub(super) fn draw(setup: &Setup, views: &Views, step: u64) -> Result<Vec<Picture>, PictureError> {
    let (network, _) = declare(&setup.config)?;
    let (network, watch) = network.watched();
    let packed = positions(setup)?.f_to_device(setup.device)?;
    // Only the recorded maps are used, not the output of the last block.
    let _ = tch::no_grad(|| network.trunk(views, &packed));
    let squares = first_board(network.tokens());
    let drawn = |watched: &AttentionMap| {
        let map = of_squares(&watched.map_ll, &squares)?;
        Ok(Picture::draw(setup.config.game, (watched.kind, watched.layer), step, &map)?)
    };
    watch.take().iter().map(drawn).collect()
}

/// Packed rows of some validation positions `[b,row]`, u8: the same in every cell of a dataset with this input.
fn positions(setup: &Setup) -> Result<Tensor, PictureError> {
    let (config, plies) = (&setup.config, setup.config.plies());
    let from = config.eval.validation_positions.min(CHOSEN_FROM) as u64;
    let batches = evaluation_batches(&setup.dataset, Split::Validation, config.input, config.eval.batch, from)
        .map_err(TrainError::from)?;
    let (mut rows, mut row_bytes) = (Vec::new(), 0);
    for batch in batches {
        let batch = batch.map_err(TrainError::from)?;
        row_bytes = batch.row_bytes;
        rows.extend(batch.packed);
    }
    // The unit that a network reads: a position, or a sequence of positions.
    let piece = plies * row_bytes;
    let pieces = rows.len() / piece;
    let wanted = (POSITIONS.min(config.eval.batch) / plies).clamp(1, pieces);
    let chosen = (0..wanted).flat_map(|i| &rows[i * pieces / wanted * piece..][..piece]);
    let chosen: Vec<u8> = chosen.copied().collect();
    Ok(Tensor::f_from_slice(&chosen)?.f_view([-1, row_bytes as i64])?)
}

/// The first token of each square, in the order of squares; for a sequence, those of its first board.
fn first_board(tokens: &Tokens) -> Vec<i64> {
    let mut known = BTreeSet::new();
    let mut first: Vec<_> = tokens.squares().filter(|&(_, square)| known.insert(square)).collect();
    first.sort_by_key(|&(_, square)| square);
    first.into_iter().map(|(token, _)| token as i64).collect()
}

/// `[l,l]` → the values of pairs of squares, query by key.
fn of_squares(map_ll: &Tensor, squares: &[i64]) -> Result<Vec<f64>, TchError> {
    let squares = Tensor::f_from_slice(squares)?.f_to_device(map_ll.device())?;
    let map = map_ll.f_index_select(0, &squares)?.f_index_select(1, &squares)?;
    Vec::try_from(map.f_to_device(Device::Cpu)?.f_to_kind(Kind::Double)?.f_reshape([-1])?)
}
