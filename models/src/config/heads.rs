//! The options of the heads.

use super::defaults::is_default;
use super::error::ModelError;
use facts::{Docs, HeadName};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

macro_rules! heads {
    ($($(#[doc = $doc:literal])+ $variant:ident $field:ident: $options:ty;)+) => {
        /// The heads of a network: those that are named, with their options (`{}` for none). Left out altogether, they are the
        /// policy and the result.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct Outputs {
            $($(#[doc = $doc])+ #[serde(default, skip_serializing_if = "is_default")] pub $field: $options,)+
        }

        impl Outputs {
            /// The heads in YAML, each with the lines of its doc comment.
            pub const DOCS: Docs = &[$((stringify!($field), &[$($doc),+])),+];

            /// No head at all, to add some to.
            pub fn none() -> Self {
                Self { $($field: Default::default(),)+ }
            }

            /// The heads that are named, in the order of [`HeadName`].
            pub fn heads(&self) -> Vec<HeadName> {
                let there = [$((HeadName::$variant, !is_default(&self.$field)),)+];
                there.into_iter().filter_map(|(head, there)| there.then_some(head)).collect()
            }

            /// Takes a head away.
            pub fn remove(&mut self, head: HeadName) {
                match head {
                    $(HeadName::$variant => self.$field = Default::default(),)+
                    // It is the model's `refinement`.
                    HeadName::Refined => {}
                }
            }
        }
    };
}

heads! {
    /// A logit per move: q·k/√depth, promotions, drops. Target: the move played, or the data's distribution. Loss
    /// `policy`: cross-entropy; with `z_loss` also `policy_z`: log² of the sum of exponentials (arXiv 2204.02311).
    Policy policy: Option<PolicyOptions>;
    /// Logits of win, draw, loss. Target: the game's result. Loss `value`: cross-entropy.
    Result result: Option<NoOptions>;
    /// Three plain numbers for win, draw, loss (ChessDecoder). Target: 1 for the result, 0 for the others. Loss
    /// `result_shares`: mean squared error.
    ResultShares result_shares: Option<NoOptions>;
    /// As `result`. Target: p − d/2, d, 1 − p − d/2 of the value p and the draw probability d, which Lc0's chunks have.
    /// Loss `value_result`.
    ValueResult value_result: Option<NoOptions>;
    /// As `result_shares`. Target: that of `value_result` (ChessDecoder). Loss `value_shares`.
    ValueShares value_shares: Option<NoOptions>;
    /// A logit whose σ is the expected points of the side to move. Targets: the game's result, and the position's
    /// value. Losses `win_rate_result`, `win_rate_value`: binary cross-entropy.
    WinRate win_rate: Option<NoOptions>;
    /// As `policy`, with separate queries and keys, by default of its depth. Target: p^(1/temperature), normalised;
    /// one-hot targets are refused. Loss `soft_policy`: cross-entropy.
    SoftPolicy soft_policy: Option<SoftPolicy>;
    /// More policies of an imported network. They have no target.
    FurtherPolicies further_policies: BTreeMap<String, FurtherPolicy>;
    /// tanh, or P(win) − P(loss) of three logits with `wdl`. Target: 2p − 1 of the value p. Losses: `q`, squared error;
    /// with `error` `q_error`; with `buckets` `q_buckets`.
    Q q: Option<RewardOptions>;
    /// As `q`. Target: 2p − 1 of the value averaged over the following plies, θ = 5/6. Losses `short_term`,
    /// `short_term_error`, `short_term_buckets`.
    ShortTerm short_term: Option<RewardOptions>;
    /// relu. Target: plies to the end of the game. Loss `moves_left`: Huber loss of both divided by 20, δ = 0.5.
    MovesLeft moves_left: Option<MovesLeft>;
    /// Logits per square, from one dense layer. Target: the map of squares. Loss `map`: cross-entropy.
    PerSquare per_square: Option<PerSquare>;
    /// q·k/√depth + b for each pair of squares; sizes are the width by default. Target: the map of pairs. Loss `map`:
    /// binary cross-entropy.
    Pairs pairs: Option<Pairs>;
    /// A decoder's logits for each token of the next board. Target: these tokens. Loss `board`: cross-entropy over
    /// tokens.
    Board board: Option<NoOptions>;
    /// Logits from the summary token. Target: castling and en-passant rights after the move (chess). Loss `rights`:
    /// mean binary cross-entropy.
    Rights rights: Option<RightsOptions>;
}

impl Default for Outputs {
    fn default() -> Self {
        Self { policy: Some(PolicyOptions::default()), result: Some(NoOptions {}), ..Self::none() }
    }
}

impl Outputs {
    /// The names of those that there are, in the order of [`HeadName`].
    pub fn names(&self) -> Vec<&'static str> {
        self.heads().into_iter().map(HeadName::name).collect()
    }

    /// The policy and its soft companion, those of them that there are, with what `declare` makes for each.
    pub(crate) fn declare_policies<T>(&self, mut declare: impl FnMut(HeadName) -> T) -> Vec<(HeadName, T)> {
        let policy = self.policy.map(|_| HeadName::Policy);
        let soft = self.soft_policy.map(|_| HeadName::SoftPolicy);
        policy.into_iter().chain(soft).map(|head| (head, declare(head))).collect()
    }
}

/// Refuses heads that an architecture does not have.
pub(crate) fn check_offered(model: &'static str, outputs: &Outputs, offered: &[HeadName]) -> Result<(), ModelError> {
    let named = outputs.heads();
    if named.is_empty() {
        return Err(ModelError::NoOutput);
    }
    let names = || offered.iter().map(|head| head.name()).collect::<Vec<_>>().join(", ");
    match named.into_iter().find(|head| !offered.contains(head)) {
        Some(head) => Err(ModelError::NoSuchHead { model, name: head.name(), heads: names() }),
        None => Ok(()),
    }
}

/// A head without options.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoOptions {}

/// Sizes of the policy heads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolicyConfig {
    /// Width of the embedding from which queries and keys are made; the network's width by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub embedding: Option<usize>,
    /// Width of queries and keys; the network's width by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<usize>,
    /// The bias of the logits, if the vocabulary is one of planes.
    #[serde(default, skip_serializing_if = "is_default")]
    pub plane_bias: PlaneBias,
}

/// The biases of a policy over planes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlaneBias {
    /// A number for each move, as dlshogi has them: a source of position.
    #[default]
    PerMove,
    /// A number for each class of moves, the same on all squares.
    PerClass,
}

