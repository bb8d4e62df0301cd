//! Whether weights are those that a cell ended with, and numbers.

use super::error::InferenceError;
use crate::cell::weights_hash;
use config::Weights;
use nn::Layout;
use records::folder::{AVERAGED, CHECKPOINTS, FINAL};
use records::{Status, manifest, status};
use std::path::Path;

/// Refuses final weights that are not those whose hash the cell recorded. Cells without a record, such as imported networks
/// and those of older versions, have nothing to compare with.
pub(super) fn check(dir: &Path, which: Weights, weights: &[f32]) -> Result<(), InferenceError> {
    let name = if which == Weights::Averaged { AVERAGED } else { FINAL };
    let file = dir.join(CHECKPOINTS).join(name);
    let of_file = manifest::files_of_weights(dir)?.into_iter().find(|(of, _)| of == name);
    let (record, expected, found) = if let Some((_, expected)) = of_file {
        let bytes = std::fs::read(&file).map_err(InferenceError::io("read", &file))?;
        (manifest::FILE, expected, blake3::hash(&bytes).to_hex().to_string())
    } else if let Some(result) = Status::read(dir)?.and_then(|status| status.result).filter(|_| name == FINAL) {
        (status::FILE, result.weights, weights_hash(weights))
    } else {
        return Ok(());
    };
    if expected == found { Ok(()) } else { Err(InferenceError::OtherWeights { file, record, expected, found }) }
}

/// Refuses weights of which one is infinite or not a number.
pub(super) fn check_finite(dir: &Path, layout: &Layout, weights: &[f32]) -> Result<(), InferenceError> {
    for param in layout.params() {
        let values = &weights[param.offset..param.offset + param.len()];
        let count = values.iter().filter(|value| !value.is_finite()).count();
        if count > 0 {
            let (dir, tensor, size) = (dir.to_owned(), param.name.clone(), values.len());
            return Err(InferenceError::NotFinite { dir, tensor, count, size });
        }
    }
    Ok(())
}
