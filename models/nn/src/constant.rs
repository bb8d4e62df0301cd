//! Fixed numbers that a layer needs beside its parameters: index maps, sines, masks.

use std::cell::RefCell;
use std::fmt;
use tch::{Device, Kind, Tensor};

/// A constant tensor that is made on the device where it is first used, and kept there.
///
/// Layers are declared before any device is known, and often only to be counted. A declaration therefore holds the recipe
/// of its constants; the tensors are made by the first forward pass.
pub struct Constant {
    make: Box<dyn Fn() -> Tensor + Send>,
    placed: RefCell<Option<(Device, Tensor)>>,
}

impl Constant {
    /// A constant of indices, i64.
    pub fn indices(values: &[i64], shape: &[i64]) -> Self {
        let values = values.to_vec();
        Self::indices_from(shape, move || values.clone())
    }

    /// A constant of numbers, f32.
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

    /// The tensor on `device`, kept there until another device is asked for.
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

/// A list of integers for a function that has no declaration to keep a [`Constant`] in: made once for a thread, an element type
/// and a device, and kept there.
pub fn kept(values: &[i64], kind: Kind, device: Device) -> Tensor {
    thread_local! {
        static KEPT: RefCell<Vec<(Vec<i64>, Tensor)>> = const { RefCell::new(Vec::new()) };
    }
    KEPT.with_borrow_mut(|kept| {
        let is_it =
            |(own, tensor): &&(Vec<i64>, Tensor)| own == values && (tensor.kind(), tensor.device()) == (kind, device);
        if let Some((_, tensor)) = kept.iter().find(is_it) {
            return tensor.shallow_clone();
        }
        let tensor = Tensor::from_slice(values).to_kind(kind).to_device(device);
        kept.push((values.to_vec(), tensor.shallow_clone()));
        tensor
    })
}

impl fmt::Debug for Constant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Constant").field("placed", &self.placed).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_made_once_for_each_type() {
        let of = |kind| kept(&[1, 2, 4], kind, Device::Cpu);
        let [bytes, wide] = [Kind::Uint8, Kind::Int64].map(of);
        assert_eq!((bytes.kind(), wide.kind()), (Kind::Uint8, Kind::Int64));
        assert_eq!((of(Kind::Uint8).data_ptr(), of(Kind::Int64).data_ptr()), (bytes.data_ptr(), wide.data_ptr()));
        assert_eq!(Vec::<i64>::try_from(wide).expect("three numbers"), [1, 2, 4]);
        assert_eq!(Vec::<i64>::try_from(kept(&[3], Kind::Int64, Device::Cpu)).expect("one number"), [3]);
    }
}
