//! Maps of a cell's encodings, from a forward pass on a few validation positions that records intermediate values.
//!
//! Drawing uses the training weights and no random numbers, so a cell with pictures trains bit-identically to one
//! without.

use super::error::TrainError;
use super::sample;
use super::setup::{Setup, declare};
use crate::pictures::Picture;
use encodings::AttentionMap;
use figures::convert::ConversionError;
use nn::Views;
use tch::{Device, Kind, TchError, Tensor};

/// A picture is the mean over at most this many positions.
const POSITIONS: usize = 50;

/// Why there are no pictures.
#[derive(Debug, thiserror::Error)]
pub(super) enum PictureError {
    #[error(transparent)]
    Train(#[from] TrainError),
    #[error(transparent)]
    Torch(#[from] TchError),
    #[error(transparent)]
    Conversion(#[from] ConversionError),
}

/// Draws every map of the encodings with these weights; no maps for a network without attention.
pub(super) fn draw(setup: &Setup, views: &Views, step: u64) -> Result<Vec<Picture>, PictureError> {
    let (network, _) = declare(&setup.config)?;
    let (network, watch) = network.watched();
    let packed = sample::validation_positions(setup, POSITIONS)?;
    // Only the recorded maps are used, not the output of the last block.
    let _ = tch::no_grad(|| network.trunk(views, &packed));
    let squares = sample::first_board(network.tokens());
    let drawn = |watched: &AttentionMap| {
        let map = of_squares(&watched.map_ll, &squares)?;
        Ok(Picture::draw(setup.config.game, (watched.kind, watched.layer), step, &map)?)
    };
    watch.take().iter().map(drawn).collect()
}

/// `[l,l]` → the values of pairs of squares, query by key.
fn of_squares(map_ll: &Tensor, squares: &[i64]) -> Result<Vec<f64>, TchError> {
    let squares = Tensor::f_from_slice(squares)?.f_to_device(map_ll.device())?;
    let map = map_ll.f_index_select(0, &squares)?.f_index_select(1, &squares)?;
    Vec::try_from(map.f_to_device(Device::Cpu)?.f_to_kind(Kind::Double)?.f_reshape([-1])?)
}
