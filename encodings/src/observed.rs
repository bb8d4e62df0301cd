//! A stack that hands what every head computes to an observer, in the same way for every encoding.
//!
//! An observer sees each head and each position of the batch: the vectors that encodings give to tokens, the logits without
//! position, what the encodings add to them, and the resulting attention, whichever encoding acts where. An observed stack
//! gives the same outputs as the stack itself. [`Watch`] is the observer that keeps means over heads and positions: maps over
//! pairs of tokens.

use crate::{AttendInput, Encoding, Guarantees, InjectionPoints, LayerContext, Logits, Queries, Stack};
use std::fmt::Debug;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tch::{Kind, Tensor};

/// What one attention layer computed. Tensors are f32 without gradients; query token, then key token.
///
/// The logits are `content + term + rotation` and, in a decoder, a mask.
#[derive(Debug)]
pub struct HeadMaps {
    /// The attention layer, from 0.
    pub layer: usize,
    /// Products q·k/√k of queries and keys before rotation, `[b,h,l,l]`.
    pub content: Tensor,
    /// What encodings add to the logits, divided by √k where the term is, `[b,h,l,l]`; `None` where nothing is added.
    pub term: Option<Tensor>,
    /// What rotations change of q·k/√k, `[b,h,l,l]`; `None` where nothing is rotated.
    pub rotation: Option<Tensor>,
    /// The share of q·k that rotations leave where q and k are equal and all their channels alike, `[h,l,l]`; `None` where
    /// nothing is rotated.
    pub similarity: Option<Tensor>,
    /// Attention weights, `[b,h,l,l]`.
    pub weights: Tensor,
}

impl HeadMaps {
    /// The position part of the logits: terms and rotations, `[b,h,l,l]`; `None` where no encoding acts on the logits.
    pub fn position(&self) -> Option<Tensor> {
        match (&self.term, &self.rotation) {
            (Some(term), Some(rotation)) => Some(term + rotation),
            (term, rotation) => term.as_ref().or(rotation.as_ref()).map(Tensor::shallow_clone),
        }
    }

    /// The logits without a mask, `[b,h,l,l]`.
    pub fn logits(&self) -> Tensor {
        match self.position() {
            Some(position) => &self.content + position,
            None => self.content.shallow_clone(),
        }
    }
}

/// Sees every attention layer of a forward pass, in order.
pub trait HeadObserver: Debug + Send {
    /// Called where an encoding acts on the vectors of tokens `[b,l,d]`, with those before and after: once after the input
    /// embedding, without a layer, and at the input of queries and keys of each layer.
    fn vectors(&mut self, _layer: Option<usize>, _before_and_after: [&Tensor; 2]) {}

    /// Called once for each layer, when its weights are known.
    fn layer(&mut self, maps: HeadMaps);
}

impl Stack {
    /// The same stack with the same outputs, of which `observer` sees every forward pass.
    pub fn observed(self, observer: Box<dyn HeadObserver>) -> Self {
        let points = self.injection_points();
        self.wrapped_by(|stack| Box::new(Observed { stack, points, state: Mutex::new(State { observer, open: None }) }))
    }

    /// The same stack, watched. Every forward pass adds its maps; they are kept until [`Watch::take`].
    pub fn watched(self) -> (Self, Watch) {
        let watch = Watch::default();
        (self.observed(Box::new(watch.clone())), watch)
    }
}

#[derive(Debug)]
struct Observed {
    stack: Stack,
    points: InjectionPoints,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    observer: Box<dyn HeadObserver>,
    /// The maps of the layer whose weights are not known yet.
    open: Option<HeadMaps>,
}

impl Observed {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn vectors(&self, point: InjectionPoints, layer: Option<usize>, before_and_after: [&Tensor; 2]) {
        if self.points.contains(point) {
            self.state().observer.vectors(layer, before_and_after);
        }
    }
}

impl Encoding for Observed {
    fn injection_points(&self) -> InjectionPoints {
        self.points
    }

    fn guarantees(&self) -> Guarantees {
        self.stack.guarantees()
    }

    fn macs(&self) -> u64 {
        self.stack.macs()
    }

    fn embed(&self, at: LayerContext<'_>, x_bld: Tensor) -> Tensor {
        let before = x_bld.shallow_clone();
        let after = self.stack.embed(at, x_bld);
        self.vectors(InjectionPoints::EMBED, None, [&before, &after]);
        after
    }

    fn attend(&self, at: LayerContext<'_>, x_bld: &Tensor) -> Option<AttendInput> {
        let input = self.stack.attend(at, x_bld);
        self.vectors(InjectionPoints::ATTEND, Some(at.layer), [x_bld, &input.qk_bld]);
        Some(input)
    }

    fn logits(&self, at: LayerContext<'_>, queries: Queries<'_>) -> Logits {
        let terms = self.stack.logits(at, queries);
        let content = products(queries.q_bhlk, queries.k_bhlk);
        let scale = (queries.q_bhlk.size()[3] as f64).sqrt();
        let before = terms.before_scale.as_ref().map(|term| plain(term) / scale);
        let term = before.into_iter().chain(terms.after_scale.as_ref().map(plain)).reduce(|sum, term| sum + term);
        let term = term.map(|term| term.expand_as(&content));
        let weights = content.shallow_clone();
        let open = HeadMaps { layer: at.layer, content, term, rotation: None, similarity: None, weights };
        self.state().open = Some(open);
        terms
    }

