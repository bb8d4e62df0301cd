//! Checkpoints: everything that a cell needs to resume bit-identically.
//!
//! `checkpoints/step-<n>.safetensors` holds the flat weights and the optimiser's flat moments. `step-<n>.yaml` holds
//! the rest (scalars, names, shapes and offsets, length of `metrics.jsonl`) and the hash of the tensor file. The YAML
//! is written last, so a checkpoint exists once its YAML does. The newest two are kept. The final weights stand beside them,
//! as named tensors in their own shapes, in the usual safetensors form.

use dataset::{GenerationCounts, bounded};
use nn::{Layout, ParamSpec};
use records::atomic;
use records::folder::{AVERAGED, CHECKPOINTS, FINAL, entries};
use records::identity::Identity;
use safetensors::tensor::{Dtype, SafeTensorError, SafeTensors, TensorView};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

const FORMAT: u32 = 1;

/// The number of kept checkpoints: the newest, and a fallback.
const KEPT: usize = 2;

const PREFIX: &str = "step-";

/// Names of the flat weights and of their average among the tensors; moments are named `optimizer.<name>`.
const WEIGHTS: &str = "weights";
const MOMENT_PREFIX: &str = "optimizer.";
const AVERAGE: &str = "average";

/// The flat tensors of a checkpoint, in layout order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CheckpointTensors {
    pub weights: Vec<f32>,
    /// The optimiser's moments by name, each as long as the weights.
    pub moments: BTreeMap<String, Vec<f32>>,
    pub average: Option<Vec<f32>>,
}

/// The rest of a checkpoint: step, scalars, training metrics, hashes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainingProgress {
    /// Completed optimiser steps. The state of the data loader follows from it.
    pub step: u64,
    pub optimizer: BTreeMap<String, f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub average_updates: Option<u64>,
    pub metrics: Prefix,
    pub window: Window,
    /// The hash chain over all batches so far.
    pub batches: String,
    pub wall_s: f64,
    /// What the training positions so far took to make, if they are not stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made: Option<GenerationCounts>,
}

/// The part of `metrics.jsonl` that a checkpoint covers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prefix {
    pub bytes: u64,
    pub blake3: String,
}

/// Training metrics since the last line.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Window {
    pub steps: u64,
    /// The sum of each metric over these steps.
    pub sums: BTreeMap<String, f64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    format: u32,
    blake3: String,
    identity: Identity,
    progress: TrainingProgress,
    layout: Vec<ParamOffset>,
}

/// The offset of a parameter in the flat tensors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ParamOffset {
    name: String,
    shape: Vec<i64>,
    offset: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Checkpoint {
    pub tensors: CheckpointTensors,
    pub progress: TrainingProgress,
    pub identity: Identity,
}

#[derive(Debug)]
pub struct Skipped {
    pub step: u64,
    pub reason: CheckpointError,
}

#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    #[error("cannot {action} {path}: {cause}; fix this, and the next run resumes from the newest valid checkpoint")]
    Io { action: &'static str, path: PathBuf, cause: io::Error },
    #[error("{path} is damaged: {what}")]
    Damaged { path: PathBuf, what: String },
    #[error("{path} holds parameters of another network: {what}")]
    OtherNetwork { path: PathBuf, what: String },
    /// All checkpoints are invalid; `why` has the newest first.
    #[error("no checkpoint in {dir} can be used ({why}); remove that folder to begin this cell again from step 0")]
    NoneUsable { dir: PathBuf, why: String },
}

impl CheckpointError {
    fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |cause| Self::Io { action, path: path.to_owned(), cause }
    }

    fn damaged(path: &Path, what: impl ToString) -> Self {
        Self::Damaged { path: path.to_owned(), what: what.to_string() }
    }
}

impl Checkpoint {
    /// Writes it into a cell's folder and removes all but the newest two.
    pub fn save(&self, cell: &Path, layout: &Layout) -> Result<(), CheckpointError> {
        let dir = cell.join(CHECKPOINTS);
        std::fs::create_dir_all(&dir).map_err(CheckpointError::io("create", &dir))?;
        let bytes = self.tensors.to_bytes(&dir)?;
        let header = Header {
            format: FORMAT,
            blake3: blake3::hash(&bytes).to_hex().to_string(),
            identity: self.identity.clone(),
            progress: self.progress.clone(),
            layout: offsets(layout),
        };
        let tensors = tensors_file(&dir, self.progress.step);
        atomic::replace(&tensors, &bytes).map_err(CheckpointError::io("write", &tensors))?;
        let yaml = header_file(&dir, self.progress.step);
        let text = serde_yaml::to_string(&header).map_err(|e| CheckpointError::damaged(&yaml, e))?;
        atomic::replace(&yaml, text.as_bytes()).map_err(CheckpointError::io("write", &yaml))?;
        let steps = steps(&dir)?;
        remove_all_except(&dir, &steps[steps.len().saturating_sub(KEPT)..])
    }

