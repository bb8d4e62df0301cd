//! `posenc status`: the status of every cell of a run folder; live on a terminal.

mod draw;
mod screen;

use grid::overview::Overview;
use records::plan::stage;
use screen::{Screen, redraw};
use std::io::{self, IsTerminal as _, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// How often a live table is redrawn.
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

#[cfg(test)]
mod tests {
    use super::draw;
    use super::screen::{Screen, redraw};
    use config::columns::width;
    use grid::overview::{CellView, Overview};
    use records::failure::Failure;
    use records::status::{CellState, Progress};

    /// A terminal as far as a table needs it. What leaves it at its top, or is cleared with the whole screen, goes to its history, as
    /// in tmux.
    struct Terminal {
        screen: Screen,
        lines: Vec<Vec<char>>,
        history: Vec<String>,
        row: usize,
        column: usize,
    }

    impl Terminal {
        fn new(screen: Screen) -> Self {
            Self { screen, lines: vec![Vec::new(); screen.rows], history: Vec::new(), row: 0, column: 0 }
        }

        fn write(&mut self, text: &str) {
            let mut characters = text.chars();
            while let Some(character) = characters.next() {
                match character {
                    '\n' => self.new_line(),
                    '\r' => self.column = 0,
                    '\x1b' => {
                        // `[`, a number and a letter.
                        let mut number = 0;
                        for character in characters.by_ref().skip(1) {
                            let Some(digit) = character.to_digit(10) else {
                                self.control(character, number);
                                break;
                            };
                            number = 10 * number + digit as usize;
                        }
                    }
                    character => self.put(character),
                }
            }
        }

        fn put(&mut self, character: char) {
            if self.column == self.screen.columns {
                self.new_line();
            }
            let line = &mut self.lines[self.row];
            line.resize(line.len().max(self.column + 1), ' ');
            line[self.column] = character;
            self.column += 1;
        }

        fn new_line(&mut self) {
            self.column = 0;
            if self.row + 1 < self.screen.rows {
                self.row += 1;
            } else {
                self.keep(1);
            }
        }

        fn control(&mut self, letter: char, number: usize) {
            match letter {
                'A' => self.row = self.row.saturating_sub(number),
                'K' => self.lines[self.row].truncate(self.column),
                'J' => {
                    if (self.row, self.column) == (0, 0) {
                        self.keep(self.screen.rows);
                    }
                    self.lines[self.row].truncate(self.column);
                    self.lines[self.row + 1..].iter_mut().for_each(Vec::clear);
                }
                _ => panic!("the table needs no ESC[{letter}"),
            }
        }

        fn keep(&mut self, count: usize) {
            self.history.extend(self.lines.drain(..count).map(|line| line.into_iter().collect::<String>()));
            self.lines.resize(self.screen.rows, Vec::new());
        }

        fn all(&self) -> Vec<String> {
            let shown = self.lines.iter().map(|line| line.iter().collect());
            self.history.iter().cloned().chain(shown).collect()
        }
    }

    /// 40 cells with long names, two of which run.
    fn overview(step: u64) -> Overview {
        let cell = |number: u64| {
            let progress = Progress { step, steps: 1000 };
            let state = match number {
                0..5 => CellState::Done,
                5..7 => CellState::Running(progress),
                7 => CellState::Failed(Failure::error(
                    "a cause that is longer than the rows of most terminals ".repeat(3),
                )),
                _ => CellState::Pending,
            };
            CellView {
                row: format!("chess-relative-bias-encoding-rate-x{number}"),
                seed: 0,
                twin: false,
                state,
                progress,
                loss: Some(1.25),
                positions_per_s: Some(1234.0),
                spent_s: Some(100.0),
                left_s: Some(50.0),
            }
        };
        Overview { experiment: "grid".to_owned(), cells: (0..40).map(cell).collect() }
    }

    #[test]
    fn a_followed_table_never_wraps_and_leaves_no_copies() {
        for (rows, columns) in [(24, 80), (10, 40), (40, 120), (5, 20), (60, 300)] {
            let screen = Screen { rows, columns };
            let mut terminal = Terminal::new(screen);
            terminal.write(&"$ an older command\n".repeat(3));
            let mut before = String::new();
            for step in [0, 150, 300, 450, 600] {
                let text = draw::fit(&overview(step), screen.usable());
                assert!(text.lines().count() < rows, "{rows} × {columns}:\n{text}");
                assert!(text.lines().all(|line| width(line) < columns), "{rows} × {columns}:\n{text}");
                terminal.write(&redraw(&before, &text, columns));
                before = text;
            }
            let all = terminal.all();
            let summaries = all.iter().filter(|line| line.starts_with("40 cells of")).count();
            assert_eq!(summaries, 1, "{rows} × {columns}: {all:#?}");
            let is_older = |line: &String| line.is_empty() || line.starts_with("$ ");
            assert!(terminal.history.iter().all(is_older), "{rows} × {columns}: {all:#?}");
        }
    }

    #[test]
    fn names_give_way_to_numbers_on_a_narrow_terminal() {
        let text = draw::fit(&overview(300), Screen { rows: 24, columns: 80 }.usable());
        let running = text.lines().find(|line| line.contains("running")).expect("a cell runs");
        for part in ["chess-", "…", "-x5 seed 0", "300/1,000", "1.2500", "1,234"] {
            assert!(running.contains(part), "{part} is not in {running}");
        }
        let once = draw::in_columns(&overview(300), 80);
        let cells: Vec<&str> =
            once.lines().filter(|line| line.contains("seed 0 ") && !line.contains("FAILED: ")).collect();
        assert!(cells.len() == 40 && cells.iter().all(|line| width(line) <= 80), "{once}");
        let wide = draw::fit(&overview(300), Screen { rows: 24, columns: 200 }.usable());
        assert!(wide.contains("chess-relative-bias-encoding-rate-x5 seed 0"), "{wide}");
    }

    #[test]
    fn on_a_narrower_terminal_numbers_give_way_to_the_time_left() {
        let cut_off = |line: &str| line.ends_with('…');
        for (columns, header) in
            [(60, &["cell", "state", "step", "loss", "left"][..]), (40, &["cell", "state", "left"][..])]
        {
            let text = draw::fit(&overview(300), Screen { rows: 24, columns }.usable());
            let table: Vec<&str> = text.lines().take_while(|line| !line.is_empty()).collect();
            assert_eq!(table[0].split_whitespace().collect::<Vec<_>>(), header, "{text}");
            let running = table.iter().find(|line| line.contains("running")).expect("a cell runs");
            assert!(running.contains("-x5 seed 0") && running.ends_with("  50 s"), "{text}");
            assert!(!table.into_iter().any(cut_off), "{text}");
            let (_, whole) = text.split_once("40 cells of grid: ").expect("a summary");
            let whole = whole.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(whole.starts_with("5 done, 2 running, 1 failed, 32 pending; about "), "{text}");
            assert!(whole.ends_with(" left"), "{text}");
        }
    }
}
