//! `train.start`: tables of another network that training begins with, or its whole trunk.
//!
//! ```yaml
//! train: {start: {tables: chess-shaw.safetensors}}                    # the tables of a network of chess, in their places
//! train: {start: {tables: chess-shaw.safetensors, order: shuffled}}   # the control: the same numbers in other places
//! train: {start: {tables: chess-shaw.safetensors, frozen: true}}      # not learnt further
//! train: {start: {network: pretrained/weights.safetensors}}           # trunk and encodings; heads are new
//! train: {start: {tables: small/weights.safetensors, board: board5, fit: bicubic}}   # stretched over a larger board
//! train: {start: {network: small/weights.safetensors, board: board5, heads: true}}   # the whole network, on another board
//! ```

use facts::described;
use facts::numbers::{above_zero, above_zero_if_any, is_default, number};
use games::GameKind;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

described! {
/// Parameters of another network that training begins with, in the place of first values: of one of the two files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Start {
    /// `tables.safetensors` of an export, also of another board, or `weights.safetensors` with `board`.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub tables: PathBuf,
    /// Trunk and encodings, `weights.safetensors` of an export with the same ones. Heads keep their first values.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub network: PathBuf,
    /// The game of the network of `weights.safetensors`; the run's own by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub board: Option<GameKind>,
    /// How tables fit a board of another size: by displacement, or stretched, also tables by square.
    #[serde(default, skip_serializing_if = "is_default")]
    pub fit: Fit,
    /// Whether heads begin with those of `network`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub heads: bool,
    /// BLAKE3 of the file; posenc writes it, and refuses another file.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub blake3: String,
    /// `shuffled` permutes the entries, in the same way in all layers, heads and tables: the control.
    #[serde(default)]
    pub order: TableOrder,
    /// Whether encodings keep first values, despite `groups`.
    #[serde(default)]
    pub frozen: bool,
    /// Factor on every entry.
    #[serde(default = "number::<1, _>", deserialize_with = "above_zero")]
    pub scale: f64,
    /// Root mean square to which all moved entries together are scaled.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "above_zero_if_any")]
    pub rms: Option<f64>,
}
}

impl Start {
    /// Whether it is a network's trunk and not tables alone.
    pub fn is_network(&self) -> bool {
        !is_empty(&self.network)
    }

    pub fn file(&self) -> &Path {
        if self.is_network() { &self.network } else { &self.tables }
    }

    pub fn file_mut(&mut self) -> &mut PathBuf {
        if self.is_network() { &mut self.network } else { &mut self.tables }
    }

    /// Whether entries are multiplied by a number.
    pub fn is_scaled(&self) -> bool {
        self.scale != 1.0 || self.rms.is_some()
    }

    /// The reason why it cannot start a network, if there is one.
    pub(crate) fn fault(&self) -> Option<&'static str> {
        match (is_empty(&self.tables), is_empty(&self.network)) {
            (true, true) => Some("expected a file: write `tables` or `network`"),
            (false, false) => Some("expected one file, got `tables` and `network`; leave one of them out"),
            (true, false) if self.order != TableOrder::Kept || self.is_scaled() => {
                Some("`order`, `scale` and `rms` change tables; leave them out, or write `tables` instead of `network`")
            }
            (false, true) if self.heads => Some("`heads` are those of a network; leave it out, or write `network`"),
            _ if self.scale != 1.0 && self.rms.is_some() => Some("expected `scale` or `rms`, got both; leave one out"),
            _ => None,
        }
    }
}

fn is_empty(path: &Path) -> bool {
    path.as_os_str().is_empty()
}

/// How a table fits a board of another size.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fit {
    /// By displacement: an entry stays with its own. Entries by square have none.
    #[default]
    Displacement,
    /// Stretched by bilinear interpolation, the corners in their places: ViT (arXiv 2010.11929 §3.2) on tables by square, in
    /// google-research/vision_transformer, `checkpoint.py`.
    Bilinear,
    /// Stretched by bicubic interpolation, entries as areas: Swin (arXiv 2103.14030 §3.2) on biases by displacement and tables by
    /// square, in microsoft/Swin-Transformer, `utils.py`.
    Bicubic,
}

/// Which displacement has which entry.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TableOrder {
    #[default]
    Kept,
    /// That of another displacement: drawn by the run's seed, the same in all layers, heads and tables.
    Shuffled,
}