/// Options of the policy head.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PolicyOptions {
    /// Whether training also minimises log² of the sum of exp(logit), `policy_z` among the weights of losses: PaLM's z-loss
    /// (Chowdhery et al. 2022, arXiv 2204.02311), which keeps logits near zero. Over legal moves where training masks the
    /// others.
    #[serde(skip_serializing_if = "is_default")]
    pub z_loss: bool,
}

/// Options of one of the `further_policies`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FurtherPolicy {
    /// Width of queries and keys; the policy's by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<usize>,
}

/// The policy at a high temperature.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SoftPolicy {
    /// T: its target is the policy's to the power of 1/T, made to add up to 1 again.
    pub temperature: f64,
    /// Width of queries and keys; the policy's by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<usize>,
}

impl Default for SoftPolicy {
    fn default() -> Self {
        Self { temperature: 4.0, depth: None }
    }
}

/// Further outputs about a reward.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RewardOptions {
    /// Whether its squared error is predicted.
    pub error: bool,
    /// Into how many equal intervals of −1…1 it is classified; 0 for not at all.
    pub buckets: usize,
    /// Whether the output is win, draw and loss, with the reward W − L, instead of one number by tanh.
    #[serde(skip_serializing_if = "is_default")]
    pub wdl: bool,
}

impl Default for RewardOptions {
    fn default() -> Self {
        Self { error: true, buckets: 0, wdl: false }
    }
}

/// Sizes of the moves-left head.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MovesLeft {
    /// Channels that each square is reduced to.
    pub embedding: usize,
    /// Width of the hidden layer.
    pub hidden: usize,
}

impl Default for MovesLeft {
    fn default() -> Self {
        Self { embedding: 32, hidden: 128 }
    }
}

/// A label for each square.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PerSquare {
    /// The number of labels in the dataset.
    pub classes: usize,
}

/// Yes or no for each pair of squares.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Pairs {
    /// Width of the embedding from which queries and keys are made; the network's width by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub embedding: Option<usize>,
    /// Width of queries and keys; the network's width by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<usize>,
}

/// The rights of castling and en passant after the move that is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RightsOptions {
    /// 13: four castling rights, whether en passant is possible, and on which file. 11, as the same text says elsewhere
    /// without saying which: those without the other player's castling rights, which a move seldom changes.
    pub bits: usize,
}

impl Default for RightsOptions {
    fn default() -> Self {
        Self { bits: 13 }
    }
}

impl RightsOptions {
    /// The indices of the chosen rights; `None` if there is no such choice.
    pub fn columns(self) -> Option<Vec<i64>> {
        match self.bits {
            13 => Some((0..13).collect()),
            11 => Some((0..13).filter(|&bit| bit != 2 && bit != 3).collect()),
            _ => None,
        }
    }
}
