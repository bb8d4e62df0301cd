//! Further records of a manifest: seeds, determinism, and the outcome of a cell.

use serde::{Deserialize, Serialize};

/// What randomness there is, and what each part is drawn from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seeds {
    /// The order of the training data: a function of the dataset and this.
    pub data_order: u64,
    /// The first weights: each parameter has its own stream, keyed by this and its name.
    pub parameters: u64,
    /// Whether these streams are a twin's, and so other ones.
    pub twin: bool,
}

/// Whether the same cell gives the same bits again, and what was switched for that.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Determinism {
    /// Whether the same bits are promised under the same identity: on a CPU, and on a GPU with `train.deterministic`.
    /// Otherwise a GPU may add in any order.
    pub same_bits: bool,
    pub intra_op_threads: usize,
    pub inter_op_threads: usize,
    /// The environment variables that change how LibTorch and its libraries compute.
    pub environment: Vec<(String, String)>,
}

/// The outcome of a cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finish {
    pub unix_s: f64,
    /// Seconds trained and evaluated, over all sessions.
    pub wall_s: f64,
    /// Training positions a second over that time, evaluations included.
    pub positions_per_s: f64,
    /// BLAKE3 of the final weights: little-endian f32 in layout order, as in `status.json`.
    pub weights: String,
    /// BLAKE3 of the files of final weights, by name.
    pub files: Vec<(String, String)>,
}
