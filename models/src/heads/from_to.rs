//! The policy over a `from_to` vocabulary, for any board.

use super::head::Head;
use super::output::{Output, Reading};
use crate::config::{ChessformerConfig, InitKind};
use crate::layers::{self, dense};
use crate::loss::ILLEGAL_LOGIT;
use crate::macs::HeadMacs;
use encodings::{Role, Tokens};
use facts::HeadName;
use games::{Entry, FromTo};
use nn::{
    Activation, Backend, Constant, Init, LayoutBuilder, Linear, Pair, PairLogits, ParamId, Part, Scope, Views, fused,
};
use std::sync::Arc;
use tch::{Kind, Tensor};

/// The attention policy, its soft companion and further ones, which have queries, keys, promotions and drops of their own
/// and share the embedding (Lc0's training code, `tf/tfprocess.py`, `policy_heads`).
#[derive(Debug)]
pub(super) struct PolicyHeads {
    embedding: Linear,
    policies: Vec<Policy>,
    activation: Activation,
    squares: u64,
}

#[derive(Debug)]
struct Policy {
    head: HeadName,
    /// The name of a further policy; empty for a head's only one.
    part: String,
    logits: FromToLogits,
}

impl PolicyHeads {
    pub(super) fn declare(
        builder: &mut LayoutBuilder,
        config: &ChessformerConfig,
        tokens: &Tokens,
        moves: &FromTo,
    ) -> Self {
        let (d, e) = (config.width as i64, config.policy_embedding() as i64);
        let outputs = &config.outputs;
        let embedding = dense(&mut builder.scope("policy", Part::Head), "embedding", [d, e], InitKind::Glorot);
        let soft_depth = outputs.soft_policy.and_then(|soft| soft.depth);
        let policies = outputs.declare_policies(|head| {
            let own = soft_depth.filter(|_| head == HeadName::SoftPolicy);
            let scope = &mut builder.scope(head.name(), Part::Head);
            FromToLogits::declare(scope, own.unwrap_or(config.policy_depth()), config, tokens, moves)
        });
        let policies = policies.into_iter().map(|(head, logits)| Policy { head, part: String::new(), logits });
        let further = outputs.further_policies.iter().map(|(name, options)| {
            let depth = options.depth.unwrap_or(config.policy_depth());
            let scope = &mut builder.scope("further_policies", Part::Head);
            let logits = FromToLogits::declare(&mut scope.sub(name), depth, config, tokens, moves);
            Policy { head: HeadName::FurtherPolicies, part: name.clone(), logits }
        });
        let squares = tokens.geometry().squares() as u64;
        Self { embedding, policies: policies.chain(further).collect(), activation: config.activation, squares }
    }

    /// The costs of a head, that of the embedding with the first one.
    fn cost(&self, Policy { head, logits, .. }: &Policy, first: bool) -> HeadMacs {
        let embedding = if first { self.squares * self.embedding.macs() } else { 0 };
        let weights = embedding + logits.weight_macs(self.embedding.macs());
        HeadMacs { name: head.name(), macs: weights + logits.product_macs(), weights }
    }
}

impl Head for PolicyHeads {
    fn forward(&self, views: &Views, x_bld: &Tensor, output: &mut Output) {
        let embedded = self.activation.apply(&self.embedding.forward(views, x_bld));
        let legal = output.legal().map(Tensor::shallow_clone);
        for Policy { head, part, logits } in &self.policies {
            let logits_bv = logits.forward(views, &embedded, legal.as_ref());
            output.set_part(*head, part.clone(), Reading::Policy, logits_bv);
        }
    }

    fn macs(&self) -> Vec<HeadMacs> {
        let policies = self.policies.iter().enumerate();
        policies.map(|(i, policy)| self.cost(policy, i == 0)).collect()
    }

    fn position_sources(&self) -> Vec<&'static str> {
        let mut sources = vec!["policy vocabulary (only structurally possible moves)"];
        if self.policies.iter().any(|policy| policy.logits.promotion.is_some()) {
            sources.push("promotion logits (only where pieces promote)");
        }
        sources
    }

    fn paper_macs_per_square(&self) -> u64 {
        let policy = self.policies.iter().find(|policy| policy.head == HeadName::Policy);
        policy.map_or(0, |policy| self.embedding.macs() + policy.logits.weight_macs_per_square())
    }
}

