//! `train.start`: tables of another network that training begins with.
//!
//! ```yaml
//! train: {start: {tables: chess-shaw.safetensors}}                    # the tables of a network of chess, in their places
//! train: {start: {tables: chess-shaw.safetensors, order: shuffled}}   # the control: the same numbers in other places
//! train: {start: {tables: chess-shaw.safetensors, frozen: true}}      # not learnt further
//! ```

use super::describe::described;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use std::path::PathBuf;

described! {
/// Tables that training begins with, in the place of the encodings' own first values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Start {
    /// A file of tables by displacement: tables.safetensors of an export; relative to the file that names it. The board may
    /// be another one. Displacements that it does not have keep their first value.
    pub tables: PathBuf,
    /// BLAKE3 of the file. posenc writes it into a cell's configuration, and refuses a file that has another one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub blake3: String,
    /// Whether each displacement has its own entry, or that of another one: the control.
    #[serde(default)]
    pub order: TableOrder,
    /// Whether the encodings' parameters are not trained further.
    #[serde(default)]
    pub frozen: bool,
    /// What every entry is multiplied by, so that tables of networks that learnt at different rates can have one spread.
    #[serde(default = "unscaled", deserialize_with = "positive")]
    pub scale: f64,
}
}

fn unscaled() -> f64 {
    1.0
}

fn positive<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    let scale = f64::deserialize(from)?;
    match scale.is_finite() && scale > 0.0 {
        true => Ok(scale),
        false => Err(D::Error::custom(format!("`scale` must be a positive number, got {scale}"))),
    }
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
