//! `posenc match`: games between cells and engines.

use crate::commands::devices::{parse_device, prepare};
use crate::commands::show::parse_game;
use anyhow::{Context as _, bail, ensure};
use config::counted;
use games::GameKind;
use play::Agent;
use play::matches::{
    ANSWER_TIMEOUT, Anchor, Conditions, Contestant, DrawRule, Draws, GameLimits, Kind, MatchOptions, Pairing, Scale,
    Sequential, SprtProgress, Standings, WinRule, play_match,
};
use std::fmt::Write as _;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;
use std::time::Duration;
use tch::Device;
use train::signals::{report_size_limits, stop_flag};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Let a cell play: `[NAME=]DIR[@AGENT]`, with an agent as of `posenc eval`. May be repeated.
    #[arg(long = "cell", value_name = "CELL")]
    cells: Vec<Given>,
    /// Let an engine play: `[NAME=]PROGRAM@NODES[,OPTION=VALUE…]`. May be repeated.
    #[arg(long = "engine", value_name = "ENGINE")]
    engines: Vec<Given>,
    /// Play this many openings for every two players, each with both colours.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..))]
    pairs: u64,
    /// Take openings from a book: PGN, EPD, or a position or its moves a line; compressed too.
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// Play a random number of random plies after the opening: `FROM..TO`.
    #[arg(long, value_name = "RANGE", value_parser = config::evaluate::range)]
    random_plies: Option<(u16, u16)>,
    /// Call a game of this many plies a draw.
    #[arg(long, default_value_t = 400, value_parser = clap::value_parser!(u32).range(1..))]
    max_plies: u32,
    /// Call a game won by agreement: both scores at CP or more for PLIES plies in a row.
    #[arg(long, value_name = "CP:PLIES")]
    win: Option<WinRule>,
    /// Call a game drawn by agreement: both scores within CP for PLIES plies in a row, from ply FROM on.
    #[arg(long, value_name = "CP:PLIES:FROM")]
    draw: Option<DrawRule>,
    /// Stop two players' match when a sequential test decides: LOW:HIGH[:MODEL] in Elo of the first, `logistic` or `normalized`.
    #[arg(long, value_name = "TEST")]
    sprt: Option<Sequential>,
    /// Rate three or more players relative to this one, whose rating is ELO [default: the mean of all is 0].
    #[arg(long, value_name = "NAME=ELO", value_parser = parse_anchor)]
    anchor: Option<Anchor>,
    /// Count a draw in ratings as `half` a win, or estimate how frequent draws are (`davidson`).
    #[arg(long, value_name = "MODEL", default_value = "half", value_parser = parse_draws)]
    draws: Draws,
    /// Start all random choices from this seed.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Write journal, records and standings to this folder; a match that it holds is resumed.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Play this many games at a time.
    #[arg(long, default_value = "1")]
    jobs: NonZeroUsize,
    /// Maximum time for an engine's answer; an engine that takes longer, or dies, forfeits the game and is started again.
    #[arg(long, value_name = "SECONDS", default_value_t = ANSWER_TIMEOUT.as_secs())]
    timeout: u64,
    /// Use the averaged weights of cells that average them.
    #[arg(long)]
    averaged: bool,
    /// The game, where only engines play.
    #[arg(long, value_parser = parse_game)]
    game: Option<GameKind>,
    /// Print the standings as JSON.
    #[arg(long)]
    json: bool,
    /// The device of the networks: cpu, cuda or cuda:N.
    #[arg(long, default_value = "cpu", value_parser = parse_device)]
    device: Device,
}

/// A player as it is written: a name, and a path with what follows `@`.
#[derive(Debug, Clone)]
struct Given {
    name: Option<String>,
    player: String,
}

impl FromStr for Given {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // Folders of runs with `--set` have `=` in their names.
        let (name, player) = match text.split_once('=').filter(|(name, _)| !name.contains(['/', '@'])) {
            Some((name, player)) => (Some(name.to_owned()), player),
            None => (None, text),
        };
        if player.is_empty() || player.starts_with('@') {
            return Err("a player is `[NAME=]PATH[@…]`".to_owned());
        }
        Ok(Self { name, player: player.to_owned() })
    }
}