/// `logit(from, to) = query(from)·key(to) / √depth`, queries and keys made from an embedding of the trunk.
///
/// * A promotion adds a term of its kind, linear in the key of the target square, to the logit of its two squares.
/// * A drop's query is that of the hand piece's token (`hand.own.<piece>`) where the input has one; otherwise it is a
///   learned vector per kind plus a projection of the mean of the squares' embedding.
///
/// Only the vocabulary's entries are kept, in its order. After the policy head of Lc0's training code
/// (`tf/tfprocess.py`, `apply_promotion_logits`); deviations: the promotion term has no part that all kinds share, and
/// drops are new.
#[derive(Debug)]
struct FromToLogits {
    query: Linear,
    key: Linear,
    promotion: Option<PromotionTerm>,
    drops: Option<Drops>,
    drop_kinds: u64,
    squares: i64,
    depth: i64,
    /// For each entry, its place in the flattened matrix of queries (squares, then drops) by keys.
    places: Constant,
    /// The same as a query, a key and a term of promotions.
    pairs: Arc<[Pair]>,
}

impl FromToLogits {
    fn declare(
        scope: &mut Scope<'_>,
        depth: usize,
        config: &ChessformerConfig,
        tokens: &Tokens,
        moves: &FromTo,
    ) -> Self {
        let (e, depth) = (config.policy_embedding() as i64, depth as i64);
        let squares = tokens.geometry().squares() as i64;
        let glorot = |inputs, outputs| Init::glorot_normal(inputs, outputs, 1.0);
        let query = Linear::declare(&mut scope.sub("query"), e, depth, glorot(e, depth), true);
        let key = Linear::declare(&mut scope.sub("key"), e, depth, glorot(e, depth), true);
        let pairs: Arc<[Pair]> =
            moves.entries().iter().map(|&entry| pair(entry, squares as usize, moves.promotions.len())).collect();
        let promotion = PromotionTerm::declare(&mut scope.sub("promotion"), depth, squares, moves, &pairs);
        let drops = Drops::declare(&mut scope.sub("drop"), e, depth, tokens, moves.drops);
        let places: Vec<i64> = pairs.iter().map(|pair| pair.query as i64 * squares + pair.key as i64).collect();
        let places = Constant::indices(&places, &[places.len() as i64]);
        let drop_kinds = moves.drops.len() as u64;
        Self { query, key, promotion, drops, drop_kinds, squares, depth, places, pairs }
    }

    /// The embedding of all tokens `[b,l,e]` → logits `[b,v]`: of every move, or, given the legal ones (bool `[b,v]`), at least of
    /// these.
    fn forward(&self, views: &Views, embedded: &Tensor, legal: Option<&Tensor>) -> Tensor {
        let squares = layers::tokens(embedded, 0, self.squares);
        let keys = self.key.forward(views, &squares);
        // The query's weights are fewer numbers to scale than the queries.
        let scales_weights = Backend::on(views.device()) == Backend::Fused;
        let factor = if scales_weights { self.scale() } else { 1.0 };
        let mut queries = self.query.forward_times(views, &squares, factor);
        if let Some(drops) = &self.drops {
            let of_drops = drops.queries(views, (&self.query, factor), embedded, &squares);
            queries = Tensor::cat(&[queries, of_drops], 1);
        }
        if let Some(legal) = legal.filter(|_| fused::supports(&queries)) {
            return self.of_legal(views, &queries, &keys, legal);
        }
        let scaled = if scales_weights { queries } else { queries * self.scale() };
        let logits = pick(&scaled.matmul(&keys.transpose(1, 2)).flatten(1, 2), &self.places);
        match &self.promotion {
            None => logits,
            Some(term) => logits + term.forward(views, &keys),
        }
    }

    /// The logits of legal moves alone, by one operation.
    fn of_legal(&self, views: &Views, queries: &Tensor, keys: &Tensor, legal: &Tensor) -> Tensor {
        let terms = match &self.promotion {
            None => keys.new_zeros([keys.size()[0], 1], (Kind::Float, keys.device())),
            Some(term) => term.weight.forward(views, keys).flatten(1, 2),
        };
        let pairs = Arc::clone(&self.pairs);
        PairLogits { pairs, scale: self.scale(), elsewhere: ILLEGAL_LOGIT }.of(queries, keys, &terms, legal)
    }

    fn scale(&self) -> f64 {
        (self.depth as f64).sqrt().recip()
    }

    /// Multiplications by the weights of query and key for one square.
    fn weight_macs_per_square(&self) -> u64 {
        self.query.macs() + self.key.macs()
    }

    /// Multiplications by weights for a position; `embedding` are those of one token's embedding.
    fn weight_macs(&self, embedding: u64) -> u64 {
        let squares = self.squares as u64;
        let promotion = self.promotion.as_ref().map_or(0, |term| squares * term.weight.macs());
        let drops = self.drops.as_ref().map_or(0, |drops| drops.macs(self.drop_kinds, embedding, self.query.macs()));
        squares * self.weight_macs_per_square() + promotion + drops
    }

