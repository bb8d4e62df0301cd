//! `posenc data split`, `merge` and `average`: datasets made of datasets.

use super::display::shown;
use super::info::by_split;
use super::split::{NewDataset, file_name};
use config::{grouped, shell_word};
use dataset::{DatasetFolder, Manifest, Merge, RemakeOptions};
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(super) struct SplitCommand {
    /// The dataset's folder.
    dir: PathBuf,
    #[command(flatten)]
    new: NewDataset,
}

#[derive(Debug, clap::Args)]
pub(super) struct MergeCommand {
    /// The datasets' folders.
    #[arg(required = true, num_args = 2..)]
    dirs: Vec<PathBuf>,
    #[command(flatten)]
    new: NewDataset,
}

#[derive(Debug, clap::Args)]
pub(super) struct AverageCommand {
    /// The datasets' folders.
    #[arg(required = true)]
    dirs: Vec<PathBuf>,
    /// Memory for sorting, in megabytes.
    #[arg(long, default_value = "512", value_name = "MB", value_parser = clap::value_parser!(u32).range(1..))]
    memory: u32,
    /// Take the best move and its value instead of means: for records with a value for every legal move.
    #[arg(long)]
    best: bool,
    #[command(flatten)]
    new: NewDataset,
}

fn options(new: &NewDataset, dirs: &[PathBuf], command: &str) -> anyhow::Result<RemakeOptions> {
    let sources = dirs.iter().map(|dir| DatasetFolder::read(dir));
    let words: Vec<String> = dirs.iter().map(|dir| shell_word(&file_name(dir))).collect();
    Ok(RemakeOptions {
        sources: sources.collect::<Result<_, _>>()?,
        output: new.out.clone(),
        name: new.name().unwrap_or_default(),
        made_by: format!("posenc data {command} {} {}", words.join(" "), new.split.words()),
        split: new.split.plan()?,
    })
}

pub(super) fn split(args: &SplitCommand) -> anyhow::Result<String> {
    remade(&options(&args.new, std::slice::from_ref(&args.dir), "split")?)
}

pub(super) fn merge(args: &MergeCommand) -> anyhow::Result<String> {
    remade(&options(&args.new, &args.dirs, "merge")?)
}

fn remade(options: &RemakeOptions) -> anyhow::Result<String> {
    Ok(summary(options, &shown(|progress| dataset::remake(options, progress))?))
}

pub(super) fn average(args: &AverageCommand) -> anyhow::Result<String> {
    let (merge, command) = if args.best { (Merge::Best, "average --best") } else { (Merge::Mean, "average") };
    let options = options(&args.new, &args.dirs, command)?;
    let done = shown(|progress| dataset::average(&options, merge, (args.memory as usize) << 20, progress))?;
    let kept = done.manifest.counts.kept;
    Ok(format!(
        "{}{} positions became {}, {:.2} each\n",
        summary(&options, &done.manifest),
        grouped(done.positions),
        grouped(kept),
        done.positions as f64 / kept.max(1) as f64
    ))
}

fn summary(options: &RemakeOptions, manifest: &Manifest) -> String {
    let counts = &manifest.counts;
    format!(
        "{}: {} rows with {} positions; {}; {} duplicates left out; \
         {:.1} % of the test positions occur in no training row\n",
        options.output.display(),
        grouped(counts.kept),
        grouped(counts.positions),
        by_split(&manifest.split.games),
        grouped(counts.duplicates),
        100.0 * manifest.split.novel_test_positions
    )
}
