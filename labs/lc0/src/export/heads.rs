//! The heads, under the names that [`crate::attention_heads`] reads.

use super::parameters::Parameters;
use crate::attention_heads::{PROMOTIONS, SOFT, VANILLA, WDL};
use crate::error::NetError;
use games::GameKind;
use models::{ChessformerConfig, EmbeddingConfig, HeadName, Pool, RewardOptions};
use std::collections::BTreeSet;

/// Whether the file may lack a head: other programs do not need it to choose a move.
const fn is_left_out(head: HeadName) -> bool {
    match head {
        HeadName::ResultShares
        | HeadName::ValueResult
        | HeadName::ValueShares
        | HeadName::WinRate
        | HeadName::PerSquare
        | HeadName::Pairs
        | HeadName::Rights => true,
        // `write` writes the first seven; networks with the others are refused.
        HeadName::Policy
        | HeadName::Result
        | HeadName::SoftPolicy
        | HeadName::FurtherPolicies
        | HeadName::Q
        | HeadName::ShortTerm
        | HeadName::MovesLeft
        | HeadName::Board
        | HeadName::Refined => false,
    }
}

/// Whether the file names its heads: those with the later embedding, and those with several heads of a kind.
pub(super) fn are_many(network: &ChessformerConfig) -> bool {
    let outputs = &network.outputs;
    let several = outputs.soft_policy.is_some() || !outputs.further_policies.is_empty();
    let values = outputs.q.is_some() || outputs.short_term.is_some();
    matches!(network.embedding, EmbeddingConfig::New { .. }) || several || values
}

pub(super) fn write(network: &ChessformerConfig, many: bool, parameters: &mut Parameters<'_>) -> Result<(), NetError> {
    let outputs = &network.outputs;
    if outputs.policy.is_none() || outputs.result.is_none() {
        return Err(NetError::no_place("a network without policy or result", "networks with both heads"));
    }
    if network.value.pool != Pool::Flatten {
        return Err(NetError::no_place("this pool of the value", "value: {pool: flatten}"));
    }
    let within = |part: &str| if many { format!("{part}.") } else { String::new() };
    let policies = within("policy_heads");
    parameters.dense("policy.embedding", &format!("{policies}ip_pol"), network.policy_embedding())?;
    let depth = network.policy_depth();
    policy(parameters, "policy", &within(&format!("policy_heads.{VANILLA}")), depth)?;
    if let Some(soft) = outputs.soft_policy {
        policy(parameters, "soft_policy", &format!("{policies}{SOFT}."), soft.depth.unwrap_or(depth))?;
    }
    for (name, further) in &outputs.further_policies {
        if [VANILLA, SOFT].contains(&name.as_str()) {
            return Err(NetError::no_place(
                format!("a further policy named {name}"),
                "further policies of other names",
            ));
        }
        let from = format!("further_policies.{name}");
        policy(parameters, &from, &format!("{policies}{name}."), further.depth.unwrap_or(depth))?;
    }
    let value = within("value_heads.winner");
    pooled(parameters, "value", &value, network)?;
    parameters.dense("value.wdl", &format!("{value}ip2_val"), WDL)?;
    for (name, part, options) in [("q", "q", outputs.q), ("short_term", "st", outputs.short_term)] {
        if let Some(options) = options {
            reward(parameters, name, &format!("value_heads.{part}."), network, options)?;
        }
    }
    if let Some(options) = outputs.moves_left {
        parameters.dense("moves_left.embedding", "ip_mov", options.embedding)?;
        parameters.dense("moves_left.hidden", "ip1_mov", options.hidden)?;
        parameters.dense("moves_left.out", "ip2_mov", 1)?;
    }
    Ok(())
}

/// Queries, keys and promotions. Lc0 adds its fourth row of promotions to the others: it is zero here.
fn policy(parameters: &mut Parameters<'_>, from: &str, to: &str, depth: usize) -> Result<(), NetError> {
    parameters.dense(&format!("{from}.query"), &format!("{to}ip2_pol"), depth)?;
    parameters.dense(&format!("{from}.key"), &format!("{to}ip3_pol"), depth)?;
    let own = parameters.take(&format!("{from}.promotion.weight"))?;
    let kinds = GameKind::Chess.from_to().promotions;
    let mut rows = Vec::with_capacity((PROMOTIONS.len() + 1) * depth);
    for name in PROMOTIONS {
        let kind = kinds.iter().position(|kind| *kind == name);
        let kind = kind.ok_or_else(|| NetError::tensor("ip4_pol_w", format!("has a row for a {name}")))?;
        rows.extend_from_slice(&own[kind * depth..][..depth]);
    }
    rows.extend(std::iter::repeat_n(0.0, depth));
    parameters.put(format!("{to}ip4_pol_w"), rows);
    Ok(())
}

/// The board as a vector, for a value head.
fn pooled(parameters: &mut Parameters<'_>, from: &str, to: &str, network: &ChessformerConfig) -> Result<(), NetError> {
    parameters.dense(&format!("{from}.embedding"), &format!("{to}ip_val"), network.value.embedding)?;
    parameters.dense(&format!("{from}.hidden"), &format!("{to}ip1_val"), network.value.hidden)
}

/// A value beside the result.
fn reward(
    parameters: &mut Parameters<'_>,
    from: &str,
    to: &str,
    network: &ChessformerConfig,
    options: RewardOptions,
) -> Result<(), NetError> {
    pooled(parameters, from, to, network)?;
    parameters.dense(&format!("{from}.value"), &format!("{to}ip2_val"), if options.wdl { WDL } else { 1 })?;
    if options.error {
        parameters.dense(&format!("{from}.error"), &format!("{to}ip_val_err"), 1)?;
    }
    if options.buckets > 0 {
        parameters.dense(&format!("{from}.buckets"), &format!("{to}ip_val_cat"), options.buckets)?;
    }
    Ok(())
}

/// The scopes of the parameters that the file lacks.
pub(super) fn left_out(unused: &[&str]) -> Result<Vec<String>, NetError> {
    let scopes = unused.iter().map(|name| {
        let scope = name.split('.').next().unwrap_or_default();
        if HeadName::ALL.iter().any(|&head| head.name() == scope && is_left_out(head)) {
            Ok(scope.to_owned())
        } else {
            Err(NetError::no_place(format!("the parameter {name}"), "networks without it"))
        }
    });
    Ok(scopes.collect::<Result<BTreeSet<String>, _>>()?.into_iter().collect())
}
