//! `posenc publish`: a run folder as a bundle for others.

use anyhow::Context as _;
use bundle::author::orcid;
use bundle::{Author, Publication, SUMS, collect, write};
use serde::Deserialize;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The experiment's run folder, e.g. runs/quickstart.
    run_dir: PathBuf,
    /// The bundle: a folder, or a file whose name ends with .tar.zst.
    #[arg(long)]
    out: PathBuf,
    /// The licence of the results, by its SPDX name: CC-BY-4.0, CC0-1.0.
    #[arg(long, alias = "licence")]
    license: Option<String>,
    /// Name the authors of this file in the bundle: a CITATION.cff, with ORCIDs if it has them.
    #[arg(long, value_name = "FILE")]
    citation: Option<PathBuf>,
    /// Include the final weights.
    #[arg(long)]
    weights: bool,
    /// Keep the means of test games in place of single positions, and leave out TensorBoard's files (`posenc run --from`
    /// makes them again).
    #[arg(long)]
    compact: bool,
    /// Publish a grid with unfinished cells.
    #[arg(long)]
    partial: bool,
    /// Predict the losses of a budget of this number of training positions from smaller budgets, in `predictions.json`.
    #[arg(long, value_name = "POSITIONS", value_parser = clap::value_parser!(u64).range(1..))]
    extrapolate: Option<u64>,
}

/// What is read of a CITATION.cff (Citation File Format 1.2).
#[derive(Deserialize)]
struct Citation {
    authors: Vec<CitedAuthor>,
}

/// A person, or an entity with a name.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct CitedAuthor {
    name: Option<String>,
    given_names: Option<String>,
    family_names: Option<String>,
    orcid: Option<String>,
    affiliation: Option<String>,
}

fn authors(path: &Path) -> anyhow::Result<Vec<Author>> {
    let file = path.display();
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {file}"))?;
    let citation: Citation = serde_yaml::from_str(&text).with_context(|| format!("{file} is not a CITATION.cff"))?;
    let author = |cited: CitedAuthor| {
        let person: Vec<String> = [cited.given_names, cited.family_names].into_iter().flatten().collect();
        let name = cited.name.unwrap_or_else(|| person.join(" "));
        anyhow::ensure!(!name.is_empty(), "{file}: an author has neither name nor family-names; add one");
        let check = |text: String| {
            orcid(&text).with_context(|| format!("{file}: {text} of {name} is not an ORCID iD; correct it"))
        };
        let orcid = cited.orcid.map(check).transpose()?;
        Ok(Author { orcid, affiliation: cited.affiliation, name })
    };
    citation.authors.into_iter().map(author).collect()
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let publication = Publication {
        licence: args.license.clone(),
        authors: args.citation.as_deref().map(authors).transpose()?.unwrap_or_default(),
        weights: args.weights,
        partial: args.partial,
        compact: args.compact,
        extrapolate: args.extrapolate,
    };
    let contents = collect(&args.run_dir, &publication)?;
    write(&contents, &args.out)?;
    let mut stdout = std::io::stdout().lock();
    let out = args.out.display();
    let (files, cells, finished) = (contents.files.len(), contents.cells, contents.finished);
    writeln!(stdout, "{out}: {files} files, {finished} of {cells} cells finished")?;
    if let Some(sums) = contents.files.get(SUMS) {
        writeln!(stdout, "blake3 {}", sums.hash()?)?;
    }
    if args.license.is_none() {
        eprintln!("no licence was named (--license CC-BY-4.0), so others may read the bundle but not reuse it");
    }
    Ok(ExitCode::SUCCESS)
}
