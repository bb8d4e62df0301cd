//! A stack of which a part is taken away or turned, at evaluation time and in the same way for every encoding.

use encodings::{AttendInput, Encoding, Guarantees, InjectionPoints, LayerContext, Logits, Queries, Stack, Tokens};
use tch::{Kind, Tensor};

/// What happens to a part of a stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// It adds nothing.
    Removed,
    /// It acts as if every square stood where its transpose stands: ranks and files are exchanged. Vectors of tokens are
    /// seen there too; the packed row, which blockades of `relations` read, is not.
    Transposed,
}

/// A part of a stack, and what happens to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ablation {
    /// At which injection points. [`InjectionPoints::EMBED`] and [`InjectionPoints::ATTEND`] belong to no head, and the
    /// first to no layer; they are never transposed.
    pub points: InjectionPoints,
    /// In which layer; `None` for all.
    pub layer: Option<usize>,
    /// Of which head; `None` for all.
    pub head: Option<usize>,
    pub change: Change,
}

/// The same stack without a part, or with a part transposed. `tokens` are the network's.
pub fn ablated(stack: Stack, ablation: Ablation, tokens: &Tokens) -> Stack {
    let points = stack.injection_points();
    let transposed = (0..tokens.len()).map(|token| transposed(tokens, token) as i64).collect();
    stack.wrapped_by(|stack| Box::new(Ablated { stack, points, ablation, transposed }))
}

/// The token of the square with file and rank exchanged; the token itself where there is none.
fn transposed(tokens: &Tokens, token: usize) -> usize {
    let geometry = tokens.geometry();
    let square = tokens.square(token).filter(|_| geometry.files() == geometry.ranks());
    let turned = square.map(|square| geometry.square(geometry.rank_of(square), geometry.file_of(square)));
    // A decoder has several tokens for a square: the transpose is on the same board.
    let first = square.and_then(|square| tokens.squares().find(|&(_, other)| other == square));
    let found = turned.and_then(|turned| tokens.squares().find(|&(_, other)| other == turned));
    match (first, found) {
        (Some((first, _)), Some((found, _))) if tokens.square(token + found - first) == turned => token + found - first,
        _ => token,
    }
}

#[derive(Debug)]
struct Ablated {
    stack: Stack,
    points: InjectionPoints,
    ablation: Ablation,
    transposed: Vec<i64>,
}

impl Ablated {
    /// Whether a point of a layer is changed.
    fn applies_to(&self, point: InjectionPoints, layer: usize) -> bool {
        self.ablation.points.contains(point)
            && self.points.contains(point)
            && self.ablation.layer.is_none_or(|changed| changed == layer)
    }

    /// Whether a point without heads is taken away.
    fn removes(&self, point: InjectionPoints, layer: usize) -> bool {
        self.applies_to(point, layer) && self.ablation.head.is_none() && self.ablation.change == Change::Removed
    }

    /// `changed` in the heads that are changed, `own` in the others; both `[b,h,…]`, where one entry stands for many.
    fn choose(&self, heads: i64, changed: &Tensor, own: &Tensor) -> Tensor {
        let Some(head) = self.ablation.head else { return changed.shallow_clone() };
        let is_changed: Vec<i64> = (0..heads).map(|other| i64::from(other == head as i64)).collect();
        let is_changed = Tensor::from_slice(&is_changed).to_device(own.device()).to_kind(Kind::Bool);
        changed.where_self(&is_changed.view([1, -1, 1, 1]), own)
    }

    /// These dimensions, counted from the last one (-1), in another order of tokens: the transposed one, which is its own
    /// inverse. A dimension of one entry stands for all tokens.
    fn turn(&self, tensor: &Tensor, dims: &[i64]) -> Tensor {
        let places = Tensor::from_slice(&self.transposed).to_device(tensor.device());
        let turn = |tensor: Tensor, &dim: &i64| match tensor.size().iter().rev().nth((-dim - 1) as usize) {
            None | Some(1) => tensor,
            Some(_) => tensor.index_select(dim, &places),
        };
        dims.iter().fold(tensor.shallow_clone(), turn)
    }

