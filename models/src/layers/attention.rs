//! Multi-head self-attention, with the injection points at which position encodings act.

use super::residual::{Residual, Sublayer};
use crate::config::BodyConfig;
use encodings::{AttendInput, Dims, InjectionPoints, LayerContext, Queries, Stack};
use nn::{
    Init, Linear, Mixture, Norm, NormKind, ParamId, Projections, Scope, attention, attention_with_dropout, dense,
};
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
    qk_norms: Option<[Norm; 2]>,
    groups: i64,
    out: Linear,
    dims: Dims,
    /// The share of weights that training drops.
    dropout: f64,
}

impl Attention {
    pub(crate) fn declare(scope: &mut Scope<'_>, config: &BodyConfig) -> Self {
        let (d, groups, residual) =
            (config.width(), config.qkv_groups as i64, Residual::of(config, Sublayer::Attention));
        let mut qkv = scope.sub("qkv");
        let qkv_weight = qkv.matrix("weight", &[3 * d, d / groups], qkv_init(d, d / groups, residual));
        let qkv_bias = config.qkv_bias.then(|| qkv.cast_param("bias", &[3 * d], Init::ZEROS));
        let head_width = config.dims.head_width() as i64;
        let mut norm = |name: &str| Norm::declare(&mut scope.sub(name), head_width, NormKind::Rms);
        let qk_norms = config.qk_norm.then(|| [norm("q_norm"), norm("k_norm")]);
        let out = Linear::declare(&mut scope.sub("out"), d, d, residual.scaled(d, d), config.out_bias);
        Self { qkv_weight, qkv_bias, qk_norms, groups, out, dims: config.dims, dropout: config.dropout }
    }

    /// The mixture of values, heads side by side: `[b,l,d]` → `[b,l,d]`.
    pub(crate) fn mixture(&self, at: LayerContext<'_>, stack: &Stack, x_bld: &Tensor, mask: Option<&Tensor>) -> Tensor {
        let input = stack.attend(at, x_bld);
        let mut qkv = self.normed(at, self.project(at, &input));
        let terms = stack.logits(at, Queries { x_bld: &input.qk_bld, q_bhlk: &qkv.q_bhlk, k_bhlk: &qkv.k_bhlk });
        if stack.injection_points().contains(InjectionPoints::ROTATE) {
            let (q, k) = stack.rotate(at, &qkv.q_bhlk, &qkv.k_bhlk);
            qkv = qkv.with(q, k);
        }
        let Mixture { mixed_blhk, weights_bhll } = if at.views.drop_numbers(self.dropout) {
            attention_with_dropout(&qkv, terms, mask, (at.views, self.dropout))
        } else {
            attention(&qkv, terms, mask, stack.reads_weights())
        };
        match stack.values(at, weights_bhll.as_ref(), &qkv.v_bhlk) {
            None => self.join_heads(&mixed_blhk),
            Some(term) => self.join_heads(&(mixed_blhk + term.transpose(1, 2))),
        }
    }

    /// The dense layer after the mixture.
    pub(crate) fn out(&self) -> &Linear {
        &self.out
    }

    /// Queries and keys after their norms, if there are any.
    fn normed(&self, at: LayerContext<'_>, qkv: Projections) -> Projections {
        match &self.qk_norms {
            None => qkv,
            Some([of_queries, of_keys]) => {
                let q = of_queries.forward(at.views, &qkv.q_bhlk);
                let k = of_keys.forward(at.views, &qkv.k_bhlk);
                qkv.with(q, k)
            }
        }
    }

    fn project(&self, at: LayerContext<'_>, input: &AttendInput) -> Projections {
        match &input.v_bld {
            None => Projections::from_qkv(self.split_heads(3, &self.project_together(at, &input.qk_bld))),
            Some(v_bld) => self.project_apart(at, &input.qk_bld, v_bld),
        }
    }

    /// Queries, keys and values `[b,l,3d]`.
    fn project_together(&self, at: LayerContext<'_>, x_bld: &Tensor) -> Tensor {
        let bias = self.qkv_bias.map(|bias| at.views.cast(bias));
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

    fn project_apart(&self, at: LayerContext<'_>, qk_bld: &Tensor, v_bld: &Tensor) -> Projections {
        if self.groups > 1 {
            // Groups do not end where queries and keys do.
            let [qk, v] = [qk_bld, v_bld].map(|x_bld| self.split_heads(3, &self.project_together(at, x_bld)));
            return Projections::from_qk_and_v(&qk, &v.narrow(2, 2, 1));
        }
        let d = self.dims.width as i64;
        let part = |x: &Tensor, start: i64, count: i64| {
            let (start, len) = (start * d, count * d);
            let weight = at.views[self.qkv_weight].narrow(0, start, len);
            let bias = self.qkv_bias.map(|bias| at.views.cast(bias).narrow(0, start, len));
            self.split_heads(count, &dense(&x.to_kind(at.views.kind()), &weight, bias.as_ref()))
        };
        Projections::from_qk_and_v(&part(qk_bld, 0, 2), &part(v_bld, 2, 1))
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

    pub(crate) fn weight_macs_per_token(&self) -> u64 {
        let d = self.dims.width as u64;
        3 * d * d / self.groups as u64 + self.out.macs()
    }

    /// Multiplications of the products q·kᵀ and weights·v for a sequence.
    pub(crate) fn product_macs(&self, length: u64) -> u64 {
        2 * length * length * self.dims.width as u64
    }
}

fn qkv_init(d: i64, fan_in: i64, residual: Residual) -> Init {
    Init::Custom(Arc::new(move |stream, _| {
        let mut values = residual.unscaled(fan_in, d).values(stream, &[2 * d, fan_in]);
        values.extend(residual.values(fan_in, d).values(stream, &[d, fan_in]));
        values
    }))
}
