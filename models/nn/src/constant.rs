//! Fixed numbers that a layer needs beside its parameters: index maps, sines, masks.

use std::cell::RefCell;
use tch::{Device, Tensor};

/// A constant tensor that is made on the device where it is first used, and kept there.
///
/// Layers are declared before any device is known; this is how they carry their tables.
#[derive(Debug)]
pub struct Constant {
    host: Tensor,
    placed: RefCell<Option<(Device, Tensor)>>,
}

impl Constant {
    /// A constant of indices.
    #[must_use]
    pub fn indices(values: &[i64], shape: &[i64]) -> Self {
        Self::new(Tensor::from_slice(values).view(shape))
    }

    /// A constant of numbers.
    #[must_use]
    pub fn floats(values: &[f32], shape: &[i64]) -> Self {
        Self::new(Tensor::from_slice(values).view(shape))
    }

    fn new(host: Tensor) -> Self {
        Self { host, placed: RefCell::new(None) }
    }

    /// The constant on `device`.
    pub fn on(&self, device: Device) -> Tensor {
        let mut placed = self.placed.borrow_mut();
        match placed.as_ref() {
            Some((at, tensor)) if *at == device => tensor.shallow_clone(),
            _ => {
                let tensor = self.host.to_device(device);
                *placed = Some((device, tensor.shallow_clone()));
                tensor
            }
        }
    }
}
