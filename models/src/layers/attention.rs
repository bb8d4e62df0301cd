//! Multi-head self-attention, with the injection points at which position encodings act.

use super::residual::Residual;
use crate::config::BodyConfig;
use encodings::fused_attention::{self, Attend, Projections};
use encodings::{AttendInput, Dims, InjectionPoints, LayerContext, Logits, Queries, Stack};
use nn::{Init, Linear, Norm, NormKind, ParamId, Scope, dense};
use std::sync::Arc;
use tch::Tensor;

/// `softmax((q·kᵀ + before) / √k + after + mask)·v + values`, heads side by side, then a dense layer. A mask `[l,l]` holds 0
/// where a token (row) may see another (column), and where not a number so low that nothing of it is left.
///
/// Queries, keys and values come from one weight `[3d, d]` (rows of q, k, v; channel `head·k + i` in each), so that
/// they are one product where an encoding leaves them the same input. The initialisers are those of three separate
/// layers: [`Residual::unscaled`] for queries and keys, [`Residual::values`] for values, [`Residual::scaled`] for the
/// output.
///
/// With `qk_norm` the queries and keys of every head go through a root-mean-square norm with a learned gain `[k]`, shared by
/// heads, one for queries and one for keys (query-key normalisation, Henry et al. 2020, arXiv 2010.04245; with gains as in
/// ViT-22B, arXiv 2302.05442, which has layer norms). Encodings see the normed queries and keys, and rotate these.
///
/// With g groups the weight is `[3d, d/g]`: rows and input channels are cut into g parts each, and a part of the rows reads
/// its part of the channels only, as a grouped convolution 1×1 does. The three thirds of the rows stay q, k and v, so that
/// queries see the channels of the first groups and values those of the last, and no group is a head's. (dlshogi's branch
/// feature/resnet-transformer has this with g = 8; whether it was meant is not known.)
#[derive(Debug)]
pub(crate) struct Attention {
    qkv_weight: ParamId,
    qkv_bias: Option<ParamId>,
    /// The norms of queries and keys.
    qk_norms: Option<[Norm; 2]>,
    groups: i64,
    out: Linear,
    dims: Dims,
}

impl Attention {
    pub(crate) fn declare(scope: &mut Scope<'_>, config: &BodyConfig) -> Self {
        let (d, groups, residual) = (config.width(), config.qkv_groups as i64, Residual::of(config));
        let mut qkv = scope.sub("qkv");
        let qkv_weight = qkv.matrix("weight", &[3 * d, d / groups], qkv_init(d, d / groups, residual));
        let qkv_bias = config.qkv_bias.then(|| qkv.f32_param("bias", &[3 * d], Init::ZEROS));
        let head_width = config.dims.head_width() as i64;
        let mut norm = |name: &str| Norm::declare(&mut scope.sub(name), head_width, NormKind::Rms);
        let qk_norms = config.qk_norm.then(|| [norm("q_norm"), norm("k_norm")]);
        let out = Linear::declare(&mut scope.sub("out"), d, d, residual.scaled(d, d), config.out_bias);
        Self { qkv_weight, qkv_bias, qk_norms, groups, out, dims: config.dims }
    }

    /// The mixture of values, heads side by side: `[b,l,d]` → `[b,l,d]`.
    pub(crate) fn mixture(&self, at: LayerContext<'_>, stack: &Stack, x_bld: &Tensor, mask: Option<&Tensor>) -> Tensor {
        let input = stack.attend(at, x_bld);
        if self.is_fused(at, x_bld) {
            self.mix_fused(at, stack, &input, mask)
        } else {
            self.mix(at, stack, &input, mask)
        }
    }

    /// The dense layer behind the mixture.
    pub(crate) fn out(&self) -> &Linear {
        &self.out
    }

    fn is_fused(&self, at: LayerContext<'_>, x_bld: &Tensor) -> bool {
        let (batch, length, _) = x_bld.size3().expect("activations are [b,l,d]");
        batch > 0 && fused_attention::serves(at.views.kind(), x_bld.device(), length, self.dims.head_width() as i64)
    }

