//! Where weight decay acts.

use nn::{Layout, ParamSpec, Part, Range};
use tch::{TchError, Tensor};

/// A run of elements of the flat store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    start: usize,
    end: usize,
}

/// Where weight decay acts: matrix weights outside the encodings, and if asked everything that belongs to the encodings;
/// neighbours joined. Padding may be covered; it is 0.
pub(super) fn spans(layout: &Layout, decay_encodings: bool) -> Vec<Span> {
    let decays = |param: &ParamSpec| match param.part {
        Part::Encoding => decay_encodings,
        Part::Trunk | Part::Head => param.range == Range::Matrix,
    };
    let mut params: Vec<_> = layout.params().iter().collect();
    params.sort_by_key(|param| param.offset);
    let mut spans: Vec<Span> = Vec::new();
    let mut joins = false;
    for param in params {
        if decays(param) {
            let end = param.offset + param.len();
            match spans.last_mut().filter(|_| joins) {
                Some(last) => last.end = end,
                None => spans.push(Span { start: param.offset, end }),
            }
        }
        joins = decays(param);
    }
    spans
}

/// Takes the share `share` off the weights in `spans`.
pub(super) fn apply(flat: &Tensor, spans: &[Span], share: f64) -> Result<(), TchError> {
    if share == 0.0 {
        return Ok(());
    }
    for span in spans {
        let mut weights = flat.f_narrow(0, span.start as i64, (span.end - span.start) as i64)?;
        let _decayed = weights.f_mul_scalar_(1.0 - share)?;
    }
    Ok(())
}
