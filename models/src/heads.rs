//! The heads: what a network answers, each in a file of its own.
//!
//! A network is a trunk and the heads that [`Outputs`] names. A head's file holds its options; its parameters, which it
//! declares in a scope of its own, and its answer, which it makes of what the last block leaves of the tokens (the trait
//! `Head`); and a [`HeadDeclaration`]: what it needs, and how its answers are measured. Its losses and metrics are plain data,
//! in [`facts::heads`]. The list of `heads!` below joins a head to its options.

mod board;
pub(crate) mod config;
mod from_to;
mod map;
pub(crate) mod moves_left;
mod output;
mod pairs;
mod per_square;
pub(crate) mod plane_policy;
mod policy;
pub(crate) mod pooled;
mod refined;
pub(crate) mod result;
mod reward;
mod rights;
mod soft_policy;
pub(crate) mod summary;
mod token_policy;
pub(crate) mod win_rate;

use crate::config::{ChessformerConfig, ModelError};
use crate::examples::Column;
use crate::macs::HeadMacs;
use crate::measure::Visit;
use encodings::Tokens;
use facts::Loss;
use games::Vocabulary;
use nn::{LayoutBuilder, Part, Views};
use pooled::{Pooled, PooledSizes};
use result::ReadAs;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tch::Tensor;

pub use board::BoardTokens;
pub use config::{NoOptions, PlaneBias, PolicyConfig};
pub use facts::HeadName;
pub use moves_left::MovesLeft;
pub use output::{Answer, Output, Reading};
pub use pairs::Pairs;
pub use per_square::PerSquare;
pub use policy::{FurtherPolicy, PolicyOptions};
pub use refined::Refined;
pub use reward::RewardOptions;
pub use rights::RightsOptions;
pub use soft_policy::SoftPolicy;

/// What a head declares beside its parameters; [`HeadName::measures`] has its losses and metrics.
#[derive(Debug, Clone, Copy)]
pub struct HeadDeclaration {
    /// The columns of targets that its losses and metrics read.
    pub columns: &'static [Column],
    /// What a dataset must have to teach it.
    pub needs: &'static [Need],
    /// Whether a network with these heads, this one among them, has one of its losses.
    pub(crate) asked: fn(&Loss, &Outputs) -> bool,
    pub(crate) evaluate: fn(&mut Visit<'_>),
}

/// Of a head that always has all of its losses.
fn always(_: &Loss, _: &Outputs) -> bool {
    true
}

/// What a dataset must have to teach a head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// Moves that are policy targets.
    Moves,
    /// Distributions over moves.
    Distributions,
    /// Games whose result is known.
    Results,
    /// Values of positions, as the run takes them.
    Values,
    /// Values of positions that the dataset holds.
    StoredValues,
    /// Whole games, whose end is known.
    Ends,
    /// Whole games, whose positions follow each other.
    Boards,
    /// A map with a label for each square.
    SquareMap,
    /// A map with a label for each pair of squares.
    PairMap,
    /// Moves after which rights of castling and en passant are left.
    Rights,
    /// Something that no dataset has: the head comes with imported networks only.
    Teacher,
}

/// An entry of [`Outputs`]: options that are there or not.
trait Named: Default {
    fn is_absent(&self) -> bool;
}

impl<T> Named for Option<T> {
    fn is_absent(&self) -> bool {
        self.is_none()
    }
}

impl<T> Named for BTreeMap<String, T> {
    fn is_absent(&self) -> bool {
        self.is_empty()
    }
}

macro_rules! heads {
    ($($(#[doc = $doc:literal])+ $variant:ident $field:ident: $options:ty = $declaration:path;)+) => {
        /// The heads of a network: those that are named, with their options (`{}` for none). Left out altogether, they are the
        /// policy and the result.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct Outputs {
            $($(#[doc = $doc])+ #[serde(default, skip_serializing_if = "Named::is_absent")] pub $field: $options,)+
        }

        impl HeadDeclaration {
            /// That of a head.
            pub const fn of(head: HeadName) -> &'static Self {
                match head {
                    $(HeadName::$variant => &$declaration,)+
                    HeadName::Refined => &refined::DECLARATION,
                }
            }
        }

        impl Outputs {
            /// No head at all, to add some to.
            pub fn none() -> Self {
                Self { $($field: Default::default(),)+ }
            }

            /// The heads that are named, in the order of [`HeadName`].
            pub fn heads(&self) -> Vec<HeadName> {
                let there = [$((HeadName::$variant, !self.$field.is_absent()),)+];
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
    /// The policy; its sizes are the model's `policy`.
    Policy policy: Option<PolicyOptions> = policy::DECLARATION;
    /// Win, draw and loss as the game ended; its sizes are the model's `value`, as those of the next two.
    Result result: Option<NoOptions> = result::LOGITS;
    /// The same as three plain numbers that are learnt by their squared error: ChessDecoder's.
    ResultShares result_shares: Option<NoOptions> = result::SHARES;
    /// The share of points that the side to move gets, as one number: dlshogi's.
    WinRate win_rate: Option<NoOptions> = win_rate::DECLARATION;
    /// The policy at a high temperature, from the policy's embedding.
    SoftPolicy soft_policy: Option<SoftPolicy> = soft_policy::DECLARATION;
    /// More policies from the policy's embedding, by name: those of imported networks, which no dataset can teach.
    FurtherPolicies further_policies: BTreeMap<String, FurtherPolicy> = policy::FURTHER;
    /// The reward that the data's search or score expects; its sizes are the model's `value`, as those of the next.
    Q q: Option<RewardOptions> = reward::Q;
    /// The reward averaged over the plies to come.
    ShortTerm short_term: Option<RewardOptions> = reward::SHORT_TERM;
    /// Moves to the end of the game.
    MovesLeft moves_left: Option<MovesLeft> = moves_left::DECLARATION;
    /// A label for each square.
    PerSquare per_square: Option<PerSquare> = per_square::DECLARATION;
    /// Yes or no for each pair of squares.
    Pairs pairs: Option<Pairs> = pairs::DECLARATION;
    /// The tokens of the next board; a decoder's only.
    Board board: Option<NoOptions> = board::DECLARATION;
    /// The rights of castling and en passant after the move that is played.
    Rights rights: Option<RightsOptions> = rights::DECLARATION;
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

/// One head, or several that share an embedding.
pub(crate) trait Head: std::fmt::Debug + Send {
    /// Reads the trunk's output `[b,l,d]` and adds its own answers.
    fn forward(&self, views: &Views, x_bld: &Tensor, output: &mut Output);

    /// What its parts cost for a position.
    fn macs(&self) -> Vec<HeadMacs>;

    /// Through what it tells squares apart.
    fn position_sources(&self) -> Vec<&'static str>;

    /// Multiplications for one square that the Chessformer paper counts, see [`crate::Macs::paper`].
    fn paper_macs_per_square(&self) -> u64 {
        0
    }
}

/// Declares the heads of a network, policies first.
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
    for (name, options) in [(HeadName::Q, outputs.q), (HeadName::ShortTerm, outputs.short_term)] {
        if let Some(options) = options {
            let scope = &mut builder.scope(name.name(), Part::Head);
            heads.push(Box::new(reward::RewardHead::declare(scope, name, options, config, tokens)?));
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
