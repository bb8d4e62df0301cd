//! The verdict of every row against its reference: the table of differences, a sentence for each, and the forest plot.

use super::baselines;
use crate::comparison::{ALPHA, Comparison, Corrected, Verdict};
use crate::figures::{Figure, Styles};
use crate::model::{GameReport, Report, RowReport};
use crate::no_verdict::{Missing, blocking_reason, left_out, reasons};
use crate::noise::{Noise, counted};
use crate::numbers::{interval, interval_decimals, mean_sd, or_absent, p_in_words, p_value, signed, two_cells};
use crate::primary::PrimaryMetric;
use crate::table::{ABSENT, ROW, Table};
use facts::row_name::readable;
use facts::{Role, by_key};
use figures::plot::forest::{self, ForestPlot, ForestRow};

/// The note of a game without an A/A control.
const NO_CONTROL: &str = "A/A control: none, so the size of differences by chance is unknown; remove `twin: false` from \
                          the experiment file to add it";

/// How the comparisons of a grid were tested.
pub(crate) fn method(report: &Report) -> String {
    let all = report.games.iter().flat_map(|game| &game.rows).filter_map(|row| row.comparison.as_ref());
    let noise = counted(all.filter_map(|comparison| comparison.noise.as_ref()));
    let equivalent = report.primary.within().map(|within| {
        format!(
            "; equivalent: two one-sided tests with the same variance, within {within}, Holm-corrected over the same \
             comparisons"
        )
    });
    format!(
        "{}, paired t-tests over {noise}, Holm-corrected over the grid's {}, α = {ALPHA}{}",
        rates(report),
        facts::counted(report.family as u64, "comparison"),
        equivalent.unwrap_or_default()
    )
}

/// The learning rates that verdicts hold for: the beginning of every method and of every table of verdicts.
pub(crate) fn rates(report: &Report) -> &'static str {
    if report.games.iter().any(|game| game.tuning.is_some()) {
        return "tuned";
    }
    if report.games.iter().any(|game| game.own_rates) {
        return "at the rate that the file gives each row";
    }
    "at one learning rate"
}

/// The line below a table of verdicts on learning rates.
fn rates_note(report: &Report) -> String {
    match report.games.iter().find_map(|game| game.tuning.as_ref()) {
        Some(tuned) => format!(
            "verdicts are tuned: the settings of each row are the best of {} trials by {} on validation, on seeds {:?}",
            tuned.trials, tuned.metric, tuned.seeds
        ),
        None => format!(
            "verdicts are {}: this grid tuned no row, and other rates or more steps can change the order of the rows",
            rates(report)
        ),
    }
}

/// A sentence for each comparison of the grid, game by game, and one for all rows of a game that lack a verdict for the same reason.
pub(crate) fn sentences(report: &Report) -> Vec<(Verdict, String)> {
    report.games.iter().flat_map(|game| of_game(report, game)).collect()
}

fn of_game(report: &Report, game: &GameReport) -> Vec<(Verdict, String)> {
    let compared = game.rows.iter().filter_map(|row| Some((row, row.comparison.as_ref()?)));
    let (exploratory, planned): (Vec<_>, Vec<_>) =
        compared.partition(|(_, comparison)| comparison.missing.contains(&Missing::Exploratory));
    let of_row = |(place, &(row, comparison)): (usize, &(&RowReport, &Comparison))| {
        let alike: Vec<usize> = (0..planned.len()).filter(|&i| same_missing_reason(comparison, planned[i].1)).collect();
        let said = match alike[..] {
            [] | [_] => sentence(&row.name(), comparison, &report.primary),
            [first, ..] if first != place => return None,
            _ => {
                let (reference, why) = (readable(&comparison.reference), reasons(&comparison.missing));
                format!("{} rows have no verdict against {reference}: {why}", alike.len())
            }
        };
        Some((comparison.verdict, format!("On {}, {said}.", game.game)))
    };
    let of_others = match exploratory.len() {
        0 => None,
        1 => Some("one other row has".to_owned()),
        many => Some(format!("{many} other rows have")),
    }
    .map(|rows| (Verdict::Missing, format!("On {}, {rows} no verdict: {}.", game.game, Missing::Exploratory)));
    planned.iter().enumerate().filter_map(of_row).chain(of_others).collect()
}

fn same_missing_reason(one: &Comparison, other: &Comparison) -> bool {
    let lacks = |comparison: &Comparison| comparison.verdict == Verdict::Missing && divergence(comparison).is_empty();
    lacks(one) && lacks(other) && one.reference == other.reference && one.missing == other.missing
}

