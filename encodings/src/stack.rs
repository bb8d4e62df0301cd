//! Several encodings in one network: each injection point applies them in the order of the list.

use crate::{
    Act, AttendInput, Dims, Encoding, EncodingConfig, EncodingError, Guarantees, InjectionPoints, LayerContext, Logits,
    Queries, Tokens,
};
use nn::{ParamId, Scope};
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use tch::{Kind, Tensor};

/// The softmax runs over the squares of the board, so missing displacements show how near the edge is.
pub const BOARD_EDGE: &str = "edge of the board (relative terms in a softmax over its squares)";

/// Under even attention the sum of the value terms over the board is a vector of the query's square.
pub const VALUE_SUM: &str = "relative value terms (their sum over the board depends on the square)";

/// The encodings of one network. An empty stack is the same as `none`.
///
/// ```
/// use encodings::{Dims, EncodingConfig, InjectionPoints, Stack, Tokens};
///
/// let shaw: EncodingConfig = serde_json::from_str(r#"{"shaw": {"terms": ["q", "k"]}}"#)?;
/// let (mut builder, dims) = (nn::LayoutBuilder::default(), Dims { width: 16, heads: 2, layers: 2 });
/// let board = Tokens::squares_then(games::Geometry::new(8, 8), &[]);
/// let stack = Stack::declare(&[shaw], &mut builder.scope("encoding", nn::Part::Encoding), dims, &board)?;
/// assert_eq!(stack.injection_points(), InjectionPoints::LOGITS);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Stack {
    encodings: Vec<Box<dyn Encoding>>,
    hides_edge: bool,
    streams: Option<Streams>,
}

/// The residual streams `[b,l,d]` of a forward pass: what enters the first attention layer, then what each layer leaves.
#[derive(Debug, Clone, Default)]
pub struct Streams(Arc<Mutex<Vec<Tensor>>>);

impl Streams {
    /// Every stream since the last call, in the order of the forward pass.
    pub fn take(&self) -> Vec<Tensor> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Stack {
    /// Declares every encoding of the list in `scope` (a network passes `builder.scope("encoding", Part::Encoding)`).
    ///
    /// Parameters are called `<scope>.<key>.…` after the encoding itself, not after its place in the list, so that an
    /// encoding starts from the same values in every stack. All count as
    /// [`Part::Encoding`](nn::Part::Encoding). An error if an encoding refuses its options or the sizes, or shows the edge
    /// that the tokens hide, or the list names one twice, two that rotate, or one that changes queries and keys beside one
    /// that replaces their products.
    pub fn declare(
        configs: &[EncodingConfig],
        scope: &mut Scope<'_>,
        dims: Dims,
        tokens: &Tokens,
    ) -> Result<Self, EncodingError> {
        let mut keys = HashSet::new();
        if let Some(twice) = configs.iter().map(EncodingConfig::key).find(|key| !keys.insert(key.clone())) {
            return Err(EncodingError::Twice(twice));
        }
        let hides_edge = tokens.hide_edge();
        let declare = |config: &EncodingConfig| match config.declare(scope, dims, tokens)? {
            shown if hides_edge && !shown.guarantees().toroidal => Err(EncodingError::ShowsEdge(config.label())),
            declared => Ok(declared),
        };
        let encodings = configs.iter().map(declare).collect::<Result<Vec<_>, _>>()?;
        let labelled = || configs.iter().zip(&encodings);
        let changes =
            || labelled().filter(|(_, encoding)| encoding.injection_points().contains(InjectionPoints::ROTATE));
        // What changes queries and keys rotates them, unless its act is on their length (`Act::Factor`, `Act::Length`).
        let mut rotations = changes().filter(|(config, _)| config.act() == Act::Free);
        if let (Some((first, _)), Some((second, _))) = (rotations.next(), rotations.next()) {
            return Err(EncodingError::TwoRotations(first.label(), second.label()));
        }
        let replaces = labelled().find(|(_, encoding)| encoding.replaces_products());
        if let (Some((replaces, _)), Some((changes, _))) = (replaces, changes().next()) {
            return Err(EncodingError::Replaced(replaces.label(), changes.label()));
        }
        Ok(Self { encodings, hides_edge, streams: None })
    }

    /// A stack of one encoding, which contains this stack.
    pub fn wrapped_by(self, outer: impl FnOnce(Self) -> Box<dyn Encoding>) -> Self {
        let (hides_edge, streams) = (self.hides_edge, self.streams.clone());
        Self { encodings: vec![outer(self)], hides_edge, streams }
    }

    /// The same stack, which keeps the residual streams of forward passes until [`Streams::take`].
    pub fn with_streams(self) -> (Self, Streams) {
        let streams = Streams::default();
        (Self { streams: Some(streams.clone()), ..self }, streams)
    }

    /// Called by bodies with the residual stream before the first layer and after each one.
    pub fn record_stream(&self, x_bld: &Tensor) {
        if let Some(Streams(kept)) = &self.streams {
            kept.lock().unwrap_or_else(PoisonError::into_inner).push(x_bld.detach());
        }
    }

    /// The encodings, in the order in which each injection point applies them.
    pub fn iter(&self) -> impl Iterator<Item = &dyn Encoding> {
        self.encodings.iter().map(AsRef::as_ref)
    }

    /// All injection points that are touched.
    pub fn injection_points(&self) -> InjectionPoints {
        self.iter().fold(InjectionPoints::NONE, |points, encoding| points | encoding.injection_points())
    }

    /// What all of them guarantee.
    pub fn guarantees(&self) -> Guarantees {
        self.iter().map(Encoding::guarantees).fold(Guarantees::ALL, Guarantees::and)
    }

    /// What relative encodings reveal of absolute positions, because the board is finite and its edge is not hidden.
    pub fn position_sources(&self) -> Vec<&'static str> {
        if self.hides_edge {
            return Vec::new();
        }
        let is_relative = |encoding: &&dyn Encoding| {
            let guarantees = encoding.guarantees();
            guarantees.translation_invariant && !guarantees.permutation_equivariant
        };
        let relative: Vec<&dyn Encoding> = self.iter().filter(is_relative).collect();
        let has_values = relative.iter().any(|one| one.injection_points().contains(InjectionPoints::VALUES));
        let edge = (!relative.is_empty()).then_some(BOARD_EDGE);
        edge.into_iter().chain(has_values.then_some(VALUE_SUM)).collect()
    }

