//! Pictures of position encodings: one small board for each query square, placed at that square of a large board.
//!
//! They are stored in a cell's folder as `pictures/<map>/step-<step>.png`; TensorBoard's event files include them.

pub mod folder;

pub use folder::PictureFolder;

use crate::setup::{Setup, declare};
use crate::validation_sample;
use encodings::{AttentionMap, MapKind};
use figures::board::{Scheme, Shades, log2_ratios_to_uniform, pairs};
use figures::convert::{ConversionError, png};
use games::GameKind;
use nn::Views;
use tch::{Device, Kind, TchError, Tensor};

/// A picture is the mean over at most this many positions.
const POSITIONS: usize = 50;

/// Whose view of the board the inputs have; a picture in a folder has no record of the cell's input.
const VIEW: &str = "As the side to move sees the board; with tokens_68 and cls_tokens_white as White sees it.";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// `<kind of map>` or `<kind of map>/layer-<number>`.
    pub map: String,
    pub step: u64,
    pub png: Vec<u8>,
}

impl Picture {
    /// Draws a map over squares, `[squares × squares]`, query by key.
    pub fn draw(
        kind: GameKind,
        (map_kind, layer): (MapKind, Option<usize>),
        step: u64,
        map: &[f64],
    ) -> Result<Self, ConversionError> {
        let (values, shades) = shown(map_kind, kind.geometry().squares(), map);
        let png = png(&pairs::draw(kind, &values, &shades).map(Scheme::Light, "map", "", ""), 1.0)?;
        let map =
            layer.map_or_else(|| map_kind.name().to_owned(), |layer| format!("{}/layer-{layer:02}", map_kind.name()));
        Ok(Self { map, step, png })
    }

    pub fn description(&self) -> String {
        let map_kind = self.map.split('/').next().unwrap_or_default();
        let known = MapKind::ALL.into_iter().find(|known| known.name() == map_kind);
        known.map_or_else(String::new, |known| format!("{} {VIEW}", describe(known)))
    }
}

/// Draws every map of the encodings with these weights, sorted by name, from a forward pass on a few validation positions
/// that records intermediate values; a network without attention has none. Drawing uses no random numbers, so a cell
/// trains bit-identically without pictures.
pub(super) fn of_network(setup: &Setup, views: &Views, step: u64) -> anyhow::Result<Vec<Picture>> {
    let (network, _) = declare(&setup.config)?;
    let (network, watch) = network.watched();
    let packed = validation_sample::validation_positions(setup, POSITIONS)?;
    // Only the recorded maps are used, not the output of the last block.
    let _ = tch::no_grad(|| network.trunk(views, &packed));
    let squares = validation_sample::first_board(network.tokens());
    let drawn = |watched: &AttentionMap| -> anyhow::Result<Picture> {
        let map = of_squares(&watched.map_ll, &squares)?;
        Ok(Picture::draw(setup.config.game, (watched.kind, watched.layer), step, &map)?)
    };
    let mut pictures = watch.take().iter().map(drawn).collect::<anyhow::Result<Vec<_>>>()?;
    pictures.sort_by(|a, b| a.map.cmp(&b.map));
    Ok(pictures)
}

/// `[l,l]` → the values of pairs of squares, query by key.
fn of_squares(map_ll: &Tensor, squares: &[i64]) -> Result<Vec<f64>, TchError> {
    let squares = Tensor::f_from_slice(squares)?.f_to_device(map_ll.device())?;
    let map = map_ll.f_index_select(0, &squares)?.f_index_select(1, &squares)?;
    Vec::try_from(map.f_to_device(Device::Cpu)?.f_to_kind(Kind::Double)?.f_reshape([-1])?)
}

fn shown(map_kind: MapKind, squares: usize, map: &[f64]) -> (Vec<f64>, Shades) {
    match map_kind {
        MapKind::Embed | MapKind::Attend | MapKind::Rotate => (map.to_vec(), Shades::unit()),
        MapKind::Logits => (map.to_vec(), Shades::signed(map)),
        MapKind::Attention => (map.chunks(squares).flat_map(log2_ratios_to_uniform).collect(), Shades::ratios()),
    }
}

const fn describe(map_kind: MapKind) -> &'static str {
    match map_kind {
        MapKind::Embed => {
            "Each small board belongs to the square at its place (framed): the cosine between the vectors that this square \
             and each other one are given after the input embedding. The vector is the encoding's output minus its \
             input, the mean over validation positions; tables that depend on no position are shown exactly."
        }
        MapKind::Attend => {
            "Each small board belongs to the square at its place (framed): the cosine between the vectors that this square \
             and each other one are given at the input of queries and keys of this layer. The vector is the encoding's \
             output minus its input, the mean over validation positions; tables that depend on no position are shown exactly."
        }
        MapKind::Rotate => {
            "Each small board belongs to the querying square at its place (framed): q·k after rotation divided by \
             q·k before, for a query equal to the key with equal channels, mean over heads (RoPE: the mean cosine of the \
             angles between them). Depends on no position."
        }
        MapKind::Logits => {
            "Each small board belongs to the querying square at its place (framed): what the encodings add to the attention \
             logit of each square, mean over heads and over validation positions (exact where it depends on no position)."
        }
        MapKind::Attention => {
            "Each small board belongs to the querying square at its place (framed): how its attention to squares is divided, \
             in multiples of an even share, mean over heads and over the same validation positions in every cell of a \
             dataset. The scale is the same in all pictures. Of games in sequences, the first board."
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use games::{Frame, InputName};

    #[test]
    fn every_map_says_what_it_shows() {
        for map_kind in MapKind::ALL {
            let map = vec![0.5; GameKind::Chess.geometry().squares().pow(2)];
            let picture = Picture::draw(GameKind::Chess, (map_kind, Some(2)), 7, &map).expect("a picture");
            assert!(picture.description().contains("small board") && picture.description().ends_with(VIEW));
            assert_eq!((picture.map, picture.step), (format!("{}/layer-02", map_kind.name()), 7));
        }
        for input in InputName::ALL {
            assert_eq!(
                VIEW.split(' ').any(|word| word == input.name()),
                input.frame() == Frame::FirstPlayer,
                "{input:?}"
            );
        }
    }
}