impl Given {
    fn cell(&self, averaged: bool) -> anyhow::Result<Contestant> {
        let read = |rest: &str| rest.parse::<Agent>().map_err(anyhow::Error::from);
        let (cell, agent) = divided(&self.player, Some(Agent::POLICY), read)?;
        // runs/<experiment>/<row>/seed-<n>: row and seed tell cells apart.
        let parts: Vec<_> = cell.components().rev().take(2).map(|part| part.as_os_str().to_string_lossy()).collect();
        let folders = parts.into_iter().rev().collect::<Vec<_>>().join("/");
        let name = self.name.clone().unwrap_or_else(|| format!("{folders}@{agent}"));
        Ok(Contestant { name, kind: Kind::Network { cell, averaged, agent: agent.to_string() } })
    }

    fn engine(&self) -> anyhow::Result<Contestant> {
        let read = divided(&self.player, None, nodes_and_options);
        let (program, (nodes, options)) = read.with_context(|| format!("--engine {}", self.player))?;
        let file = program.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let rest = &self.player[program.as_os_str().len()..];
        let name = self.name.clone().unwrap_or_else(|| format!("{file}{rest}"));
        Ok(Contestant { name, kind: Kind::Engine { program, nodes, options } })
    }
}

/// Divides `PATH@REST`. Both may have `@` too: of the divisions whose rest `read` accepts, this is the one whose path exists, or the
/// first; two whose paths exist are refused. `bare` is the rest of a path alone.
pub(super) fn divided<T>(
    text: &str,
    bare: Option<T>,
    read: impl Fn(&str) -> anyhow::Result<T>,
) -> anyhow::Result<(PathBuf, T)> {
    let exists = |path: &str| Path::new(path).exists();
    let parts = text.match_indices('@').filter_map(|(at, _)| Some((&text[..at], read(&text[at + 1..]).ok()?)));
    let alone = bare.filter(|_| !text.contains('@') || exists(text)).map(|bare| (text, bare));
    let (found, others): (Vec<_>, Vec<_>) = parts.chain(alone).partition(|(path, _)| exists(path));
    if let [(one, _), (other, _), ..] = &found[..] {
        bail!("{text} can mean {one} or {other}, and both exist: rename one of them");
    }
    if let Some((path, rest)) = found.into_iter().chain(others).next() {
        return Ok((path.into(), rest));
    }
    let signs = || text.match_indices('@').map(|(at, _)| at);
    let at = signs().rfind(|&at| exists(&text[..at])).or_else(|| signs().next());
    let at = at.context("add `@NODES`, the nodes of a search")?;
    Ok((text[..at].into(), read(&text[at + 1..])?))
}

/// Reads an engine's nodes and options from what follows `@` in `PROGRAM@NODES[,OPTION=VALUE…]`.
pub(super) fn nodes_and_options(text: &str) -> anyhow::Result<(u64, Vec<(String, String)>)> {
    let mut parts = text.split(',');
    let nodes = parts.next().unwrap_or_default();
    let nodes: NonZeroU64 =
        nodes.parse().with_context(|| format!("nodes must be a number, 1 or more, found \"{nodes}\""))?;
    let options = parts.map(|option| {
        let (name, value) =
            option.split_once('=').with_context(|| format!("an option is `NAME=VALUE`, found \"{option}\""))?;
        Ok((name.to_owned(), value.to_owned()))
    });
    Ok((nodes.get(), options.collect::<anyhow::Result<_>>()?))
}

