//! A dense layer of few weights as one operation on CPUs.

use crate::differentiable::{Known, Results, apply_one};
use crate::fused::workers;
use crate::numbers::{numbers, writable};
use crate::{Differentiable, fused};
use kernels::dense::{Dense, WIDTH};
use tch::{Device, Kind, TchError, Tensor};

/// The most weights: half of a core's second cache.
const MOST: i64 = 1 << 16;

/// `x·Wᵀ (+ b)`, `[…,d]`, `[e,d]` and `[e]`; `None` where LibTorch is to compute it.
pub(crate) fn small_dense(x: &Tensor, weight: &Tensor, bias: Option<&Tensor>) -> Option<Tensor> {
    let inputs: Vec<&Tensor> = [Some(x), Some(weight), bias].into_iter().flatten().collect();
    let all_served = inputs.iter().all(|input| fused::serves(input));
    let (outputs, width) = weight.size2().ok()?;
    let fits = x.size().last() == Some(&width) && outputs * width <= MOST;
    let whole = [outputs, width].iter().all(|size| size % WIDTH as i64 == 0);
    let served = all_served && fits && whole && workers().instructions.are_vectors();
    served.then(|| apply_one(Operation, &inputs).expect("LibTorch has memory for a dense layer"))
}

/// Its inputs are x, W and, if there is one, b.
struct Operation;

fn layer(x: &Tensor, weight: &Tensor) -> Dense {
    let [outputs, inputs] = [0, 1].map(|i| weight.size()[i] as usize);
    Dense { rows: x.numel() / inputs, inputs, outputs }
}

impl Differentiable for Operation {
    fn forward(&self, inputs: &[Tensor], _: bool) -> Result<Results, TchError> {
        let (x, weight) = (inputs[0].f_contiguous()?, inputs[1].f_contiguous()?);
        let bias = inputs.get(2).map(Tensor::f_contiguous).transpose()?;
        let mut shape = x.size();
        *shape.last_mut().expect("x has a width") = weight.size()[0];
        let y = Tensor::f_empty(&shape[..], (Kind::Float, Device::Cpu))?;
        let bias = bias.as_ref().map(numbers);
        // SAFETY: the tensors live, are contiguous and of the layer's sizes, and y is a new one.
        unsafe { layer(&x, &weight).compute(numbers(&x), numbers(&weight), bias, numbers(&y), workers()) };
        Ok(Results::one(y))
    }

    fn backward(&self, known: Known<'_>, wanted: &[bool]) -> Result<Vec<Option<Tensor>>, TchError> {
        let (x, weight) = (known.inputs[0].f_contiguous()?, known.inputs[1].f_contiguous()?);
        let of_y = known.gradients[0].as_ref().expect("a backward pass starts from the only output").f_contiguous()?;
        let of_x = wanted[0].then(|| writable(&x)).transpose()?;
        if let Some(of_x) = &of_x {
            // SAFETY: as in `forward`.
            unsafe { layer(&x, &weight).gradient_of_rows(numbers(&of_y), numbers(&weight), numbers(of_x), workers()) };
        }
        let rows = |tensor: &Tensor| tensor.f_reshape([-1, *tensor.size().last().expect("rows have a width")]);
        let of_rows = rows(&of_y)?;
        let of_weight = wanted[1].then(|| of_rows.f_tr()?.f_mm(&rows(&x)?)).transpose()?;
        let mut all = vec![of_x, of_weight];
        if let Some(wanted) = wanted.get(2) {
            all.push(wanted.then(|| of_rows.f_sum_dim_intlist([0i64].as_slice(), false, Kind::Float)).transpose()?);
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_kinds_and_widths_are_left_to_libtorch() {
        let tensor = |shape: &[i64]| Tensor::ones(shape, (Kind::Float, Device::Cpu));
        let (x, weight) = (tensor(&[3, 32]), tensor(&[16, 32]));
        fused::with(true, || {
            assert_eq!(small_dense(&x, &weight, None).is_some(), workers().instructions.are_vectors());
            assert!(small_dense(&x.to_kind(Kind::Double), &weight, None).is_none());
            assert!(small_dense(&x, &tensor(&[24, 32]), None).is_none());
            assert!(small_dense(&tensor(&[3, 1024]), &tensor(&[1024, 1024]), None).is_none());
        });
        assert!(fused::with(false, || small_dense(&x, &weight, None)).is_none());
    }
}
