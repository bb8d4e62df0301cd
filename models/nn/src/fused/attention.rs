//! Attention as one operation on CPUs.

use super::operands::{rows, shape_of, with_rows};
use super::workers_with;
use crate::Differentiable;
use crate::differentiable::{BackwardContext, Results};
use kernels::attention::{Scaled, Sizes, Strided};
use kernels::{Attention, AttentionGradients, Instructions};
use tch::{Device, Kind, TchError, Tensor};

const OPTIONS: (Kind, Device) = (Kind::Float, Device::Cpu);

/// How queries, keys and values are given.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Placement {
    /// One input `[b,l,3,h,k]`.
    Together,
    /// Three inputs `[b,h,l,k]`.
    Apart,
}

/// Its inputs are queries, keys and values, then the terms; its outputs the mixture `[b,l,h,k]` and, `with_weights`, the
/// weights `[b,h,l,l]`.
pub(crate) struct AttentionOperation {
    pub(crate) instructions: Instructions,
    pub(crate) placement: Placement,
    pub(crate) scale: f32,
    pub(crate) factors: Vec<f32>,
    pub(crate) with_weights: bool,
}

impl Differentiable for AttentionOperation {
    fn forward(&self, inputs: &[Tensor], keeps: bool) -> Result<Results, TchError> {
        let (projections, terms) = self.split(inputs);
        let projections = self.readable(projections)?;
        let sizes = self.sizes(&projections);
        let terms = terms.iter().map(|term| four_dimensions(term, sizes)).collect::<Result<Vec<_>, _>>()?;
        let terms_read: Vec<_> =
            terms.iter().zip(&self.factors).map(|(term, &factor)| Scaled { rows: rows(term), factor }).collect();
        let mixed = Tensor::f_empty(mixture(sizes), OPTIONS)?;
        let weights = (keeps || self.with_weights).then(|| Tensor::f_empty(pairs(sizes), OPTIONS)).transpose()?;
        let [q, k, v] = self.parts(&projections);
        let attention = Attention {
            sizes,
            q,
            k,
            v,
            scale: self.scale,
            terms: &terms_read,
            output: rows(&mixed.f_transpose(1, 2)?),
            weights: weights.as_ref().map(rows),
        };
        // SAFETY: the tensors live and have these sizes, and what is written is new.
        unsafe { attention.compute(workers_with(self.instructions)) };
        let kept = weights.iter().filter(|_| keeps).map(Tensor::shallow_clone).collect();
        Ok(Results { outputs: [mixed].into_iter().chain(weights.filter(|_| self.with_weights)).collect(), kept })
    }

    fn backward(&self, context: BackwardContext<'_>, wanted: &[bool]) -> Result<Vec<Option<Tensor>>, TchError> {
        let (projections, terms) = self.split(context.inputs);
        let wanted_terms = &wanted[projections.len()..];
        let projections = self.readable(projections)?;
        let sizes = self.sizes(&projections);
        let of_mixed = match &context.gradients[0] {
            Some(gradient) => with_rows(gradient.f_transpose(1, 2)?)?,
            None => Tensor::f_zeros(mixture(sizes), OPTIONS)?.f_transpose(1, 2)?,
        };
        let of_weights = context.gradients.get(1).and_then(Option::as_ref).map(Tensor::f_contiguous).transpose()?;
        let of_projections = match self.placement {
            Placement::Together => vec![Tensor::f_empty(projections[0].size(), OPTIONS)?],
            Placement::Apart => {
                let gradient = || Tensor::f_empty(mixture(sizes), OPTIONS)?.f_transpose(1, 2);
                vec![gradient()?, gradient()?, gradient()?]
            }
        };
        let of_terms = OfTerms::new(terms, wanted_terms, &self.factors, sizes)?;
        let ([q, k, v], [of_q, of_k, of_v]) = (self.parts(&projections), self.parts(&of_projections));
        let gradients = AttentionGradients {
            sizes,
            q,
            k,
            v,
            scale: self.scale,
            weights: rows(&context.kept[0]),
            of_output: rows(&of_mixed),
            of_weights: of_weights.as_ref().map(rows),
            of_q,
            of_k,
            of_v,
            of_logits: of_terms.each.as_ref().map(OfLogits::place),
            of_shared_logits: of_terms.shared.as_ref().map(OfLogits::place),
        };
        // SAFETY: as in `forward`.
        unsafe { gradients.compute(workers_with(self.instructions)) };
        let mut all: Vec<_> = of_projections.into_iter().map(Some).collect();
        for ((term, &factor), &wanted) in terms.iter().zip(&self.factors).zip(wanted_terms) {
            all.push(wanted.then(|| of_terms.of(term, factor, sizes)).transpose()?);
        }
        Ok(all)
    }
}

