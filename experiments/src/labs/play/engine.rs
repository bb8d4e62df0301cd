//! `posenc play`: a cell's network as an engine.

use crate::commands::devices::CellNetwork;
use games::{Referee, with_game};
use play::Agent;
use play::engine::{Engine, Next, Settings};
use std::io::{self, BufRead as _, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;
use train::inference::Loaded;

/// Options of `posenc play`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The cell's folder: runs/<experiment>/<row>/seed-<n>.
    cell: PathBuf,
    /// Choose moves by `policy`, by `policy:temperature=T,top_p=P`, or by `value`; the option `Agent` changes it.
    #[arg(long, value_name = "AGENT", default_value = "policy")]
    agent: Agent,
    /// Start the draws of an agent with a temperature from this seed in every game.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    network: CellNetwork,
}

/// The longest line that is read: a game of 10,000 moves.
const LONGEST: u64 = 1 << 17;

/// Plays until `quit`, or until stdin ends.
pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let cell = args.network.load(&args.cell)?;
    with_game!(cell.config.game, G => speak::<G>(&cell, args))?;
    Ok(ExitCode::SUCCESS)
}

fn speak<G: Referee>(cell: &Loaded, args: &Args) -> anyhow::Result<()> {
    let row = args.cell.components().rev().nth(1).map(|row| row.as_os_str().to_string_lossy().into_owned());
    let name = format!("posenc {}", row.unwrap_or_default());
    let settings = Settings { agent: args.agent, seed: args.seed, ..Settings::default() };
    let mut engine = Engine::<G>::new(cell, name, settings);
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        let read = io::Read::take(&mut input, LONGEST).read_until(b'\n', &mut bytes)?;
        if read == 0 {
            return Ok(());
        }
        let mut answers = Vec::new();
        let next = engine.line(&String::from_utf8_lossy(&bytes), &mut answers)?;
        for answer in answers {
            writeln!(output, "{answer}")?;
        }
        output.flush()?;
        if next == Next::Quit {
            return Ok(());
        }
    }
}
