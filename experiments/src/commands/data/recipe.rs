//! `posenc data recipe`: public sets that people have, and how they become datasets. Nothing is fetched here.

use super::import;
use crate::commands::options::json_text;
use anyhow::{Context as _, anyhow, ensure};
use clap::Subcommand;
use config::columns::{COLUMNS, wrapped};
use config::grouped;
use games::GameKind;
use report::table::table;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

const RECIPES: &str = include_str!("recipes.yaml");

/// Columns of the keys of a shown recipe.
const KEYS: usize = 10;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    what: RecipeCommand,
}

#[derive(Debug, Subcommand)]
enum RecipeCommand {
    /// List the recipes.
    List {
        /// Print one JSON array instead of text.
        #[arg(long)]
        json: bool,
    },
    /// Show a recipe: address, licence, size, hashes, commands, what an import loses.
    Show {
        /// The recipe.
        #[arg(value_name = "NAME")]
        recipe: String,
        /// Print one JSON object instead of text.
        #[arg(long)]
        json: bool,
    },
    /// Import files of a set that you have fetched.
    Import(Box<ImportArgs>),
}

#[derive(Debug, clap::Args)]
struct ImportArgs {
    /// The recipe.
    #[arg(value_name = "NAME")]
    recipe: String,
    /// Its files, in reading order.
    #[arg(required = true, num_args = 1.., value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The source of the games; the recipe's addresses by default.
    #[arg(long)]
    source: Option<String>,
    /// The licence of the games; the recipe's by default.
    #[arg(long)]
    licence: Option<String>,
    #[command(flatten)]
    choices: import::Choices,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Recipe {
    name: String,
    game: GameKind,
    /// The format's name in `posenc data import`.
    format: String,
    /// Whether scores are of the positions after the moves (`--eval-after`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    eval_after: bool,
    about: String,
    addresses: Vec<String>,
    licence: String,
    size: String,
    hashes: String,
    /// Files whose size and hash are known.
    #[serde(default)]
    files: Vec<KnownFile>,
    /// Commands that fetch a part of it.
    fetch: Vec<String>,
    /// What `import` takes as FILE.
    give: String,
    lost: Vec<String>,
    #[serde(default)]
    notes: Vec<String>,
    /// A command after the import; `DIR` is the dataset's folder.
    #[serde(default)]
    then: Option<String>,
    /// Where the facts of the recipe come from.
    facts: Vec<String>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KnownFile {
    name: String,
    bytes: u64,
    sha256: String,
}

pub(super) fn run(args: &Args) -> anyhow::Result<String> {
    let recipes: Vec<Recipe> = dataset::yaml::from_text(RECIPES)?;
    match &args.what {
        RecipeCommand::List { json: true } => json_text(&recipes),
        RecipeCommand::List { json: false } => Ok(list(&recipes)),
        RecipeCommand::Show { recipe, json } => {
            let recipe = find(&recipes, recipe)?;
            if *json { json_text(recipe) } else { Ok(recipe.text()) }
        }
        RecipeCommand::Import(args) => find(&recipes, &args.recipe)?.import(args),
    }
}

fn find<'a>(recipes: &'a [Recipe], name: &str) -> anyhow::Result<&'a Recipe> {
    recipes.iter().find(|recipe| recipe.name == name).ok_or_else(|| {
        let names: Vec<&str> = recipes.iter().map(|recipe| recipe.name.as_str()).collect();
        anyhow!("there is no recipe \"{name}\"; the recipes are {}", names.join(", "))
    })
}

fn list(recipes: &[Recipe]) -> String {
    let row = |recipe: &Recipe| vec![recipe.name.clone(), recipe.game.name().to_owned(), recipe.about.clone()];
    table(&["recipe", "game", "content"], &[], recipes.iter().map(row)) + "next: posenc data recipe show NAME\n"
}

impl Recipe {
    fn text(&self) -> String {
        let Self { name, game, format, .. } = self;
        let eval_after = if self.eval_after { " --eval-after" } else { "" };
        let known =
            |file: &KnownFile| [format!("{}: {} bytes, SHA-256", file.name, grouped(file.bytes)), file.sha256.clone()];
        let import =
            vec![format!("posenc data recipe import {name} FILE… --out DIR"), format!("FILE is {}", self.give)];
        let source = self.source().map_or_else(String::new, |source| format!(" --source \"{source}\""));
        let same = format!(
            "posenc data import --game {} --format {format}{eval_after} --from FILE…{source} --licence \"{}\" --out DIR",
            game.name(),
            self.licence
        );
        let groups = [
            ("where", self.addresses.clone()),
            ("licence", vec![self.licence.clone()]),
            ("size", vec![self.size.clone()]),
            ("hashes", vec![self.hashes.clone()]),
            ("", self.files.iter().flat_map(known).collect()),
            ("fetch", self.fetch.clone()),
            ("import", import),
            ("the same", vec![same]),
            ("then", self.then.iter().cloned().collect()),
            ("lost", self.lost.clone()),
            ("notes", self.notes.clone()),
            ("facts", self.facts.clone()),
        ];
        let indent = " ".repeat(KEYS + 2);
        let mut out = format!("{name}: {} ({})\n", self.about, game.name());
        for (key, texts) in groups {
            for (i, text) in texts.iter().enumerate() {
                let shown = if i == 0 { key } else { "" };
                // Commands stay on one line, so that they can be copied.
                let columns =
                    if ["fetch", "the same", "then"].contains(&key) { usize::MAX } else { COLUMNS - indent.len() };
                let text = wrapped(text, columns, "").replace('\n', &format!("\n{indent}"));
                out += &format!("  {shown:<KEYS$}{text}\n");
            }
        }
        out
    }

    /// Its addresses as the source of a dataset; none if no public set is known.
    fn source(&self) -> Option<String> {
        let is_address = |text: &&str| text.starts_with("http");
        let addresses: Vec<&str> = self.addresses.iter().map(String::as_str).filter(is_address).collect();
        (!addresses.is_empty()).then(|| addresses.join("; "))
    }

    fn import(&self, args: &ImportArgs) -> anyhow::Result<String> {
        args.files.iter().try_for_each(|file| self.check_size(file))?;
        let mut choices = args.choices.clone();
        choices.filters.eval_after |= self.eval_after;
        let imported = import::run(&import::Args {
            game: self.game,
            from: args.files.clone(),
            format: Some(import::parse_format(&self.format).map_err(anyhow::Error::msg)?),
            source: args.source.clone().or_else(|| self.source()).unwrap_or_else(|| import::NOT_STATED.to_owned()),
            licence: args.licence.clone().unwrap_or_else(|| self.licence.clone()),
            choices,
        })?;
        let lost: String =
            self.lost.iter().map(|lost| wrapped(&format!("lost: {lost}"), COLUMNS, "  ") + "\n").collect();
        let then = self.then.as_ref().map(|then| format!("next: {then}\n"));
        Ok(imported + &lost + &then.unwrap_or_default())
    }

    /// Refuses a file that has the name of a known one and another size.
    fn check_size(&self, path: &Path) -> anyhow::Result<()> {
        let is_same = |known: &&KnownFile| path.file_name().is_some_and(|name| name == known.name.as_str());
        let Some(known) = self.files.iter().find(is_same) else { return Ok(()) };
        let bytes = path.metadata().with_context(|| format!("cannot read {}", path.display()))?.len();
        ensure!(
            bytes == known.bytes,
            "{} has {} bytes, expected {}: fetch the rest of it, or take posenc data import for a part",
            path.display(),
            grouped(bytes),
            grouped(known.bytes)
        );
        Ok(())
    }
}
