//! Fixed numbers that a layer needs beside its parameters: index maps, sines, masks.

use std::cell::RefCell;
use std::fmt;
use tch::{Device, Tensor};

/// A constant tensor that is made on the device where it is first used, and kept there.
///
/// Layers are declared before any device is known, and often only to be counted. A declaration therefore holds the recipe
/// of its constants; the tensors are made by the first forward pass.
pub struct Constant {
    make: Box<dyn Fn() -> Tensor + Send>,
    placed: RefCell<Option<(Device, Tensor)>>,
}

impl Constant {
    /// A constant of indices.
    pub fn indices(values: &[i64], shape: &[i64]) -> Self {
        let values = values.to_vec();
        Self::indices_from(shape, move || values.clone())
    }

    /// A constant of numbers.
    pub fn floats(values: &[f32], shape: &[i64]) -> Self {
        let values = values.to_vec();
        Self::floats_from(shape, move || values.clone())
    }

    /// A constant of indices that are computed at the first use: for maps that are large.
    pub fn indices_from(shape: &[i64], values: impl Fn() -> Vec<i64> + Send + 'static) -> Self {
        let shape = shape.to_vec();
        Self::new(move || Tensor::from_slice(&values()).view(&shape[..]))
    }

    /// A constant of numbers that are computed at the first use: for matrices whose size grows with that of the network.
    pub fn floats_from(shape: &[i64], values: impl Fn() -> Vec<f32> + Send + 'static) -> Self {
        let shape = shape.to_vec();
        Self::new(move || Tensor::from_slice(&values()).view(&shape[..]))
    }

    fn new(make: impl Fn() -> Tensor + Send + 'static) -> Self {
        Self { make: Box::new(make), placed: RefCell::new(None) }
    }

    /// The constant on `device`.
    pub fn on(&self, device: Device) -> Tensor {
        let mut placed = self.placed.borrow_mut();
        match placed.as_ref() {
            Some((at, tensor)) if *at == device => tensor.shallow_clone(),
            _ => {
                let tensor = (self.make)().to_device(device);
                *placed = Some((device, tensor.shallow_clone()));
                tensor
            }
        }
    }
}

impl fmt::Debug for Constant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Constant").field("placed", &self.placed).finish_non_exhaustive()
    }
}
