//! `posenc eval`: how strong a cell's network is.

use super::engine::with_visits;
use super::matches::{divided, nodes_and_options};
use crate::commands::devices::CellNetwork;
use anyhow::{Context as _, bail};
use config::counted;
use games::{Referee, with_game};
use play::calibration::{self, Calibration, svg};
use play::engine_agreement::{Judge, JudgedScore, Judgement};
use play::mates::MateScore;
use play::puzzles::{self, Band, PuzzleScore, Rule, plot};
use play::suites::SuiteScore;
use play::{Agent, Player, Search, Share, mates, suites};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
#[command(override_usage = "posenc eval <CELL> [OPTIONS] --puzzles|--suite|--mates|--no-mates <FILE>
       posenc eval <CELL> [OPTIONS] --judged <FILE> --judge <ENGINE>
       posenc eval <CELL> [OPTIONS] --calibration [<POSITIONS>]")]
pub(crate) struct Args {
    /// The cell's folder: runs/<experiment>/<row>/seed-<n>.
    cell: PathBuf,
    #[command(flatten)]
    asked: Asked,
    /// Count a puzzle as solved by this rule: `any_mate` (any mate ends it) or `strict` (every move is the puzzle's).
    #[arg(long, value_name = "RULE", default_value = "any_mate")]
    rule: Rule,
    /// Choose moves by `policy`, `policy:temperature=T,top_p=P`, `value`, or `search:visits=N,cpuct=C,fpu=F,batch=B,temperature=T`.
    /// May be repeated [default: policy].
    #[arg(long = "agent", value_name = "AGENT")]
    agents: Vec<Agent>,
    /// Let the agent `search` make this many visits [default: 100].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(Search::MOST_VISITS)))]
    visits: Option<u32>,
    /// Also draw the reliability of --calibration to this SVG file.
    #[arg(long, value_name = "FILE", requires = "calibration")]
    diagram: Option<PathBuf>,
    /// Also draw the shares of solved --puzzles by rating to this SVG file, a line for each agent and file.
    #[arg(long, value_name = "FILE", requires = "puzzles")]
    rating_plot: Option<PathBuf>,
    /// Let this engine score the positions of --judged: `PROGRAM@NODES[,OPTION=VALUE…]`, with the nodes of a position.
    #[arg(long, value_name = "ENGINE", value_parser = parse_judge, requires = "judged")]
    judge: Option<Judge>,
    /// Start the draws of an agent with a temperature from this seed.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Print one JSON object per agent and file.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    network: CellNetwork,
}