fn sentence(name: &str, comparison: &Comparison, primary: &PrimaryMetric) -> String {
    let reference = readable(&comparison.reference);
    let within = comparison.equivalence.and_then(|_| primary.within());
    let within = within.map_or_else(String::new, |within| format!(" within {within}"));
    let claim = match comparison.verdict {
        Verdict::Better => format!("{name} is better than {reference}"),
        Verdict::Worse => format!("{name} is worse than {reference}"),
        Verdict::Equivalent => format!("{name} is equivalent to {reference}{within}"),
        Verdict::Open => format!("whether {name} differs from {reference} is open"),
        Verdict::DependsOnTuning => format!("whether {name} is better or worse than {reference} depends on tuning"),
        Verdict::Diverged => format!("{name} cannot be better than {reference}"),
        Verdict::ReferenceDiverged => format!("{name} cannot be worse than {reference}"),
        Verdict::Missing => {
            let why = reasons(&comparison.missing);
            return format!("{name} against {reference} has no verdict: {why}{}", divergence(comparison));
        }
    };
    let small = match comparison.verdict {
        Verdict::Better | Verdict::Worse | Verdict::DependsOnTuning if comparison.is_within_margin() => {
            format!("; the difference is{within}")
        }
        _ => String::new(),
    };
    let (numbers, left_out) = (numbers(comparison), left_out(&comparison.missing));
    format!("{claim}: {} {numbers}{small}{left_out}{}", primary.name, divergence(comparison))
}

/// The seeds that diverged, of the row and of its reference.
fn divergence(comparison: &Comparison) -> String {
    let own = comparison.divergence().map(|seeds| match comparison.verdict {
        Verdict::Diverged | Verdict::Missing => format!("; {seeds}: cannot be better"),
        _ => format!("; {seeds}"),
    });
    let of_reference = comparison.divergence_of_reference().map(|seeds| match comparison.verdict {
        Verdict::ReferenceDiverged | Verdict::Missing => format!("; {seeds}: cannot be worse"),
        _ => format!("; {seeds}"),
    });
    own.into_iter().chain(of_reference).collect()
}

/// `−0.123, Holm-corrected interval [−0.171, −0.074], p = 0.0021`, in the digits of the table; of an equivalence, those of
/// its tests.
fn numbers(comparison: &Comparison) -> String {
    let (Some(test), Some(plain)) = (comparison.decisive, comparison.interval) else { return String::new() };
    let decimals = interval_decimals(&plain);
    let mean = signed(test.mean, decimals);
    let (of, ends, p) = match (comparison.verdict, comparison.equivalence, comparison.holm) {
        (Verdict::Equivalent, Some(tests), _) => (" of the equivalence tests", tests.interval, tests.holm.p),
        (_, _, Some(Corrected { holm, interval })) => ("", interval, holm.p),
        _ => return mean,
    };
    format!("{mean}, Holm-corrected interval{of} {}, {}", interval(&ends, decimals), p_in_words(p))
}

/// Rows against the reference on the primary metric, the A/A control last.
pub(crate) fn table(report: &Report, game: &GameReport) -> Table {
    let rows: Vec<&RowReport> = game.all_rows().collect();
    let column = |name: &str, cell: &dyn Fn(&RowReport) -> String| {
        (name.to_owned(), rows.iter().map(|row| cell(row)).collect::<Vec<String>>())
    };
    let mut columns = vec![column(ROW, &baselines::marked), column("seeds", &seeds)];
    if rows.iter().any(|row| row.crossed().is_some()) {
        let games = |row: &RowReport| match row.comparison {
            Some(_) => or_absent(row.crossed(), |crossed| crossed.games.to_string()),
            None => String::new(),
        };
        columns.push(column("games", &games));
    }
    let level = |row: &RowReport| or_absent(row.primary.as_ref(), |summary| mean_sd(summary, 1.0));
    columns.push(column(&report.primary.name, &level));
    let names = ["difference", "95 % interval", "Holm p", "verdict"];
    columns
        .extend(names.into_iter().enumerate().map(|(i, name)| column(name, &|row| against_reference(row)[i].clone())));
    if report.primary.margin.is_some() {
        columns.insert(columns.len() - 1, column("Holm p of equivalence", &p_of_equivalence));
    }
    baselines::add_lines(report, game, &mut columns);
    let verdicts = columns.len() - 1;
    let table = Table::of_columns(columns)
        .titled(&format!("differences to the reference in {}", report.primary.name))
        .noted([rates_note(report)])
        .noted(noise_notes(&rows))
        .noted(has_groups(game).then(|| groups(game)))
        .noted(game.twin.is_none().then_some(NO_CONTROL))
        .noted(baselines::notes(game));
    Table { text_columns: vec![0, verdicts], ..table }
}

pub(crate) fn seeds(row: &RowReport) -> String {
    let failed = if row.cells.failed > 0 { format!(", {} FAILED", row.cells.failed) } else { String::new() };
    format!("{}/{}{failed}", row.cells.done, row.cells.all)
}

/// Whether there are several references, each with the rows that are compared with it.
pub(crate) fn has_groups(game: &GameReport) -> bool {
    game.rows.iter().filter(|row| row.role == Role::Reference).count() > 1
}

