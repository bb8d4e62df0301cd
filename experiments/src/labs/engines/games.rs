//! `posenc data generate engines`.

use crate::commands::data::display::Display;
use crate::commands::data::info::{by_split, headline};
use crate::commands::data::split::ShareArgs;
use crate::commands::options::cores;
use crate::commands::show::parse_game;
use anyhow::Context as _;
use config::{grouped, shell_word};
use engines::{DrawRule, EngineSettings, GenerateReport, GenerationProgress, Settings, WinRule, generate};
use games::GameKind;
use grid::Interrupt;
use std::io::Write as _;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The game: chess takes UCI engines, shogi USI engines.
    #[arg(long, value_parser = parse_game)]
    game: GameKind,
    /// The engine's program (`scripts/engines` installs /usr/games/stockfish and /usr/games/fairy-stockfish).
    #[arg(long, value_name = "PATH")]
    engine: PathBuf,
    /// An argument of the program; may be repeated.
    #[arg(long, value_name = "ARGUMENT", allow_hyphen_values = true)]
    engine_arg: Vec<String>,
    /// An option of the engine; may be repeated. Threads stays 1; use more --processes instead.
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_option)]
    option: Vec<(String, String)>,
    /// Nodes searched per move.
    #[arg(long, value_name = "N")]
    nodes: NonZeroU64,
    /// Number of compared moves; from 2 on, their scores become the policy.
    #[arg(long, value_name = "K", default_value_t = NonZeroUsize::MIN)]
    multipv: NonZeroUsize,
    /// Number of games. A larger number resumes from the games that an interrupted command has finished.
    #[arg(long, value_name = "N")]
    games: NonZeroU64,
    /// Number of engine processes [default: one per core]. The dataset does not depend on it.
    #[arg(long, value_name = "N")]
    processes: Option<NonZeroUsize>,
    /// The seed of all random choices.
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    seed: u64,
    /// An opening book: PGN (chess), or a file with a FEN, EPD, SFEN or `startpos moves …` per line; plain or
    /// compressed (zstd, gzip, bzip2, zip, 7z).
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// Play between A and B random plies after those of the book.
    #[arg(long, value_name = "A..B", value_parser = config::evaluate::range)]
    random_plies: Option<(u16, u16)>,
    /// Then choose at random among moves within this many centipawns of the best, up to --random-until.
    #[arg(long, value_name = "CP", requires = "random_until")]
    random_within: Option<u16>,
    /// From this ply on (the first is 0), play the best move.
    #[arg(long, value_name = "PLY", requires = "random_within", default_value = None)]
    random_until: Option<u16>,
    /// Temperature of the policy's softmax, in centipawns.
    #[arg(long, value_name = "CP", default_value_t = 60.0)]
    temperature: f64,
    /// Adjudicate a win at CP centipawns over PLIES plies in a row, e.g. 1500:8.
    #[arg(long, value_name = "CP:PLIES")]
    adjudicate_win: Option<WinRule>,
    /// Adjudicate a draw within CP centipawns over PLIES plies in a row from a ply on, e.g. 8:16:80.
    #[arg(long, value_name = "CP:PLIES:FROM")]
    adjudicate_draw: Option<DrawRule>,
    /// Stop games at this many plies, with an unknown result.
    #[arg(long, value_name = "N", default_value_t = 400)]
    ply_cap: u32,
    /// Count a stopped game as a draw.
    #[arg(long)]
    cap_is_draw: bool,
    /// Start a new engine process for every game: for engines that keep state between games. Their datasets are
    /// independent of the number of processes only with this option.
    #[arg(long)]
    fresh_engine: bool,
    /// Maximum time for an answer before the engine is restarted.
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    timeout: u64,
    /// The dataset's folder; it must not exist yet.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// The dataset's name; its folder's name by default.
    #[arg(long)]
    name: Option<String>,
    /// The source of the games; by default a sentence with engine, limits and openings.
    #[arg(long)]
    source: Option<String>,
    /// The licence of the games.
    #[arg(long, default_value = "not stated")]
    licence: String,
    #[command(flatten)]
    shares: ShareArgs,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let settings = settings(args)?;
    let interrupt = Interrupt::install().context("cannot listen to signals")?;
    let (mut display, begun) = (Display::new(), Instant::now());
    let outcome =
        generate(&settings, &mut |progress| show(&mut display, progress, begun), &|| interrupt.is_requested());
    display.finish();
    let report = outcome?;
    std::io::stdout().lock().write_all(summary(&settings, &report, begun).as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

fn show(display: &mut Display, progress: &GenerationProgress, begun: Instant) {
    let mut words = rate(progress, begun);
    for (count, what) in [(progress.restarts, "restarts"), (progress.given_up, "given up")] {
        if count > 0 {
            words.push_str(&format!(", {count} {what}"));
        }
    }
    let ended = progress.finished + progress.given_up;
    if ended == progress.found {
        display.begin_at(ended);
    }
    display.show("games", ended, progress.games, |_| words);
}

/// How fast it went, in plies that engines chose.
fn rate(progress: &GenerationProgress, begun: Instant) -> String {
    let seconds = begun.elapsed().as_secs_f64().max(1e-3);
    let plies = progress.new_plies;
    format!("{} plies in {seconds:.1} s, {:.1} a second", grouped(plies), plies as f64 / seconds)
}

fn settings(args: &Args) -> anyhow::Result<Settings> {
    anyhow::ensure!(args.timeout > 0, "--timeout 0: an engine needs some time");
    let folder = args.out.file_name().map(|name| name.to_string_lossy().into_owned());
    Ok(Settings {
        game: args.game,
        engine: EngineSettings {
            arguments: args.engine_arg.clone(),
            options: args.option.clone(),
            ..EngineSettings::new(&args.engine, args.game, args.multipv.get(), Duration::from_secs(args.timeout))
        },
        nodes: args.nodes.get(),
        games: args.games.get(),
        processes: args.processes.map_or_else(cores, NonZeroUsize::get),
        seed: args.seed,
        openings: args.openings.clone(),
        random_plies: args.random_plies,
        random_within: args.random_within,
        random_until: args.random_until.unwrap_or(0),
        temperature: args.temperature,
        win_rule: args.adjudicate_win,
        draw_rule: args.adjudicate_draw,
        ply_cap: args.ply_cap,
        cap_is_draw: args.cap_is_draw,
        fresh_engine: args.fresh_engine,
        output: args.out.clone(),
        name: args.name.clone().or(folder).unwrap_or_else(|| args.game.name().to_owned()),
        source: args.source.clone(),
        licence: args.licence.clone(),
        made_by: command_line(args),
        fractions: args.shares.fractions()?,
        split_seed: args.shares.split_seed,
    })
}

/// The command that makes the same dataset again, for `dataset.yaml`: everything that decides the content (no --processes);
/// files by name, since their folders belong to this machine.
fn command_line(args: &Args) -> String {
    let mut words = vec!["posenc data generate engines".to_owned()];
    let mut say = |name: &str, value: String| words.push(format!("--{name} {value}"));
    say("game", args.game.name().to_owned());
    say("engine", file_name(&args.engine));
    args.engine_arg.iter().for_each(|argument| say("engine-arg", shell_word(argument)));
    args.option.iter().for_each(|(name, value)| say("option", shell_word(&format!("{name}={value}"))));
    say("nodes", args.nodes.to_string());
    say("multipv", args.multipv.to_string());
    say("games", args.games.to_string());
    say("seed", args.seed.to_string());
    args.openings.iter().for_each(|book| say("openings", file_name(book)));
    args.random_plies.iter().for_each(|(from, to)| say("random-plies", format!("{from}..{to}")));
    args.random_within.iter().for_each(|within| say("random-within", within.to_string()));
    args.random_until.iter().for_each(|until| say("random-until", until.to_string()));
    say("temperature", args.temperature.to_string());
    args.adjudicate_win.iter().for_each(|rule| say("adjudicate-win", format!("{}:{}", rule.points, rule.plies)));
    args.adjudicate_draw
        .iter()
        .for_each(|rule| say("adjudicate-draw", format!("{}:{}:{}", rule.points, rule.plies, rule.from_ply)));
    say("ply-cap", args.ply_cap.to_string());
    words.push(args.shares.words());
    for (name, given) in [("--cap-is-draw", args.cap_is_draw), ("--fresh-engine", args.fresh_engine)] {
        words.extend(given.then(|| name.to_owned()));
    }
    words.join(" ")
}

fn file_name(path: &Path) -> String {
    shell_word(&path.file_name().unwrap_or(path.as_os_str()).to_string_lossy())
}

fn summary(settings: &Settings, report: &GenerateReport, begun: Instant) -> String {
    let (manifest, played) = (&report.manifest, &report.progress);
    let mut out = headline(&settings.output, manifest);
    out.push_str(&format!(
        "played {} (found {} of an earlier start), duplicates {}, given up {}; {}\n",
        grouped(played.finished - played.found),
        grouped(played.found),
        grouped(manifest.counts.duplicates),
        grouped(played.given_up),
        rate(played, begun)
    ));
    out.push_str(&format!("games by split: {}\n", by_split(&manifest.split.games)));
    if played.refused > 0 {
        out.push_str(&format!(
            "illegal answers of the engine replaced by its best legal move: {}\n",
            grouped(played.refused)
        ));
    }
    if let Some(first) = &played.first_restart {
        out.push_str(&format!("the engine was started again {} times; the first: {first}\n", grouped(played.restarts)));
    }
    if let Some(first) = &played.first_given_up {
        out.push_str(&format!("games given up: {}; the first: {first}\n", grouped(played.given_up)));
    }
    out
}

fn parse_option(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("want NAME=VALUE, e.g. Hash=64")?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}
