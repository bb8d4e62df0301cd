//! `posenc data import`.

use super::super::options::{by_name, named};
use super::super::show::parse_game;
use super::display::Display;
use super::filters::FilterArgs;
use super::info::{by_split, headline};
use super::split::SplitArgs;
use config::{grouped, listed, printable, printable_lines, shell_word};
use dataset::{Format, ImportOptions, ImportProgress, ImportReport, PerSplit, Split, Unit};
use games::GameKind;
use games::chess::lc0::ValueSource;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Placeholder for an unstated source or licence.
pub(super) const NOT_STATED: &str = "not stated";

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The game.
    #[arg(long, value_parser = parse_game)]
    pub(super) game: GameKind,
    /// The records, in reading order; plain, compressed or archived (.zst, .gz, .bz2, .zip, .tar, .7z).
    #[arg(long, required = true, num_args = 1.., value_name = "FILE")]
    pub(super) from: Vec<PathBuf>,
    /// The format of the records, if it cannot be detected: pgn, lc0, bag_state_value, lichess_evals, csa, kif, usi,
    /// hcpe, hcpe3, psv, …
    #[arg(long, value_parser = parse_format)]
    pub(super) format: Option<Format>,
    /// The source of the games.
    #[arg(long, default_value = NOT_STATED)]
    pub(super) source: String,
    /// The licence of the games.
    #[arg(long, alias = "license", default_value = NOT_STATED)]
    pub(super) licence: String,
    #[command(flatten)]
    pub(super) choices: Choices,
}

/// What is kept of records, and where.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct Choices {
    /// The dataset's folder; it must not exist yet. The same command resumes an interrupted import.
    #[arg(long, value_name = "DIR")]
    pub(super) out: PathBuf,
    /// The dataset's name; its folder's name by default.
    #[arg(long)]
    name: Option<String>,
    /// Moves before this ply (the first is 0) come from a book or are random, and are not policy targets.
    #[arg(long, default_value_t = 0, value_name = "N")]
    policy_from_ply: u16,
    /// Which value of Lc0's chunks to keep, with its draw probability: root, best, played (V6), original (V6).
    #[arg(long, default_value = "root", value_parser = by_name("values", &ValueSource::ALL, ValueSource::name))]
    value: ValueSource,
    /// Threads; all cores by default. The dataset does not depend on it.
    #[arg(long, default_value_t = 0, value_name = "N", hide_default_value = true)]
    threads: usize,
    /// Fail at the first game that cannot be used, instead of skipping and listing it.
    #[arg(long)]
    strict: bool,
    // The headings of these two also hold for options below them.
    #[command(flatten)]
    pub(super) filters: FilterArgs,
    #[command(flatten)]
    split: SplitArgs,
}

pub(super) fn run(args: &Args) -> anyhow::Result<String> {
    let options = options(args)?;
    let mut display = Display::new();
    let outcome = dataset::import(&options, &mut |progress| show(&mut display, &progress));
    display.finish();
    let report = outcome?;
    Ok(printable_lines(&summary(&options, &report)))
}

fn options(args: &Args) -> anyhow::Result<ImportOptions> {
    let choices = &args.choices;
    let defaults = ImportOptions::new(args.game, args.from.clone(), choices.out.clone());
    Ok(ImportOptions {
        format: args.format,
        name: choices.name.clone().unwrap_or_else(|| defaults.name.clone()),
        source: args.source.clone(),
        licence: args.licence.clone(),
        made_by: made_by(args),
        policy_from_ply: choices.policy_from_ply,
        value: choices.value,
        filters: choices.filters.filters(),
        buckets: choices.filters.buckets(),
        split: choices.split.plan()?,
        threads: choices.threads,
        strict: choices.strict,
        ..defaults
    })
}

/// The command that makes the same content again; files by name, since their folders belong to this machine.
fn made_by(args: &Args) -> String {
    let mut words = vec!["posenc data import".to_owned(), format!("--game {}", args.game.name()), "--from".to_owned()];
    words.extend(args.from.iter().filter_map(|path| path.file_name()).map(|name| shell_word(&name.to_string_lossy())));
    words.extend(args.format.map(|format| format!("--format {}", format.name())));
    let Choices { policy_from_ply, value, filters, split, .. } = &args.choices;
    words.push(format!("--policy-from-ply {policy_from_ply}"));
    if *value != ValueSource::default() {
        words.push(format!("--value {}", value.name()));
    }
    words.extend(filters.words());
    words.push(split.words());
    words.join(" ")
}

