//! A stack that records what it does as maps over pairs of tokens, in the same way for every encoding.
//!
//! Each injection point is shown without regard to which encoding acts there. The attention that results from all of them is
//! shown by the weights that the last injection point receives. A watched stack gives the same outputs as the stack itself.

use crate::{AttendInput, Encoding, Guarantees, InjectionPoints, LayerContext, Logits, Queries, Stack};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tch::{Kind, Tensor};

/// What a map shows of query token i and key token j.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MapKind {
    /// The cosine between the vectors that tokens i and j are given after the input embedding: the output of
    /// [`Encoding::embed`] minus its input, the mean over positions. 0 where there is no vector.
    Embed,
    /// The same at the input of queries and keys of an attention layer.
    Attend,
    /// [`Stack::rotated_ones`], the mean over heads: for RoPE the mean of cos(angle_i − angle_j) over its pairs of channels.
    /// No position is in it.
    Rotate,
    /// What is added to the logit, divided by √k where the term is; the mean over positions and heads.
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
        let points = self.injection_points();
        let noting = watch.clone();
        (self.within(|stack| Box::new(Watched { stack, points, watch: noting })), watch)
    }
}

#[derive(Debug)]
struct Watched {
    stack: Stack,
    points: InjectionPoints,
    watch: Watch,
}

impl Encoding for Watched {
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
        if self.points.contains(InjectionPoints::EMBED) {
            self.watch.note(MapKind::Embed, None, cosines(&(&after - before)));
        }
        after
    }

    fn attend(&self, at: LayerContext<'_>, x_bld: &Tensor) -> Option<AttendInput> {
        let input = self.stack.attend(at, x_bld);
        if self.points.contains(InjectionPoints::ATTEND) {
            self.watch.note(MapKind::Attend, Some(at.layer), cosines(&(&input.qk_bld - x_bld)));
        }
        Some(input)
    }

    fn rotate(&self, at: LayerContext<'_>, q_bhlk: &Tensor, k_bhlk: &Tensor) -> Option<(Tensor, Tensor)> {
        if self.points.contains(InjectionPoints::ROTATE) {
            self.watch.note(MapKind::Rotate, Some(at.layer), mean_map(&self.stack.rotated_ones(at, q_bhlk)));
        }
        Some(self.stack.rotate(at, q_bhlk, k_bhlk))
    }

    fn logits(&self, at: LayerContext<'_>, queries: Queries<'_>) -> Logits {
        let terms = self.stack.logits(at, queries);
        let scale = (queries.q_bhlk.size()[3] as f64).sqrt();
        let before = terms.before_scale.as_ref().map(|term| mean_map(term) / scale);
        let after = terms.after_scale.as_ref().map(mean_map);
        if let Some(map_ll) = before.into_iter().chain(after).reduce(|sum, term| sum + term) {
            self.watch.note(MapKind::Logits, Some(at.layer), map_ll);
        }
        terms
    }

    fn reads_weights(&self) -> bool {
        true
    }

    fn values(&self, at: LayerContext<'_>, weights_bhll: Option<&Tensor>, v_bhlk: &Tensor) -> Option<Tensor> {
        let weights = weights_bhll.expect("a watched stack reads the weights");
        self.watch.note(MapKind::Attention, Some(at.layer), mean_map(weights));
        self.stack.values(at, weights_bhll, v_bhlk)
    }
}

/// The mean over everything before the last two dimensions: `[…,l,l]` → `[l,l]`, f32.
fn mean_map(maps: &Tensor) -> Tensor {
    let size = maps.size();
    let [rows, columns] = [size[size.len() - 2], size[size.len() - 1]];
    let all = maps.detach().to_kind(Kind::Float).reshape([-1, rows, columns]);
    all.mean_dim([0i64].as_slice(), false, Kind::Float)
}

/// The cosines between the mean vectors of tokens, `[b,l,d]` → `[l,l]`, f32.
fn cosines(x_bld: &Tensor) -> Tensor {
    let x_ld = x_bld.detach().to_kind(Kind::Float).mean_dim([0i64].as_slice(), false, Kind::Float);
    let length_l1 = x_ld.square().sum_dim_intlist([1i64].as_slice(), true, Kind::Float).sqrt();
    let unit_ld = &x_ld / length_l1.clamp_min(f64::from(f32::MIN_POSITIVE));
    unit_ld.matmul(&unit_ld.transpose(0, 1))
}
