//! `posenc eval`: how strong a cell's network is.

use super::devices::{parse_device, prepare};
use anyhow::bail;
use games::GameKind;
use games::chess::Chess;
use play::puzzles::{self, PuzzleScore, Rule, Share};
use play::{Agent, Player};
use serde_json::json;
use spec::Weights;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use tch::Device;
use train::inspect::Loaded;
use train::threads::use_threads;

/// Options of `posenc eval`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The cell's folder: runs/<experiment>/<row>/seed-<n>.
    cell: PathBuf,
    /// Solve the puzzles of a CSV file, plain or compressed: the columns of Lichess, or of searchless_chess.
    #[arg(long, value_name = "FILE", required = true)]
    puzzles: PathBuf,
    /// Count a puzzle as solved by this rule: `any_mate` (any mate ends it) or `strict` (every move is the puzzle's).
    #[arg(long, value_name = "RULE", default_value = "any_mate")]
    rule: Rule,
    /// Choose moves by `policy`, by `policy:temperature=T,top_p=P`, or by `value`. May be repeated [default: policy].
    #[arg(long = "agent", value_name = "AGENT")]
    agents: Vec<Agent>,
    /// Start the draws of an agent with a temperature from this seed.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Print one JSON object per agent.
    #[arg(long)]
    json: bool,
    /// Use the averaged weights of a run that averages them.
    #[arg(long)]
    averaged: bool,
    /// The device: cpu, cuda or cuda:N.
    #[arg(long, default_value = "cpu", value_parser = parse_device)]
    device: Device,
}

/// Evaluates the network as each agent.
///
/// # Errors
/// If the cell has no weights, a file cannot be read, or an agent needs an output that the network lacks.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    prepare(args.device)?;
    use_threads(1);
    let weights = if args.averaged { Weights::Averaged } else { Weights::Raw };
    let cell = Loaded::cell(&args.cell, weights, args.device)?;
    if cell.config.game != GameKind::Chess {
        bail!("--puzzles: puzzles are of chess, and {} is of {}", args.cell.display(), cell.config.game.name());
    }
    let puzzles = puzzles::read(&args.puzzles)?;
    let agents = if args.agents.is_empty() { &[Agent::POLICY] } else { args.agents.as_slice() };
    for &agent in agents {
        let mut stream = streams::stream(args.seed, &["eval", "puzzles"]);
        let player = Player::new(&cell, agent);
        let attempts = puzzles::attempts::<Chess>(&player, &puzzles, &args.puzzles, &mut stream)?;
        let score = PuzzleScore::of(&puzzles, &attempts, args.rule);
        if args.json {
            let solved: Vec<_> = puzzles
                .iter()
                .zip(&attempts)
                .map(|(puzzle, attempt)| json!({"id": puzzle.id, "answers": attempt.answers, "solved": attempt.solves(args.rule)}))
                .collect();
            println!("{}", json!({"agent": agent.to_string(), "score": score, "puzzles": solved}));
        } else {
            print!("{}", text(&agent.to_string(), &score));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn text(agent: &str, score: &PuzzleScore) -> String {
    let mut text = format!("{agent}: {} solved by the rule `{}`\n", said(&score.solved), score.rule);
    let mut line = |name: &str, share: &Share| {
        // A String takes every character.
        let _ = writeln!(text, "  {name:<24}{}", said(share));
    };
    line("first move", &score.first_move);
    line("all moves of the solver", &score.moves);
    for (number, share) in (1..).zip(&score.by_move) {
        line(&format!("move {number}"), share);
    }
    for band in &score.bands {
        line(&format!("rated {} to {}", band.from, band.to - 1), &band.solved);
    }
    for theme in &score.themes {
        line(&theme.name, &theme.solved);
    }
    if let Some([rating, error]) = score.rating {
        let _ = writeln!(text, "  puzzle rating           {rating:.0} ± {:.0} (95 %)", 1.96 * error);
    }
    text
}

fn said(share: &Share) -> String {
    let [low, high] = share.interval.map(|bound| 100.0 * bound);
    format!("{} of {}, {:.1} % [{low:.1}, {high:.1}]", share.right, share.of, 100.0 * share.share())
}
