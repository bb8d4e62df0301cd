//! `posenc data verify`.

use super::display::shown;
use crate::commands::options::json_text;
use config::grouped;
use dataset::Split;
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
        anyhow::bail!("{}: {problems}{more}: {}", args.dir.display(), manifest.remedy());
    }
    if args.json {
        return json_text(&found);
    }
    let novel = |split| 100.0 * found.novel_share(split);
    let labels = match found.labels {
        0 => String::new(),
        labels => format!("{} cells of maps, every one labelled as the rules say\n", grouped(labels)),
    };
    Ok(format!(
        "{} is whole: {} shards, {} games replayed\n\
         {} positions, every move legal; {} moves of soft policies, every one legal\n{labels}\
         no game is in two splits; novel positions: validation {:.1} %, test {:.1} %\n",
        manifest.name,
        manifest.shards.len(),
        grouped(found.rows),
        grouped(found.positions),
        grouped(found.candidates),
        novel(Split::Validation),
        novel(Split::Test)
    ))
}
