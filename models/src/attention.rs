//! Multi-head self-attention, with the injection points at which position encodings act.

use crate::body::BodyConfig;
use crate::residual::Residual;
use encodings::{Dims, LayerContext, Logits, Queries, Stack};
use nn::{Init, Linear, ParamId, Scope, dense};
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
/// With g groups the weight is `[3d, d/g]`: rows and input channels are cut into g parts each, and a part of the rows reads
/// its part of the channels only, as a grouped convolution 1×1 does. The three thirds of the rows stay q, k and v, so that
/// queries see the channels of the first groups and values those of the last, and no group is a head's. (dlshogi's branch
/// feature/resnet-transformer has this with g = 8; whether it was meant is not known.)
#[derive(Debug)]
pub(crate) struct Attention {
    qkv_weight: ParamId,
    qkv_bias: Option<ParamId>,
    groups: i64,
    out: Linear,
    dims: Dims,
}

impl Attention {
    pub(crate) fn declare(scope: &mut Scope<'_>, config: &BodyConfig) -> Self {
        let (d, groups, residual) = (config.width(), config.qkv_groups as i64, config.residual());
        let mut qkv = scope.sub("qkv");
        let qkv_weight = qkv.matrix("weight", &[3 * d, d / groups], qkv_init(d, d / groups, residual));
        let qkv_bias = config.qkv_bias.then(|| qkv.f32_param("bias", &[3 * d], Init::ZEROS));
        let out = Linear::declare(&mut scope.sub("out"), d, d, residual.scaled(d, d), config.out_bias);
        Self { qkv_weight, qkv_bias, groups, out, dims: config.dims }
    }

    /// `[b,l,d]` → `[b,l,d]`.
    pub(crate) fn forward(&self, at: LayerContext<'_>, stack: &Stack, x_bld: &Tensor, mask: Option<&Tensor>) -> Tensor {
        let input = stack.attend(at, x_bld);
        let (q, k, v) = match &input.v_bld {
            None => self.project_together(at, &input.qk_bld),
            Some(v_bld) => self.project_apart(at, &input.qk_bld, v_bld),
        };
        let terms = stack.logits(at, Queries { x_bld: &input.qk_bld, q_bhlk: &q, k_bhlk: &k });
        let (q, k) = stack.rotate(at, &q, &k);
        let weights = self.scores(&q, &k, terms, mask).softmax(-1, v.kind());
        let mut mixed = weights.matmul(&v);
        if let Some(term) = stack.values(at, &weights, &v) {
            mixed += term;
        }
        self.out.forward(at.views, &self.join_heads(&mixed))
    }

    fn project_together(&self, at: LayerContext<'_>, x_bld: &Tensor) -> (Tensor, Tensor, Tensor) {
        let bias = self.qkv_bias.map(|bias| at.views[bias].to_kind(at.views.kind()));
        let x_bld = x_bld.to_kind(at.views.kind());
        let all = match self.groups {
            1 => dense(&x_bld, &at.views[self.qkv_weight], bias.as_ref()),
            _ => self.project_in_groups(&x_bld, &at.views[self.qkv_weight], bias.as_ref()),
        };
        let [q, k, v] = self.split_heads(&all);
        (q, k, v)
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

    fn project_apart(&self, at: LayerContext<'_>, qk_bld: &Tensor, v_bld: &Tensor) -> (Tensor, Tensor, Tensor) {
        if self.groups > 1 {
            // Groups do not end where queries and keys do.
            let (q, k, _) = self.project_together(at, qk_bld);
            return (q, k, self.project_together(at, v_bld).2);
        }
        let d = self.dims.width as i64;
        let part = |x: &Tensor, start: i64, len: i64| {
            let weight = at.views[self.qkv_weight].narrow(0, start, len);
            let bias = self.qkv_bias.map(|bias| at.views[bias].narrow(0, start, len).to_kind(at.views.kind()));
            dense(&x.to_kind(at.views.kind()), &weight, bias.as_ref())
        };
        let [q, k] = self.split_heads(&part(qk_bld, 0, 2 * d));
        let [v] = self.split_heads(&part(v_bld, 2 * d, d));
        (q, k, v)
    }

    /// `[b,l,N·d]` → N contiguous `[b,h,l,k]`: viewed before it is parted, so that the backward pass writes the
    /// gradient of all N in one go.
    fn split_heads<const N: usize>(&self, x: &Tensor) -> [Tensor; N] {
        let (heads, head_width) = (self.dims.heads as i64, self.dims.head_width() as i64);
        let (batch, length, _) = x.size3().expect("activations are [b,l,d]");
        let parts = x.view([batch, length, N as i64, heads, head_width]).unbind(2);
        let parts: [Tensor; N] = parts.try_into().expect("the view has N parts");
        parts.map(|part| part.transpose(1, 2).contiguous())
    }

    /// `[b,h,l,k]` → `[b,l,d]`.
    fn join_heads(&self, x_bhlk: &Tensor) -> Tensor {
        let (batch, _, length, _) = x_bhlk.size4().expect("attention outputs are [b,h,l,k]");
        x_bhlk.transpose(1, 2).reshape([batch, length, self.dims.width as i64])
    }

    /// Attention logits `[b,h,l,l]`.
    fn scores(&self, q_bhlk: &Tensor, k_bhlk: &Tensor, terms: Logits, mask: Option<&Tensor>) -> Tensor {
        let scale = (self.dims.head_width() as f64).sqrt().recip();
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
