//! `posenc new`: writes an experiment file with comments. On a terminal it asks for what no option gives; elsewhere it
//! prints the defaults that it takes.

mod answers;
mod datasets;
mod template;

use super::error_message::for_stderr;
use super::options::print;
use answers::{
    Depths, EVERY_GAME, Encodings, Games, asked, parse_depths, parse_encodings, parse_games, parse_question,
    parse_seeds,
};
use config::name::{RULE, is_name};
use config::{ConfigError, Experiment, Role, Source, counted, printable, printable_lines, shell_word};
use datasets::Dataset;
use games::GameKind;
use records::{UserError, atomic};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use template::Plan;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The file to write; the run folder is named after it.
    file: PathBuf,
    /// Games by name, separated by commas; every game by default.
    #[arg(long, value_parser = parse_games)]
    game: Option<Games>,
    /// A dataset's folder, which need not exist yet; one for each game. May be repeated.
    #[arg(long, value_name = "DIR")]
    data: Vec<PathBuf>,
    /// The encodings to compare, by name: absolute,shaw,rope.
    #[arg(long, value_name = "NAMES", value_parser = parse_encodings)]
    encodings: Option<Encodings>,
    /// Numbers of layers: 2, or 2,4 to compare the encodings at each.
    #[arg(long, value_name = "LAYERS", value_parser = parse_depths)]
    depths: Option<Depths>,
    /// How many seeds each row is trained with.
    #[arg(long, value_name = "N", value_parser = parse_seeds)]
    seeds: Option<u64>,
    /// The question that the grid answers.
    #[arg(long, value_name = "TEXT", value_parser = parse_question)]
    question: Option<String>,
    /// Replace the file if it exists.
    #[arg(long)]
    force: bool,
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let name = name(args)?;
    let given =
        args.data.iter().map(|folder| Dataset::at(folder, args.game.as_ref())).collect::<Result<Vec<_>, _>>()?;
    for absence in given.iter().filter_map(Dataset::absence) {
        eprintln!("{}", for_stderr(&format!("--data: {absence}")));
    }
    let folder = args.file.parent().unwrap_or(Path::new(""));
    let default = if given.is_empty() { EVERY_GAME.to_owned() } else { names(given.iter().map(|data| data.game)) };
    let what = format!("games ({} or {EVERY_GAME})", GameKind::ALL.map(GameKind::name).join(", "));
    let games = asked(&what, "--game", args.game.clone(), &default, parse_games)?;
    let datasets = datasets::of_games(&games, &given, folder)?;
    let head = datasets::common_head(&datasets)?;
    let default = template::question(head, &datasets);
    let plan = Plan {
        file: shell_word(&printable(&args.file.display().to_string())),
        name,
        question: asked("question", "--question", args.question.clone(), &default, parse_question)?,
        datasets,
        head,
        encodings: asked("encodings", "--encodings", args.encodings.clone(), ENCODINGS, parse_encodings)?,
        depths: asked("numbers of layers", "--depths", args.depths.clone(), "2", parse_depths)?,
        seeds: asked("seeds (a verdict needs 3)", "--seeds", args.seeds, "3", parse_seeds)?,
    };
    let text = template::text(&plan, folder)?;
    let is_there = plan.datasets.iter().all(|data| !data.is_planned);
    let experiment = is_there.then(|| Experiment::with(&Source::new(&args.file, text.as_str()), &[])).transpose();
    let experiment = experiment.map_err(|error| refused(&error))?;
    atomic::replace(&args.file, text.as_bytes()).map_err(|cause| {
        let message = format!("{} cannot be written: {cause}", args.file.display());
        UserError::new(message, "name a file in a folder that exists and can be written")
    })?;
    print(&printable_lines(&summary(&plan, experiment.as_ref())))
}

/// The file is not written, so an error about the dataset names the option, not a line.
fn refused(error: &ConfigError) -> UserError {
    let help = error.remedy.as_deref().unwrap_or("no file is written");
    match error.message.strip_prefix("`base.data").and_then(|rest| rest.split_once("`: ")) {
        Some((_, reason)) => UserError::new(reason, help).at("--data"),
        None => UserError::new(error.message.as_str(), help),
    }
}

const ENCODINGS: &str = "none,absolute,relative_bias,shaw";

/// The name of the experiment, if the file may be written.
fn name(args: &Args) -> Result<String, UserError> {
    let file = args.file.display();
    if !args.force && args.file.symlink_metadata().is_ok() {
        return Err(UserError::new(format!("{file} exists"), "choose another name, or add --force to replace it"));
    }
    if let Some(folder) = args.file.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.is_dir()) {
        let message = format!("{file} cannot be written: there is no folder {}", folder.display());
        return Err(UserError::new(message, "make the folder, or name a file in another one"));
    }
    let stem = args.file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let is_yaml = args.file.extension().is_some_and(|ending| ending == "yaml" || ending == "yml");
    if is_yaml && is_name(&stem) {
        return Ok(stem);
    }
    let help = format!("write NAME.yaml; the run folder gets the name, which has {RULE}");
    Err(UserError::new(format!("{file} cannot be the name of an experiment file"), help))
}

fn names(games: impl Iterator<Item = GameKind>) -> String {
    let mut games: Vec<GameKind> = games.collect();
    games.sort_unstable();
    games.dedup();
    if games == GameKind::ALL {
        return EVERY_GAME.to_owned();
    }
    games.into_iter().map(GameKind::name).collect::<Vec<_>>().join(",")
}

/// What was written, and the next commands.
fn summary(plan: &Plan, experiment: Option<&Experiment>) -> String {
    let file = &plan.file;
    let mut out = format!("{file} is written");
    // A String takes every character.
    if let Some(experiment) = experiment {
        let controls = experiment.rows.iter().filter(|row| row.role == Role::Twin).count();
        let rows = counted((experiment.rows.len() - controls) as u64, "row");
        let (controls, seeds) = (counted(controls as u64, "A/A control"), counted(plan.seeds, "seed"));
        let cells = counted(experiment.cells().len() as u64, "cell");
        let _ = write!(out, ": {rows} and {controls} x {seeds} = {cells}");
    }
    out.push_str("\nnext:\n");
    for data in plan.datasets.iter().filter(|data| data.is_planned) {
        let _ = writeln!(out, "  {}", data.command());
    }
    let _ = writeln!(out, "  posenc check {file}\n  posenc run {file}");
    out
}
