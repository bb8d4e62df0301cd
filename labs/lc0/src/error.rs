//! Why a network cannot be imported or exported.

use std::io;
use std::path::PathBuf;
use train::TrainError;
use train::checkpoint::CheckpointError;
use train::inference::InferenceError;

/// Why a network cannot be imported or exported.
#[derive(Debug, thiserror::Error)]
pub enum NetError {
    /// A file cannot be read or written.
    #[error("cannot {action} {}: {cause}", path.display())]
    Io { action: &'static str, path: PathBuf, cause: io::Error },
    /// The written network cannot be compressed.
    #[error("cannot compress the network: {0}")]
    Pack(io::Error),
    /// The file is not a weights file, or is damaged.
    #[error("this is not a weights file of Lc0 ({0}); give it a .pb.gz")]
    NoNetwork(String),
    /// It holds an ONNX model.
    #[error("this file holds no weights but an ONNX model, which posenc cannot read; take the network's own .pb.gz")]
    Onnx,
    /// Its architecture has a part that posenc does not have.
    #[error("this network has {what}; posenc reads {wanted}")]
    Unknown {
        what: String,
        /// The readable alternatives.
        wanted: String,
    },
    /// A part named by `--without` does not exist.
    #[error("this network has no part {0:?} to leave out; an import without --without names what stands in its way")]
    NoPart(String),
    /// A cell's network has a part that Lc0's networks do not have.
    #[error("Lc0 has no place for {what}; it runs {wanted}")]
    NoPlace { what: String, wanted: String },
    /// A tensor is missing, or its size contradicts the rest of the network.
    #[error("the weights file is damaged or of an unknown kind: {tensor} {what}")]
    Tensor {
        /// The tensor by its name in the format.
        tensor: String,
        /// What is wrong with it.
        what: String,
    },
    #[error(transparent)]
    Cell(#[from] InferenceError),
    /// The network or its dataset cannot be used.
    #[error(transparent)]
    Train(#[from] TrainError),
    /// The weights cannot be written.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
}

impl NetError {
    pub(super) fn tensor(tensor: &str, what: impl Into<String>) -> Self {
        Self::Tensor { tensor: tensor.to_owned(), what: what.into() }
    }

    pub(super) fn no_place(what: impl Into<String>, wanted: impl Into<String>) -> Self {
        Self::NoPlace { what: what.into(), wanted: wanted.into() }
    }

    pub(super) fn unknown(what: impl Into<String>, wanted: impl Into<String>) -> Self {
        Self::Unknown { what: what.into(), wanted: wanted.into() }
    }
}
