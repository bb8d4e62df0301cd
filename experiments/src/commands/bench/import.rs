//! `posenc bench import`: how fast records are read.

use crate::commands::options::json_text;
use crate::commands::show::parse_game;
use config::grouped;
use dataset::{ImportOptions, ImportRate, bench_import};
use games::GameKind;
use report::table::table;
use serde_json::json;
use std::path::PathBuf;

/// The peak memory of this process.
const PEAK: &str = "VmHWM:";

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The game.
    #[arg(long, value_parser = parse_game)]
    game: GameKind,
    /// The records; each file is measured separately.
    #[arg(long, required = true, num_args = 1.., value_name = "FILE")]
    from: Vec<PathBuf>,
    /// Print one JSON array instead of a table.
    #[arg(long)]
    json: bool,
}

/// Records are unpacked in a separate thread, so the speed per core is computed from the CPU time of all threads.
pub(super) fn run(args: &Args) -> anyhow::Result<String> {
    let mut rates = Vec::new();
    for path in &args.from {
        let options = ImportOptions::new(args.game, vec![path.clone()], PathBuf::new());
        let before = core_seconds();
        let rate = bench_import(&options)?;
        let on_a_core = core_seconds().zip(before).map(|(after, before)| after - before).filter(|&s| s > 0.0);
        rates.push((path, rate, on_a_core));
    }
    if args.json {
        let rows = rates.iter().map(|(path, rate, on_a_core)| {
            json!({"file": path, "rate": rate, "core_seconds": on_a_core, "peak_bytes": memory(PEAK)})
        });
        return json_text(&rows.collect::<Vec<_>>());
    }
    let row = |(path, rate, on_a_core): &(&PathBuf, ImportRate, Option<f64>)| {
        let per_s = |count: u64| grouped((count as f64 / rate.seconds.max(1e-9)) as u64);
        vec![
            path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned()),
            grouped(rate.records),
            grouped(rate.rejected),
            per_s(rate.records),
            per_s(rate.positions),
            on_a_core.map_or_else(|| "-".to_owned(), |seconds| grouped((rate.positions as f64 / seconds) as u64)),
            format!("{:.1}", rate.bytes as f64 / 1e6 / rate.seconds.max(1e-9)),
        ]
    };
    let header = ["file", "records", "rejected", "records/s", "positions/s", "per core", "MB/s"];
    let memory = memory(PEAK).map_or_else(String::new, |bytes| format!("peak memory: {} MB\n", bytes / 1_000_000));
    Ok(table(&header, &[1, 2, 3, 4, 5, 6], rates.iter().map(row)) + &memory)
}

/// A line on the memory of this process, in bytes, on systems that report it.
pub(super) fn memory(name: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    Some(1024 * line.trim().strip_suffix(" kB")?.parse::<u64>().ok()?)
}

/// The CPU time of all threads in seconds, on systems that report it (in hundredths).
fn core_seconds() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name at the start may contain spaces; it ends with a bracket. User and system time are fields 14 and 15.
    let (_, fields) = stat.rsplit_once(')')?;
    let ticks: Vec<u64> = fields.split_whitespace().skip(11).take(2).filter_map(|field| field.parse().ok()).collect();
    Some(ticks.iter().sum::<u64>() as f64 / 100.0)
}
