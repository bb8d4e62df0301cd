//! Why a network cannot be imported or exported.

use std::io;
use std::path::PathBuf;
use train::TrainError;
use train::checkpoint::CheckpointError;

#[derive(Debug, thiserror::Error)]
pub enum NetError {
    #[error("cannot {action} {}: {cause}", path.display())]
    Io { action: &'static str, path: PathBuf, cause: io::Error },
    #[error("cannot compress the network: {0}")]
    Pack(io::Error),
    #[error("this is not a weights file of Lc0 ({0}); give it a .pb.gz")]
    NoNetwork(String),
    #[error("this file holds no weights but an ONNX model, which posenc cannot read; take the network's own .pb.gz")]
    Onnx,
    #[error("this network has {what}; posenc reads {wanted}")]
    Unknown { what: String, wanted: String },
    #[error("this network has no part {0:?} to leave out; an import without --without names what prevents it")]
    NoPart(String),
    #[error("Lc0 has no place for {what}; it runs {wanted}")]
    NoPlace { what: String, wanted: String },
    #[error("the weights file is damaged or of an unknown kind: {tensor} {what}")]
    Tensor { tensor: String, what: String },
    #[error(transparent)]
    Train(#[from] TrainError),
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