pub(super) fn parse_format(text: &str) -> Result<Format, String> {
    named("formats", &Format::ALL, Format::name, text)
}

fn summary(options: &ImportOptions, report: &ImportReport) -> String {
    let (counts, split) = (&report.manifest.counts, &report.manifest.split);
    let mut out = headline(&options.output, &report.manifest);
    out.push_str(&format!(
        "read {}: kept {}, duplicates {}, rejected {}\n",
        grouped(counts.read),
        grouped(counts.kept),
        grouped(counts.duplicates),
        grouped(counts.rejected)
    ));
    if report.taken_over > 0 {
        let taken_over = grouped(report.taken_over);
        out.push_str(&format!("taken over from an interrupted import: the first {taken_over} records\n"));
    }
    let novel = match split.positions.test {
        0 => String::new(),
        _ => format!("; {:.1} % of the test positions occur in no training game", 100.0 * split.novel_test_positions),
    };
    out.push_str(&format!(
        "{} by split: {}{novel}\n",
        if report.manifest.unit == Unit::Game { "games" } else { "positions" },
        by_split(&split.games)
    ));
    out.push_str(&empty(split.fractions, split.games));
    out.push_str(&filtered("games", &counts.filtered_games));
    out.push_str(&filtered("positions of the games kept", &counts.filtered_positions));
    if report.misread {
        out.push_str(
            "note: Lichess' [%eval] is the value of the position after the move, and was read as that of the position before \
             it: import again with --eval-after\n",
        );
    }
    let Some((file, first)) = &report.first_rejected else { return out };
    let kinds = counts.rejected_by_kind.iter().map(|(kind, count)| format!("{kind} {count}"));
    out.push_str(&format!("rejected by kind: {}\n", kinds.collect::<Vec<_>>().join(", ")));
    let ply = first.ply.map_or_else(String::new, |ply| format!(", ply {ply}"));
    out.push_str(&format!("the first: {file}, game {}{ply}: {}\n", first.game, first.reason));
    out.push_str("to keep these games too, correct them in their files and import again; all other games are kept\n");
    if let Some(list) = &report.rejects {
        out.push_str(&format!("all of them: {}\n", list.display()));
    }
    out
}

/// A warning about splits that have a share of the games, and got none.
fn empty(shares: PerSplit<f64>, games: PerSplit<u64>) -> String {
    let is_empty = |&split: &Split| shares[split] > 0.0 && games[split] == 0;
    let names: Vec<&str> = Split::ALL.into_iter().filter(is_empty).map(Split::name).collect();
    if names.is_empty() {
        return String::new();
    }
    format!(
        "warning: no game is in {}, and experiments need all three splits: import more games, or again with another \
         --validation (now {}), --test (now {}) or --split-seed\n",
        listed(&names),
        shares.validation,
        shares.test
    )
}

/// What the filters left out, one line or none.
fn filtered(what: &str, counts: &BTreeMap<String, u64>) -> String {
    if counts.is_empty() {
        return String::new();
    }
    let each = counts.iter().map(|(filter, count)| format!("{filter} {}", grouped(*count)));
    format!("{what} left out by filters: {}\n", each.collect::<Vec<_>>().join(", "))
}

fn show(display: &mut Display, progress: &ImportProgress) {
    let ImportProgress { file, bytes, total_bytes, read, taken_over, kept, positions, filtered, rejected } = progress;
    if read <= taken_over {
        display.begin_at(*bytes);
    }
    display.show("bytes", *bytes, *total_bytes, |_| {
        let file = printable(&file.file_name().unwrap_or(file.as_os_str()).to_string_lossy());
        let [read, kept, positions, filtered, rejected] =
            [read, kept, positions, filtered, rejected].map(|count| grouped(*count));
        format!("{file}: {read} read, {kept} kept with {positions} positions, {filtered} filtered, {rejected} rejected")
    });
}
