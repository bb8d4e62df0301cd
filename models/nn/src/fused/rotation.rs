//! The rotation by fixed angles as one operation on CPUs.

use super::operands::{rows, with_rows};
use super::{supports, widened, workers};
use crate::Differentiable;
use crate::differentiable::{BackwardContext, Results, apply_one};
use kernels::attention::Sizes;
use kernels::rotation::Rotation;
use tch::{Device, Kind, TchError, Tensor};

/// Vectors `[b,h,l,k]` with each pair of channels rotated by its token's angle, given cosines and sines `[l,k]` that no gradient
/// flows to; in the element type of `x`, computed in f32. `None` where LibTorch is to compute it.
pub(crate) fn rotated(x: &Tensor, cosine: &Tensor, sine: &Tensor) -> Option<Tensor> {
    let fixed = |table: &Tensor| supports(table) && table.dim() == 2 && table.is_contiguous() && !table.requires_grad();
    let (kind, x) = (x.kind(), &widened(x));
    let fits = supports(x) && x.dim() == 4 && fixed(cosine) && fixed(sine);
    fits.then(|| apply_one(Operation, &[x, cosine, sine]).expect("LibTorch has memory for a rotation").to_kind(kind))
}

/// Its inputs are the vectors, the cosines and the sines.
struct Operation;

fn rotate(x: &Tensor, tables: &[Tensor], backwards: bool) -> Result<Tensor, TchError> {
    let x = with_rows(x.shallow_clone())?;
    let [batch, heads, length, width] = [0, 1, 2, 3].map(|i| x.size()[i]);
    // In the order in which the projection and attention have them.
    let found = Tensor::f_empty([batch, length, heads, width], (Kind::Float, Device::Cpu))?.f_transpose(1, 2)?;
    let [batch, heads, length, width] = [batch, heads, length, width].map(|size| size as usize);
    let numbers = |table: &Tensor| {
        // SAFETY: the tables are contiguous, f32 and on the CPU, and live until the kernel returns.
        unsafe { std::slice::from_raw_parts(table.data_ptr().cast::<f32>(), table.numel()) }
    };
    let rotation = Rotation {
        sizes: Sizes { batch, heads, length, width },
        input: rows(&x),
        output: rows(&found),
        cosine: numbers(&tables[0]),
        sine: numbers(&tables[1]),
        backwards,
    };
    // SAFETY: the tensors live and have these sizes, and what is written is new.
    unsafe { rotation.compute(workers()) };
    Ok(found)
}

impl Differentiable for Operation {
    fn forward(&self, inputs: &[Tensor], _: bool) -> Result<Results, TchError> {
        Ok(Results::one(rotate(&inputs[0], &inputs[1..], false)?))
    }

    fn backward(&self, context: BackwardContext<'_>, _: &[bool]) -> Result<Vec<Option<Tensor>>, TchError> {
        let of_output = context.gradients[0].as_ref().expect("a backward pass starts from the only output");
        Ok(vec![Some(rotate(of_output, &context.inputs[1..], true)?), None, None])
    }
}
