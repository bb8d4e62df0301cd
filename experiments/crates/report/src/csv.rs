//! The final numbers of a report as CSV (RFC 4180) for other programs: unrounded, a line for each metric of each row.

use super::model::comparison::Comparison;
use super::model::interactions::InteractionReport;
use super::model::{GameReport, Report, RowReport};
use super::statistics::Summary;
use facts::{ReadAt, Role, printable};
use records::baselines::Baseline;

const HEADER: &str = "experiment,game,row,role,metric,n,mean,sd,difference,low,high,p,holm_p,verdict,seeds_done,seeds,\
                      parameters,flops,step_s,step_ratio,games,games_share,p_seeds_only,p_moderated,margin,\
                      margin_chosen,p_equivalence,holm_p_equivalence,tied";

/// Draws a report. Columns from `difference` to `verdict` are filled in the lines of the primary metric, whose name
/// is in `metric`; if it is read on validation positions at a step, that line is called `NAME@STEP`. The interval and `p`
/// are over seeds and test games if `games` is filled, `p_seeds_only` is of the paired t-test over seeds, `p_moderated`
/// of the moderated one. With a margin, `margin_chosen` is `before` or `after` the run, and `tied` has the numbers of the
/// groups of tied rows that the row is in. Baselines follow the rows of their game with `baseline` as their role. Interactions
/// come last: `difference` is the change of the gap that `row` names. The last columns are
/// the varied axes, by their dotted names.
pub fn draw(report: &Report) -> String {
    let lines = report.games.iter().flat_map(|game| {
        let rows = game.rows.iter().chain(&game.twin);
        let baselines = game.baselines.iter().flat_map(|set| &set.baselines);
        let baselines = baselines.map(move |one| baseline(report, game, one));
        rows.flat_map(move |row| of_row(report, game, row)).chain(baselines)
    });
    let interactions =
        report.games.iter().flat_map(|game| game.interactions.iter().map(move |one| interaction(report, game, one)));
    let axes = report.axes.iter().map(|axis| format!(",{}", field(axis)));
    let header: String = std::iter::once(HEADER.to_owned()).chain(axes).collect();
    let lines = std::iter::once(header).chain(lines).chain(interactions);
    lines.map(|line| line + "\r\n").collect()
}

fn of_row(report: &Report, game: &GameReport, row: &RowReport) -> Vec<String> {
    let primary = primary(report);
    let decisive = row.primary.iter().map(|summary| line(report, game, row, (&primary, summary), true));
    let others = row.test.iter().filter(|(name, _)| **name != primary);
    decisive.chain(others.map(|(name, summary)| line(report, game, row, (name, summary), false))).collect()
}

/// A policy without a network. Its parameters are its weights.
fn baseline(report: &Report, game: &GameReport, one: &Baseline) -> String {
    let mut fields = [&report.experiment, &game.game, one.name.words(), "baseline", "policy_loss"].map(field).to_vec();
    fields.extend([String::new(), one.loss.to_string()]);
    let parameters = HEADER.split(',').position(|name| name == "parameters").unwrap_or_default();
    fields.resize(parameters, String::new());
    fields.push(one.weights.to_string());
    fields.resize(width(report), String::new());
    fields.join(",")
}

fn primary(report: &Report) -> String {
    match report.primary.at {
        ReadAt::Last => report.primary.name.clone(),
        ReadAt::Step(step) => format!("{}@{step}", report.primary.name),
    }
}

fn interaction(report: &Report, game: &GameReport, one: &InteractionReport) -> String {
    let [first, second] = &one.definition.by;
    let mut fields = [
        field(&report.experiment),
        field(&game.game),
        field(&format!("{}: {second} against {first}", one.name())),
        "interaction".to_owned(),
        field(&primary(report)),
        one.differences.len().to_string(),
        String::new(),
        number(one.test.map(|test| test.sd)),
        number(one.mean()),
        number(one.interval.map(|interval| interval.low)),
        number(one.interval.map(|interval| interval.high)),
        number(one.decisive.map(|test| test.p)),
        number(one.holm.map(|corrected| corrected.holm.p)),
        one.change.name().to_owned(),
        one.differences.len().to_string(),
        one.planned.to_string(),
    ]
    .to_vec();
    // An interaction has no costs and stands for several rows.
    fields.resize(width(report), String::new());
    fields.join(",")
}

