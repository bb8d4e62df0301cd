//! The product of a dense layer, by whichever library is fastest for its sizes on this processor.

use crate::fused;
use crate::fused::dense::kernel_dense;
use std::sync::OnceLock;
use tch::{Kind, Tensor};

/// Multiplications from which oneDNN's product pays for the copies around it.
const ONEDNN_FROM: i64 = 1 << 20;

/// `x·Wᵀ (+ b)`: `x […, in]`, `W [out, in]`, `b [out]` → `[…, out]`, all of one element type.
///
/// LibTorch computes f32 products with MKL, which uses AVX-512 on Intel's processors only; on others that have it,
/// oneDNN's are twice as fast. Which of the two runs depends on the processor and on sizes, on nothing that changes from
/// run to run.
pub fn dense(x: &Tensor, weight: &Tensor, bias: Option<&Tensor>) -> Tensor {
    if let Some(found) = kernel_dense(x, weight, bias) {
        return found;
    }
    let in_f32 = fused::supports(x) && weight.kind() == Kind::Float;
    if in_f32 && multiplications(x, weight) >= ONEDNN_FROM && onednn_is_faster() {
        through_onednn(x, weight, bias)
    } else {
        x.linear(weight, bias)
    }
}

fn multiplications(x: &Tensor, weight: &Tensor) -> i64 {
    x.numel() as i64 * weight.size()[0]
}

fn through_onednn(x: &Tensor, weight: &Tensor, bias: Option<&Tensor>) -> Tensor {
    let mut shape = x.size();
    let inputs = shape.pop().unwrap_or(1);
    shape.push(weight.size()[0]);
    let rows = x.reshape([-1, inputs]).to_mkldnn();
    rows.mkldnn_linear(weight, bias).to_dense(None, false).view(&shape[..])
}

/// Whether the processor has AVX-512 and another maker than MKL's.
fn onednn_is_faster() -> bool {
    static FASTER: OnceLock<bool> = OnceLock::new();
    *FASTER.get_or_init(|| has_foreign_avx512() && tch::utils::has_mkldnn())
}

#[cfg(target_arch = "x86_64")]
fn has_foreign_avx512() -> bool {
    let maker = std::arch::x86_64::__cpuid(0);
    let name = [maker.ebx, maker.edx, maker.ecx].map(u32::to_le_bytes).concat();
    std::arch::is_x86_feature_detected!("avx512f") && name != b"GenuineIntel"
}

#[cfg(not(target_arch = "x86_64"))]
fn has_foreign_avx512() -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Backend;
    use tch::Device;

    /// The result and the gradients of x, W and b, against the same in f64.
    fn errors(product: impl Fn(&Tensor, &Tensor, Option<&Tensor>) -> Tensor, e: i64, with_bias: bool) -> Vec<f64> {
        tch::manual_seed(1);
        let leaf = |shape: &[i64]| Tensor::randn(shape, (Kind::Float, Device::Cpu)).set_requires_grad(true);
        // More than a block of rows.
        let leaves = [leaf(&[6, 50, 96]), leaf(&[e, 96]), leaf(&[e])];
        let weighting = Tensor::randn([6, 50, e], (Kind::Double, Device::Cpu));
        let all = |of: &dyn Fn(&[Tensor; 3]) -> Tensor, leaves: &[Tensor; 3]| {
            let y = of(leaves);
            let used = if with_bias { &leaves[..] } else { &leaves[..2] };
            let loss = (&y * weighting.to_kind(y.kind())).sum(y.kind());
            let mut all = Tensor::run_backward(&[loss], used, false, false);
            all.push(y);
            all
        };
        let found = all(&|[x, w, b]| product(x, w, with_bias.then_some(b)), &leaves);
        let exact = leaves.each_ref().map(|leaf| leaf.detach().to_kind(Kind::Double).set_requires_grad(true));
        let wanted = all(&|[x, w, b]| x.matmul(&w.tr()) + b * f64::from(u8::from(with_bias)), &exact);
        found.iter().zip(&wanted).map(|(a, b)| ((a - b).abs().max() / b.abs().max()).double_value(&[])).collect()
    }

    #[test]
    fn all_libraries_give_the_same_result_and_gradients() {
        // A small layer and a large one.
        for (e, with_bias) in [(80, false), (80, true), (704, false), (704, true)] {
            let found = [
                Backend::Operations.run(|| errors(dense, e, with_bias)),
                Backend::Kernels.run(|| errors(dense, e, with_bias)),
                errors(through_onednn, e, with_bias),
            ];
            for error in found.concat() {
                assert!(error < 5e-6, "{e} outputs, with bias: {with_bias}: off by {error}");
            }
        }
    }
}
