//! All parameters in one flat tensor.
//!
//! The flat tensor is the only leaf of the graph. [`Arena::views`] splits it once into parameters and padding;
//! autograd joins the pieces' gradients back into one tensor of the same layout, which [`Arena::gradient`] returns.

use crate::Backend;
use crate::dropout::{DropoutKey, Masks};
use crate::layout::{Layout, ParamId, Range};
use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::HashMap;
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
    /// is empty except for A/A controls, which differ in every stream.
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
    /// # Panics
    /// If `values` has another length than the layout.
    pub fn from_values(layout: Arc<Layout>, values: &[f32], device: Device) -> Result<Self, TchError> {
        assert_eq!(values.len(), layout.len(), "the store's contents must fit its layout");
        let flat = Tensor::f_from_slice(values)?.f_to_device(device)?.f_set_requires_grad(true)?;
        Ok(Self { layout, flat })
    }

    /// Which parameters there are, and where each lies in the flat tensor.
    pub fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    /// The flat tensor `[Layout::len]`, without gradient tracking; in-place changes to it change the parameters.
    pub fn flat(&self) -> Tensor {
        self.flat.detach()
    }

    /// The device it lies on.
    pub fn device(&self) -> Device {
        self.flat.device()
    }

    /// The contents as numbers in layout order.
    pub fn values(&self) -> Result<Vec<f32>, TchError> {
        Vec::try_from(self.flat().f_to_device(Device::Cpu)?)
    }

    /// The parameters as views through which gradients flow back to the store.
    pub fn views(&self) -> Views {
        self.views_in(Kind::Float)
    }

    /// The same with matrix weights cast to `kind`; gradients arrive in f32. See [`Views::split_in`].
    pub fn views_in(&self, kind: Kind) -> Views {
        Views::split_in(&self.layout, &self.flat, kind)
    }

    /// Moves running statistics towards what a training step observed, each by the share that is its momentum.
    pub fn update_statistics(&mut self, observed: &[Observation]) -> Result<(), TchError> {
        let flat = self.flat();
        for Observation { id, value, momentum } in observed {
            let param = self.layout.param(*id);
            let mut running = flat.f_narrow(0, param.offset as i64, param.len() as i64)?;
            let _running = running.f_lerp_(&value.f_flatten(0, -1)?, *momentum)?;
        }
        Ok(())
    }

    /// The parameters as views without gradient tracking.
    pub fn frozen_views(&self) -> Views {
        Views::split(&self.layout, &self.flat())
    }

    /// The gradient of a scalar with respect to the whole store, in layout order; 0 where a parameter (or padding)
    /// has no influence. An error if `loss` does not depend on the store, or memory runs out.
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

/// What a training pass saw of a statistic.
#[derive(Debug)]
pub struct Observation {
    /// The parameter that holds the running statistic.
    pub id: ParamId,
    /// Its value over the batch, without gradient.
    pub value: Tensor,
    /// How far the running statistic goes towards it in a step, 0…1.
    pub momentum: f64,
}

/// The parameters of one forward pass, by handle.
#[derive(Debug)]
pub struct Views {
    tensors: Vec<Tensor>,
    /// The parameters of [`Views::cast`] in `kind`, where they are cast together.
    casts: HashMap<ParamId, Tensor>,
    device: Device,
    kind: Kind,
    /// What the pass observes, if it is one of training.
    observed: Option<RefCell<Vec<Observation>>>,
    /// The masks of dropout, if it is one of training in which numbers are dropped.
    masks: Option<Masks>,
}

impl Views {
    /// Splits any tensor in the layout of a store (its averaged weights, a gradient) into parameters.
    pub fn split(layout: &Layout, flat: &Tensor) -> Self {
        Self::split_in(layout, flat, Kind::Float)
    }

    /// The same with the weights of matrix products in `kind`: one cast of the [`crate::Range::Matrix`] half. The
    /// [`crate::Range::Full`] half stays f32, and layers cast what they need of it, some of it by [`Self::cast`].
    pub fn split_in(layout: &Layout, flat: &Tensor, kind: Kind) -> Self {
        let order = layout.in_memory_order();
        let pieces = if kind == Kind::Float {
            split_range(layout, flat, &order, 0..layout.len())
        } else {
            let (matrices, full) = order.split_at(order.partition_point(|&id| layout.param(id).range == Range::Matrix));
            let middle = layout.matrix_end();
            let halves = flat.split_with_sizes([middle as i64, (layout.len() - middle) as i64], 0);
            let mut pieces = split_range(layout, &halves[0].to_kind(kind), matrices, 0..middle);
            pieces.extend(split_range(layout, &halves[1], full, middle..layout.len()));
            pieces
        };
        let mut tensors: Vec<Option<Tensor>> = (0..order.len()).map(|_| None).collect();
        for (piece, id) in pieces.into_iter().zip(order) {
            tensors[id.0] = Some(piece);
        }
        let tensors: Vec<Tensor> = tensors.into_iter().flatten().collect();
        let together = kind != Kind::Float && Backend::on(flat.device()) == Backend::Fused;
        let casts = if together { cast_together(layout, &tensors, kind) } else { HashMap::new() };
        Self { tensors, casts, device: flat.device(), kind, observed: None, masks: None }
    }

