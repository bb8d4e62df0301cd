//! Which heads a network has, as experiments write it.

use crate::config::is_default;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The heads of a network: those that are named, with their options (`{}` for none). Left out altogether, they are the
/// policy and the result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outputs {
    /// The policy; its sizes are the model's `policy`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<NoOptions>,
    /// The policy at a high temperature, from the policy's embedding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub soft_policy: Option<SoftPolicy>,
    /// More policies from the policy's embedding, by name: those of imported networks, which no dataset can teach.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub further_policies: BTreeMap<String, FurtherPolicy>,
    /// Win, draw and loss as the game ended; its sizes are the model's `value`, as those of the next three.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<NoOptions>,
    /// The same as three plain numbers that are learnt by their squared error: ChessDecoder's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result_shares: Option<NoOptions>,
    /// The share of points that the side to move gets, as one number: dlshogi's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub win_rate: Option<NoOptions>,
    /// The reward that the data's search or score expects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub q: Option<RewardOptions>,
    /// The reward averaged over the plies to come.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub short_term: Option<RewardOptions>,
    /// Moves to the end of the game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moves_left: Option<MovesLeft>,
    /// A label for each square.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_square: Option<PerSquare>,
    /// Yes or no for each pair of squares.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pairs: Option<Pairs>,
    /// The words of the next board; a decoder's only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub board: Option<NoOptions>,
    /// The rights of castling and en passant behind the move that is played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rights: Option<RightsOptions>,
}

/// A head without options.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoOptions {}

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

/// One more policy.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FurtherPolicy {
    /// Width of queries and keys; the policy's by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<usize>,
}

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
    /// What is added to the logits, where the vocabulary is one of planes.
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

/// What is said about a reward beside the reward itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RewardOptions {
    /// Whether its squared error is predicted.
    pub error: bool,
    /// Into how many equal intervals of −1…1 it is classified; 0 for not at all.
    pub buckets: usize,
    /// Whether it is said as win, draw and loss, the reward being their W − L, instead of one number by tanh.
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
    /// How many labels there are, as the dataset says.
    pub classes: usize,
}

/// The rights of castling and en passant behind the move that is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RightsOptions {
    /// 13: four castling rights, whether en passant is possible, and on which file. 11, which the same text says elsewhere
    /// without saying which: those without the other player's castling rights, which a move seldom changes.
    pub bits: usize,
}

impl Default for RightsOptions {
    fn default() -> Self {
        Self { bits: 13 }
    }
}

impl RightsOptions {
    /// Which of the thirteen rights there are; `None` if there is no such choice.
    #[must_use]
    pub fn columns(self) -> Option<Vec<i64>> {
        match self.bits {
            13 => Some((0..13).collect()),
            11 => Some((0..13).filter(|&bit| bit != 2 && bit != 3).collect()),
            _ => None,
        }
    }
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

impl Default for Outputs {
    fn default() -> Self {
        Self { policy: Some(NoOptions {}), result: Some(NoOptions {}), ..Self::none() }
    }
}

impl Outputs {
    /// The names of all heads, in the order of their fields.
    pub const NAMES: [&str; 13] = [
        "policy",
        "soft_policy",
        "further_policies",
        "result",
        "result_shares",
        "win_rate",
        "q",
        "short_term",
        "moves_left",
        "per_square",
        "pairs",
        "board",
        "rights",
    ];

    /// No head at all, to add some to.
    #[must_use]
    pub fn none() -> Self {
        Self {
            policy: None,
            soft_policy: None,
            further_policies: BTreeMap::new(),
            result: None,
            result_shares: None,
            win_rate: None,
            q: None,
            short_term: None,
            moves_left: None,
            per_square: None,
            pairs: None,
            board: None,
            rights: None,
        }
    }

    /// T of the soft policy's targets; 1 (the targets as they are) without one.
    #[must_use]
    pub fn temperature(&self) -> f64 {
        self.soft_policy.map_or(1.0, |soft| soft.temperature)
    }

    /// The names of those that there are, in the order of their fields.
    #[must_use]
    pub fn names(&self) -> Vec<&'static str> {
        let there = [
            self.policy.is_some(),
            self.soft_policy.is_some(),
            !self.further_policies.is_empty(),
            self.result.is_some(),
            self.result_shares.is_some(),
            self.win_rate.is_some(),
            self.q.is_some(),
            self.short_term.is_some(),
            self.moves_left.is_some(),
            self.per_square.is_some(),
            self.pairs.is_some(),
            self.board.is_some(),
            self.rights.is_some(),
        ];
        Self::NAMES.into_iter().zip(there).filter(|(_, there)| *there).map(|(name, _)| name).collect()
    }
}
