//! Clipping of the gradient by its global norm.

use tch::{TchError, Tensor};

/// Scales `gradient` in place so that its Euclidean norm is at most `max`, and returns the norm that it had before.
///
/// With `None` it only measures. A norm that is not finite is returned as it is and the gradient left alone: there is
/// nothing to rescue, and the caller reports it.
pub fn clip_global_norm(gradient: &mut Tensor, max: Option<f64>) -> Result<f64, TchError> {
    let norm = f64::try_from(gradient.f_norm()?)?;
    if let Some(max) = max.filter(|&max| norm.is_finite() && norm > max) {
        let _scaled = gradient.f_mul_scalar_(max / norm)?;
    }
    Ok(norm)
}
