//! `posenc data import`.

use super::super::show::parse_game;
use crate::config::manifest_text;
use crate::table::grouped;
use dataset::{ImportOptions, ImportReport, PerSplit, Progress};
use games::GameKind;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{IsTerminal as _, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Options of `posenc data import`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The game.
    #[arg(long, value_parser = parse_game)]
    game: GameKind,
    /// The records, in the order in which they are read.
    #[arg(long, required = true, num_args = 1.., value_name = "FILE")]
    from: Vec<PathBuf>,
    /// The dataset's folder; it must not exist yet.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// The dataset's name; its folder's name by default.
    #[arg(long)]
    name: Option<String>,
    /// Where the games come from.
    #[arg(long, default_value = "not stated")]
    source: String,
    /// Under which licence they may be used.
    #[arg(long, default_value = "not stated")]
    licence: String,
    /// Moves before this ply (the first is 0) are from a book or random: no policy targets.
    #[arg(long, default_value_t = 0, value_name = "N")]
    policy_from_ply: u16,
    /// Games were cut off at this many plies: their result is unknown, not a draw.
    #[arg(long, value_name = "N")]
    ply_cap: Option<u32>,
    /// Stop at so many games kept.
    #[arg(long, value_name = "N")]
    max_games: Option<u64>,
    /// Share of the games that is for testing.
    #[arg(long, default_value_t = 0.1, value_name = "SHARE")]
    test: f64,
    /// Share of the games that is for validation.
    #[arg(long, default_value_t = 0.1, value_name = "SHARE")]
    validation: f64,
    /// Seed of the split.
    #[arg(long, default_value_t = 0, value_name = "SEED")]
    split_seed: u64,
    /// Fail at the first game that cannot be used, instead of leaving it out and listing it.
    #[arg(long)]
    strict: bool,
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let options = options(args)?;
    let mut display = Display::new();
    let outcome = dataset::import(&options, &mut |progress| display.show(&progress));
    display.finish();
    let report = outcome?;
    std::io::stdout().lock().write_all(summary(&options, &report).as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

fn options(args: &Args) -> anyhow::Result<ImportOptions> {
    for (option, share) in [("--test", args.test), ("--validation", args.validation)] {
        anyhow::ensure!((0.0..1.0).contains(&share), "{option} {share}: a share is 0 or more and below 1");
    }
    // Rounded, so that dataset.yaml says 0.7 and not 0.7000000000000001.
    let train = ((1.0 - args.test - args.validation) * 1e12).round() / 1e12;
    anyhow::ensure!(train > 0.0, "--test and --validation leave no games to train on; they must add up to less than 1");
    let folder = args.out.file_name().map(|name| name.to_string_lossy().into_owned());
    Ok(ImportOptions {
        inputs: args.from.clone(),
        output: args.out.clone(),
        name: args.name.clone().or(folder).unwrap_or_else(|| args.game.name().to_owned()),
        game: args.game,
        source: args.source.clone(),
        licence: args.licence.clone(),
        made_by: made_by(args),
        policy_from_ply: args.policy_from_ply,
        ply_cap: args.ply_cap,
        max_games: args.max_games,
        fractions: PerSplit { train, validation: args.validation, test: args.test },
        split_seed: args.split_seed,
        strict: args.strict,
        manifest_text,
    })
}

/// The command that makes the same content again; files by name, since their folders belong to this machine.
fn made_by(args: &Args) -> String {
    let mut words = vec!["posenc data import".to_owned(), format!("--game {}", args.game.name()), "--from".to_owned()];
    words.extend(args.from.iter().filter_map(|path| path.file_name()).map(|name| name.to_string_lossy().into_owned()));
    words.push(format!("--policy-from-ply {}", args.policy_from_ply));
    words.extend(args.ply_cap.map(|plies| format!("--ply-cap {plies}")));
    words.extend(args.max_games.map(|games| format!("--max-games {games}")));
    words.push(format!("--test {} --validation {} --split-seed {}", args.test, args.validation, args.split_seed));
    words.join(" ")
}

fn summary(options: &ImportOptions, report: &ImportReport) -> String {
    let (counts, split) = (&report.manifest.counts, &report.manifest.split);
    let mut out = format!(
        "{}: {} games with {} positions\n",
        options.output.display(),
        grouped(counts.kept),
        grouped(counts.positions)
    );
    out.push_str(&format!(
        "read {}: kept {}, duplicates {}, rejected {}\n",
        grouped(counts.read),
        grouped(counts.kept),
        grouped(counts.duplicates),
        grouped(counts.rejected)
    ));
    out.push_str(&format!(
        "games by split: train {}, validation {}, test {}; {:.1} % of the test positions occur in no training game\n",
        grouped(split.games.train),
        grouped(split.games.validation),
        grouped(split.games.test),
        100.0 * split.novel_test_positions
    ));
    let Some((file, first)) = &report.first_rejected else { return out };
    let kinds = counts.rejected_by_kind.iter().map(|(kind, count)| format!("{kind} {count}"));
    out.push_str(&format!("rejected by kind: {}\n", kinds.collect::<Vec<_>>().join(", ")));
    let ply = first.ply.map_or_else(String::new, |ply| format!(", ply {ply}"));
    out.push_str(&format!("the first: {file}, game {}{ply}: {}\n", first.game, first.reason));
    if let Some(list) = &report.rejects {
        out.push_str(&format!("all of them: {}\n", list.display()));
    }
    out
}

/// A bar on a terminal, else a line now and then; both on stderr.
enum Display {
    Bar(ProgressBar),
    Lines { last: Instant },
}

/// How often a line is written where there is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(10);

impl Display {
    fn new() -> Self {
        if !std::io::stderr().is_terminal() {
            return Self::Lines { last: Instant::now() };
        }
        let style = ProgressStyle::with_template("{bar:30} {bytes}/{total_bytes} {eta} {msg}");
        Self::Bar(ProgressBar::new(0).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar())))
    }

    fn show(&mut self, progress: &Progress) {
        let Progress { file, bytes, total_bytes, read, kept, rejected } = progress;
        match self {
            Self::Bar(bar) => {
                bar.set_length(*total_bytes);
                bar.set_position(*bytes);
                bar.set_message(format!("{kept} games kept, {rejected} rejected"));
            }
            Self::Lines { last } if last.elapsed() >= LINE_EVERY => {
                *last = Instant::now();
                let percent = 100.0 * *bytes as f64 / (*total_bytes).max(1) as f64;
                eprintln!("{}: {percent:.0} %, {read} games read, {kept} kept, {rejected} rejected", file.display());
            }
            Self::Lines { .. } => {}
        }
    }

    fn finish(&self) {
        if let Self::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}