    /// The mixture of values by products of tensors, heads side by side.
    fn mix(&self, at: LayerContext<'_>, stack: &Stack, input: &AttendInput, mask: Option<&Tensor>) -> Tensor {
        let [q, k, v] = self.project(at, input).parts().map(|part| part.contiguous());
        let [q, k] = self.normed(at, [q, k]);
        let terms = stack.logits(at, Queries { x_bld: &input.qk_bld, q_bhlk: &q, k_bhlk: &k });
        let (q, k) = stack.rotate(at, &q, &k);
        let weights = self.scores(&q, &k, terms, mask).softmax(-1, v.kind());
        let mut mixed = weights.matmul(&v);
        if let Some(term) = stack.values(at, Some(&weights), &v) {
            mixed += term;
        }
        self.join_heads(&mixed.transpose(1, 2))
    }

    /// The same by one operation.
    fn mix_fused(&self, at: LayerContext<'_>, stack: &Stack, input: &AttendInput, mask: Option<&Tensor>) -> Tensor {
        let projected = self.project(at, input);
        let [q, k, v] = projected.parts();
        let [q, k] = self.normed(at, [q, k]);
        let terms = stack.logits(at, Queries { x_bld: &input.qk_bld, q_bhlk: &q, k_bhlk: &k });
        let rotates = stack.injection_points().contains(InjectionPoints::ROTATE);
        let (q, k) = if rotates { stack.rotate(at, &q, &k) } else { (q, k) };
        let projections = match &projected {
            // Terms before the scale are mostly products of queries and keys: then the gradients of these have several
            // parts, and are added up more cheaply apart.
            Projected::Together(all) if !rotates && self.qk_norms.is_none() && terms.before_scale.is_none() => {
                Projections::Together(all)
            }
            _ => Projections::Apart { q: &q, k: &k, v: &v },
        };
        let attend =
            Attend { projections, scale: self.scale(), terms: &terms, mask, with_weights: stack.reads_weights() };
        let mixture = attend.mix();
        match stack.values(at, mixture.weights_bhll.as_ref(), &v) {
            None => self.join_heads(&mixture.mixed_blhk),
            Some(term) => self.join_heads(&(mixture.mixed_blhk + term.transpose(1, 2))),
        }
    }

    /// Queries and keys after their norms, if there are any.
    fn normed(&self, at: LayerContext<'_>, [q_bhlk, k_bhlk]: [Tensor; 2]) -> [Tensor; 2] {
        match &self.qk_norms {
            None => [q_bhlk, k_bhlk],
            Some([of_queries, of_keys]) => [of_queries.forward(at.views, &q_bhlk), of_keys.forward(at.views, &k_bhlk)],
        }
    }

    fn project(&self, at: LayerContext<'_>, input: &AttendInput) -> Projected {
        match &input.v_bld {
            None => Projected::Together(self.split_heads(3, &self.project_together(at, &input.qk_bld))),
            Some(v_bld) => self.project_apart(at, &input.qk_bld, v_bld),
        }
    }

    /// Queries, keys and values `[b,l,3d]`.
    fn project_together(&self, at: LayerContext<'_>, x_bld: &Tensor) -> Tensor {
        let bias = self.qkv_bias.map(|bias| at.views[bias].to_kind(at.views.kind()));
        let x_bld = x_bld.to_kind(at.views.kind());
        match self.groups {
            1 => dense(&x_bld, &at.views[self.qkv_weight], bias.as_ref()),
            _ => self.project_in_groups(&x_bld, &at.views[self.qkv_weight], bias.as_ref()),
        }
    }

    /// `[b,l,d]` → `[b,l,3d]`, one product a group.
    fn project_in_groups(&self, x_bld: &Tensor, weight: &Tensor, bias: Option<&Tensor>) -> Tensor {
        let (batch, length, d) = x_bld.size3().expect("activations are [b,l,d]");
        let (groups, part) = (self.groups, d / self.groups);
        let inputs = x_bld.reshape([-1, groups, part]).transpose(0, 1).contiguous();
        let weights = weight.view([groups, 3 * part, part]).transpose(1, 2);
        let all = inputs.bmm(&weights).transpose(0, 1).reshape([batch, length, 3 * d]);
        match bias {
            Some(bias) => all + bias,
            None => all,
        }
    }

