//! Mish on the CPU, from one exponential.
//!
//! With s = σ(x) and n = s·(2 − s), tanh(softplus(x)) = n / (2 − n), which neither overflows nor loses digits on either
//! side; its derivative is 4·s·(1 − s)² / (2 − n)². LibTorch's kernel takes exp, log1p and tanh of every element, in both
//! passes, and needs two and a half times as long.

use crate::fused;
use crate::fused::mish::bias_mish;
use tch::{TchError, Tensor, no_grad};

/// Elements that are taken at once, so that what lies between stays in the cache.
const CHUNK: i64 = 1 << 15;

pub(crate) fn mish(x: &Tensor) -> Tensor {
    if let Some(found) = bias_mish(x, None) {
        return found;
    }
    if !fused::serves(x) {
        return x.mish();
    }
    match no_grad(|| tangent(&x.detach())) {
        Ok(Tangent { slope, offset }) => x * slope + offset,
        Err(_) => x.mish(),
    }
}

/// The line that touches Mish at each element: its value is Mish's, and its derivative, once slope and offset are fixed
/// numbers, is Mish's too. So that is the one tensor which the backward pass needs.
struct Tangent {
    slope: Tensor,
    offset: Tensor,
}

fn tangent(x: &Tensor) -> Result<Tangent, TchError> {
    let shape = x.size();
    let x = x.f_contiguous()?.f_view([-1])?;
    let (slope, offset) = (x.f_empty_like()?, x.f_empty_like()?);
    let length = x.numel() as i64;
    for start in (0..length).step_by(CHUNK as usize) {
        let part = |tensor: &Tensor| tensor.f_narrow(0, start, CHUNK.min(length - start));
        fill(&part(&x)?, &part(&slope)?, &part(&offset)?)?;
    }
    Ok(Tangent { slope: slope.f_view(&shape[..])?, offset: offset.f_view(&shape[..])? })
}

/// With T = tanh(softplus(x)): slope = T + x·T′, offset = −x²·T′.
fn fill(x: &Tensor, slope: &Tensor, offset: &Tensor) -> Result<(), TchError> {
    let mut bent = x.f_sigmoid()?;
    let mut rest = bent.f_rsub_scalar(2.0)?;
    let mut tanh = bent.f_mul(&rest)?;
    let below = tanh.f_rsub_scalar(2.0)?;
    let _tanh = tanh.f_divide_(&below)?;
    let _rest = rest.f_sub_scalar_(1.0)?.f_divide_(&below)?;
    let _bent = bent.f_mul_(&rest)?.f_mul_(&rest)?.f_mul_(x)?.f_mul_scalar_(4.0)?;
    let _slope = tanh.f_add_out(slope, &bent)?;
    let _offset = bent.f_neg_()?.f_mul_out(offset, x)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tch::{Device, Kind};

    #[test]
    fn value_and_gradient_are_those_of_the_definition_in_f64() {
        // More than a chunk, from where e^x is 0 to where it overflows.
        let length = CHUNK + 1000;
        let x = Tensor::linspace(-120, 120, length, (Kind::Float, Device::Cpu)).set_requires_grad(true);
        let exact = x.detach().to_kind(Kind::Double).set_requires_grad(true);
        let gradient = |y: &Tensor, x: &Tensor| Tensor::run_backward(&[y.sum(y.kind())], &[x], false, false).remove(0);
        let (y, wanted) = (mish(&x), &exact * exact.softplus().tanh());
        let furthest = |a: &Tensor, b: &Tensor| (a.to_kind(Kind::Double) - b).abs().max().double_value(&[]);
        assert!(furthest(&(&y / x.abs().clamp_min(1.0)), &(&wanted / exact.abs().clamp_min(1.0))) < 4e-7);
        assert!(furthest(&gradient(&y, &x), &gradient(&wanted, &exact)) < 4e-6);
    }

    #[test]
    fn the_shape_stays_and_views_are_read_in_their_order() {
        let x = Tensor::randn([5, 3, 7], (Kind::Float, Device::Cpu)).transpose(0, 2);
        let y = mish(&x);
        assert_eq!(y.size(), [7, 3, 5]);
        assert!((y - x.mish()).abs().max().double_value(&[]) < 2e-6);
    }
}