/// What the network is asked; each may be repeated.
#[derive(Debug, clap::Args)]
#[group(required = true, multiple = true)]
struct Asked {
    /// Solve the puzzles of a CSV file, plain or compressed: the columns of Lichess, or of searchless_chess.
    #[arg(long, value_name = "FILE")]
    puzzles: Vec<PathBuf>,
    /// Find the best moves of a suite: EPD, SFEN with the same operations, or CSA problems.
    #[arg(long, value_name = "FILE")]
    suite: Vec<PathBuf>,
    /// Find a mate in one in each position of a file.
    #[arg(long, value_name = "FILE")]
    mates: Vec<PathBuf>,
    /// Count checks where no move mates, in each position of a file.
    #[arg(long, value_name = "FILE")]
    no_mates: Vec<PathBuf>,
    /// Compare the order of the moves, and the chosen one, with the scores that the engine of --judge gives to every legal move, in
    /// each position of a file.
    #[arg(long, value_name = "FILE", requires = "judge")]
    judged: Vec<PathBuf>,
    /// Compare predicted results with those that came, on whole test games of the cell's dataset with at most this many
    /// positions, and at least one game.
    #[arg(long, value_name = "POSITIONS", num_args = 0..=1, default_missing_value = "8192")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    calibration: Option<u64>,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let agents = if args.agents.is_empty() { &[Agent::POLICY] } else { args.agents.as_slice() };
    let agents = with_visits(agents, args.visits)?;
    let cell = args.network.load(&args.cell)?;
    if let Some(positions) = args.asked.calibration {
        let calibration = calibration::measure(&cell, positions)?;
        if let Some(file) = &args.diagram {
            fs::write(file, svg(&calibration)).with_context(|| format!("cannot write {}", file.display()))?;
        }
        if args.json {
            println!("{}", json!({"kind": "calibration", "score": calibration}));
        } else {
            print!("{}", of_calibration(&calibration));
        }
    }
    let players: Vec<Player<'_>> = agents.into_iter().map(|agent| Player::new(&cell, agent)).collect();
    let by_rating = with_game!(cell.config.game, G => ask_all::<G>(args, &players))?;
    if let Some(file) = &args.rating_plot {
        if by_rating.iter().all(|(_, bands)| bands.is_empty()) {
            bail!("--rating-plot has nothing to draw: the puzzles have no ratings");
        }
        fs::write(file, plot::svg(&by_rating)).with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn solve<G: Referee>(args: &Args, player: &Player<'_>, file: &Path) -> anyhow::Result<PuzzleScore> {
    let puzzles = puzzles::read(file)?;
    let mut stream = streams::stream(args.seed, &["eval", "puzzles"]);
    let attempts = puzzles::attempts::<G>(player, &puzzles, file, &mut stream)?;
    let score = PuzzleScore::of(&puzzles, &attempts, args.rule);
    let answers = puzzles.iter().zip(&attempts).map(
        |(puzzle, attempt)| json!({"id": puzzle.id, "answers": attempt.answers, "solved": attempt.solves(args.rule)}),
    );
    let found = json!({"score": score, "puzzles": answers.collect::<Vec<_>>()});
    print_result(args, player, "puzzles", file, found, || of_puzzles(&score));
    Ok(score)
}

/// A file of --judged: its positions, and the engine's scores of their moves.
struct Judged<'a, G: Referee> {
    file: &'a Path,
    positions: Vec<G::Position>,
    scores: Vec<Judgement>,
}

impl<'a, G: Referee> Judged<'a, G> {
    fn by(judge: &Judge, file: &'a Path) -> anyhow::Result<Self> {
        let positions = mates::read::<G>(file)?;
        let scores = judge.scores::<G>(&positions)?;
        Ok(Self { file, positions, scores })
    }
}

/// Evaluates every agent on every file; returns the shares of solved puzzles by rating, of each agent and file.
fn ask_all<G: Referee>(args: &Args, players: &[Player<'_>]) -> anyhow::Result<Vec<(String, Vec<Band>)>> {
    let (mut judged, mut by_rating) = (None, Vec::new());
    for player in players {
        ask::<G>(args, player, &mut judged, &mut by_rating)?;
    }
    Ok(by_rating)
}

/// Everything that is asked of an agent; `by_rating` gets its shares of solved puzzles. The engine scores the files of --judged for
/// the first agent.
fn ask<'a, G: Referee>(
    args: &'a Args,
    player: &Player<'_>,
    judged: &mut Option<Vec<Judged<'a, G>>>,
    by_rating: &mut Vec<(String, Vec<Band>)>,
) -> anyhow::Result<()> {
    for file in &args.asked.puzzles {
        let score = solve::<G>(args, player, file)?;
        by_rating.push((format!("{}, {}", player.agent(), file.display()), score.bands));
    }
    for file in &args.asked.suite {
        let problems = suites::read::<G>(file)?;
        let mut stream = streams::stream(args.seed, &["eval", "suite"]);
        let (answers, score) = suites::score::<G>(player, &problems, &mut stream)?;
        print_result(args, player, "suite", file, json!({"score": score, "answers": answers}), || of_suite(&score));
    }
    let mates = args.asked.mates.iter().map(|file| ("mates", file));
    for (what, file) in mates.chain(args.asked.no_mates.iter().map(|file| ("no_mates", file))) {
        let positions = mates::read::<G>(file)?;
        let mut stream = streams::stream(args.seed, &["eval", "mates"]);
        let score = mates::score::<G>(player, &positions, &mut stream)?;
        print_result(args, player, what, file, json!({"score": score}), || of_mates(what, &score));
    }
    if judged.is_none() {
        let files = args.asked.judged.iter().zip(args.judge.iter().cycle());
        *judged = Some(files.map(|(file, judge)| Judged::by(judge, file)).collect::<anyhow::Result<_>>()?);
    }
    for Judged { file, positions, scores } in judged.iter().flatten() {
        let mut stream = streams::stream(args.seed, &["eval", "judged"]);
        let score = play::engine_agreement::score::<G>(player, positions, scores, &mut stream)?;
        print_result(args, player, "judged", file, json!({"score": score}), || of_judged(&score));
    }
    Ok(())
}

fn print_result(
    args: &Args,
    player: &Player<'_>,
    what: &str,
    file: &Path,
    mut found: Value,
    text: impl Fn() -> String,
) {
    if args.json {
        found["agent"] = player.agent().to_string().into();
        found["paper_flops"] = player.paper_flops().into();
        found["file"] = file.display().to_string().into();
        found["kind"] = what.into();
        println!("{found}");
    } else {
        // In millions, as the paper's tables.
        let flops = player.paper_flops() as f64 / 1e6;
        print!("{} ({flops:.1}M FLOPs a move), {}: {}", player.agent(), file.display(), text());
    }
}

fn of_puzzles(score: &PuzzleScore) -> String {
    let mut text = format!("{} solved by the rule `{}`\n", share_text(&score.solved), score.rule);
    let mut line = |name: &str, share: &Share| {
        // A String takes every character.
        let _ = writeln!(text, "  {name:<24}{}", share_text(share));
    };
    line("first move", &score.first_move);
    line("all moves of the solver", &score.moves);
    (1..).zip(&score.by_move).for_each(|(number, share)| line(&format!("move {number}"), share));
    score.bands.iter().for_each(|band| line(&format!("rated {} to {}", band.from, band.to - 1), &band.solved));
    score.themes.iter().for_each(|theme| line(&theme.name, &theme.solved));
    if let Some([rating, error]) = score.rating {
        let _ = writeln!(text, "  puzzle rating           {rating:.0} ± {:.0} (95 %)", 1.96 * error);
    }
    text
}

fn of_suite(score: &SuiteScore) -> String {
    let with_points = |share: &Share, points: Option<[f64; 2]>| match points {
        Some([found, most]) => format!("{} solved, {found} of {most} points", share_text(share)),
        None => format!("{} solved", share_text(share)),
    };
    let mut text = with_points(&score.solved, score.points) + "\n";
    for part in &score.parts {
        let _ = writeln!(text, "  {:<40}{}", part.name, with_points(&part.solved, part.points));
    }
    text
}

fn of_judged(score: &JudgedScore) -> String {
    let with_ends = |found: Option<[f64; 3]>| match found {
        Some([mean, low, high]) => format!("{mean:.3} [{low:.3}, {high:.3}]"),
        None => "unknown (needs two positions or more)".to_owned(),
    };
    let Some(best) = score.best else {
        return "no position in which the engine scored two moves or more, the chosen one among them\n".to_owned();
    };
    format!(
        "{}, Kendall's τ {}, loss of winning probability {}, the engine's best move in {:.1} %\n",
        counted(score.positions as u64, "position"),
        with_ends(score.tau),
        with_ends(score.loss),
        100.0 * best
    )
}

fn parse_judge(text: &str) -> anyhow::Result<Judge> {
    let (program, (nodes, options)) = divided(text, None, nodes_and_options)?;
    Ok(Judge { program, nodes, options })
}

fn of_calibration(calibration: &Calibration) -> String {
    let mut text = String::new();
    for part in &calibration.parts {
        let mass = part.legal_mass.map_or_else(String::new, |mass| format!(", legal mass {:.1} %", 100.0 * mass));
        // A String takes every character.
        let _ = writeln!(
            text,
            "calibration, {}: {} positions, Brier score {:.4} (of the mean result {:.4}){mass}",
            part.name, part.positions, part.brier, part.brier_of_mean
        );
        for result in &part.results {
            let bins = result.bins.iter().map(|(said, seen, _)| format!("{:.0}→{:.0}", 100.0 * said, 100.0 * seen));
            let bins: Vec<String> = bins.collect();
            let _ = writeln!(text, "  {:<5} ECE {:.4}; said→seen in %: {}", result.name, result.error, bins.join(" "));
        }
    }
    text
}

fn of_mates(what: &str, score: &MateScore) -> String {
    match what {
        "mates" => format!("{} mated\n", share_text(&score.mates)),
        _ => format!("{} false alarms (checks where no move mates)\n", share_text(&score.checks)),
    }
}

fn share_text(share: &Share) -> String {
    let [low, high] = share.interval.map(|bound| 100.0 * bound);
    format!("{} of {}, {:.1} % [{low:.1}, {high:.1}]", share.right, share.of, 100.0 * share.share())
}
