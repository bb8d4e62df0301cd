//! The final weights as named tensors in their own shapes, in the usual safetensors form.

use super::{CheckpointError, from_little_endian, little_endian};
use dataset::bounded;
use nn::{Layout, ParamSpec};
use records::atomic;
use records::folder::{AVERAGED, CHECKPOINTS, FINAL};
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use std::path::{Path, PathBuf};

pub fn save_final(cell: &Path, layout: &Layout, weights: &[f32]) -> Result<PathBuf, CheckpointError> {
    save(cell, FINAL, layout, weights)
}

pub fn save_averaged(cell: &Path, layout: &Layout, weights: &[f32]) -> Result<PathBuf, CheckpointError> {
    save(cell, AVERAGED, layout, weights)
}

fn save(cell: &Path, name: &str, layout: &Layout, weights: &[f32]) -> Result<PathBuf, CheckpointError> {
    let dir = cell.join(CHECKPOINTS);
    std::fs::create_dir_all(&dir).map_err(CheckpointError::io("create", &dir))?;
    let path = dir.join(name);
    let bytes: Vec<Vec<u8>> =
        layout.params().iter().map(|p| little_endian(&weights[p.offset..p.offset + p.len()])).collect();
    let mut views = Vec::with_capacity(bytes.len());
    for (param, bytes) in layout.params().iter().zip(&bytes) {
        let view = TensorView::new(Dtype::F32, shape(param), bytes);
        views.push((&param.name, view.map_err(|e| CheckpointError::damaged(&path, e))?));
    }
    let file = safetensors::serialize(views, None).map_err(|e| CheckpointError::damaged(&path, e))?;
    atomic::replace(&path, &file).map_err(CheckpointError::io("write", &path))?;
    Ok(path)
}

/// Reads the final weights of a cell, in layout order. Another network's parameters are refused.
pub fn load_final(cell: &Path, layout: &Layout) -> Result<Vec<f32>, CheckpointError> {
    load(cell, FINAL, layout)
}

pub fn load_averaged(cell: &Path, layout: &Layout) -> Result<Vec<f32>, CheckpointError> {
    load(cell, AVERAGED, layout)
}

fn load(cell: &Path, name: &str, layout: &Layout) -> Result<Vec<f32>, CheckpointError> {
    let path = cell.join(CHECKPOINTS).join(name);
    let bytes = bounded::read(&path, bounded::WEIGHTS).map_err(CheckpointError::io("read", &path))?;
    let file = SafeTensors::deserialize(&bytes).map_err(|e| CheckpointError::damaged(&path, e))?;
    if file.len() != layout.params().len() {
        let what = format!("{} parameters instead of {}", file.len(), layout.params().len());
        return Err(CheckpointError::OtherNetwork { path, what });
    }
    let mut weights = vec![0.0; layout.len()];
    for param in layout.params() {
        let view = file.tensor(&param.name).ok().filter(|v| v.dtype() == Dtype::F32 && v.shape() == shape(param));
        let Some(view) = view else {
            let what = format!("{} is missing or has another shape", param.name);
            return Err(CheckpointError::OtherNetwork { path, what });
        };
        weights[param.offset..param.offset + param.len()].copy_from_slice(&from_little_endian(view.data()));
    }
    Ok(weights)
}

fn shape(param: &ParamSpec) -> Vec<usize> {
    param.shape.iter().map(|&size| size as usize).collect()
}
