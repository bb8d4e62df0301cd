//! Mish of a sum with a bias as one operation on CPUs.

use super::operands::{numbers, writable};
use super::{supports, widened, workers};
use crate::Differentiable;
use crate::differentiable::{BackwardContext, Results, apply_one};
use kernels::mish::{BiasMish, BiasMishGradients};
use tch::{TchError, Tensor};

/// Mish of `x + bias`, `[…,d]` and `[d]`, in the element type of `x`, computed in f32; the bias is f32. `None` where LibTorch is
/// to compute it.
pub(crate) fn bias_mish(x: &Tensor, bias: Option<&Tensor>) -> Option<Tensor> {
    let kind = x.kind();
    let x = &widened(x);
    let inputs: Vec<&Tensor> = [Some(x), bias].into_iter().flatten().collect();
    let fits = inputs.iter().all(|input| supports(input)) && x.dim() > 0;
    let one_size = bias.is_none_or(|bias| bias.size().last() == x.size().last());
    let served = fits && one_size;
    served.then(|| apply_one(MishOperation, &inputs).expect("LibTorch has memory for an activation").to_kind(kind))
}

/// Its inputs are x and, if there is one, the bias.
struct MishOperation;

/// Given x, contiguous, and the inputs.
fn mish(x: &Tensor, inputs: &[Tensor]) -> BiasMish {
    let width = x.size().last().map_or(1, |&width| width as usize);
    BiasMish { rows: x.numel() / width, width, input: numbers(x), bias: inputs.get(1).map(numbers) }
}

impl Differentiable for MishOperation {
    fn forward(&self, inputs: &[Tensor], _: bool) -> Result<Results, TchError> {
        let x = inputs[0].f_contiguous()?;
        let output = writable(&x)?;
        // SAFETY: the tensors live, are contiguous and of one width, and the output is a new one.
        unsafe { mish(&x, inputs).compute(numbers(&output), workers()) };
        Ok(Results::one(output))
    }

    fn backward(&self, context: BackwardContext<'_>, _: &[bool]) -> Result<Vec<Option<Tensor>>, TchError> {
        let x = context.inputs[0].f_contiguous()?;
        let of_output = context.gradient()?;
        let gradients = context.inputs.iter().map(writable).collect::<Result<Vec<_>, _>>()?;
        let places = BiasMishGradients { of_input: numbers(&gradients[0]), of_bias: gradients.get(1).map(numbers) };
        // SAFETY: as in `forward`.
        unsafe { mish(&x, context.inputs).gradients(numbers(&of_output), places, workers()) };
        Ok(gradients.into_iter().map(Some).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Backend;
    use tch::{Device, Kind};

    #[test]
    fn values_and_gradients_are_those_of_the_definition_in_f64() {
        // From where eˣ is 0 to where it overflows; more than a block of rows.
        let x = Tensor::linspace(-120, 120, 20 * 301, (Kind::Float, Device::Cpu)).view([301, 20]);
        let bias = Tensor::linspace(-1, 1, 20, (Kind::Float, Device::Cpu)).set_requires_grad(true);
        let x = x.set_requires_grad(true);
        for with_bias in [true, false] {
            let leaves = [&x, &bias];
            let used = &leaves[..1 + usize::from(with_bias)];
            let exact = leaves.map(|leaf| leaf.detach().to_kind(Kind::Double).set_requires_grad(true));
            let gradients =
                |y: &Tensor, leaves: &[&Tensor]| Tensor::run_backward(&[y.sum(y.kind())], leaves, false, false);
            let found = Backend::Kernels.run(|| bias_mish(&x, with_bias.then_some(&bias)).expect("it is served"));
            // The definition starts from the sum rounded to f32, so that the test measures the activation alone.
            let sum = if with_bias { (&x + &bias).detach() } else { x.detach() };
            let rounded = sum.to_kind(Kind::Double) + (&exact[0] - exact[0].detach());
            let rounded = if with_bias { rounded + (&exact[1] - exact[1].detach()) } else { rounded };
            let wanted = &rounded * rounded.softplus().tanh();
            let scale = wanted.abs().clamp_min(1.0);
            let error = ((found.to_kind(Kind::Double) - &wanted) / scale).abs().max().double_value(&[]);
            assert!(error < 3e-7, "off by {error}, with bias: {with_bias}");
            let exact: Vec<&Tensor> = exact[..used.len()].iter().collect();
            for (found, wanted) in gradients(&found, used).iter().zip(gradients(&wanted, &exact)) {
                let scale = wanted.abs().max().double_value(&[]).max(1.0);
                let error = (found.to_kind(Kind::Double) - wanted).abs().max().double_value(&[]) / scale;
                assert!(error < 2e-6, "a gradient is off by {error}, with bias: {with_bias}");
            }
        }
    }

    #[test]
    fn the_shape_stays_and_views_are_read_in_their_order() {
        let x = Tensor::randn([5, 3, 7], (Kind::Float, Device::Cpu)).transpose(0, 2);
        let y = Backend::Kernels.run(|| bias_mish(&x, None).expect("it is served"));
        assert_eq!(y.size(), [7, 3, 5]);
        assert!((y - x.mish()).abs().max().double_value(&[]) < 2e-6);
    }

    #[test]
    fn what_is_not_a_number_stays_so() {
        let x = Tensor::from_slice(&[f32::NAN, 1.0, 1e30]);
        let y = Backend::Kernels.run(|| bias_mish(&x, None).expect("it is served"));
        assert!(y.double_value(&[0]).is_nan());
        assert!((y.double_value(&[1]) - 0.865_098_4).abs() < 1e-6);
        assert!((y.double_value(&[2]) / 1e30 - 1.0).abs() < 1e-6);
    }
}
