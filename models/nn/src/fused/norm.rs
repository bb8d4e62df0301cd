//! A residual sum and its root-mean-square norm as one operation on CPUs.

use super::operands::{contiguous, numbers, writable};
use super::{supports, widened, workers};
use crate::Differentiable;
use crate::differentiable::{BackwardContext, Results, apply_one};
use kernels::norm::{ResidualNorm, ResidualNormGradients};
use tch::{TchError, Tensor};

/// A tensor and its factor in a sum.
type Scaled<'a> = (&'a Tensor, f64);

/// The norm of `stream + branch`, each times its factor: `[…,d]` each, gain `[d]`. The element
/// type is the stream's, f32 or bf16, which is computed in f32. `None` where LibTorch is to compute it.
pub(crate) fn residual_norm(
    stream: Scaled<'_>,
    branch: Option<Scaled<'_>>,
    gain: &Tensor,
    epsilon: f64,
) -> Option<Tensor> {
    let kind = stream.0.kind();
    let (wide_stream, wide_branch) = (widened(stream.0), branch.map(|(branch, _)| widened(branch)));
    let operands = [Some(&wide_stream), wide_branch.as_ref(), Some(gain)];
    let fits = operands.iter().flatten().all(|operand| supports(operand));
    let one_size = branch.is_none_or(|(branch, _)| branch.size() == stream.0.size());
    if !(fits && one_size && stream.0.size().last() == gain.size().last()) {
        return None;
    }
    let operation = NormOperation {
        stream_factor: stream.1 as f32,
        branch_factor: branch.map(|(_, factor)| factor as f32),
        epsilon: epsilon as f32,
    };
    let inputs: Vec<&Tensor> = operands.into_iter().flatten().collect();
    Some(apply_one(operation, &inputs).expect("LibTorch has memory for a norm").to_kind(kind))
}

/// Its inputs are the stream, the branch if there is one, and the gain.
struct NormOperation {
    stream_factor: f32,
    branch_factor: Option<f32>,
    epsilon: f32,
}

impl NormOperation {
    fn norm(&self, inputs: &[Tensor]) -> ResidualNorm {
        let gain = &inputs[inputs.len() - 1];
        let width = gain.numel();
        ResidualNorm {
            rows: inputs[0].numel() / width,
            width,
            stream: (numbers(&inputs[0]), self.stream_factor),
            branch: self.branch_factor.map(|factor| (numbers(&inputs[1]), factor)),
            gain: numbers(gain),
            epsilon: self.epsilon,
        }
    }
}

impl Differentiable for NormOperation {
    fn forward(&self, inputs: &[Tensor], _: bool) -> Result<Results, TchError> {
        let inputs = contiguous(inputs)?;
        let output = writable(&inputs[0])?;
        // SAFETY: the tensors live, are contiguous and of one width, and the output is a new one.
        unsafe { self.norm(&inputs).compute(numbers(&output), workers()) };
        Ok(Results::one(output))
    }

    fn backward(&self, context: BackwardContext<'_>, _: &[bool]) -> Result<Vec<Option<Tensor>>, TchError> {
        let inputs = contiguous(context.inputs)?;
        let of_output = context.gradient()?;
        let gradients = inputs.iter().map(writable).collect::<Result<Vec<_>, _>>()?;
        let places = ResidualNormGradients {
            of_stream: numbers(&gradients[0]),
            // Not written without a branch.
            of_branch: numbers(&gradients[gradients.len() - 2]),
            of_gain: numbers(&gradients[gradients.len() - 1]),
        };
        // SAFETY: as in `forward`.
        unsafe { self.norm(&inputs).gradients(numbers(&of_output), places, workers()) };
        Ok(gradients.into_iter().map(Some).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Backend;
    use tch::{Device, Kind};

    const EPSILON: f64 = 1e-5;

    /// The norm and the gradients of stream, branch and gain.
    fn outcome(leaves: &[Tensor], form: impl Fn(&[Tensor]) -> Tensor) -> Vec<Tensor> {
        let output = form(leaves);
        let places = Tensor::arange(output.numel() as i64, (Kind::Double, Device::Cpu)).view(&output.size()[..]);
        let loss = (&output * (places * 0.37).sin().to_kind(output.kind())).sum(output.kind());
        let mut all = Tensor::run_backward(&[&loss], leaves, false, false);
        all.push(output);
        all
    }

    fn defined(leaves: &[Tensor], factors: [f64; 2]) -> Tensor {
        let terms = leaves[..leaves.len() - 1].iter().zip(factors).map(|(leaf, factor)| leaf * factor);
        let sum = terms.reduce(|sum, term| sum + term).expect("a stream");
        let mean = (&sum * &sum).mean_dim([-1i64].as_slice(), true, sum.kind());
        sum * (mean + EPSILON).rsqrt() * &leaves[leaves.len() - 1]
    }

    #[test]
    fn norm_and_gradients_are_those_of_the_definition() {
        tch::manual_seed(3);
        // More than a block of rows; widths that registers divide, and that they do not.
        for (rows, width) in [([3, 100], 32), ([7, 1], 20), ([1, 1], 1)] {
            for branches in [0, 1] {
                let random = |shape: &[i64]| Tensor::randn(shape, (Kind::Float, Device::Cpu)).set_requires_grad(true);
                let stream = |_: i64| random(&[rows[0], rows[1], width]);
                let leaves: Vec<Tensor> = (0..=branches).map(stream).chain([random(&[width])]).collect();
                let factors = [1.3, 0.6];
                let found = Backend::Kernels.run(|| {
                    outcome(&leaves, |leaves| {
                        let branch = (branches == 1).then(|| (&leaves[1], factors[1]));
                        let gain = &leaves[leaves.len() - 1];
                        residual_norm((&leaves[0], factors[0]), branch, gain, EPSILON).expect("it is served")
                    })
                });
                let exact: Vec<Tensor> =
                    leaves.iter().map(|leaf| leaf.detach().to_kind(Kind::Double).set_requires_grad(true)).collect();
                let wanted = outcome(&exact, |leaves| defined(leaves, factors));
                for (number, (found, wanted)) in found.iter().zip(&wanted).enumerate() {
                    let largest = wanted.abs().max().double_value(&[]).max(1e-1);
                    let error = (found - wanted).abs().max().double_value(&[]) / largest;
                    assert!(error < 2e-6, "{rows:?} rows of {width}, number {number}: off by {error}");
                }
            }
        }
    }

    #[test]
    fn other_devices_kinds_and_sizes_are_left_to_libtorch() {
        let [x, gain] = [[2, 6], [1, 6]].map(|shape| Tensor::ones(shape, (Kind::Float, Device::Cpu)));
        let gain = gain.view([6]);
        let norm = |x: &Tensor, branch: &Tensor| residual_norm((x, 1.0), Some((branch, 1.0)), &gain, EPSILON).is_some();
        Backend::Kernels.run(|| {
            assert!(norm(&x, &x));
            assert!(!norm(&x.to_kind(Kind::Double), &x));
            assert!(!norm(&x, &x.narrow(0, 0, 1)));
        });
        assert!(!Backend::Operations.run(|| norm(&x, &x)));
    }
}