    /// The [tables by displacement](Encoding::displacement_tables) of all of them.
    pub fn displacement_tables(&self) -> Vec<ParamId> {
        self.iter().flat_map(Encoding::displacement_tables).collect()
    }

    /// The [parameters of formulas](Encoding::formula_parameters) of all of them.
    pub fn formula_parameters(&self) -> Vec<ParamId> {
        self.iter().flat_map(Encoding::formula_parameters).collect()
    }

    /// The [tables by square](Encoding::square_tables) of all of them.
    pub fn square_tables(&self) -> Vec<ParamId> {
        self.iter().flat_map(Encoding::square_tables).collect()
    }

    /// Multiplications that they add per position, all layers together.
    pub fn macs(&self) -> u64 {
        self.iter().map(Encoding::macs).sum()
    }

    /// Once, after the input embedding: `[b,l,d]` → `[b,l,d]`.
    pub fn embed(&self, at: LayerContext<'_>, x_bld: Tensor) -> Tensor {
        self.iter().fold(x_bld, |x, encoding| encoding.embed(at, x))
    }

    /// The input of an attention layer: `x_bld` itself where nothing touches it.
    ///
    /// Once an encoding has separated the input of values from that of queries and keys, later ones act on each.
    pub fn attend(&self, at: LayerContext<'_>, x_bld: &Tensor) -> AttendInput {
        let untouched = AttendInput { qk_bld: x_bld.shallow_clone(), v_bld: None };
        self.iter().fold(untouched, |input, encoding| attend_next(encoding, at, input))
    }

    /// Queries and keys `[b,h,l,k]` after every rotation, in order.
    pub fn rotate(&self, at: LayerContext<'_>, q_bhlk: &Tensor, k_bhlk: &Tensor) -> (Tensor, Tensor) {
        let unrotated = (q_bhlk.shallow_clone(), k_bhlk.shallow_clone());
        self.iter().fold(unrotated, |(q, k), encoding| encoding.rotate(at, &q, &k).unwrap_or((q, k)))
    }