    /// A parameter of [`crate::Scope::cast_param`] in the element type of the matrices. On a GPU all of them are cast
    /// together, where each alone would cost a kernel in each direction.
    pub fn cast(&self, id: ParamId) -> Tensor {
        self.casts.get(&id).map_or_else(|| self[id].to_kind(self.kind), Tensor::shallow_clone)
    }

    /// [`Self::cast`] of a parameter times a factor.
    pub fn cast_times(&self, id: ParamId, factor: f64) -> Tensor {
        self.casts.get(&id).map_or_else(|| (&self[id] * factor).to_kind(self.kind), |cast| cast * factor)
    }

    /// The same for a pass of training: normalisations over the batch take the batch's statistics, not the running ones.
    pub fn for_training(self) -> Self {
        Self { observed: Some(RefCell::default()), ..self }
    }

    /// The same for a pass in which numbers are dropped where a layer has dropout.
    pub fn with_dropout(self, key: DropoutKey) -> Self {
        Self { masks: Some(Masks::new(key)), ..self }
    }

    /// Whether a layer that drops this share of numbers does so in this pass.
    pub fn drop_numbers(&self, share: f64) -> bool {
        share > 0.0 && self.masks.is_some()
    }

    /// `x` `[b,…]` with each number dropped with this probability, in a [pass with dropout](Self::with_dropout); `x` in others.
    pub fn dropout(&self, x: &Tensor, share: f64) -> Tensor {
        let masks = self.masks.as_ref().filter(|_| share > 0.0);
        masks.map_or_else(|| x.shallow_clone(), |masks| masks.apply(x, share))
    }

    /// Whether the pass is one of training.
    pub fn are_for_training(&self) -> bool {
        self.observed.is_some()
    }

    /// Keeps what a layer observed in a pass of training; forgets it in any other.
    pub fn observe(&self, observation: Observation) {
        if let Some(observed) = &self.observed {
            observed.borrow_mut().push(observation);
        }
    }

    /// What the pass observed, in the order of the layers.
    pub fn into_observed(self) -> Vec<Observation> {
        self.observed.map(RefCell::into_inner).unwrap_or_default()
    }

    /// The device they lie on.
    pub fn device(&self) -> Device {
        self.device
    }

    /// The element type that matrix products run in.
    pub fn kind(&self) -> Kind {
        self.kind
    }
}

/// The parameters `ids`, which fill `range` of the store in this order, as views of `part`, which holds that range.
fn split_range(layout: &Layout, part: &Tensor, ids: &[ParamId], range: std::ops::Range<usize>) -> Vec<Tensor> {
    if ids.is_empty() {
        return Vec::new();
    }
    let mut sizes = Vec::with_capacity(2 * ids.len());
    for (i, &id) in ids.iter().enumerate() {
        let param = layout.param(id);
        let end = ids.get(i + 1).map_or(range.end, |&next| layout.param(next).offset);
        sizes.push(param.len() as i64);
        sizes.push((end - param.offset - param.len()) as i64);
    }
    let pieces = part.split_with_sizes(sizes, 0).into_iter().step_by(2);
    pieces.zip(ids).map(|(piece, &id)| piece.view(&layout.param(id).shape[..])).collect()
}

/// The parameters of `tensors` that layers read in `kind`, joined, cast and split again.
fn cast_together(layout: &Layout, tensors: &[Tensor], kind: Kind) -> HashMap<ParamId, Tensor> {
    let mut ids: Vec<_> = (0..tensors.len()).map(ParamId).filter(|&id| layout.param(id).cast).collect();
    // Kernels choose wide loads by a pointer's alignment: each piece begins at a multiple of the power of two in its length.
    ids.sort_by_key(|&id| Reverse(layout.param(id).len().trailing_zeros()));
    if ids.is_empty() {
        return HashMap::new();
    }
    let flat: Vec<_> = ids.iter().map(|id| tensors[id.0].flatten(0, -1)).collect();
    let sizes: Vec<_> = flat.iter().map(|piece| piece.numel() as i64).collect();
    let pieces = Tensor::cat(&flat, 0).to_kind(kind).split_with_sizes(sizes, 0);
    ids.into_iter().zip(pieces).map(|(id, piece)| (id, piece.view_as(&tensors[id.0]))).collect()
}

impl Index<ParamId> for Views {
    type Output = Tensor;

    fn index(&self, id: ParamId) -> &Tensor {
        &self.tensors[id.0]
    }
}
