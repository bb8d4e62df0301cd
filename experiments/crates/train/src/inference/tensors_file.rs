//! Named tensors as a safetensors file.

use super::error::InferenceError;
use records::atomic;
use safetensors::tensor::{Dtype, TensorView};
use std::io;
use std::path::Path;
use tch::{Device, Kind, Tensor};

/// A tensor and its name in a file.
#[derive(Debug)]
pub struct Named {
    pub name: String,
    /// f32, f64, i64, i8, u8 or bool, on any device.
    pub tensor: Tensor,
}

impl Named {
    pub fn new(name: impl Into<String>, tensor: Tensor) -> Self {
        Self { name: name.into(), tensor }
    }
}

/// Writes a file with these tensors, or leaves the existing file unchanged.
pub fn write(path: &Path, tensors: &[Named]) -> Result<(), InferenceError> {
    let written = bytes(tensors).map_err(io::Error::other).and_then(|bytes| atomic::replace(path, &bytes));
    written.map_err(InferenceError::io("write", path))
}

/// The bytes of a file with these tensors, without metadata, whose order would differ from run to run.
fn bytes(tensors: &[Named]) -> anyhow::Result<Vec<u8>> {
    let raw = tensors.iter().map(|named| raw(&named.tensor)).collect::<Result<Vec<_>, _>>()?;
    let mut views = Vec::with_capacity(raw.len());
    for (named, (dtype, bytes)) in tensors.iter().zip(&raw) {
        let shape = named.tensor.size().iter().map(|&size| size as usize).collect();
        views.push((named.name.as_str(), TensorView::new(*dtype, shape, bytes)?));
    }
    Ok(safetensors::serialize(views, None)?)
}

fn raw(tensor: &Tensor) -> anyhow::Result<(Dtype, Vec<u8>)> {
    let flat = tensor.f_detach()?.f_to_device(Device::Cpu)?.f_contiguous()?.f_view([-1])?;
    Ok(match tensor.kind() {
        Kind::Float => (Dtype::F32, Vec::<f32>::try_from(flat)?.iter().flat_map(|value| value.to_le_bytes()).collect()),
        Kind::Double => {
            (Dtype::F64, Vec::<f64>::try_from(flat)?.iter().flat_map(|value| value.to_le_bytes()).collect())
        }
        Kind::Int8 => (Dtype::I8, Vec::<i8>::try_from(flat)?.iter().flat_map(|value| value.to_le_bytes()).collect()),
        Kind::Int64 => (Dtype::I64, Vec::<i64>::try_from(flat)?.iter().flat_map(|value| value.to_le_bytes()).collect()),
        Kind::Uint8 => (Dtype::U8, Vec::<u8>::try_from(flat)?),
        Kind::Bool => (Dtype::BOOL, Vec::<u8>::try_from(flat.f_to_kind(Kind::Uint8)?)?),
        other => anyhow::bail!("there is no type for {other:?}"),
    })
}
