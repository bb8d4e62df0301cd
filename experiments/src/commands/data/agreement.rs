//! `posenc data agreement`.

use crate::commands::options::json_text;
use config::grouped;
use dataset::{Agreement, agreement};
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The folder of a dataset.
    first: PathBuf,
    /// The folder of another, with other labels of the same positions.
    second: PathBuf,
    /// Print one JSON object instead of text.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args) -> anyhow::Result<String> {
    let found = agreement(&args.first, &args.second)?;
    if args.json { json_text(&found) } else { Ok(text(&found)) }
}

fn text(found: &Agreement) -> String {
    let Agreement { positions, same_best, accuracy: [there, back], total_variation, entropy, divergence, floor } =
        found;
    let [first, second] = entropy;
    format!(
        "{} test positions have a policy in both: they share a best move in {:.1} % (of tied moves any counts); a tied best move \
         of the first, drawn at random, is one of the second in {:.1} %, one of the second in the first in {:.1} %; total \
         variation {total_variation:.3}, entropies {first:.3} and {second:.3} nats, Jensen–Shannon divergence {divergence:.4} nats; if \
         both are searches of one kind, no policy has an expected loss below about {floor:.3} nats on labels of the first\n",
        grouped(*positions),
        100.0 * same_best,
        100.0 * there,
        100.0 * back
    )
}
