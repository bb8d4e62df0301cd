//! What an observed stack computes, as means over heads and positions: maps over pairs of tokens.

use crate::{HeadMaps, HeadObserver, Stack};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tch::{Kind, Tensor};

/// What a map shows of query token i and key token j.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MapKind {
    /// The cosine between the vectors that tokens i and j are given after the input embedding: the output of
    /// [`Encoding::embed`](crate::Encoding::embed) minus its input, the mean over positions. 0 where there is no vector.
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

/// One map.
#[derive(Debug)]
pub struct AttentionMap {
    /// What it shows.
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

impl Stack {
    /// The same stack, watched. Every forward pass adds its maps; they are kept until [`Watch::take`].
    pub fn watched(self) -> (Self, Watch) {
        let watch = Watch::default();
        (self.observed(Box::new(watch.clone())), watch)
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
