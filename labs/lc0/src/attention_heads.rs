//! The heads of Lc0's attention bodies: policies, values and moves left.
//!
//! A file has one head of each kind at the top, or several by name below `policy_heads` and `value_heads`.

use super::error::NetError;
use super::format::NetworkFormat;
use super::network::{NamedTensors, spec};
use super::tree::Tree;
use games::GameKind;
use models::{
    FurtherPolicy, MovesLeft, NoOptions, Outputs, PolicyConfig, PolicyOptions, RewardOptions, SoftPolicy, ValueConfig,
};

pub(super) const WDL: usize = 3;

/// Promotion pieces, in the order of the rows of `ip4_pol_w`; a fourth row applies to all of them.
pub(super) const PROMOTIONS: [&str; 3] = ["queen", "rook", "bishop"];

/// The policy names that posenc has options for.
pub(super) const VANILLA: &str = "vanilla";
pub(super) const SOFT: &str = "soft";

/// Reads all heads on a body of this width; returns their options.
pub(super) fn read(
    tree: &mut Tree<'_>,
    tensors: &mut NamedTensors,
    format: &NetworkFormat,
    width: usize,
) -> Result<(PolicyConfig, ValueConfig, Outputs), NetError> {
    let mut heads = Heads { tree, tensors, width, many: format.has_many_heads() };
    let mut outputs = Outputs::none();
    let policy = heads.policies(&mut outputs)?;
    let value = heads.values(&mut outputs)?;
    if format.moves_left == Some(NetworkFormat::MOVES_LEFT) {
        outputs.moves_left = Some(heads.moves_left()?);
    }
    Ok((policy, value, outputs))
}

struct Heads<'a, 'b> {
    tree: &'a mut Tree<'b>,
    tensors: &'a mut NamedTensors,
    width: usize,
    /// Whether there may be several heads of a kind.
    many: bool,
}

impl Heads<'_, '_> {
    /// A dense layer; returns the number of outputs. The file's names are the layer's with `_w` and `_b`.
    fn dense(&mut self, name: &str, from: &str, inputs: usize) -> Result<usize, NetError> {
        let outputs = self.tree.peek(&format!("{from}_b"))?.len();
        self.dense_to(name, from, inputs, outputs)?;
        Ok(outputs)
    }

    /// A dense layer with a known number of outputs.
    fn dense_to(&mut self, name: &str, from: &str, inputs: usize, outputs: usize) -> Result<(), NetError> {
        self.tensors.take(format!("{name}.bias"), self.tree, &format!("{from}_b"), outputs)?;
        self.tensors.take(format!("{name}.weight"), self.tree, &format!("{from}_w"), inputs * outputs)
    }

    fn policies(&mut self, outputs: &mut Outputs) -> Result<PolicyConfig, NetError> {
        // The head's own embedding replaces a missing shared one; posenc has no place for both.
        let shared = if self.many { "policy_heads.ip_pol" } else { "ip_pol" };
        let own = format!("policy_heads.{VANILLA}.ip_pol");
        let has = |layer: &str| self.tree.has(&format!("{layer}_w"));
        let from = if self.many && !has(shared) && has(&own) { own.as_str() } else { shared };
        let embedding = self.dense("policy.embedding", from, self.width)?;
        let vanilla = if self.many { format!("policy_heads.{VANILLA}.") } else { String::new() };
        let depth = self.policy("policy", &vanilla, embedding)?;
        outputs.policy = Some(PolicyOptions::default());
        let other = |found: usize| (found != depth).then_some(found);
        let names = if self.many { self.tree.parts("policy_heads") } else { Default::default() };
        for name in names {
            let from = format!("policy_heads.{name}.");
            match name.as_str() {
                // An incomplete policy is reported at the end as an unread part.
                VANILLA => {}
                SOFT => {
                    let depth = other(self.policy("soft_policy", &from, embedding)?);
                    outputs.soft_policy = Some(SoftPolicy { depth, ..SoftPolicy::default() });
                }
                _ => {
                    let depth = other(self.policy(&format!("further_policies.{name}"), &from, embedding)?);
                    outputs.further_policies.insert(name, FurtherPolicy { depth });
                }
            }
        }
        Ok(PolicyConfig { embedding: Some(embedding), depth: Some(depth), ..PolicyConfig::default() })
    }

