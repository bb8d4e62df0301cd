//! `posenc inspect`, `posenc export` and `posenc predict` on finished cells.

mod exported;
mod heads;
mod onnx;
mod page;
mod predicted;
mod refused;

use safetensors::SafeTensors;
use std::fs;
use std::path::PathBuf;

/// A safetensors file: names, shapes and bytes of its tensors.
fn tensors(path: PathBuf) -> Vec<(String, Vec<usize>, Vec<u8>)> {
    let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let file = SafeTensors::deserialize(&bytes).expect("a safetensors file");
    let mut tensors: Vec<_> =
        file.iter().map(|(name, view)| (name.to_owned(), view.shape().to_vec(), view.data().to_vec())).collect();
    tensors.sort();
    tensors
}

/// The shape of a tensor, and its numbers of four or eight bytes.
fn numbers(tensors: &[(String, Vec<usize>, Vec<u8>)], name: &str) -> (Vec<usize>, Vec<f64>) {
    let found = tensors.iter().find(|(known, ..)| known == name).unwrap_or_else(|| panic!("there is no {name}"));
    let (_, shape, bytes) = found;
    let values = match bytes.len() / shape.iter().product::<usize>() {
        4 => bytes.chunks_exact(4).map(|c| f64::from(f32::from_le_bytes(c.try_into().expect("four")))).collect(),
        _ => bytes.chunks_exact(8).map(|c| f64::from_le_bytes(c.try_into().expect("eight"))).collect(),
    };
    (shape.clone(), values)
}