    fn project_apart(&self, at: LayerContext<'_>, qk_bld: &Tensor, v_bld: &Tensor) -> Projected {
        if self.groups > 1 {
            // Groups do not end where queries and keys do.
            let [qk, v] = [qk_bld, v_bld].map(|x_bld| self.split_heads(3, &self.project_together(at, x_bld)));
            return Projected::Apart { qk, v: v.narrow(2, 2, 1) };
        }
        let d = self.dims.width as i64;
        let part = |x: &Tensor, start: i64, count: i64| {
            let (start, len) = (start * d, count * d);
            let weight = at.views[self.qkv_weight].narrow(0, start, len);
            let bias = self.qkv_bias.map(|bias| at.views[bias].narrow(0, start, len).to_kind(at.views.kind()));
            self.split_heads(count, &dense(&x.to_kind(at.views.kind()), &weight, bias.as_ref()))
        };
        Projected::Apart { qk: part(qk_bld, 0, 2), v: part(v_bld, 2, 1) }
    }

    /// `[b,l,parts·d]` → `[b,l,parts,h,k]`.
    fn split_heads(&self, parts: i64, x: &Tensor) -> Tensor {
        let (batch, length, _) = x.size3().expect("activations are [b,l,d]");
        x.view([batch, length, parts, self.dims.heads as i64, self.dims.head_width() as i64])
    }

    /// `[b,l,h,k]` → `[b,l,d]`.
    fn join_heads(&self, x_blhk: &Tensor) -> Tensor {
        let (batch, length, ..) = x_blhk.size4().expect("attention outputs are [b,l,h,k]");
        x_blhk.reshape([batch, length, self.dims.width as i64])
    }

    /// The factor of the logits.
    fn scale(&self) -> f64 {
        (self.dims.head_width() as f64).sqrt().recip()
    }

    /// Attention logits `[b,h,l,l]`.
    fn scores(&self, q_bhlk: &Tensor, k_bhlk: &Tensor, terms: Logits, mask: Option<&Tensor>) -> Tensor {
        let scale = self.scale();
        let keys = k_bhlk.transpose(-2, -1);
        let mut scores = match terms.before_scale {
            // Queries are the smaller tensor to scale.
            None => (q_bhlk * scale).matmul(&keys),
            Some(before) => add_and_scale(&before, q_bhlk, &keys, scale),
        };
        if let Some(after) = terms.after_scale {
            scores += after;
        }
        if let Some(mask) = mask {
            scores += mask;
        }
        scores
    }

    /// Multiplications by weights for one token.
    pub(crate) fn weight_macs_per_token(&self) -> u64 {
        let d = self.dims.width as u64;
        3 * d * d / self.groups as u64 + self.out.macs()
    }

    /// Multiplications of the products q·kᵀ and weights·v for a sequence.
    pub(crate) fn product_macs(&self, length: u64) -> u64 {
        2 * length * length * self.dims.width as u64
    }
}

#[derive(Debug)]
enum Projected {
    /// All three, `[b,l,3,h,k]`.
    Together(Tensor),
    /// Queries and keys `[b,l,2 or more,h,k]`, values `[b,l,1,h,k]`.
    Apart { qk: Tensor, v: Tensor },
}

impl Projected {
    /// Queries, keys and values as views `[b,h,l,k]`: viewed before they are parted, so that the backward pass writes the
    /// gradient of all parts in one go.
    fn parts(&self) -> [Tensor; 3] {
        let parts: Vec<Tensor> = match self {
            Self::Together(all) => all.unbind(2),
            Self::Apart { qk, v } => qk.unbind(2).into_iter().take(2).chain(v.unbind(2)).collect(),
        };
        let parts: [Tensor; 3] = parts.try_into().expect("queries, keys and values are three");
        parts.map(|part| part.transpose(1, 2))
    }
}

/// `(before + q·keys)·scale` in one pass over the logits.
fn add_and_scale(before: &Tensor, q_bhlk: &Tensor, keys_bhkl: &Tensor, scale: f64) -> Tensor {
    let product = [q_bhlk.size(), keys_bhkl.size()];
    let shape = [product[0][0], product[0][1], product[0][2], product[1][3]];
    let before = before.expand(shape, false).flatten(0, 1);
    before.baddbmm(&q_bhlk.flatten(0, 1), &keys_bhkl.flatten(0, 1), scale, scale).view(shape)
}

fn qkv_init(d: i64, fan_in: i64, residual: Residual) -> Init {
    Init::Custom(Arc::new(move |stream, _| {
        let mut values = residual.unscaled(fan_in, d).values(stream, &[2 * d, fan_in]);
        values.extend(residual.values(fan_in, d).values(stream, &[d, fan_in]));
        values
    }))
}