/// Which reference each row is compared with, and over what Holm's correction is.
fn groups(game: &GameReport) -> String {
    let control = game.twin.as_ref().and_then(|row| row.comparison.as_ref());
    let control =
        control.map_or_else(String::new, |one| format!(", the A/A control with {}", readable(&one.reference)));
    format!(
        "each row is compared with the reference above it{control}; Holm's correction is over the comparisons of all groups"
    )
}

/// Which noise the intervals count, and of which rows they count seeds only.
fn noise_notes(rows: &[&RowReport]) -> Vec<String> {
    let noise = |row: &&RowReport| Some((row.name(), row.comparison.as_ref()?.noise.clone()?));
    let all: Vec<(String, Noise)> = rows.iter().filter_map(noise).collect();
    let of_both = "intervals and p count the noise of seeds and of test games; games: how many test games there are; the table of \
                   precision shows how the variance splits";
    let of_both = all.iter().any(|(_, noise)| noise.is_ok()).then(|| of_both.to_owned());
    let reasons = by_key(all.iter().filter_map(|(name, noise)| Some((noise.as_ref().err()?.to_string(), &name[..]))));
    let of_seeds = reasons.into_iter().map(|(why, names)| {
        let whose = if names.len() == all.len() { String::new() } else { format!(" of {}", names.join(", ")) };
        format!("intervals and p{whose} count the noise of seeds only: {why}")
    });
    of_both.into_iter().chain(of_seeds).collect()
}

/// The difference, its interval, Holm's p and the verdict, as the table of verdicts shows them.
pub(crate) fn against_reference(row: &RowReport) -> [String; 4] {
    let Some(comparison) = &row.comparison else {
        return [String::new(), String::new(), String::new(), "(reference)".to_owned()];
    };
    let [difference, ends] = two_cells(comparison.mean(), comparison.interval);
    let p = or_absent(comparison.holm, |corrected| p_value(corrected.holm.p));
    match row.role {
        Role::Twin => [difference, ends, "n/a".to_owned(), control_verdict(comparison)],
        _ => [difference, ends, p, verdict(comparison)],
    }
}

fn p_of_equivalence(row: &RowReport) -> String {
    match (&row.comparison, row.role) {
        (None, _) => String::new(),
        (_, Role::Twin) => "n/a".to_owned(),
        (Some(comparison), _) => or_absent(comparison.equivalence, |tests| p_value(tests.holm.p)),
    }
}

/// The verdict of a comparison, or why there is none, with the seeds of the row that diverged, or those of the reference where
/// they decide.
fn verdict(comparison: &Comparison) -> String {
    let judged = || blocking_reason(&comparison.missing).unwrap_or_else(|| comparison.judgement());
    match (comparison.divergence(), comparison.verdict) {
        (_, Verdict::ReferenceDiverged) => {
            let seeds = comparison.divergence_of_reference().unwrap_or_default();
            format!("{seeds}: cannot be worse")
        }
        (None, _) => judged(),
        (Some(seeds), Verdict::Diverged | Verdict::Missing) => format!("{seeds}: cannot be better"),
        (Some(seeds), _) => format!("{}; {seeds}", judged()),
    }
}

/// An A/A control is not a comparison of the grid: it tests whether the noise is as small as the intervals assume.
fn control_verdict(comparison: &Comparison) -> String {
    let differs = comparison.interval.is_some_and(|ends| ends.excludes_zero());
    let words = if differs { "differs from the reference" } else { "as expected" };
    let judged = comparison.decisive.map(|test| format!("{words} ({})", p_in_words(test.p)));
    blocking_reason(&comparison.missing).or(judged).unwrap_or_else(|| ABSENT.to_owned())
}

pub(crate) fn figure(report: &Report, game: &GameReport, styles: &Styles) -> Option<Figure> {
    let reference = game.rows.iter().find(|row| row.role == Role::Reference)?;
    let rows = game.all_rows().filter_map(|row| {
        let comparison = row.comparison.as_ref()?;
        let verdict = match row.role {
            Role::Twin => "(no difference by design)".to_owned(),
            _ => verdict(comparison),
        };
        Some(ForestRow {
            label: row.name(),
            style: styles.row(row),
            mean: comparison.test?.mean,
            plain: comparison.interval?,
            corrected: comparison.holm.map(|corrected| corrected.interval),
            verdict,
        })
    });
    let title = match has_groups(game) {
        true => format!("Differences to the reference of each group on {}.", game.game),
        false => format!("Differences to {} on {}.", reference.name(), game.game),
    };
    let plot = ForestPlot {
        title,
        x_label: format!("difference in {}", report.primary.with_unit()),
        sides: report.primary.sides(),
        rows: rows.collect(),
    };
    let id = format!("{}-forest", game.game);
    let svg = forest::draw(&plot, &id, styles.medium)?;
    let caption = "Means over paired seeds; thick: the plain 95 % interval of the table, thin: Holm's over the grid, which gives the \
         verdict.";
    Some(Figure { id, svg, title: plot.title, caption: caption.to_owned() })
}