    /// The newest valid checkpoint whose part of `metrics.jsonl` still exists, and the skipped ones; `None` if the cell
    /// has no checkpoint.
    pub fn newest(
        cell: &Path,
        metrics: &Path,
        layout: &Layout,
    ) -> Result<Option<(Self, Vec<Skipped>)>, CheckpointError> {
        let dir = cell.join(CHECKPOINTS);
        let mut skipped: Vec<Skipped> = Vec::new();
        for step in steps(&dir)?.into_iter().rev() {
            match Self::load(&dir, step, metrics, layout) {
                Ok(checkpoint) => return Ok(Some((checkpoint, skipped))),
                Err(reason) => skipped.push(Skipped { step, reason }),
            }
        }
        if skipped.is_empty() {
            return Ok(None);
        }
        let why: Vec<_> = skipped.iter().map(|skipped| skipped.reason.to_string()).collect();
        Err(CheckpointError::NoneUsable { dir, why: why.join("; ") })
    }

    fn load(dir: &Path, step: u64, metrics: &Path, layout: &Layout) -> Result<Self, CheckpointError> {
        let yaml = header_file(dir, step);
        let text = bounded::read(&yaml, bounded::TEXT).map_err(CheckpointError::io("read", &yaml))?;
        let header: Header = serde_yaml::from_slice(&text).map_err(|e| CheckpointError::damaged(&yaml, e))?;
        if header.format != FORMAT {
            let what = format!("its format is {}, this program reads {FORMAT}", header.format);
            return Err(CheckpointError::damaged(&yaml, what));
        }
        if header.progress.step != step || blake3::Hash::from_hex(&header.progress.batches).is_err() {
            return Err(CheckpointError::damaged(&yaml, "it has another step than its name, or no hash of batches"));
        }
        check_layout(&yaml, &header.layout, layout)?;
        header.progress.metrics.check(metrics)?;
        let path = tensors_file(dir, step);
        let bytes = bounded::read(&path, bounded::WEIGHTS).map_err(CheckpointError::io("read", &path))?;
        if blake3::hash(&bytes).to_hex().as_str() != header.blake3 {
            return Err(CheckpointError::damaged(&path, "its hash is not the recorded one"));
        }
        let tensors = CheckpointTensors::from_bytes(&path, &bytes, layout.len())?;
        Ok(Self { tensors, progress: header.progress, identity: header.identity })
    }
}

