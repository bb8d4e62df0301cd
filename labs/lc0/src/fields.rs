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
    /// A map of names to messages.
    Map(&'static [Field]),
    Nothing,
}

use FieldContent::{Many, Map, Nothing, Number, One, Tensor};

const CONVOLUTION: &[Field] = &[
    ("weights", Tensor),
    ("biases", Tensor),
    ("bn_means", Tensor),
    ("bn_stddivs", Tensor),
    ("bn_gammas", Tensor),
    ("bn_betas", Tensor),
];

const SE_UNIT: &[Field] = &[("w1", Tensor), ("b1", Tensor), ("w2", Tensor), ("b2", Tensor)];

const RESIDUAL: &[Field] = &[("conv1", One(CONVOLUTION)), ("conv2", One(CONVOLUTION)), ("se", One(SE_UNIT))];

const SMOLGEN: &[Field] = &[
    ("compress", Tensor),
    ("dense1_w", Tensor),
    ("dense1_b", Tensor),
    ("ln1_gammas", Tensor),
    ("ln1_betas", Tensor),
    ("dense2_w", Tensor),
    ("dense2_b", Tensor),
    ("ln2_gammas", Tensor),
    ("ln2_betas", Tensor),
];

const ATTENTION: &[Field] = &[
    ("q_w", Tensor),
    ("q_b", Tensor),
    ("k_w", Tensor),
    ("k_b", Tensor),
    ("v_w", Tensor),
    ("v_b", Tensor),
    ("dense_w", Tensor),
    ("dense_b", Tensor),
    ("smolgen", One(SMOLGEN)),
    ("rpe_q", Tensor),
    ("rpe_k", Tensor),
    ("rpe_v", Tensor),
];

const FEED_FORWARD: &[Field] =
    &[("dense1_w", Tensor), ("dense1_b", Tensor), ("dense2_w", Tensor), ("dense2_b", Tensor)];

const ENCODER: &[Field] = &[
    ("mha", One(ATTENTION)),
    ("ln1_gammas", Tensor),
    ("ln1_betas", Tensor),
    ("ffn", One(FEED_FORWARD)),
    ("ln2_gammas", Tensor),
    ("ln2_betas", Tensor),
];

const POLICY: &[Field] = &[
    ("ip_pol_w", Tensor),
    ("ip_pol_b", Tensor),
    ("ip2_pol_w", Tensor),
    ("ip2_pol_b", Tensor),
    ("ip3_pol_w", Tensor),
    ("ip3_pol_b", Tensor),
    ("ip4_pol_w", Tensor),
    ("pol_encoder", Many(ENCODER)),
    ("pol_headcount", Number),
    ("policy1", One(CONVOLUTION)),
    ("policy", One(CONVOLUTION)),
];

const POLICIES: &[Field] = &[
    ("ip_pol_w", Tensor),
    ("ip_pol_b", Tensor),
    ("vanilla", One(POLICY)),
    ("optimistic_st", One(POLICY)),
    ("soft", One(POLICY)),
    ("opponent", One(POLICY)),
    ("", Map(POLICY)),
];

const VALUE: &[Field] = &[
    ("ip_val_w", Tensor),
    ("ip_val_b", Tensor),
    ("ip1_val_w", Tensor),
    ("ip1_val_b", Tensor),
    ("ip2_val_w", Tensor),
    ("ip2_val_b", Tensor),
    ("ip_val_err_w", Tensor),
    ("ip_val_err_b", Tensor),
    ("ip_val_cat_w", Tensor),
    ("ip_val_cat_b", Tensor),
    ("value", One(CONVOLUTION)),
];

const VALUES: &[Field] = &[("winner", One(VALUE)), ("q", One(VALUE)), ("st", One(VALUE)), ("", Map(VALUE))];

pub(super) const WEIGHTS: &[Field] = &[
    ("input", One(CONVOLUTION)),
    ("residual", Many(RESIDUAL)),
    ("policy", One(CONVOLUTION)),
    ("ip_pol_w", Tensor),
    ("ip_pol_b", Tensor),
    ("value", One(CONVOLUTION)),
    ("ip1_val_w", Tensor),
    ("ip1_val_b", Tensor),
    ("ip2_val_w", Tensor),
    ("ip2_val_b", Tensor),
    ("policy1", One(CONVOLUTION)),
    ("moves_left", One(CONVOLUTION)),
    ("ip1_mov_w", Tensor),
    ("ip1_mov_b", Tensor),
    ("ip2_mov_w", Tensor),
    ("ip2_mov_b", Tensor),
    ("ip2_pol_w", Tensor),
    ("ip2_pol_b", Tensor),
    ("ip3_pol_w", Tensor),
    ("ip3_pol_b", Tensor),
    ("pol_encoder", Many(ENCODER)),
    ("ip4_pol_w", Tensor),
    ("", Nothing),
    ("pol_headcount", Number),
    ("ip_emb_w", Tensor),
    ("ip_emb_b", Tensor),
    ("encoder", Many(ENCODER)),
    ("headcount", Number),
    ("ip_val_w", Tensor),
    ("ip_val_b", Tensor),
    ("ip_mov_w", Tensor),
    ("ip_mov_b", Tensor),
    ("ip_mult_gate", Tensor),
    ("ip_add_gate", Tensor),
    ("smolgen_w", Tensor),
    ("smolgen_b", Tensor),
    ("ip_emb_preproc_w", Tensor),
    ("ip_emb_preproc_b", Tensor),
    ("ip_emb_ln_gammas", Tensor),
    ("ip_emb_ln_betas", Tensor),
    ("ip_emb_ffn", One(FEED_FORWARD)),
    ("ip_emb_ffn_ln_gammas", Tensor),
    ("ip_emb_ffn_ln_betas", Tensor),
    ("value_heads", One(VALUES)),
    ("policy_heads", One(POLICIES)),
];
