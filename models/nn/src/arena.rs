//! All parameters in one flat tensor.
//!
//! The flat tensor is the only leaf of the graph. [`Arena::views`] splits it once into parameters and padding;
//! autograd joins the pieces' gradients back into one tensor of the same layout, which [`Arena::gradient`] returns.

use crate::layout::{Layout, ParamId};
use std::ops::Index;
use std::sync::Arc;
use tch::{Device, Kind, TchError, Tensor};

/// The flat store and its layout.
#[derive(Debug)]
pub struct Arena {
    layout: Arc<Layout>,
    flat: Tensor,
}

impl Arena {
    /// A store whose parameters start from their own streams, keyed by (`seed`, `salt`, name): two networks that
    /// share a name, a shape and an initialiser share that parameter's first values, whatever else differs. `salt`
    /// is empty except for twins, which differ in every stream.
    ///
    /// # Errors
    /// If the device has no room.
    pub fn initialise(layout: Arc<Layout>, seed: u64, salt: &str, device: Device) -> Result<Self, TchError> {
        let mut values = vec![0f32; layout.len()];
        for param in layout.params() {
            let mut stream = streams::stream(seed, &["init", salt, &param.name]);
            let initial = param.init.values(&mut stream, &param.shape);
            values[param.offset..param.offset + initial.len()].copy_from_slice(&initial);
        }
        Self::from_values(layout, &values, device)
    }

    /// A store with given contents, [`Layout::len`] numbers in layout order.
    ///
    /// # Errors
    /// If the device has no room.
    ///
    /// # Panics
    /// If `values` has another length than the layout.
    pub fn from_values(layout: Arc<Layout>, values: &[f32], device: Device) -> Result<Self, TchError> {
        assert_eq!(values.len(), layout.len(), "the store's contents must fit its layout");
        let flat = Tensor::f_from_slice(values)?.f_to_device(device)?.f_set_requires_grad(true)?;
        Ok(Self { layout, flat })
    }

    /// The layout.
    #[must_use]
    pub fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    /// The flat tensor `[Layout::len]`, without gradient tracking; in-place changes to it change the parameters.
    pub fn flat(&self) -> Tensor {
        self.flat.detach()
    }

    /// The device it lies on.
    #[must_use]
    pub fn device(&self) -> Device {
        self.flat.device()
    }

    /// The contents as numbers in layout order.
    ///
    /// # Errors
    /// If they cannot be copied from the device.
    pub fn values(&self) -> Result<Vec<f32>, TchError> {
        Vec::try_from(self.flat().f_to_device(Device::Cpu)?)
    }

    /// The parameters as views through which gradients flow back to the store.
    #[must_use]
    pub fn views(&self) -> Views {
        Views::split(&self.layout, &self.flat)
    }

    /// The parameters as views without gradient tracking.
    #[must_use]
    pub fn frozen_views(&self) -> Views {
        Views::split(&self.layout, &self.flat())
    }

    /// The gradient of a scalar with respect to the whole store, in layout order; 0 where a parameter (or padding)
    /// has no influence.
    ///
    /// # Errors
    /// If `loss` does not depend on the store, or memory runs out.
    pub fn gradient(&self, loss: &Tensor) -> Result<Tensor, TchError> {
        let unrelated = || TchError::Torch("the loss does not depend on the parameters".to_owned());
        // Asked about a loss without a graph, autograd crashes; about one with another graph, it answers with an
        // undefined tensor.
        if !loss.requires_grad() {
            return Err(unrelated());
        }
        let gradient = Tensor::f_run_backward(&[loss], &[&self.flat], false, false)?.remove(0);
        if !gradient.defined() {
            return Err(unrelated());
        }
        Ok(gradient)
    }
}

/// The parameters of one forward pass, by handle.
#[derive(Debug)]
pub struct Views {
    tensors: Vec<Tensor>,
    device: Device,
}

impl Views {
    /// Splits any tensor in the layout of a store (its averaged weights, a gradient) into parameters.
    #[must_use]
    pub fn split(layout: &Layout, flat: &Tensor) -> Self {
        let order = layout.in_memory_order();
        let mut sizes = Vec::with_capacity(2 * order.len());
        for (i, &id) in order.iter().enumerate() {
            let param = layout.param(id);
            let end = order.get(i + 1).map_or(layout.len(), |&next| layout.param(next).offset);
            sizes.push(param.len() as i64);
            sizes.push((end - param.offset - param.len()) as i64);
        }
        let mut pieces: Vec<_> = flat.split_with_sizes(sizes, 0).into_iter().step_by(2).map(Some).collect();
        let mut tensors: Vec<Option<Tensor>> = (0..order.len()).map(|_| None).collect();
        for (piece, id) in pieces.iter_mut().zip(order) {
            tensors[id.0] = piece.take().map(|p| p.view(&layout.param(id).shape[..]));
        }
        Self { tensors: tensors.into_iter().flatten().collect(), device: flat.device() }
    }

    /// The device they lie on.
    #[must_use]
    pub fn device(&self) -> Device {
        self.device
    }

    /// The element type that matrix products run in.
    #[must_use]
    pub fn kind(&self) -> Kind {
        Kind::Float
    }
}

impl Index<ParamId> for Views {
    type Output = Tensor;

    fn index(&self, id: ParamId) -> &Tensor {
        &self.tensors[id.0]
    }
}