/// The BLAKE3 hash of a network's weights in layout order, as in `status.json`.
pub(crate) fn weights_hash(weights: &[f32]) -> String {
    let mut hasher = blake3::Hasher::new();
    for value in weights {
        hasher.update(&value.to_le_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

impl Prefix {
    pub fn of(path: &Path) -> Result<Self, CheckpointError> {
        let bytes = bounded::read(path, bounded::RECORD).map_err(CheckpointError::io("read", path))?;
        Ok(Self { bytes: bytes.len() as u64, blake3: blake3::hash(&bytes).to_hex().to_string() })
    }

    fn check(&self, path: &Path) -> Result<(), CheckpointError> {
        let bytes = bounded::read(path, bounded::RECORD).map_err(CheckpointError::io("read", path))?;
        match usize::try_from(self.bytes).ok().and_then(|length| bytes.get(..length)) {
            None => Err(CheckpointError::damaged(path, format!("{} of {} bytes are left", bytes.len(), self.bytes))),
            Some(prefix) if blake3::hash(prefix).to_hex().as_str() != self.blake3 => {
                Err(CheckpointError::damaged(path, format!("its first {} bytes were changed", self.bytes)))
            }
            Some(_) => Ok(()),
        }
    }
}

impl CheckpointTensors {
    fn to_bytes(&self, dir: &Path) -> Result<Vec<u8>, CheckpointError> {
        let moments = self.moments.iter().map(|(name, moment)| (format!("{MOMENT_PREFIX}{name}"), moment));
        let average = self.average.iter().map(|average| (AVERAGE.to_owned(), average));
        let named: Vec<(String, &Vec<f32>)> =
            std::iter::once((WEIGHTS.to_owned(), &self.weights)).chain(average).chain(moments).collect();
        let flat = named.iter().map(|(name, values)| raw(name, vec![values.len()], values)).collect::<Vec<_>>();
        bytes_of_file(&flat).map_err(|e| CheckpointError::damaged(dir, e))
    }

    fn from_bytes(path: &Path, bytes: &[u8], len: usize) -> Result<Self, CheckpointError> {
        let file = SafeTensors::deserialize(bytes).map_err(|e| CheckpointError::damaged(path, e))?;
        let mut tensors = Self::default();
        for (name, view) in file.iter() {
            let values = from_little_endian(view.data());
            if view.dtype() != Dtype::F32 || values.len() != len {
                return Err(CheckpointError::damaged(path, format!("{name} does not have {len} numbers of type f32")));
            }
            match name.strip_prefix(MOMENT_PREFIX) {
                Some(moment) => drop(tensors.moments.insert(moment.to_owned(), values)),
                None if name == AVERAGE => tensors.average = Some(values),
                None => tensors.weights = values,
            }
        }
        if tensors.weights.len() != len {
            return Err(CheckpointError::damaged(path, "it has no weights"));
        }
        Ok(tensors)
    }
}

fn offsets(layout: &Layout) -> Vec<ParamOffset> {
    let offset = |p: &ParamSpec| ParamOffset { name: p.name.clone(), shape: p.shape.clone(), offset: p.offset };
    layout.params().iter().map(offset).collect()
}

fn check_layout(path: &Path, found: &[ParamOffset], layout: &Layout) -> Result<(), CheckpointError> {
    let expected = offsets(layout);
    let what = match found.iter().zip(&expected).find(|(found, expected)| found != expected) {
        Some((found, expected)) => format!("{found:?} instead of {expected:?}"),
        None if found.len() != expected.len() => format!("{} instead of {}", found.len(), expected.len()),
        None => return Ok(()),
    };
    Err(CheckpointError::OtherNetwork { path: path.to_owned(), what })
}

/// A tensor of a safetensors file: its name, type, shape and bytes.
pub(crate) type Raw<'a> = (&'a str, Dtype, Vec<usize>, Vec<u8>);

/// The bytes of a safetensors file, without metadata, whose order would differ from run to run.
pub(crate) fn bytes_of_file(tensors: &[Raw<'_>]) -> Result<Vec<u8>, SafeTensorError> {
    let mut views = Vec::with_capacity(tensors.len());
    for (name, dtype, shape, bytes) in tensors {
        views.push((*name, TensorView::new(*dtype, shape.clone(), bytes)?));
    }
    safetensors::serialize(views, None)
}

fn raw<'a>(name: &'a str, shape: Vec<usize>, values: &[f32]) -> Raw<'a> {
    (name, Dtype::F32, shape, values.iter().flat_map(|value| value.to_le_bytes()).collect())
}

pub(crate) fn from_little_endian(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks::<{ size_of::<f32>() }>().0.iter().map(|chunk| f32::from_le_bytes(*chunk)).collect()
}

fn tensors_file(dir: &Path, step: u64) -> PathBuf {
    dir.join(format!("{PREFIX}{step}.safetensors"))
}

fn header_file(dir: &Path, step: u64) -> PathBuf {
    dir.join(format!("{PREFIX}{step}.yaml"))
}

/// The steps that have a checkpoint, ascending.
fn steps(dir: &Path) -> Result<Vec<u64>, CheckpointError> {
    let mut steps: Vec<u64> = names(dir)?.iter().filter_map(|name| name.strip_suffix(".yaml").and_then(step)).collect();
    steps.sort_unstable();
    Ok(steps)
}

/// Removes other checkpoints and files of interrupted writes.
pub(super) fn remove_all_except(dir: &Path, steps: &[u64]) -> Result<(), CheckpointError> {
    let kept = |name: &str| {
        let stem = name.strip_suffix(".yaml").or_else(|| name.strip_suffix(".safetensors"));
        stem.and_then(step).is_some_and(|step| steps.contains(&step))
    };
    for name in names(dir)?.iter().filter(|name| name.starts_with(PREFIX) && !kept(name)) {
        let path = dir.join(name);
        std::fs::remove_file(&path).map_err(CheckpointError::io("remove", &path))?;
    }
    Ok(())
}

fn step(stem: &str) -> Option<u64> {
    stem.strip_prefix(PREFIX)?.parse().ok()
}

fn names(dir: &Path) -> Result<Vec<String>, CheckpointError> {
    let entries = entries(dir).map_err(CheckpointError::io("list", dir))?;
    Ok(entries.iter().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect())
}

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
    let tensors = layout.params().iter().map(|p| raw(&p.name, shape(p), &weights[p.offset..p.offset + p.len()]));
    let file = bytes_of_file(&tensors.collect::<Vec<_>>()).map_err(|e| CheckpointError::damaged(&path, e))?;
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
        let Some(values) = of_shape(&file, param) else {
            let what = format!("{} is missing or has another shape", param.name);
            return Err(CheckpointError::OtherNetwork { path, what });
        };
        weights[param.offset..param.offset + param.len()].copy_from_slice(&values);
    }
    Ok(weights)
}

/// The numbers of the tensor with a parameter's name and shape.
pub(crate) fn of_shape(file: &SafeTensors<'_>, param: &ParamSpec) -> Option<Vec<f32>> {
    let view =
        file.tensor(&param.name).ok().filter(|view| view.dtype() == Dtype::F32 && view.shape() == shape(param))?;
    Some(from_little_endian(view.data()))
}

pub(crate) fn shape(param: &ParamSpec) -> Vec<usize> {
    param.shape.iter().map(|&size| size as usize).collect()
}
