//! The fields of a weights message by name: Lc0's `proto/net.proto`.
//!
//! A tensor's name is its path: `encoder[3].mha.smolgen.dense1_w`. [`super::tree`] reads by these names and
//! [`super::export`] writes by them. Fields that the format got later are named too, so that unread parts can be reported.

/// A field of a message: its name and content type, in the order of the field numbers from 1.
pub(super) type Field = (&'static str, FieldContent);

#[derive(Clone, Copy)]
pub(super) enum FieldContent {
    Tensor,
    Number,
    One(&'static [Field]),
    /// A list, whose names end in `[i]`.
    Many(&'static [Field]),
    /// A map of names to messages, without a name of its own.
    Map(&'static [Field]),
    /// A number that the format does not use.
    Nothing,
}

use FieldContent::{Many, Map, Nothing, Number, One, Tensor};

/// The fields of a message: a tensor by its name, anything else with its content.
macro_rules! fields {
    (@) => { Tensor };
    (@ $content:expr) => { $content };
    ($($name:ident $(: $content:expr)?),* $(,)?) => { &[$((stringify!($name), fields!(@ $($content)?))),*] };
}

const CONVOLUTION: &[Field] = fields! { weights, biases, bn_means, bn_stddivs, bn_gammas, bn_betas };

const SE_UNIT: &[Field] = fields! { w1, b1, w2, b2 };

const RESIDUAL: &[Field] = fields! { conv1: One(CONVOLUTION), conv2: One(CONVOLUTION), se: One(SE_UNIT) };

const SMOLGEN: &[Field] = fields! {
    compress, dense1_w, dense1_b, ln1_gammas, ln1_betas, dense2_w, dense2_b, ln2_gammas, ln2_betas,
};

const ATTENTION: &[Field] = fields! {
    q_w, q_b, k_w, k_b, v_w, v_b, dense_w, dense_b, smolgen: One(SMOLGEN), rpe_q, rpe_k, rpe_v,
};

const FEED_FORWARD: &[Field] = fields! { dense1_w, dense1_b, dense2_w, dense2_b };

const ENCODER: &[Field] = fields! {
    mha: One(ATTENTION), ln1_gammas, ln1_betas, ffn: One(FEED_FORWARD), ln2_gammas, ln2_betas,
};

const POLICY: &[Field] = fields! {
    ip_pol_w, ip_pol_b, ip2_pol_w, ip2_pol_b, ip3_pol_w, ip3_pol_b, ip4_pol_w, pol_encoder: Many(ENCODER),
    pol_headcount: Number, policy1: One(CONVOLUTION), policy: One(CONVOLUTION),
};

const POLICIES: &[Field] = fields! {
    ip_pol_w, ip_pol_b, vanilla: One(POLICY), optimistic_st: One(POLICY), soft: One(POLICY), opponent: One(POLICY),
    others: Map(POLICY),
};

const VALUE: &[Field] = fields! {
    ip_val_w, ip_val_b, ip1_val_w, ip1_val_b, ip2_val_w, ip2_val_b, ip_val_err_w, ip_val_err_b, ip_val_cat_w,
    ip_val_cat_b, value: One(CONVOLUTION),
};

const VALUES: &[Field] = fields! { winner: One(VALUE), q: One(VALUE), st: One(VALUE), others: Map(VALUE) };

pub(super) const WEIGHTS: &[Field] = fields! {
    input: One(CONVOLUTION), residual: Many(RESIDUAL), policy: One(CONVOLUTION), ip_pol_w, ip_pol_b,
    value: One(CONVOLUTION), ip1_val_w, ip1_val_b, ip2_val_w, ip2_val_b, policy1: One(CONVOLUTION),
    moves_left: One(CONVOLUTION), ip1_mov_w, ip1_mov_b, ip2_mov_w, ip2_mov_b, ip2_pol_w, ip2_pol_b, ip3_pol_w,
    ip3_pol_b, pol_encoder: Many(ENCODER), ip4_pol_w, unused: Nothing, pol_headcount: Number, ip_emb_w, ip_emb_b,
    encoder: Many(ENCODER), headcount: Number, ip_val_w, ip_val_b, ip_mov_w, ip_mov_b, ip_mult_gate, ip_add_gate,
    smolgen_w, smolgen_b, ip_emb_preproc_w, ip_emb_preproc_b, ip_emb_ln_gammas, ip_emb_ln_betas,
    ip_emb_ffn: One(FEED_FORWARD), ip_emb_ffn_ln_gammas, ip_emb_ffn_ln_betas, value_heads: One(VALUES),
    policy_heads: One(POLICIES),
};
