//! `posenc data baselines`.

use crate::commands::options::json_text;
use baselines::Source;
use config::grouped;
use grid::baselines::record;
use records::baselines::{Baseline, BaselineName, BaselineSet};
use report::table::table;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The dataset's folder.
    dir: PathBuf,
    /// How many test positions to measure on; those that cells with the same number are tested on.
    #[arg(long, default_value_t = 32_000)]
    test_positions: u64,
    /// Take only the games of these rating buckets. May be repeated.
    #[arg(long)]
    bucket: Vec<String>,
    /// Print one JSON object instead of text: the record that a run folder holds, and the weights of the model.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args) -> anyhow::Result<String> {
    let source = Source::read(&args.dir, None, &args.bucket, args.test_positions)?;
    let measured = source.measure()?;
    let set = record(&source, source.identity(), &measured);
    if args.json {
        let mut value = serde_json::to_value(&set)?;
        value["model_weights"] = serde_json::to_value(&measured.fitted.weights)?;
        return json_text(&value);
    }
    Ok(text(&set))
}

fn text(set: &BaselineSet) -> String {
    let uniform = set.get(BaselineName::Uniform).map_or(f64::NAN, |baseline| baseline.loss);
    let line = |baseline: &Baseline| {
        vec![
            baseline.name.name().to_owned(),
            format!("{:.4}", baseline.loss),
            format!("{:.4}", uniform - baseline.loss),
            format!("{:.2}", 100.0 * baseline.accuracy),
            grouped(baseline.weights as u64),
            grouped(baseline.training_positions as u64),
        ]
    };
    let header = ["baseline", "policy loss", "below uniform", "accuracy %", "weights", "training positions"];
    format!(
        "{} ({}): {} test positions with a policy target, of {} games; entropy of the targets {:.4} nats\n{}",
        set.dataset,
        set.game.name(),
        grouped(set.positions as u64),
        grouped(set.games as u64),
        set.target_entropy,
        table(&header, &[1, 2, 3, 4, 5], set.baselines.iter().map(line))
    )
}