    /// The share of q·k that the rotations leave where q and k are equal and all their channels alike: `[h,l,l]`, f32, for
    /// queries of the shape of `q_bhlk`.
    pub(crate) fn rotated_ones(&self, at: LayerContext<'_>, q_bhlk: &Tensor) -> Tensor {
        let ones = q_bhlk.narrow(0, 0, 1).ones_like().to_kind(Kind::Float);
        let (q, k) = self.rotate(at, &ones, &ones);
        (q.matmul(&k.transpose(-2, -1)).squeeze_dim(0) / ones.size()[3] as f64).detach()
    }

    /// The sum of all terms of the logits.
    pub fn logits(&self, at: LayerContext<'_>, queries: Queries<'_>) -> Logits {
        self.iter().map(|encoding| encoding.logits(at, queries)).fold(Logits::default(), |sum, term| Logits {
            before_scale: add(sum.before_scale, term.before_scale),
            after_scale: add(sum.after_scale, term.after_scale),
        })
    }

    /// Whether [`Self::values`] has to be given the attention weights.
    pub fn reads_weights(&self) -> bool {
        self.iter().any(Encoding::reads_weights)
    }

    /// The sum of all terms `[b,h,l,k]` of the attention output.
    pub fn values(&self, at: LayerContext<'_>, weights_bhll: Option<&Tensor>, v_bhlk: &Tensor) -> Option<Tensor> {
        self.iter().map(|encoding| encoding.values(at, weights_bhll, v_bhlk)).fold(None, add)
    }
}

fn attend_next(encoding: &dyn Encoding, at: LayerContext<'_>, input: AttendInput) -> AttendInput {
    let Some(on_qk) = encoding.attend(at, &input.qk_bld) else { return input };
    let v_bld = match input.v_bld {
        None => on_qk.v_bld,
        Some(v) => Some(match encoding.attend(at, &v) {
            Some(on_v) => on_v.v_bld.unwrap_or(on_v.qk_bld),
            None => v,
        }),
    };
    AttendInput { qk_bld: on_qk.qk_bld, v_bld }
}

fn add(a: Option<Tensor>, b: Option<Tensor>) -> Option<Tensor> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a + b),
        (a, b) => a.or(b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nn::{Arena, LayoutBuilder};
    use std::sync::Arc;
    use tch::{Device, Kind};

    /// Adds a number to the input of queries and keys, and another to that of values.
    #[derive(Debug)]
    struct Shift {
        qk: f64,
        v: Option<f64>,
    }

    impl Encoding for Shift {
        fn injection_points(&self) -> InjectionPoints {
            InjectionPoints::ATTEND
        }

        fn guarantees(&self) -> Guarantees {
            Guarantees::NONE
        }

        fn macs(&self) -> u64 {
            1
        }

        fn attend(&self, _: LayerContext<'_>, x_bld: &Tensor) -> Option<AttendInput> {
            Some(AttendInput { qk_bld: x_bld + self.qk, v_bld: self.v.map(|v| x_bld + v) })
        }
    }

    fn attend(encodings: Vec<Shift>) -> (f64, Option<f64>) {
        let encodings = encodings.into_iter().map(|e| Box::new(e) as Box<dyn Encoding>).collect();
        let stack = Stack { encodings, hides_edge: false, streams: None };
        let layout = Arc::new(LayoutBuilder::default().finish().expect("no names"));
        let views = Arena::from_values(layout, &[], Device::Cpu).expect("memory").frozen_views();
        let x = Tensor::zeros([1, 1, 1], (Kind::Float, Device::Cpu));
        let input = stack.attend(LayerContext { views: &views, layer: 0, packed: &x }, &x);
        (input.qk_bld.double_value(&[0, 0, 0]), input.v_bld.map(|v| v.double_value(&[0, 0, 0])))
    }

    #[test]
    fn each_encoding_acts_on_the_stream_that_it_finds() {
        let both = |by| Shift { qk: by, v: None };
        let apart = |qk, v| Shift { qk, v: Some(v) };
        assert_eq!(attend(vec![]), (0.0, None));
        assert_eq!(attend(vec![both(1.0), both(2.0)]), (3.0, None));
        assert_eq!(attend(vec![both(1.0), apart(2.0, 4.0)]), (3.0, Some(5.0)));
        assert_eq!(attend(vec![apart(2.0, 4.0), both(1.0)]), (3.0, Some(5.0)));
        assert_eq!(attend(vec![apart(2.0, 4.0), apart(8.0, 16.0)]), (10.0, Some(20.0)));
    }
}
