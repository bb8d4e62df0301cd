//! A dense layer by posenc's kernels as one operation on CPUs.

use super::operands::{contiguous, numbers, writable};
use super::{supports, workers};
use crate::Differentiable;
use crate::differentiable::{BackwardContext, Results, apply_one};
use kernels::dense::{Dense, DenseGradients, DenseOperands, WIDTH};
use tch::{Device, Kind, TchError, Tensor};

/// The most weights of a small layer: half of a core's second cache.
const SMALL: i64 = 1 << 16;

/// `x·Wᵀ (+ b)`, `[…,d]`, `[e,d]` and `[e]`; `None` where LibTorch is to compute it.
pub(crate) fn kernel_dense(x: &Tensor, weight: &Tensor, bias: Option<&Tensor>) -> Option<Tensor> {
    let inputs: Vec<&Tensor> = [Some(x), Some(weight), bias].into_iter().flatten().collect();
    let all_served = inputs.iter().all(|input| supports(input));
    let instructions = workers().instructions;
    let sizes = is_small(weight) && instructions.are_vectors() || is_whole(weight) && instructions.are_avx2();
    let fits = sizes && x.size().last() == weight.size().last() && bias.is_none_or(|bias| is_bias(bias, weight));
    (all_served && fits).then(|| apply_one(DenseOperation, &inputs).expect("LibTorch has memory for a dense layer"))
}

/// Whether a weight `[e,d]` is one whose gradient the kernels are made for. With AVX2 they are faster than MKL in the other two
/// products of larger ones, too.
pub(crate) fn is_small(weight: &Tensor) -> bool {
    is_whole(weight) && weight.numel() as i64 <= SMALL
}

/// Whether a bias has a number for each output of a weight `[e,d]`, and no more: LibTorch repeats others, kernels do not.
fn is_bias(bias: &Tensor, weight: &Tensor) -> bool {
    bias.size() == weight.size()[..1]
}

/// Whether a weight has the widths that the kernels need.
fn is_whole(weight: &Tensor) -> bool {
    let sizes = weight.size();
    sizes.len() == 2 && sizes.iter().all(|size| *size > 0 && size % WIDTH as i64 == 0)
}

/// Its inputs are x, W and, if there is one, b.
struct DenseOperation;

fn layer(x: &Tensor, weight: &Tensor) -> Dense {
    let [outputs, inputs] = [0, 1].map(|i| weight.size()[i] as usize);
    Dense { rows: x.numel() / inputs, inputs, outputs }
}

fn operands(inputs: &[Tensor]) -> DenseOperands {
    DenseOperands { x: numbers(&inputs[0]), weight: numbers(&inputs[1]), bias: inputs.get(2).map(numbers) }
}

impl Differentiable for DenseOperation {
    fn forward(&self, inputs: &[Tensor], _: bool) -> Result<Results, TchError> {
        let inputs = contiguous(inputs)?;
        let mut shape = inputs[0].size();
        *shape.last_mut().expect("x has a width") = inputs[1].size()[0];
        let y = Tensor::f_empty(&shape[..], (Kind::Float, Device::Cpu))?;
        // SAFETY: the tensors live, are contiguous and of the layer's sizes, and y is a new one.
        unsafe { layer(&inputs[0], &inputs[1]).compute(operands(&inputs), numbers(&y), workers()) };
        Ok(Results::one(y))
    }

    fn backward(&self, context: BackwardContext<'_>, wanted: &[bool]) -> Result<Vec<Option<Tensor>>, TchError> {
        let inputs = contiguous(context.inputs)?;
        let of_y = context.gradient()?;
        let layer = layer(&inputs[0], &inputs[1]);
        if !is_small(&inputs[1]) {
            return of_large(layer, &inputs, &of_y, wanted);
        }
        let written = |(input, wanted): (&Tensor, &bool)| wanted.then(|| writable(input)).transpose();
        let all = inputs.iter().zip(wanted).map(written).collect::<Result<Vec<_>, _>>()?;
        let place = |input: usize| all.get(input).and_then(Option::as_ref).map(numbers);
        let to = DenseGradients { of_x: place(0), of_weight: place(1), of_bias: place(2) };
        // SAFETY: as in `forward`.
        unsafe { layer.gradients(operands(&inputs), numbers(&of_y), to, workers()) };
        Ok(all)
    }
}

/// The gradients of a layer whose weights do not fit into the cache: theirs by LibTorch.
fn of_large(layer: Dense, inputs: &[Tensor], of_y: &Tensor, wanted: &[bool]) -> Result<Vec<Option<Tensor>>, TchError> {
    let of_x = wanted[0].then(|| writable(&inputs[0])).transpose()?;
    if let Some(of_x) = &of_x {
        let to = DenseGradients { of_x: Some(numbers(of_x)), of_weight: None, of_bias: None };
        // SAFETY: as in `forward`.
        unsafe { layer.gradients(operands(inputs), numbers(of_y), to, workers()) };
    }
    let rows = |tensor: &Tensor| tensor.f_reshape([-1, *tensor.size().last().expect("rows have a width")]);
    let of_rows = rows(of_y)?;
    let of_weight = wanted[1].then(|| of_rows.f_tr()?.f_mm(&rows(&inputs[0])?)).transpose()?;
    let of_bias = || of_rows.f_sum_dim_intlist([0i64].as_slice(), false, Kind::Float);
    let of_bias = wanted.get(2).map(|wanted| wanted.then(of_bias).transpose()).transpose()?;
    Ok([of_x, of_weight].into_iter().chain(of_bias).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Backend;

    #[test]
    fn other_kinds_and_widths_are_left_to_libtorch() {
        let tensor = |shape: &[i64]| Tensor::ones(shape, (Kind::Float, Device::Cpu));
        let (x, weight) = (tensor(&[3, 32]), tensor(&[16, 32]));
        Backend::Kernels.run(|| {
            assert_eq!(kernel_dense(&x, &weight, None).is_some(), workers().instructions.are_vectors());
            assert!(kernel_dense(&x.to_kind(Kind::Double), &weight, None).is_none());
            assert!(kernel_dense(&x, &tensor(&[24, 32]), None).is_none());
            let with_bias = |outputs: i64| kernel_dense(&x, &weight, Some(&tensor(&[outputs]))).is_some();
            assert_eq!(with_bias(16), workers().instructions.are_vectors());
            // Too short for the kernel, which would read on; LibTorch repeats the first and refuses the second.
            assert!(!with_bias(1) && !with_bias(8));
            let large = kernel_dense(&tensor(&[3, 1024]), &tensor(&[1024, 1024]), None);
            assert_eq!(large.is_some(), workers().instructions.are_avx2());
        });
        assert!(Backend::Operations.run(|| kernel_dense(&x, &weight, None)).is_none());
    }
}
