//! `posenc bench data`: what a dataset takes to open and to read.

use super::import::memory;
use crate::commands::data::display::shown;
use crate::commands::options::json_text;
use crate::commands::show::parse_input;
use anyhow::Context as _;
use config::grouped;
use dataset::{DataCost, Dataset, DatasetFolder, DerivedOptions, Split, bench_loader, repeat};
use games::InputName;
use report::table::table;
use serde_json::json;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The dataset's folder.
    dir: PathBuf,
    /// Repeat the dataset until it has this many positions, in the folder `--out`, and measure that.
    #[arg(long, requires = "out")]
    positions: Option<u64>,
    /// The folder of the repeated dataset; it is used again if it exists.
    #[arg(long, requires = "positions")]
    out: Option<PathBuf>,
    /// The input representation.
    #[arg(long, value_parser = parse_input, default_value = "piece_tokens")]
    input: InputName,
    /// Positions per batch.
    #[arg(long, default_value = "2048")]
    batch: NonZeroUsize,
    /// Seconds of each measurement, at least.
    #[arg(long, default_value_t = 2.0)]
    seconds: f64,
    /// Print one JSON object instead of a table.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args) -> anyhow::Result<String> {
    let seconds = Duration::try_from_secs_f64(args.seconds).context("--seconds")?;
    let dir = match (args.positions, &args.out) {
        (Some(positions), Some(out)) => {
            if !out.exists() {
                let source = DatasetFolder::read(&args.dir)?;
                shown(|progress| repeat(&source, out, positions, progress))?;
            }
            out
        }
        _ => &args.dir,
    };
    let DatasetFolder { manifest, .. } = DatasetFolder::read(dir)?;
    let is_made = DataCost::of(dir, &manifest, &DerivedOptions::default())?.is_made;
    let (first, first_s) = timed(|| shown(|progress| Dataset::open_shown(dir, progress)))?;
    // What an earlier process made is only opened.
    let made_per_s = (!is_made).then(|| first.row_bytes() as f64 / first_s);
    drop(first);
    let (dataset, open_s) = timed(|| Dataset::open(dir))?;
    let dataset = Arc::new(dataset);
    let rate = bench_loader(&dataset, args.input, args.batch.get(), 1, seconds)?;
    let positions: u64 = Split::ALL.iter().map(|&split| dataset.positions(split)).sum();
    let bytes = dataset.row_bytes() as f64 / positions.max(1) as f64;
    // That no file backs.
    let (memory, file) = (memory("RssAnon:"), dataset.derived_file());
    if args.json {
        return json_text(&json!({
            "positions": positions,
            "derived_file": file,
            "bytes_per_position": bytes,
            "first_open_s": first_s,
            "made_bytes_per_s": made_per_s,
            "open_s": open_s,
            "anonymous_bytes": memory,
            "positions_per_s": rate.one_worker,
        }));
    }
    let row = vec![
        grouped(positions),
        format!("{bytes:.1}"),
        format!("{first_s:.2}"),
        format!("{open_s:.3}"),
        memory.map_or_else(|| "-".to_owned(), |bytes| (bytes / 1_000_000).to_string()),
        grouped(rate.one_worker as u64),
    ];
    let header = ["positions", "bytes each", "first open s", "open s", "memory MB", "positions/s a core"];
    let place = file.map_or_else(|| "rows in memory".to_owned(), |file| format!("rows in {}", file.display()));
    let made = made_per_s.map_or_else(String::new, |rate| {
        let assumed = DataCost::ASSUMED_BYTES_A_SECOND / 1e6;
        format!(", made at {:.0} MB a second (posenc check assumes {assumed})", rate / 1e6)
    });
    Ok(table(&header, &[0, 1, 2, 3, 4, 5], [row]) + &place + &made + "\n")
}

fn timed<T, E>(work: impl FnOnce() -> Result<T, E>) -> Result<(T, f64), E> {
    let start = Instant::now();
    Ok((work()?, start.elapsed().as_secs_f64()))
}
