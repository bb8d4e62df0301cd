//! The final numbers of a report as CSV (RFC 4180) for other programs: unrounded, a line for each metric of each row.

use super::model::{GameReport, Report, RowReport};
use super::sections::interactions::InteractionReport;
use super::sections::scaling::{Scaling, ScalingRow};
use super::statistics::{Interval, Summary};
use csv::{Error, Reader, StringRecord, Terminator, Writer, WriterBuilder};
use facts::{ReadAt, Role, printable};
use records::baselines::Baseline;
use serde::Serialize;
use std::io::Write;

/// The columns of every table; the varied axes follow, by their dotted names. Those from `difference` to `verdict` are filled in
/// the lines of the primary metric.
#[derive(Default, Serialize)]
struct CsvLine {
    experiment: String,
    game: String,
    /// The row, the baseline, or the gap of an interaction.
    row: String,
    /// That of the row, or `baseline`, `interaction`, `multiplier`, `exponent`, `floor` or `prediction`.
    role: String,
    /// The metric; `NAME@STEP` if the primary one is read on validation positions at a step.
    metric: String,
    n: String,
    mean: String,
    sd: String,
    /// To the reference; the change of the gap of an interaction.
    difference: String,
    /// The interval and `p` are over seeds and test games if `games` is filled. Of a prediction, `p` compares it with what was
    /// measured.
    low: String,
    high: String,
    p: String,
    holm_p: String,
    verdict: String,
    seeds_done: String,
    seeds: String,
    /// A baseline has its weights.
    parameters: String,
    flops: String,
    step_s: String,
    step_ratio: String,
    games: String,
    games_share: String,
    /// Of the paired t-test over seeds.
    p_seeds_only: String,
    margin: String,
    /// `before` or `after` the run.
    margin_chosen: String,
    p_equivalence: String,
    holm_p_equivalence: String,
    /// The numbers of the row's groups of tied rows, between spaces.
    tied: String,
}

/// Draws a report: the rows of each game and then its baselines, the interactions, and at last what belongs to several
/// budgets.
pub fn draw(report: &Report) -> String {
    let axes = |values: &[String]| values.iter().map(|value| text(value)).collect::<Vec<_>>();
    // Baselines have no axes; an interaction stands for several rows.
    let no_axes = vec![String::new(); report.axes.len()];
    let mut lines: Vec<(CsvLine, Vec<String>)> = Vec::new();
    for game in &report.games {
        for row in game.all_rows() {
            lines.extend(of_row(report, game, row).into_iter().map(|line| (line, axes(&row.axes))));
        }
        let baselines = game.baselines.iter().flat_map(|set| &set.baselines);
        lines.extend(baselines.map(|one| (baseline(report, game, one), no_axes.clone())));
    }
    for game in &report.games {
        lines.extend(game.interactions.iter().map(|one| (interaction(report, game, one), no_axes.clone())));
    }
    for game in &report.games {
        let rows = game.scaling.iter().flat_map(|scaling| scaling.rows.iter().map(move |row| (scaling, row)));
        let scaled = rows.flat_map(|(scaling, row)| scaled(report, game, scaling, row));
        lines.extend(scaled.map(|line| (line, no_axes.clone())));
    }
    let table = table(axes(&report.axes), &lines).expect("lines of one width are written to memory");
    String::from_utf8_lossy(&table).into_owned()
}

fn table(axes: Vec<String>, lines: &[(CsvLine, Vec<String>)]) -> Result<Vec<u8>, Error> {
    let mut table = writer(Vec::new());
    table.write_record(columns()?.iter().map(str::to_owned).chain(axes))?;
    lines.iter().try_for_each(|line| table.serialize(line))?;
    Ok(table.into_inner().map_err(|error| error.into_error())?)
}

/// The names of the columns: serde writes them above a line.
fn columns() -> Result<StringRecord, Error> {
    let mut table = Writer::from_writer(Vec::new());
    table.serialize(CsvLine::default())?;
    let table = table.into_inner().map_err(|error| error.into_error())?;
    Reader::from_reader(&table[..]).headers().cloned()
}

/// A writer that adds no header.
pub(super) fn writer<W: Write>(to: W) -> Writer<W> {
    WriterBuilder::new().has_headers(false).terminator(Terminator::CRLF).from_writer(to)
}

