//! `posenc data verify`.

use super::display::shown;
use crate::commands::options::json_text;
use config::{counted, grouped, printable};
use dataset::{Manifest, Split, Unit, Verification};
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The dataset's folder.
    dir: PathBuf,
    /// Require that no position of validation or test occurs in training.
    #[arg(long)]
    by_position: bool,
    /// Print one JSON object instead of text.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args) -> anyhow::Result<String> {
    let (manifest, found) = shown(|progress| dataset::verify(&args.dir, args.by_position, progress))?;
    if found.problems > 0 {
        let more = match found.problems - found.described.len() as u64 {
            0 => String::new(),
            more => format!("; and {more} more"),
        };
        let problems = found.described.join("; ");
        anyhow::bail!("{}: {problems}{more}: {}", args.dir.display(), remedy(args, &manifest, &found));
    }
    if args.json {
        return json_text(&found);
    }
    let novel = |split| match manifest.split.positions[split] {
        0 => "–".to_owned(),
        _ => format!("{:.1} %", 100.0 * found.novel_share(split)),
    };
    let labels = match found.labels {
        0 => String::new(),
        labels => format!("{} labels of maps, every one as the rules say\n", grouped(labels)),
    };
    // Which games single positions are of is not known.
    let (row, splits) = match manifest.unit {
        Unit::Game => ("game", "no game is in two splits; "),
        Unit::Position => ("single position", ""),
    };
    Ok(format!(
        "{} is whole: {}, {} replayed\n\
         {}, every move legal; {} moves of soft policies, every one legal\n{labels}\
         {splits}novel positions: validation {}, test {}\n",
        printable(&manifest.name),
        counted(manifest.shards.len() as u64, "shard"),
        counted(found.rows, row),
        counted(found.positions, "position"),
        grouped(found.candidates),
        novel(Split::Validation),
        novel(Split::Test)
    ))
}

/// What to do about the problems. Games share positions, so the same command would split them alike.
fn remedy(args: &Args, manifest: &Manifest, found: &Verification) -> String {
    let overlaps = |split: Split| u64::from(args.by_position && found.also_in_train[split] > 0);
    match manifest.unit == Unit::Game && found.problems == overlaps(Split::Validation) + overlaps(Split::Test) {
        true => "games share positions; `posenc data average` makes a dataset of single positions".to_owned(),
        false => manifest.remedy(),
    }
}