fn width(report: &Report) -> usize {
    HEADER.split(',').count() + report.axes.len()
}

fn line(
    report: &Report,
    game: &GameReport,
    row: &RowReport,
    (metric, summary): (&str, &Summary),
    decides: bool,
) -> String {
    let comparison = row.comparison.as_ref().filter(|_| decides);
    let test = comparison.and_then(|comparison| comparison.test);
    let interval = comparison.and_then(|comparison| comparison.interval);
    let crossed = comparison.and_then(|comparison| comparison.noise.as_ref()?.crossed());
    let equivalence = comparison.and_then(|comparison| comparison.equivalence);
    let chosen = report.primary.margin.filter(|_| equivalence.is_some());
    let chosen = chosen.map(|margin| if margin.late { "after" } else { "before" });
    let verdict = comparison.filter(|_| row.role == Role::Compared).map(|comparison| comparison.verdict.to_string());
    let fields = [
        field(&report.experiment),
        field(&game.game),
        field(&row.label),
        row.role.name().to_owned(),
        field(metric),
        summary.n.to_string(),
        summary.mean.to_string(),
        number(summary.sd),
        number(comparison.and_then(Comparison::mean)),
        number(interval.map(|interval| interval.low)),
        number(interval.map(|interval| interval.high)),
        number(comparison.and_then(|comparison| Some(comparison.decisive?.p))),
        number(comparison.and_then(|comparison| Some(comparison.holm?.holm.p))),
        verdict.unwrap_or_default(),
        row.cells.done.to_string(),
        row.cells.all.to_string(),
        row.network.parameters().to_string(),
        row.flops.map(|flops| flops.to_string()).unwrap_or_default(),
        number(row.step_time.map(|time| time.seconds)),
        number(row.step_time.and_then(|time| time.ratio)),
        crossed.map(|crossed| crossed.games.to_string()).unwrap_or_default(),
        number(crossed.map(|crossed| crossed.games_share)),
        number(test.map(|test| test.p)),
        number(comparison.and_then(|comparison| Some(comparison.moderated?.p))),
        number(equivalence.map(|tests| tests.margin)),
        chosen.unwrap_or_default().to_owned(),
        number(equivalence.map(|tests| tests.p)),
        number(equivalence.map(|tests| tests.holm.p)),
        if decides { tied(game, row) } else { String::new() },
    ];
    fields.into_iter().chain(row.axes.iter().map(|value| field(value))).collect::<Vec<_>>().join(",")
}

/// The numbers of the row's groups of tied rows, between spaces.
fn tied(game: &GameReport, row: &RowReport) -> String {
    let groups = game.ties.as_ref().filter(|_| row.role != Role::Twin).map(|ties| ties.groups_of(&row.label));
    groups.unwrap_or_default().iter().map(usize::to_string).collect::<Vec<_>>().join(" ")
}

fn number(value: Option<f64>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// A text as a field: without control characters, in quotes if it contains a separator, and after a `'` if a spreadsheet would
/// compute it.
pub(super) fn field(text: &str) -> String {
    let shown = printable(text);
    let shown = if is_formula(text) { format!("'{shown}") } else { shown };
    match shown.contains([',', '"']) {
        true => format!("\"{}\"", shown.replace('"', "\"\"")),
        false => shown,
    }
}

/// Whether spreadsheets take a text for a formula.
fn is_formula(text: &str) -> bool {
    let begun = text.trim_start();
    let is_number = || begun.trim_end().parse::<f64>().is_ok();
    text.starts_with(['\t', '\r']) || (begun.starts_with(['=', '+', '-', '@']) && !is_number())
}

#[cfg(test)]
mod tests {
    use super::field;

    #[test]
    fn a_field_is_neither_two_nor_a_formula() {
        for (text, expected) in [
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
            assert_eq!(field(text), expected);
        }
    }
}
