//! `posenc data export`.

use crate::commands::options::by_name;
use anyhow::Context as _;
use config::grouped;
use dataset::{DatasetFolder, ExportFormat, Split};
use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The dataset's folder.
    dir: PathBuf,
    /// The format: pgn, hcpe, hcpe3, psv.
    #[arg(long, visible_alias = "format", value_parser = by_name("formats", &ExportFormat::ALL, ExportFormat::name))]
    to: ExportFormat,
    /// The file to write; it must not exist yet.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Export only these splits: train, validation, test.
    #[arg(long, value_delimiter = ',', value_parser = by_name("splits", &Split::ALL, Split::name))]
    split: Vec<Split>,
}

pub(super) fn run(args: &Args) -> anyhow::Result<String> {
    let source = DatasetFolder::read(&args.dir)?;
    let splits = if args.split.is_empty() { Split::ALL.to_vec() } else { args.split.clone() };
    let file = File::create_new(&args.out).with_context(|| {
        format!(
            "cannot create {}; name a file that is not there yet, in a folder that can be written",
            args.out.display()
        )
    })?;
    let done = dataset::export(&source, &splits, args.to, &mut BufWriter::new(file), &args.out);
    if done.is_err() {
        // Remove the partial file; ignore a failure to do so.
        let _ = std::fs::remove_file(&args.out);
    }
    let done = done?;
    let what = if args.to.holds_games() { "games" } else { "positions" };
    let mut text = format!("{}: {} {what} as {}\n", args.out.display(), grouped(done.written), args.to.name());
    text.push_str(match args.to {
        ExportFormat::Pgn => "",
        ExportFormat::Hcpe => "lost: where games begin and end, soft policies, plies\n",
        ExportFormat::Hcpe3 => "lost: ratings, times, draw probabilities, most reasons for a game's end\n",
        ExportFormat::Psv => "lost: where games begin and end, soft policies\n",
    });
    if done.left_out > 0 {
        let left_out = grouped(done.left_out);
        text.push_str(&format!("left out: {left_out} {what} without a result, or from a position that has no code\n"));
    }
    Ok(text)
}
