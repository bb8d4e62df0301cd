//! Named tensors as a safetensors file.

use crate::checkpoint::{Raw, bytes_of_file};
use crate::error::TrainError;
use records::atomic;
use safetensors::tensor::Dtype;
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
pub fn write(path: &Path, tensors: &[Named]) -> Result<(), TrainError> {
    let raw = tensors.iter().map(raw).collect::<anyhow::Result<Vec<Raw<'_>>>>();
    let bytes = raw.and_then(|raw| Ok(bytes_of_file(&raw)?)).map_err(io::Error::other);
    bytes.and_then(|bytes| atomic::replace(path, &bytes)).map_err(TrainError::file("write", path))
}

fn raw(named: &Named) -> anyhow::Result<Raw<'_>> {
    let Named { name, tensor } = named;
    let flat = tensor.f_detach()?.f_to_device(Device::Cpu)?.f_contiguous()?.f_view([-1])?;
    let (dtype, bytes) = match tensor.kind() {
        Kind::Float => (Dtype::F32, Vec::<f32>::try_from(flat)?.iter().flat_map(|value| value.to_le_bytes()).collect()),
        Kind::Double => {
            (Dtype::F64, Vec::<f64>::try_from(flat)?.iter().flat_map(|value| value.to_le_bytes()).collect())
        }
        Kind::Int8 => (Dtype::I8, Vec::<i8>::try_from(flat)?.iter().flat_map(|value| value.to_le_bytes()).collect()),
        Kind::Int64 => (Dtype::I64, Vec::<i64>::try_from(flat)?.iter().flat_map(|value| value.to_le_bytes()).collect()),
        Kind::Uint8 => (Dtype::U8, Vec::<u8>::try_from(flat)?),
        Kind::Bool => (Dtype::BOOL, Vec::<u8>::try_from(flat.f_to_kind(Kind::Uint8)?)?),
        other => anyhow::bail!("there is no type for {other:?}"),
    };
    Ok((name.as_str(), dtype, tensor.size().iter().map(|&size| size as usize).collect(), bytes))
}
