//! `posenc status`: where every cell of a run folder stands; live on a terminal.

mod draw;

use grid::overview::Overview;
use records::plan;
use std::io::{self, IsTerminal as _, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// How often a live table is redrawn.
const DRAW_EVERY: Duration = Duration::from_secs(1);

/// Lines of a terminal that does not say how many it has.
const USUAL_LINES: usize = 24;

/// Options of `posenc status`.
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

/// Shows the state of every cell.
///
/// # Errors
/// If the folder is no run folder, or stdout cannot be written.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let mut stdout = io::stdout().lock();
    let overview = Overview::of(&stage(&args.run_dir))?;
    if args.json {
        writeln!(stdout, "{:#}", draw::json(&overview))?;
    } else if args.once || !io::stdout().is_terminal() {
        stdout.write_all(draw::text(&overview).as_bytes())?;
    } else {
        follow(args, overview, &mut stdout)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The run folder, or that of the newest round of trials if the rows of a tuned experiment have not begun.
fn stage(run_dir: &Path) -> PathBuf {
    let is_grid = |folder: &Path| folder.join(plan::FILE).is_file();
    let rounds = std::fs::read_dir(run_dir).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_round = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        name.starts_with(spec::tuning::FOLDER) && is_grid(path)
    };
    if is_grid(run_dir) { run_dir.to_owned() } else { rounds.filter(is_round).max().unwrap_or(run_dir.to_owned()) }
}

/// Draws over what was drawn, until no cell runs any more.
fn follow(args: &Args, mut overview: Overview, to: &mut impl Write) -> anyhow::Result<()> {
    let mut drawn = 0;
    loop {
        let text = draw::fit(&overview, terminal_lines().saturating_sub(1));
        // Up to the first line of the last table, and everything below it away.
        let up = if drawn > 0 { format!("\x1b[{drawn}A\r\x1b[J") } else { String::new() };
        write!(to, "{up}{text}")?;
        to.flush()?;
        if overview.running() == 0 {
            return Ok(());
        }
        drawn = text.lines().count();
        std::thread::sleep(DRAW_EVERY);
        overview = Overview::of(&stage(&args.run_dir))?;
    }
}

fn terminal_lines() -> usize {
    let mut size = libc::winsize { ws_row: 0, ws_col: 0, ws_xpixel: 0, ws_ypixel: 0 };
    // SAFETY: the call fills the struct that it is given, or fails.
    let asked = unsafe { libc::ioctl(libc::STDOUT_FILENO, libc::TIOCGWINSZ, &mut size) };
    if asked == 0 && size.ws_row > 0 { usize::from(size.ws_row) } else { USUAL_LINES }
}