    fn rotate(&self, at: LayerContext<'_>, q_bhlk: &Tensor, k_bhlk: &Tensor) -> Option<(Tensor, Tensor)> {
        let (q, k) = self.stack.rotate(at, q_bhlk, k_bhlk);
        if self.points.contains(InjectionPoints::ROTATE) {
            let similarity = self.stack.rotated_ones(at, q_bhlk);
            if let Some(open) = &mut self.state().open {
                open.rotation = Some(products(&q, &k) - &open.content);
                open.similarity = Some(similarity);
            }
        }
        Some((q, k))
    }

    fn reads_weights(&self) -> bool {
        true
    }

    fn values(&self, at: LayerContext<'_>, weights_bhll: Option<&Tensor>, v_bhlk: &Tensor) -> Option<Tensor> {
        let weights = weights_bhll.expect("an observed stack reads the weights");
        let state = &mut *self.state();
        if let Some(open) = state.open.take() {
            state.observer.layer(HeadMaps { weights: plain(weights), ..open });
        }
        self.stack.values(at, weights_bhll, v_bhlk)
    }
}

fn plain(tensor: &Tensor) -> Tensor {
    tensor.detach().to_kind(Kind::Float)
}

fn products(q_bhlk: &Tensor, k_bhlk: &Tensor) -> Tensor {
    let scale = (q_bhlk.size()[3] as f64).sqrt();
    (plain(q_bhlk) / scale).matmul(&plain(k_bhlk).transpose(-2, -1))
}

/// What a map shows of query token i and key token j.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MapKind {
    /// The cosine between the vectors that tokens i and j are given after the input embedding: the output of
    /// [`Encoding::embed`] minus its input, the mean over positions. 0 where there is no vector.
    Embed,
    /// The same at the input of queries and keys of an attention layer.
    Attend,
    /// [`HeadMaps::similarity`], the mean over heads: for RoPE the mean of cos(angle_i − angle_j) over its pairs of channels.
    /// No position is in it.
    Rotate,
    /// [`HeadMaps::term`], the mean over positions and heads.
    Logits,
    /// The attention weight, the mean over positions and heads.
    Attention,
}

impl MapKind {
    /// All of them, in the order of a forward pass.
    pub const ALL: [Self; 5] = [Self::Embed, Self::Attend, Self::Rotate, Self::Logits, Self::Attention];

    /// Its name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Embed => "embed",
            Self::Attend => "attend",
            Self::Rotate => "rotate",
            Self::Logits => "logits",
            Self::Attention => "attention",
        }
    }
}

/// A map over pairs of tokens.
#[derive(Debug)]
pub struct AttentionMap {
    /// What it shows of two tokens.
    pub kind: MapKind,
    /// In which attention layer; `None` where it is of no layer.
    pub layer: Option<usize>,
    /// `[l,l]`, f32, query by key, on the device of the forward pass.
    pub map_ll: Tensor,
}

/// The maps of a watched stack.
#[derive(Debug, Clone, Default)]
pub struct Watch(Arc<Mutex<Vec<AttentionMap>>>);

impl Watch {
    /// Every map since the last call, in the order of the forward pass.
    pub fn take(&self) -> Vec<AttentionMap> {
        std::mem::take(&mut *self.maps())
    }

    fn note(&self, kind: MapKind, layer: Option<usize>, map_ll: Tensor) {
        self.maps().push(AttentionMap { kind, layer, map_ll });
    }

    fn maps(&self) -> MutexGuard<'_, Vec<AttentionMap>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl HeadObserver for Watch {
    fn vectors(&mut self, layer: Option<usize>, [before, after]: [&Tensor; 2]) {
        let kind = if layer.is_none() { MapKind::Embed } else { MapKind::Attend };
        self.note(kind, layer, cosines(&(after - before)));
    }

    fn layer(&mut self, maps: HeadMaps) {
        let layer = Some(maps.layer);
        if let Some(similarity_hll) = maps.similarity {
            self.note(MapKind::Rotate, layer, mean(&similarity_hll, &[0]));
        }
        if let Some(term_bhll) = maps.term {
            self.note(MapKind::Logits, layer, mean(&term_bhll, &[0, 1]));
        }
        self.note(MapKind::Attention, layer, mean(&maps.weights, &[0, 1]));
    }
}

fn mean(tensor: &Tensor, dims: &[i64]) -> Tensor {
    tensor.mean_dim(dims, false, Kind::Float)
}

/// The cosines between the mean vectors of tokens, `[b,l,d]` → `[l,l]`, f32.
fn cosines(x_bld: &Tensor) -> Tensor {
    let x_ld = mean(&x_bld.detach().to_kind(Kind::Float), &[0]);
    let length_l1 = x_ld.square().sum_dim_intlist([1i64].as_slice(), true, Kind::Float).sqrt();
    let unit_ld = &x_ld / length_l1.clamp_min(f64::from(f32::MIN_POSITIVE));
    unit_ld.matmul(&unit_ld.transpose(0, 1))
}
