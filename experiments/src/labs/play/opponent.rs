//! Engines as commands write them: `PROGRAM@NODES[,OPTION=VALUE…]`.

use anyhow::Context as _;
use std::num::NonZeroU64;

/// Nodes and options, of what follows `@`.
pub(super) fn nodes_and_options(text: &str) -> anyhow::Result<(u64, Vec<(String, String)>)> {
    let mut parts = text.split(',');
    let nodes = parts.next().unwrap_or_default();
    let nodes: NonZeroU64 =
        nodes.parse().with_context(|| format!("nodes must be a number, 1 or more, found \"{nodes}\""))?;
    let options = parts.map(|option| {
        let (name, value) =
            option.split_once('=').with_context(|| format!("an option is `NAME=VALUE`, found \"{option}\""))?;
        Ok((name.to_owned(), value.to_owned()))
    });
    Ok((nodes.get(), options.collect::<anyhow::Result<_>>()?))
}