impl CsvLine {
    fn of(report: &Report, game: &GameReport, [row, role, metric]: [&str; 3]) -> Self {
        Self {
            experiment: text(&report.experiment),
            game: text(&game.game),
            row: text(row),
            role: role.to_owned(),
            metric: text(metric),
            ..Self::default()
        }
    }
}

fn of_row(report: &Report, game: &GameReport, row: &RowReport) -> Vec<CsvLine> {
    let primary = primary(report);
    let decisive = row.primary.iter().map(|summary| CsvLine {
        tied: tied(game, row),
        ..compared(report, row, line(report, game, row, (&primary, summary)))
    });
    let others = row.test.iter().filter(|(name, _)| **name != primary);
    decisive.chain(others.map(|(name, summary)| line(report, game, row, (name, summary)))).collect()
}

fn primary(report: &Report) -> String {
    match report.primary.at {
        ReadAt::Last => report.primary.name.clone(),
        ReadAt::Step(step) => format!("{}@{step}", report.primary.name),
    }
}

fn line(report: &Report, game: &GameReport, row: &RowReport, (metric, summary): (&str, &Summary)) -> CsvLine {
    CsvLine {
        n: summary.n.to_string(),
        mean: summary.mean.to_string(),
        sd: shown(summary.sd),
        seeds_done: row.cells.done.to_string(),
        seeds: row.cells.all.to_string(),
        parameters: row.network.parameters().to_string(),
        flops: shown(row.flops),
        step_s: shown(row.step_time.map(|time| time.seconds)),
        step_ratio: shown(row.step_time.and_then(|time| time.ratio)),
        ..CsvLine::of(report, game, [&row.label, row.role.name(), metric])
    }
}

fn compared(report: &Report, row: &RowReport, line: CsvLine) -> CsvLine {
    let Some(comparison) = &row.comparison else { return line };
    let (interval, equivalence) = (comparison.interval, comparison.equivalence);
    let margin = report.primary.margin.filter(|_| equivalence.is_some());
    CsvLine {
        difference: shown(comparison.mean()),
        low: shown(interval.map(|interval| interval.low)),
        high: shown(interval.map(|interval| interval.high)),
        p: shown(comparison.decisive.map(|test| test.p)),
        holm_p: shown(comparison.holm.map(|corrected| corrected.holm.p)),
        verdict: shown((row.role == Role::Compared).then_some(comparison.verdict.name())),
        games: shown(row.crossed().map(|crossed| crossed.games)),
        games_share: shown(row.crossed().map(|crossed| crossed.games_share)),
        p_seeds_only: shown(comparison.test.map(|test| test.p)),
        margin: shown(equivalence.map(|tests| tests.margin)),
        margin_chosen: shown(margin.map(|margin| if margin.late { "after" } else { "before" })),
        p_equivalence: shown(equivalence.map(|tests| tests.p)),
        holm_p_equivalence: shown(equivalence.map(|tests| tests.holm.p)),
        ..line
    }
}

fn tied(game: &GameReport, row: &RowReport) -> String {
    let groups = game.ties.as_ref().filter(|_| row.role != Role::Twin).map(|ties| ties.groups_of(&row.label));
    groups.unwrap_or_default().iter().map(usize::to_string).collect::<Vec<_>>().join(" ")
}

fn baseline(report: &Report, game: &GameReport, one: &Baseline) -> CsvLine {
    let (mean, parameters) = (one.loss.to_string(), one.weights.to_string());
    CsvLine { mean, parameters, ..CsvLine::of(report, game, [one.name.name(), "baseline", "policy_loss"]) }
}

fn interaction(report: &Report, game: &GameReport, one: &InteractionReport) -> CsvLine {
    let [first, second] = &one.definition.by;
    let name = format!("{}: {second} against {first}", one.name());
    let done = one.differences.len().to_string();
    CsvLine {
        n: done.clone(),
        sd: shown(one.test.map(|test| test.sd)),
        difference: shown(one.mean()),
        low: shown(one.interval.map(|interval| interval.low)),
        high: shown(one.interval.map(|interval| interval.high)),
        p: shown(one.decisive.map(|test| test.p)),
        holm_p: shown(one.holm.map(|corrected| corrected.holm.p)),
        verdict: one.change.name().to_owned(),
        seeds_done: done,
        seeds: one.planned.to_string(),
        ..CsvLine::of(report, game, [&name, "interaction", &primary(report)])
    }
}

