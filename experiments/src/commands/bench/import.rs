//! `posenc bench import`: how fast records are read.

use crate::commands::show::parse_game;
use crate::config::manifest_text;
use crate::table::{grouped, table};
use dataset::{ImportOptions, bench_import};
use games::GameKind;
use serde_json::json;
use std::path::PathBuf;

/// Options of `posenc bench import`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The game.
    #[arg(long, value_parser = parse_game)]
    game: GameKind,
    /// The records; each file is measured by itself.
    #[arg(long, required = true, num_args = 1.., value_name = "FILE")]
    from: Vec<PathBuf>,
    /// One JSON array instead of a table.
    #[arg(long)]
    json: bool,
}

/// Unpacking goes on in a thread of its own: `taskset -c 0 posenc bench import …` measures one core.
pub(super) fn run(args: &Args) -> anyhow::Result<String> {
    let mut rates = Vec::new();
    for path in &args.from {
        let options = ImportOptions::new(args.game, vec![path.clone()], PathBuf::new(), manifest_text);
        rates.push((path, bench_import(&options)?));
    }
    if args.json {
        let rows = rates.iter().map(|(path, rate)| json!({"file": path, "rate": rate, "peak_bytes": peak_memory()}));
        return Ok(format!("{:#}\n", serde_json::Value::from_iter(rows)));
    }
    let row = |(path, rate): &(&PathBuf, dataset::ImportRate)| {
        let per_s = |count: u64| grouped((count as f64 / rate.seconds.max(1e-9)) as u64);
        vec![
            path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned()),
            grouped(rate.records),
            grouped(rate.rejected),
            per_s(rate.records),
            per_s(rate.positions),
            format!("{:.1}", rate.bytes as f64 / 1e6 / rate.seconds.max(1e-9)),
        ]
    };
    let header = ["file", "records", "rejected", "records/s", "positions/s", "MB/s"];
    let memory = peak_memory().map_or_else(String::new, |bytes| format!("peak memory: {} MB\n", bytes / 1_000_000));
    Ok(table(&header, &[1, 2, 3, 4, 5], rates.iter().map(row)) + &memory)
}

/// The most memory that this process had, where the system tells.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(1024 * line.trim().strip_suffix(" kB")?.parse::<u64>().ok()?)
}
