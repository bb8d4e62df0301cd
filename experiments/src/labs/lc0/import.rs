//! `posenc data import-net`: a network of Lc0 as a cell.

use crate::commands::devices::{ensure_passive_threads, prepare};
use crate::commands::version;
use anyhow::Context as _;
use config::{NetworkCost, RunConfig, counted, grouped, printable, printable_lines, shell_word};
use encodings::EncodingConfig;
use lc0::cell;
use models::ModelConfig;
use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use tch::Device;
use train::{CellOptions, run_cell};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The weights file, Lc0's .pb.gz.
    file: PathBuf,
    /// The cell's folder to write, e.g. runs/lc0/maia-1100/seed-0.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Also evaluate it on this dataset's validation and test positions.
    #[arg(long, value_name = "DATASET")]
    data: Option<PathBuf>,
    /// Skip a part of the file that posenc cannot represent, as named in the error message; may be repeated.
    #[arg(long, value_name = "PART")]
    without: Vec<String>,
    /// OpenMP threads of the evaluation.
    #[arg(long, default_value_t = NonZeroUsize::MIN)]
    threads: NonZeroUsize,
}

/// Imports and prints a summary.
pub(crate) fn run(args: &Args) -> anyhow::Result<String> {
    ensure_passive_threads()?;
    let imported =
        lc0::read(&args.file, &args.without).with_context(|| format!("{} is not imported", args.file.display()))?;
    let data = args.data.as_deref().map(std::path::absolute).transpose()?;
    if let Some(data) = &data {
        dataset::Dataset::open(data)?;
    }
    let run = cell::run_of(&imported, &args.file, data.as_deref())?;
    cell::write(&imported, &run, &args.out)?;
    let mut text = format!("{}: a cell of the imported network\n{}", args.out.display(), facts(&run)?);
    if data.is_some() {
        prepare(Device::Cpu)?;
        let revision = Some(version::revision());
        let options = CellOptions {
            threads: args.threads.get(),
            device: Device::Cpu,
            smoke: false,
            force: false,
            revision,
            ranks: None,
            is_locked: false,
        };
        run_cell(&args.out, &options, Vec::new(), &mut |note| eprintln!("{note}"), &AtomicBool::new(false))?;
        let _ = writeln!(text, "evaluated; the numbers are in {}", args.out.join("metrics.jsonl").display());
    }
    text.push_str(&next(&args.out, &run.model, data.is_some()));
    Ok(printable_lines(&text))
}

fn facts(run: &RunConfig) -> anyhow::Result<String> {
    let sizes = match &run.model {
        ModelConfig::Chessformer(network) => {
            let [layers, heads] = [(network.layers, "layer"), (network.heads, "attention head")]
                .map(|(count, noun)| counted(count as u64, noun));
            format!(", {layers}, width {}, {heads}, feed-forward width {}", network.width, network.ff)
        }
        ModelConfig::Resnet(network) => {
            let [blocks, channels] = [(network.blocks, "block"), (network.channels, "channel")]
                .map(|(count, noun)| counted(count as u64, noun));
            format!(", {blocks} of {channels}")
        }
        ModelConfig::ResnetTransformer(_) | ModelConfig::Decoder(_) => String::new(),
    };
    let encodings: Vec<String> = run.encoding.iter().map(EncodingConfig::label).collect();
    Ok(format!(
        "  network:    {}{sizes}\n  encoding:   {}\n  outputs:    {}\n  parameters: {}\n",
        run.model.name(),
        encodings.join(" + "),
        run.outputs().names().join(", "),
        grouped(NetworkCost::of(run)?.facts.parameters() as u64)
    ))
}

/// Commands for an imported network; those that read positions of a dataset need one.
fn next(cell: &Path, model: &ModelConfig, has_data: bool) -> String {
    let cell = shell_word(&printable(&cell.display().to_string()));
    let mut text = format!("next:\n  posenc predict {cell} --position startpos\n  posenc play {cell}\n");
    if has_data && matches!(model, ModelConfig::Chessformer(_)) {
        text.push_str(&format!("  posenc inspect {cell}\n"));
    }
    text
}