/// A row's multipliers, exponents and predictions.
fn scaled(report: &Report, game: &GameReport, scaling: &Scaling, row: &ScalingRow) -> Vec<CsvLine> {
    let line = |role: &str, metric: String, mean: f64, ends: Option<Interval>| CsvLine {
        mean: mean.to_string(),
        low: shown(ends.map(|ends| ends.low)),
        high: shown(ends.map(|ends| ends.high)),
        ..CsvLine::of(report, game, [&row.label, role, &metric])
    };
    let multipliers = row.multipliers.iter().zip(&scaling.budgets).filter_map(|(multiple, positions)| {
        let multiple = (*multiple)?;
        let (at, bound) = multiple.at.words();
        // An end beyond the budgets stays empty.
        let [low, high] = multiple.ends.map(|end| shown(end.exact()));
        let own = line("multiplier", format!("positions@{positions}"), at, None);
        Some(CsvLine { low, high, verdict: bound.to_owned(), ..own })
    });
    let laws = row.laws.iter().zip(row.steeper.iter().zip(row.holm_p)).zip(["given floor", "fitted floor"]);
    let exponents = laws.filter_map(|((law, (steeper, holm_p)), name)| {
        let law = law.as_ref()?;
        let own = line("exponent", name.to_owned(), law.exponent.mean, Some(law.exponent.interval(0.95)));
        let (difference, p) = (shown(steeper.map(|test| test.mean)), shown(steeper.map(|test| test.p)));
        Some(CsvLine { n: law.points.len().to_string(), difference, p, holm_p: shown(holm_p), ..own })
    });
    let laws = row.laws.iter().zip(["given", "fitted"]);
    let floors = laws.filter_map(|(law, name)| Some(line("floor", name.to_owned(), law.as_ref()?.floor, None)));
    let predictions = ["given floor", "fitted floor"].into_iter().enumerate().filter_map(|(law, name)| {
        let (own, positions) = (row.predicted[law]?, scaling.to?);
        let metric = format!("{}@{positions}, {name}", report.primary.name);
        Some(CsvLine {
            p: shown(row.outcomes[law].map(|test| test.p)),
            holm_p: shown(row.outcomes_holm_p[law]),
            ..line("prediction", metric, own.loss, Some(own.interval))
        })
    });
    multipliers.chain(exponents).chain(floors).chain(predictions).collect()
}

fn shown<T: ToString>(value: Option<T>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// A text without control characters, after a `'` if a spreadsheet would compute it.
pub(super) fn text(text: &str) -> String {
    let shown = printable(text);
    if is_formula(text) { format!("'{shown}") } else { shown }
}

/// Whether spreadsheets take a text for a formula.
fn is_formula(text: &str) -> bool {
    let begun = text.trim_start();
    let is_number = || begun.trim_end().parse::<f64>().is_ok();
    text.starts_with(['\t', '\r']) || (begun.starts_with(['=', '+', '-', '@']) && !is_number())
}

#[cfg(test)]
mod tests {
    use super::{text, writer};

    #[test]
    fn a_field_is_neither_two_nor_a_formula() {
        for (field, expected) in [
            ("rope, wide", "\"rope, wide\""),
            ("a \"b\"", "\"a \"\"b\"\"\""),
            ("-0.5", "-0.5"),
            ("a=b", "a=b"),
            ("=1+1", "'=1+1"),
            ("-cmd|a", "'-cmd|a"),
            (" @SUM(A1)", "' @SUM(A1)"),
            ("\tx", "' x"),
            ("=\"a\",b", "\"'=\"\"a\"\",b\""),
            ("a\r\nb\u{1b}c", "a  b�c"),
        ] {
            let mut table = writer(Vec::new());
            table.write_record([text(field)]).expect("memory");
            assert_eq!(table.into_inner().expect("memory"), format!("{expected}\r\n").into_bytes());
        }
    }
}