    /// A term; `turned` is the one of turned vectors.
    fn term(&self, heads: i64, own: Option<Tensor>, turned: Option<Tensor>) -> Option<Tensor> {
        let own = own?;
        let changed = match self.ablation.change {
            Change::Removed => own.zeros_like(),
            Change::Transposed => self.turn(&turned?, &[-2, -1]),
        };
        Some(self.choose(heads, &changed, &own))
    }
}

impl Encoding for Ablated {
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
        let is_removed = self.ablation.layer.is_none() && self.removes(InjectionPoints::EMBED, at.layer);
        if is_removed { x_bld } else { self.stack.embed(at, x_bld) }
    }

    fn attend(&self, at: LayerContext<'_>, x_bld: &Tensor) -> Option<AttendInput> {
        let is_kept = !self.removes(InjectionPoints::ATTEND, at.layer);
        is_kept.then(|| self.stack.attend(at, x_bld))
    }

    fn rotate(&self, at: LayerContext<'_>, q_bhlk: &Tensor, k_bhlk: &Tensor) -> Option<(Tensor, Tensor)> {
        let (q, k) = self.stack.rotate(at, q_bhlk, k_bhlk);
        if !self.applies_to(InjectionPoints::ROTATE, at.layer) {
            return Some((q, k));
        }
        let (changed_q, changed_k) = match self.ablation.change {
            Change::Removed => (q_bhlk.shallow_clone(), k_bhlk.shallow_clone()),
            Change::Transposed => {
                let [turned_q, turned_k] = [q_bhlk, k_bhlk].map(|x| self.turn(x, &[-2]));
                let (rotated_q, rotated_k) = self.stack.rotate(at, &turned_q, &turned_k);
                (self.turn(&rotated_q, &[-2]), self.turn(&rotated_k, &[-2]))
            }
        };
        let heads = q.size()[1];
        Some((self.choose(heads, &changed_q, &q), self.choose(heads, &changed_k, &k)))
    }

    fn logits(&self, at: LayerContext<'_>, queries: Queries<'_>) -> Logits {
        let own = self.stack.logits(at, queries);
        if !self.applies_to(InjectionPoints::LOGITS, at.layer) {
            return own;
        }
        let turned = match self.ablation.change {
            Change::Removed => Logits::default(),
            Change::Transposed => {
                let [x, q, k] = [queries.x_bld, queries.q_bhlk, queries.k_bhlk].map(|x| self.turn(x, &[-2]));
                self.stack.logits(at, Queries { x_bld: &x, q_bhlk: &q, k_bhlk: &k })
            }
        };
        let heads = queries.q_bhlk.size()[1];
        Logits {
            before_scale: self.term(heads, own.before_scale, turned.before_scale),
            after_scale: self.term(heads, own.after_scale, turned.after_scale),
        }
    }

    fn reads_weights(&self) -> bool {
        self.stack.reads_weights()
    }

    fn values(&self, at: LayerContext<'_>, weights_bhll: Option<&Tensor>, v_bhlk: &Tensor) -> Option<Tensor> {
        let own = self.stack.values(at, weights_bhll, v_bhlk)?;
        if !self.applies_to(InjectionPoints::VALUES, at.layer) {
            return Some(own);
        }
        let changed = match self.ablation.change {
            Change::Removed => own.zeros_like(),
            Change::Transposed => {
                let weights = weights_bhll.map(|weights| self.turn(weights, &[-2, -1]));
                self.turn(&self.stack.values(at, weights.as_ref(), &self.turn(v_bhlk, &[-2]))?, &[-2])
            }
        };
        Some(self.choose(own.size()[1], &changed, &own))
    }
}
