//! The heads: what a network answers, each in a file of its own.
//!
//! A network is a trunk and the heads that [`Outputs`] names. A head declares its parameters in a scope of its own, reads
//! what the last block made of the tokens, and fills its field of [`Output`]. It says what it costs and whether it tells
//! squares apart.

pub(crate) mod config;
mod from_to;
pub(crate) mod moves_left;
mod pairs;
mod per_square;
pub(crate) mod plane_policy;
mod policy;
pub(crate) mod pooled;
pub(crate) mod result;
mod reward;
mod rights;
pub(crate) mod summary;
mod token_policy;
pub(crate) mod win_rate;

use crate::config::{ChessformerConfig, ModelError};
use crate::decoder::BoardWords;
use crate::macs::HeadMacs;
use crate::refine::Refined;
use encodings::Tokens;
use games::Vocabulary;
use nn::{LayoutBuilder, Part, Views};
use pooled::{Pooled, PooledSizes};
use result::ReadAs;
use tch::{Kind, Tensor};

/// A network's answers to a batch; `None` where it has no such head.
#[derive(Debug, Default)]
pub struct Output {
    /// Policy logits `[b,v]` over the vocabulary, illegal moves included.
    pub policy_bv: Option<Tensor>,
    /// Logits `[b,v]` of the policy at a high temperature.
    pub soft_policy_bv: Option<Tensor>,
    /// Logits `[b,v]` of further policies, by name.
    pub further_policies: Vec<(String, Tensor)>,
    /// Logits `[b,3]` of win, draw and loss for the side to move.
    pub wdl_b3: Option<Tensor>,
    /// Win, draw and loss for the side to move as three plain numbers `[b,3]`, 1 for what is certain.
    pub result_shares_b3: Option<Tensor>,
    /// The logit `[b]` of the points that the side to move gets, a draw being half a point.
    pub win_rate_b: Option<Tensor>,
    /// The reward that the data's own search or score expects.
    pub q: Option<Reward>,
    /// The reward averaged over the plies to come.
    pub short_term: Option<Reward>,
    /// Moves to the end of the game, that of this position included, `[b]`.
    pub moves_left_b: Option<Tensor>,
    /// Logits `[b,n,classes]` of the label of each square.
    pub squares_bnc: Option<Tensor>,
    /// Logits `[b,n,n]` of the label of each pair of squares, from rows to columns.
    pub pairs_bnn: Option<Tensor>,
    /// What a decoder says about the words of boards.
    pub board: Option<BoardWords>,
    /// Logits `[b,bits]` of the rights behind the move that is played.
    pub rights_bn: Option<Tensor>,
    /// The choice of a second pass among the policy's likeliest moves.
    pub refined: Option<Refined>,
}

/// A scalar reward of the side to move, in −1…1, and what is said about it.
#[derive(Debug)]
pub struct Reward {
    /// The reward `[b]`.
    pub value_b: Tensor,
    /// Logits `[b,3]` of win, draw and loss that it comes from, where it does.
    pub wdl_b3: Option<Tensor>,
    /// Its expected squared error `[b]`, in 0…1.
    pub error_b: Option<Tensor>,
    /// Logits `[b,buckets]` of the interval that it lies in.
    pub buckets_bn: Option<Tensor>,
}

impl Output {
    /// The same answers in f32, in which losses and probabilities are taken.
    pub(crate) fn in_f32(mut self) -> Self {
        let logits = [
            &mut self.policy_bv,
            &mut self.soft_policy_bv,
            &mut self.wdl_b3,
            &mut self.result_shares_b3,
            &mut self.win_rate_b,
            &mut self.moves_left_b,
            &mut self.squares_bnc,
            &mut self.pairs_bnn,
            &mut self.rights_bn,
        ];
        let rewards = [&mut self.q, &mut self.short_term].into_iter().flatten();
        for reward in rewards {
            reward.value_b = reward.value_b.to_kind(Kind::Float);
            in_f32(&mut reward.wdl_b3);
            in_f32(&mut reward.error_b);
            in_f32(&mut reward.buckets_bn);
        }
        logits.into_iter().for_each(in_f32);
        if let Some(board) = &mut self.board {
            board.logits_bcw = board.logits_bcw.to_kind(Kind::Float);
        }
        self.further_policies.iter_mut().for_each(|(_, logits)| *logits = logits.to_kind(Kind::Float));
        self
    }
}