    /// Queries, keys and promotions of a policy whose tensors' names begin with `from`; returns their width.
    fn policy(&mut self, name: &str, from: &str, embedding: usize) -> Result<usize, NetError> {
        let depth = self.dense(&format!("{name}.query"), &format!("{from}ip2_pol"), embedding)?;
        self.dense_to(&format!("{name}.key"), &format!("{from}ip3_pol"), embedding, depth)?;
        let promotions = self.tree.sized(&format!("{from}ip4_pol_w"), (PROMOTIONS.len() + 1) * depth)?;
        let (of_each, of_all) = promotions.split_at(PROMOTIONS.len() * depth);
        let kinds = GameKind::Chess.from_to().promotions.iter().map(|kind| {
            let row = PROMOTIONS.iter().position(|name| name == kind);
            let row = row.ok_or_else(|| NetError::tensor("ip4_pol_w", format!("has no row for a {kind}")))?;
            Ok(of_each[row * depth..][..depth].iter().zip(of_all).map(|(own, all)| own + all))
        });
        let kinds: Vec<_> = kinds.collect::<Result<_, NetError>>()?;
        self.tensors.push(format!("{name}.promotion.weight"), kinds.into_iter().flatten().collect());
        Ok(depth)
    }

    fn values(&mut self, outputs: &mut Outputs) -> Result<ValueConfig, NetError> {
        let winner = if self.many { "value_heads.winner." } else { "" };
        let embedding = self.tree.peek(&format!("{winner}ip_val_b"))?.len();
        let hidden = self.tree.peek(&format!("{winner}ip1_val_b"))?.len();
        let sizes = ValueConfig { embedding, hidden, ..ValueConfig::default() };
        self.pooled("value", winner, sizes)?;
        self.dense_to("value.wdl", &format!("{winner}ip2_val"), hidden, WDL)?;
        outputs.result = Some(NoOptions {});
        if self.many {
            outputs.q = self.reward("q", "q", sizes)?;
            outputs.short_term = self.reward("short_term", "st", sizes)?;
        }
        Ok(sizes)
    }

    /// The board as a vector, for a value head.
    fn pooled(&mut self, name: &str, from: &str, sizes: ValueConfig) -> Result<(), NetError> {
        let pooled = spec().input.geometry.squares() * sizes.embedding;
        self.dense_to(&format!("{name}.embedding"), &format!("{from}ip_val"), self.width, sizes.embedding)?;
        self.dense_to(&format!("{name}.hidden"), &format!("{from}ip1_val"), pooled, sizes.hidden)
    }

    /// A value beside the result, if the file has it: as one number or as win, draw and loss.
    fn reward(&mut self, name: &str, head: &str, sizes: ValueConfig) -> Result<Option<RewardOptions>, NetError> {
        let part = format!("value_heads.{head}");
        if !self.tree.has_below(&part) {
            return Ok(None);
        }
        let from = |layer: &str| format!("{part}.{layer}");
        self.pooled(name, &format!("{part}."), sizes)?;
        let answers = self.dense(&format!("{name}.value"), &from("ip2_val"), sizes.hidden)?;
        if answers != 1 && answers != WDL {
            let what = format!("holds {answers} numbers instead of 1 or {WDL}");
            return Err(NetError::tensor(&from("ip2_val_b"), what));
        }
        let error = self.tree.has(&from("ip_val_err_w"));
        if error {
            self.dense_to(&format!("{name}.error"), &from("ip_val_err"), sizes.hidden, 1)?;
        }
        let buckets = match self.tree.has(&from("ip_val_cat_w")) {
            true => self.dense(&format!("{name}.buckets"), &from("ip_val_cat"), sizes.hidden)?,
            false => 0,
        };
        Ok(Some(RewardOptions { error, buckets, wdl: answers == WDL }))
    }

    fn moves_left(&mut self) -> Result<MovesLeft, NetError> {
        let embedding = self.dense("moves_left.embedding", "ip_mov", self.width)?;
        let pooled = spec().input.geometry.squares() * embedding;
        let hidden = self.dense("moves_left.hidden", "ip1_mov", pooled)?;
        self.dense_to("moves_left.out", "ip2_mov", hidden, 1)?;
        Ok(MovesLeft { embedding, hidden })
    }
}
