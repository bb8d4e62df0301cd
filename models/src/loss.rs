//! Examples, their targets, and the formulas of losses.
//!
//! Every `*_rows` function returns `[b]`, f32, with 0 in rows that have no target. Means are `sum / count` over all
//! micro-batches of a step together, never means of means ([`crate::measure`]).

pub mod examples;
mod map;
mod policy;
mod refined;
mod result;
mod reward;
mod rights;

pub use map::{MapTargets, pair_map_answer, pair_map_cells, square_map_answer, square_map_cells};
pub use policy::{
    PolicyTargets, expand_mask, mask_policy, mean, policy_cross_entropy_rows, policy_divergence_rows,
    policy_entropy_rows, policy_log_probs, policy_z_rows, wdl_cross_entropy_rows,
};
pub use refined::{Refined, RefinedTargets, refined_rows};
pub use result::{
    known, result_share_rows, value_cross_entropy_rows, value_share_rows, value_shares, value_shares_present,
    win_rate_entropy_rows, win_rate_rows,
};
pub use reward::{
    RewardTargets, moves_left_rows, reward_bucket, reward_bucket_rows, reward_error_rows, reward_squared_error_rows,
};
pub use rights::{RightsTargets, rights_hit_rows, rights_rows};

pub(crate) use policy::ILLEGAL_LOGIT;