/// Plays the match, or what is missing of it.
pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    prepare(args.device)?;
    report_size_limits();
    ensure!(args.timeout > 0, "--timeout 0: an engine needs some time");
    let cells = args.cells.iter().map(|given| given.cell(args.averaged));
    let contestants: Vec<Contestant> =
        cells.chain(args.engines.iter().map(Given::engine)).collect::<anyhow::Result<_>>()?;
    ensure!(contestants.len() > 1, "a match needs two players: give --cell and --engine, together at least two");
    for (place, contestant) in contestants.iter().enumerate() {
        let name = &contestant.name;
        ensure!(
            contestants[..place].iter().all(|other| other.name != *name),
            "two players are called {name}: write NAME=… before one of them"
        );
    }
    ensure!(args.sprt.is_none() || contestants.len() == 2, "--sprt tests two players, and {} play", contestants.len());
    if let Some(Anchor::Player { name, .. }) = &args.anchor {
        let names: Vec<&str> = contestants.iter().map(|contestant| contestant.name.as_str()).collect();
        ensure!(
            names.contains(&name.as_str()),
            "--anchor: no player is called {name}; the players are {}",
            names.join(", ")
        );
    }
    let conditions = Conditions {
        game: game(args, &contestants)?,
        contestants,
        identities: Vec::new(),
        pairs: args.pairs,
        book: None,
        random_plies: args.random_plies,
        limits: GameLimits { plies: args.max_plies, win: args.win, draw: args.draw },
        seed: args.seed,
    };
    let options = MatchOptions {
        openings: args.openings.clone(),
        out: args.out.clone(),
        jobs: args.jobs.get(),
        device: args.device,
        timeout: Duration::from_secs(args.timeout),
        scale: Scale { anchor: args.anchor.clone().unwrap_or(Anchor::Mean(0.0)), draws: args.draws },
        sequential: args.sprt,
    };
    let stop = stop_flag()?;
    let (names, all) = (conditions.contestants.clone(), conditions.pairs);
    let all = play::matches::Schedule::new(names.len(), all).games();
    let mut progress = |game: &play::matches::FinishedGame, done: u64| {
        let [first, second] = game.players.map(|player| names[player].name.as_str());
        let forfeit = match (game.forfeited_by(), &game.forfeit) {
            (Some(loser), Some(reason)) => format!("; {} forfeits: {reason}", names[loser].name),
            _ => String::new(),
        };
        let result = game.result.name().replace('_', " ");
        eprintln!("game {done}/{all}: {first} - {second}, {result} after {} plies{forfeit}", game.moves.len());
    };
    let standings = play_match(conditions, &options, &mut progress, &stop)?;
    if args.json {
        println!("{}", serde_json::to_string(&standings)?);
    } else {
        print!("{}", text(&standings));
    }
    Ok(ExitCode::SUCCESS)
}

/// The game of the cells, or the one that was asked for.
fn game(args: &Args, contestants: &[Contestant]) -> anyhow::Result<GameKind> {
    let games = config::listed(&GameKind::ALL.map(GameKind::name));
    let mut found = args.game;
    for contestant in contestants {
        found = found.or(contestant.game()?);
    }
    found.with_context(|| format!("the game cannot be inferred from engines: add --game and one of {games}"))
}

fn text(standings: &Standings) -> String {
    let mut text = String::new();
    for pairing in &standings.pairings {
        let [one, other] = pairing.players.map(|player| standings.names[player].as_str());
        let [wins, draws, losses] = pairing.wins_draws_losses;
        // A String takes every character.
        let _ = writeln!(text, "{one} - {other}: {wins} won, {draws} drawn, {losses} lost");
        let _ = writeln!(text, "  pairs with 0, ½, 1, 1½, 2 points: {:?}", pairing.pairs);
        if pairing.copies > 0 {
            let all = pairing.copies + pairing.pairs.iter().sum::<u64>();
            let copies = format!("{} of {all} pairs repeat earlier games and count once", pairing.copies);
            let _ = writeln!(text, "  {copies}: give more openings or --random-plies");
        }
        if let Some(score) = pairing.score {
            let _ = writeln!(text, "  {:.1} % of the points, {}", 100.0 * score, elo(pairing));
        }
    }
    for rated in &standings.ratings {
        let _ = writeln!(text, "  {:<40}{:+.0} ± {:.0} Elo (95 %)", rated.name, rated.elo, 1.96 * rated.error);
    }
    if let Some(reason) = &standings.unrated {
        let _ = writeln!(text, "no ratings of all players: {reason}");
    }
    if let Some(test) = &standings.sequential {
        text.push_str(&sequential(test));
    }
    let endings: Vec<String> = standings.endings.iter().map(|(name, count)| format!("{name} {count}")).collect();
    let _ = writeln!(text, "endings: {}", endings.join(", "));
    if !standings.forfeits.is_empty() {
        let forfeits: Vec<String> = standings.forfeits.iter().map(|(name, count)| format!("{name} {count}")).collect();
        let _ = writeln!(text, "forfeits of engines that died or did not answer: {}", forfeits.join(", "));
    }
    text
}