fn in_f32(answer: &mut Option<Tensor>) {
    if let Some(tensor) = answer {
        *tensor = tensor.to_kind(Kind::Float);
    }
}

/// One head, or several that share an embedding.
pub(crate) trait Head: std::fmt::Debug + Send {
    /// Reads the trunk's output `[b,l,d]` and fills its own fields.
    fn answer(&self, views: &Views, x_bld: &Tensor, output: &mut Output);

    /// What its parts cost for a position.
    fn macs(&self) -> Vec<HeadMacs>;

    /// Through what it tells squares apart.
    fn position_sources(&self) -> Vec<&'static str>;

    /// Multiplications for one square that the Chessformer paper counts, see [`crate::Macs::paper`].
    fn paper_macs_per_square(&self) -> u64 {
        0
    }
}

/// Declares the heads of a network, in the order of [`Outputs`].
///
/// The scopes are `policy` (whose embedding the other policies share), `soft_policy`, `further_policies`, `value` (win, draw
/// and loss), `result_shares`, `win_rate`, `q`, `short_term`, `moves_left`, `per_square`, `pairs` and `rights`.
pub(crate) fn declare(
    builder: &mut LayoutBuilder,
    config: &ChessformerConfig,
    tokens: &Tokens,
    moves: Vocabulary,
) -> Result<Vec<Box<dyn Head>>, ModelError> {
    let outputs = &config.outputs;
    let mut heads: Vec<Box<dyn Head>> = Vec::new();
    if outputs.policy.is_some() || outputs.soft_policy.is_some() {
        heads.push(match moves {
            Vocabulary::FromTo(moves) => Box::new(policy::PolicyHeads::declare(builder, config, tokens, moves)),
            Vocabulary::Planes(moves) => {
                Box::new(plane_policy::PlanePolicyHeads::declare(builder, config, tokens, moves))
            }
            Vocabulary::List(list) => {
                Box::new(token_policy::TokenPolicyHeads::declare(builder, config, tokens, list.moves.len()))
            }
        });
    }
    if outputs.result.is_some() {
        let scope = &mut builder.scope("value", Part::Head);
        let pooled = Pooled::declare(scope, config.value_sizes(), tokens)?;
        heads.push(Box::new(result::ResultHead::declare(scope, pooled, ReadAs::Logits)));
    }
    if outputs.result_shares.is_some() {
        let scope = &mut builder.scope("result_shares", Part::Head);
        let pooled = Pooled::declare(scope, config.value_sizes(), tokens)?;
        heads.push(Box::new(result::ResultHead::declare(scope, pooled, ReadAs::Shares)));
    }
    if outputs.win_rate.is_some() {
        let scope = &mut builder.scope("win_rate", Part::Head);
        let pooled = Pooled::declare(scope, config.value_sizes(), tokens)?;
        heads.push(Box::new(win_rate::WinRateHead::declare(scope, pooled)));
    }
    for place in [reward::Place::Q, reward::Place::ShortTerm] {
        if let Some(options) = place.options(outputs) {
            let scope = &mut builder.scope(place.name(), Part::Head);
            heads.push(Box::new(reward::RewardHead::declare(scope, place, options, config, tokens)?));
        }
    }
    if let Some(options) = outputs.moves_left {
        let scope = &mut builder.scope("moves_left", Part::Head);
        let sizes = PooledSizes { embedding: options.embedding, hidden: options.hidden, ..config.value_sizes() };
        let pooled = Pooled::declare(scope, sizes, tokens)?;
        heads.push(Box::new(moves_left::MovesLeftHead::declare(scope, pooled)));
    }
    if let Some(options) = outputs.per_square {
        let scope = &mut builder.scope("per_square", Part::Head);
        heads.push(Box::new(per_square::PerSquareHead::declare(scope, options, config, tokens)));
    }
    if let Some(options) = outputs.pairs {
        let scope = &mut builder.scope("pairs", Part::Head);
        heads.push(Box::new(pairs::PairsHead::declare(scope, options, config, tokens)));
    }
    if let Some(options) = outputs.rights {
        let scope = &mut builder.scope("rights", Part::Head);
        heads.push(Box::new(rights::RightsHead::declare(scope, options, config, tokens)));
    }
    Ok(heads)
}