    /// Multiplications of queries by keys for a position.
    fn product_macs(&self) -> u64 {
        (self.squares as u64 + self.drop_kinds) * self.squares as u64 * self.depth as u64
    }
}

/// An entry's query (squares, then drops), key and, of the flattened `[n, kinds]` terms of promotions, its own.
fn pair(entry: Entry, squares: usize, kinds: usize) -> Pair {
    match entry {
        Entry::Plain { from, to } => Pair { query: usize::from(from), key: usize::from(to), extra: None },
        Entry::Promotion { from, to, kind } => {
            let term = usize::from(to) * kinds + usize::from(kind);
            Pair { query: usize::from(from), key: usize::from(to), extra: Some(term) }
        }
        Entry::Drop { kind, to } => Pair { query: squares + usize::from(kind), key: usize::from(to), extra: None },
    }
}

/// Columns of `[b,columns]` by index `[v]`, as `[b,v]`.
fn pick(columns: &Tensor, index: &Constant) -> Tensor {
    columns.index_select(1, &index.on(columns.device()))
}

/// The terms of promotions, from the keys of their target squares.
#[derive(Debug)]
struct PromotionTerm {
    weight: Linear,
    /// For each entry of the vocabulary, its place in the flattened `[n, kinds]` terms; the column of zeros after
    /// them where it is not a promotion.
    places: Constant,
}

impl PromotionTerm {
    fn declare(scope: &mut Scope<'_>, depth: i64, squares: i64, moves: &FromTo, pairs: &[Pair]) -> Option<Self> {
        let kinds = moves.promotions.len() as i64;
        if kinds == 0 {
            return None;
        }
        let weight = Linear::declare(scope, depth, kinds, Init::glorot_normal(depth, kinds, 1.0), false);
        let place = |pair: &Pair| pair.extra.map_or(squares * kinds, |term| term as i64);
        let places: Vec<i64> = pairs.iter().map(place).collect();
        Some(Self { weight, places: Constant::indices(&places, &[places.len() as i64]) })
    }

    /// Keys `[b,n,depth]` → terms `[b,v]`, 0 for moves other than promotions.
    fn forward(&self, views: &Views, keys: &Tensor) -> Tensor {
        let terms = self.weight.forward(views, keys).flatten(1, 2);
        pick(&terms.constant_pad_nd([0, 1]), &self.places)
    }
}

/// What the queries of drops are made of.
#[derive(Debug)]
enum Drops {
    /// Tokens of the pieces in hand, by their place in the sequence.
    Tokens(Constant),
    /// A vector per kind `[kinds,depth]` and a projection of the pooled board.
    Learned { vectors: ParamId, board: Linear },
}

impl Drops {
    fn declare(scope: &mut Scope<'_>, e: i64, depth: i64, tokens: &Tokens, drops: &[&str]) -> Option<Self> {
        if drops.is_empty() {
            return None;
        }
        let kinds = drops.len() as i64;
        let in_hand: Option<Vec<i64>> = drops.iter().map(|piece| hand_token(tokens, piece)).collect();
        Some(match in_hand {
            Some(places) => Self::Tokens(Constant::indices(&places, &[kinds])),
            None => Self::Learned {
                vectors: scope.f32_param("vectors", &[kinds, depth], Init::glorot_normal(kinds, depth, 1.0)),
                board: Linear::declare(&mut scope.sub("board"), e, depth, Init::glorot_normal(e, depth, 1.0), false),
            },
        })
    }

    /// `[b,kinds,depth]`, from the embedding of all tokens and of the squares, times the factor of the query.
    fn queries(&self, views: &Views, (query, factor): (&Linear, f64), embedded: &Tensor, squares: &Tensor) -> Tensor {
        match self {
            Self::Tokens(places) => {
                query.forward_times(views, &embedded.index_select(1, &places.on(embedded.device())), factor)
            }
            Self::Learned { vectors, board } => {
                let pooled = squares.mean_dim([1i64].as_slice(), true, Kind::Float);
                board.forward_times(views, &pooled, factor) + (&views[*vectors] * factor).to_kind(views.kind())
            }
        }
    }

    /// Multiplications that make the queries; `embedding` and `query` are those of one token.
    fn macs(&self, kinds: u64, embedding: u64, query: u64) -> u64 {
        match self {
            Self::Tokens(_) => kinds * (embedding + query),
            Self::Learned { board, .. } => board.macs(),
        }
    }
}

/// The place of the token of a piece in the own hand.
fn hand_token(tokens: &Tokens, piece: &str) -> Option<i64> {
    let is_hand = |name: &str| name.strip_prefix("hand.own.") == Some(piece);
    let place = tokens.roles().iter().position(|role| matches!(role, Role::Aux(name) if is_hand(name)))?;
    Some(place as i64)
}