/// The difference of two players: with its interval, or the bound that a sweep gives.
fn elo(pairing: &Pairing) -> String {
    if let (Some([elo, low, high]), Some(superiority)) = (pairing.elo, pairing.superiority) {
        format!("Elo {elo:+.1} [{low:+.1}, {high:+.1}] (95 %), stronger with {:.2} %", 100.0 * superiority)
    } else if let Some(bound) = pairing.elo_at_least {
        format!("Elo at least {bound:+.0} (95 %): every game was won")
    } else if let Some(bound) = pairing.elo_at_most {
        format!("Elo at most {bound:+.0} (95 %): every game was lost")
    } else {
        "no interval of Elo: all pairs have the same points".to_owned()
    }
}

fn sequential(test: &SprtProgress) -> String {
    let ([low, high], [lower, upper]) = (test.elo, test.bounds);
    let decided = match test.accepted {
        Some("first") => format!("{low} Elo accepted"),
        Some(_) => format!("{high} Elo accepted"),
        None => "not decided".to_owned(),
    };
    format!(
        "SPRT of {low} against {high} Elo ({}): {decided} after {}, ratio {:.2} of [{lower:.2}, {upper:.2}]\n",
        test.model,
        counted(test.pairs, "pair"),
        test.ratio
    )
}

fn parse_draws(text: &str) -> Result<Draws, String> {
    Draws::named(text).ok_or_else(|| "the models are `half` and `davidson`".to_owned())
}

fn parse_anchor(text: &str) -> Result<Anchor, String> {
    let wrong = || format!("expected NAME=ELO such as stockfish@1=1320, found \"{text}\"");
    let (name, elo) = text.rsplit_once('=').ok_or_else(wrong)?;
    let elo = elo.parse().ok().filter(|elo: &f64| elo.is_finite()).ok_or_else(wrong)?;
    Ok(Anchor::Player { name: name.to_owned(), elo })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_options_may_have_signs_of_players() {
        let named = |text: &str| text.parse::<Given>().expect("a player").name;
        assert_eq!(named("runs/small+train.steps=4/chess-none/seed-0@policy"), None);
        assert_eq!(named("mine=runs/small+train.steps=4/seed-0"), Some("mine".to_owned()));
        let dir = tempfile::tempdir().expect("a folder");
        let at = |name: &str| dir.path().join(name);
        let given = |path: PathBuf| format!("x={}", path.display()).parse::<Given>().expect("a player");
        let cell = |name: &str| given(at(name)).cell(false).map(|contestant| contestant.kind);
        let network =
            |name: &str, agent: &str| Kind::Network { cell: at(name), averaged: false, agent: agent.to_owned() };
        std::fs::create_dir(at("a@value")).expect("made");
        assert_eq!(cell("a@value").expect("a cell"), network("a@value", "policy"));
        assert_eq!(cell("a@value@value").expect("a cell"), network("a@value", "value"));
        assert!(cell("a@valu").is_err_and(|error| error.to_string().contains("the agents are")));
        std::fs::create_dir(at("a")).expect("made");
        assert!(cell("a@value").is_err_and(|error| error.to_string().contains("both exist")));
        assert_eq!(cell("a/@value").expect("a cell"), network("a", "value"));

        let engine = "a@2/engine@800,File=x@y".parse::<Given>().expect("a player").engine().expect("an engine");
        assert_eq!(engine.name, "engine@800,File=x@y");
        let (program, options) = ("a@2/engine".into(), vec![("File".to_owned(), "x@y".to_owned())]);
        assert_eq!(engine.kind, Kind::Engine { program, nodes: 800, options });
    }

    #[test]
    fn an_anchor_has_a_rating() {
        assert!(parse_anchor("stockfish@1=1320").is_ok());
        for wrong in ["stockfish", "stockfish=many", "stockfish=nan", "stockfish=inf"] {
            assert!(parse_anchor(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_sweep_is_shown_as_a_bound() {
        let swept = |elo_at_least, elo_at_most| Pairing {
            players: [0, 1],
            wins_draws_losses: [8, 0, 0],
            pairs: [0, 0, 0, 0, 4],
            copies: 0,
            score: Some(1.0),
            elo: None,
            normalised: None,
            superiority: None,
            elo_at_least,
            elo_at_most,
        };
        assert_eq!(elo(&swept(Some(137.1), None)), "Elo at least +137 (95 %): every game was won");
        assert_eq!(elo(&swept(None, Some(-137.1))), "Elo at most -137 (95 %): every game was lost");
        assert_eq!(elo(&swept(None, None)), "no interval of Elo: all pairs have the same points");
    }
}
