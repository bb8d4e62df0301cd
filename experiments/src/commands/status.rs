//! `posenc status`: the status of every cell of a run folder; live on a terminal.

mod draw;

use draw::{Screen, redraw};
use grid::overview::Overview;
use records::plan::stage;
use std::io::{self, IsTerminal as _, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

const DRAW_EVERY: Duration = Duration::from_secs(1);

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The experiment's run folder, e.g. runs/quickstart.
    run_dir: PathBuf,
    /// Print once instead of following the run on a terminal.
    #[arg(long)]
    once: bool,
    /// Print one JSON object instead of a table.
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let mut stdout = io::stdout().lock();
    let overview = Overview::of(&stage(&args.run_dir))?;
    if args.json {
        writeln!(stdout, "{:#}", draw::json(&overview))?;
    } else if !io::stdout().is_terminal() {
        stdout.write_all(draw::text(&overview).as_bytes())?;
    } else if args.once {
        stdout.write_all(draw::in_columns(&overview, Screen::of_stdout().columns).as_bytes())?;
    } else {
        follow(args, overview, &mut stdout)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Redraws the table in the current size of the terminal until no cell is running.
fn follow(args: &Args, mut overview: Overview, to: &mut impl Write) -> anyhow::Result<()> {
    let mut before = String::new();
    loop {
        let screen = Screen::of_stdout();
        let text = draw::fit(&overview, screen.usable());
        write!(to, "{}", redraw(&before, &text, screen.columns))?;
        to.flush()?;
        if overview.running() == 0 {
            return Ok(());
        }
        before = text;
        std::thread::sleep(DRAW_EVERY);
        overview = Overview::of(&stage(&args.run_dir))?;
    }
}