impl AttentionOperation {
    /// Queries, keys and values; terms.
    fn split<'a>(&self, inputs: &'a [Tensor]) -> (&'a [Tensor], &'a [Tensor]) {
        inputs.split_at(inputs.len() - self.factors.len())
    }

    /// The projections in layouts that kernels read.
    fn readable(&self, projections: &[Tensor]) -> Result<Vec<Tensor>, TchError> {
        match self.placement {
            Placement::Together => Ok(vec![projections[0].f_contiguous()?]),
            Placement::Apart => projections.iter().map(|one| with_rows(one.shallow_clone())).collect(),
        }
    }

    fn sizes(&self, projections: &[Tensor]) -> Sizes {
        let size: Vec<usize> = projections[0].size().into_iter().map(|size| size as usize).collect();
        match (self.placement, &size[..]) {
            (Placement::Together, &[batch, length, 3, heads, width]) => Sizes { batch, heads, length, width },
            (Placement::Apart, &[batch, heads, length, width]) => {
                assert!(
                    projections.iter().all(|one| one.size() == projections[0].size()),
                    "q, k and v are of one size"
                );
                Sizes { batch, heads, length, width }
            }
            _ => panic!("attention of projections {size:?}, {:?}", self.placement),
        }
    }

    fn parts(&self, projections: &[Tensor]) -> [Strided; 3] {
        match self.placement {
            Placement::Together => {
                let [_, length, parts, heads, width] = [0, 1, 2, 3, 4].map(|i| projections[0].size()[i] as usize);
                let token = parts * heads * width;
                let start = |part: usize| projections[0].data_ptr().cast::<f32>().wrapping_add(part * heads * width);
                // SAFETY: the tensor is contiguous, so each part of it has its rows at these distances.
                [0, 1, 2].map(|part| unsafe { Strided::new(start(part), [length * token, width, token]) })
            }
            Placement::Apart => [0, 1, 2].map(|part: usize| rows(&projections[part])),
        }
    }
}

/// Gradients of the logits: of each position, and summed over positions; each where a term needs it.
struct OfTerms {
    /// `[b,h,l,l]`.
    each: Option<OfLogits>,
    /// `[1,h,l,l]`.
    shared: Option<OfLogits>,
}

/// A gradient of the logits, times the factor of the first term that needs it.
struct OfLogits {
    gradient: Tensor,
    factor: f32,
}

impl OfLogits {
    fn place(&self) -> Scaled {
        Scaled { rows: rows(&self.gradient), factor: self.factor }
    }
}

impl OfTerms {
    /// New tensors for what is wanted, not filled in.
    fn new(terms: &[Tensor], wanted: &[bool], factors: &[f32], sizes: Sizes) -> Result<Self, TchError> {
        let [batch, heads, length, _] = pairs(sizes);
        let needed = |shared: bool| -> Result<Option<OfLogits>, TchError> {
            let mut all = terms.iter().zip(wanted).zip(factors);
            let first = all.find(|((term, wanted), _)| **wanted && is_shared(term, sizes) == shared);
            let Some((_, &factor)) = first else { return Ok(None) };
            let positions = if shared { 1 } else { batch };
            Ok(Some(OfLogits { gradient: Tensor::f_empty([positions, heads, length, length], OPTIONS)?, factor }))
        };
        Ok(Self { each: needed(false)?, shared: needed(true)? })
    }

    /// The gradient of a term, in its shape.
    fn of(&self, term: &Tensor, factor: f32, sizes: Sizes) -> Result<Tensor, TchError> {
        let logits = if is_shared(term, sizes) { &self.shared } else { &self.each };
        let logits = logits.as_ref().expect("gradients that are wanted were computed");
        // Dimensions over which the term was repeated.
        let (shape, whole) = (shape_of(term), logits.gradient.size());
        let repeated: Vec<i64> = (0..4).filter(|&i| shape[i] == 1 && whole[i] != 1).map(|i| i as i64).collect();
        let summed = match &repeated[..] {
            [] => logits.gradient.shallow_clone(),
            repeated => logits.gradient.f_sum_dim_intlist(repeated, true, Kind::Float)?,
        };
        let same = factor.to_bits() == logits.factor.to_bits();
        let scaled = if same { summed } else { summed.f_mul_scalar(f64::from(factor / logits.factor))? };
        scaled.f_view(&term.size()[..])
    }
}

/// Whether all positions have the same term.
fn is_shared(term: &Tensor, sizes: Sizes) -> bool {
    shape_of(term)[0] == 1 && sizes.batch != 1
}

/// A term as `[b,h,l,l]`, repeated without copies over positions and heads.
fn four_dimensions(term: &Tensor, sizes: Sizes) -> Result<Tensor, TchError> {
    let [_, _, rows, columns] = shape_of(term);
    let length = sizes.length as i64;
    let repeats_pairs = rows != length || columns != length;
    let term = term.f_reshape(shape_of(term))?.f_expand(pairs(sizes), false)?;
    if repeats_pairs { term.f_contiguous() } else { with_rows(term) }
}

fn pairs(sizes: Sizes) -> [i64; 4] {
    [sizes.batch, sizes.heads, sizes.length, sizes.length].map(|size| size as i64)
}

fn mixture(sizes: Sizes) -> [i64; 4] {
    [sizes.batch, sizes.length, sizes.heads, sizes.width].map(|size| size as i64)
}
