//! Stochastic gradient descent with momentum, in the form of `torch.optim.SGD` without dampening.
//!
//! g ← g + λ·θ, v ← μ·v + g, θ ← θ − η·v; with Nesterov's momentum θ ← θ − η·(g + μ·v). The decay λ is a part of the
//! gradient here, where the other optimisers decouple it. v starts at zero, so that the first v is g.

use super::config::SgdConfig;
use super::groups::Span;
use tch::{TchError, Tensor};

/// A step of all spans of `rates`; `decays` are the weight decays by span.
pub(super) fn step(
    config: &SgdConfig,
    flat: &Tensor,
    gradient: &Tensor,
    velocity: &mut Tensor,
    [rates, decays]: [&[Span]; 2],
    learning_rate: f64,
) -> Result<(), TchError> {
    let decayed;
    let gradient = if decays.is_empty() {
        gradient
    } else {
        decayed = gradient.f_mul_scalar(1.0)?;
        for span in decays {
            let mut own = part(&decayed, span)?;
            let _sum = own.f_add_(&part(flat, span)?.f_mul_scalar(span.value)?)?;
        }
        &decayed
    };
    let _faded = velocity.f_mul_scalar_(config.momentum)?;
    let _sum = velocity.f_add_(gradient)?;
    let update = if config.nesterov {
        velocity.f_mul_scalar(config.momentum)?.f_add(gradient)?
    } else {
        velocity.shallow_clone()
    };
    for span in rates {
        let mut weights = part(flat, span)?;
        let _moved = weights.f_sub_(&part(&update, span)?.f_mul_scalar(learning_rate * span.value)?)?;
    }
    Ok(())
}

fn part(flat: &Tensor, span: &Span) -> Result<Tensor, TchError> {
    flat.f_narrow(0, span.start as i64, (span.end - span.start) as i64)
}
