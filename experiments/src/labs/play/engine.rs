//! `posenc play`: a cell's network as an engine.

use crate::commands::devices::CellNetwork;
use games::{Referee, with_game};
use play::engine::{Engine, Interrupts, Next, Settings};
use play::{Agent, Player, Search};
use std::io::{self, BufRead as _, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::mpsc::{SyncSender, sync_channel};
use train::inference::Loaded;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The cell's folder: runs/<experiment>/<row>/seed-<n>.
    cell: PathBuf,
    /// Choose moves by `policy`, `policy:temperature=T,top_p=P`, `value`, or `search:visits=N,cpuct=C,fpu=F,batch=B,temperature=T`;
    /// the option `Agent` changes it.
    #[arg(long, value_name = "AGENT", default_value = "policy")]
    agent: Agent,
    /// Search with this many visits, where `go nodes` has no others [default: 100].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(Search::MOST_VISITS)))]
    visits: Option<u32>,
    /// Start the draws of an agent with a temperature from this seed in every game.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    network: CellNetwork,
}

/// The longest line that is read: a game of 10,000 moves.
const LONGEST: u64 = 1 << 17;

/// Lines that are read before they are answered.
const WAITING: usize = 64;

/// Plays until `quit`, or until stdin ends.
pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let agent = with_visits(&[args.agent], args.visits)?[0];
    let cell = args.network.load(&args.cell)?;
    with_game!(cell.config.game, G => run_protocol::<G>(&cell, args, agent))?;
    Ok(ExitCode::SUCCESS)
}

/// The agents, with the visits of `--visits` where they search.
pub(super) fn with_visits(agents: &[Agent], visits: Option<u32>) -> anyhow::Result<Vec<Agent>> {
    let Some(visits) = visits else { return Ok(agents.to_vec()) };
    let searches = agents.iter().any(|agent| matches!(agent, Agent::Search(_)));
    anyhow::ensure!(searches, "--visits {visits}: no agent searches; add --agent search");
    Ok(agents.iter().map(|agent| agent.with_visits(visits)).collect())
}

fn run_protocol<G: Referee>(cell: &Loaded, args: &Args, agent: Agent) -> anyhow::Result<()> {
    Player::new(cell, agent).check_outputs::<G>()?;
    let row = args.cell.components().rev().nth(1).map(|row| row.as_os_str().to_string_lossy().into_owned());
    let name = format!("posenc {}", row.unwrap_or_default());
    let settings = Settings { agent, seed: args.seed, ..Settings::default() };
    let mut engine = Engine::<G>::new(cell, name, settings);
    let (sender, lines) = sync_channel(WAITING);
    let interrupts = engine.interrupts();
    std::thread::spawn(move || read_lines(&sender, &interrupts));
    let mut output = io::stdout().lock();
    for line in lines {
        let mut answers = Vec::new();
        let next = engine.line(&line?, &mut answers)?;
        for answer in answers {
            writeln!(output, "{answer}")?;
        }
        output.flush()?;
        if next == Next::Quit {
            break;
        }
    }
    Ok(())
}

/// Reads stdin to its end, also during a search, so that `stop` ends it.
fn read_lines(lines: &SyncSender<io::Result<String>>, interrupts: &Interrupts) {
    let mut input = io::stdin().lock();
    loop {
        let mut bytes = Vec::new();
        let line = match io::Read::take(&mut input, LONGEST).read_until(b'\n', &mut bytes) {
            Ok(0) => return,
            Ok(_) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
            Err(error) => Err(error),
        };
        let is_last = line.is_err();
        if let Ok(line) = &line {
            interrupts.note(line);
        }
        if lines.send(line).is_err() || is_last {
            return;
        }
    }
}
