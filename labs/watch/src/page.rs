//! The page: finished and failed cells, and the rows of each game.

use crate::cell::End;
use crate::colours::Colours;
use crate::plots::Scales;
use crate::row::{of_squares, of_tiles};
use crate::view::{View, ViewRow, shortened};
use facts::metrics::Direction;
use facts::row_name::readable;
use facts::{ReadAt, Role, by_key, grouped, in_words};
use figures::escape;
use figures::plot;
use records::{CellState, time_left};
use report::html::page::{COLOURS, utc};
use report::model::GameReport;
use std::collections::BTreeSet;
use std::fmt::Write as _;

const STYLE: &str = include_str!("watch.css");

/// Keeps opened sections open when the page is loaded again.
const SCRIPT: &str = include_str!("folds.js");

/// Failures and rows that a page shows; the others are counted.
const FAILURES: usize = 20;
const ROWS: usize = 1000;

/// The groups into which an axis may fold rows.
const GROUPS: std::ops::RangeInclusive<usize> = 2..=30;

pub(crate) fn draw(view: &View<'_>) -> String {
    let name = escape(&view.plan.experiment);
    let (done, all) = (view.cells.iter().filter(|cell| cell.end() == End::Done).count(), view.cells.len());
    let refresh = view
        .refresh_s
        .map_or_else(String::new, |seconds| format!("<meta http-equiv=\"refresh\" content=\"{seconds}\">\n"));
    let question = view.plan.question.as_deref().unwrap_or_default();
    let question = escape(&shortened(question.trim(), 400));
    let (nonce, plots) = (view.nonce, plot::STYLE);
    let script = if view.is_large() { format!("<script nonce=\"{nonce}\">{SCRIPT}</script>\n") } else { String::new() };
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
         script-src 'nonce-{nonce}'; img-src data:\">\n{refresh}\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n\
         <title>{done}/{all} {name} – posenc</title>\n<style>\n{COLOURS}{plots}{STYLE}</style>\n</head>\n<body>\n\
         <header>\n<h1>{name}</h1>\n<p class=\"soft\">{question}</p>\n{}{}</header>\n<main>\n{}</main>\n\
         <footer>{}</footer>\n{script}</body>\n</html>\n",
        summary(view),
        failures(view),
        games(view),
        reading(view)
    )
}

/// How many cells are in each state, the time left, the speed and the time of the page.
fn summary(view: &View<'_>) -> String {
    let (all, states) = (view.cells.len(), view.cells.iter().map(|cell| &cell.state));
    let others = counts(&states, &["running", "interrupted", "pending", "failed"]);
    let mut line = format!("<b>{} of {all} cells</b> done{others}", count(&states, "done"));
    if let Some(left) = time_left::of_grid(states.clone().zip(view.left_s.iter().copied())) {
        let _ = write!(line, " · <b>about {} left</b>", in_words(left));
    }
    let speed: f64 =
        view.cells.iter().filter(|cell| cell.is_running()).filter_map(|cell| cell.values.positions_per_s).sum();
    if speed > 0.0 {
        let _ = write!(line, " · {} positions/s", grouped(speed.round() as u64));
    }
    let share = |state: &str| {
        let share = 100.0 * count(&states, state) as f64 / all.max(1) as f64;
        format!("<i class=\"{state}\" style=\"width:{share:.2}%\"></i>")
    };
    let bar = share("done") + &share("failed") + &share("running");
    format!("<p>{line} · {}</p>\n<div class=\"bar\" aria-hidden=\"true\">{bar}</div>\n", utc(view.unix_s))
}

fn count<'a>(states: &(impl Iterator<Item = &'a CellState> + Clone), wanted: &str) -> usize {
    states.clone().filter(|state| state.word() == wanted).count()
}

/// `, 2 running, 1 failed`: how many cells are in each of these states, unless none is.
fn counts<'a>(states: &(impl Iterator<Item = &'a CellState> + Clone), wanted: &[&str]) -> String {
    let counts = wanted.iter().map(|wanted| (count(states, wanted), wanted)).filter(|(cells, _)| *cells > 0);
    counts.map(|(cells, wanted)| format!(", {cells} {wanted}")).collect()
}

/// The failed cells with reasons and remedies.
fn failures(view: &View<'_>) -> String {
    let rows = view.plan.rows.iter().zip(view.cells.chunks(view.plan.seeds.len().max(1)));
    let failed = rows.flat_map(|(row, cells)| cells.iter().map(move |cell| (row, cell)));
    let failed: Vec<String> = failed
        .filter_map(|(row, cell)| {
            let CellState::Failed(failure) = &cell.state else { return None };
            let name = shortened(&readable(row.display_name()), 120);
            let name = escape(&format!("{} {name} seed {}", row.game.name(), cell.seed));
            let (cause, remedy) = (escape(&shortened(&failure.to_string(), 300)), failure.kind.remedy());
            Some(format!("<li><b>{name}</b> {cause}; <span class=\"soft\">{remedy}</span></li>\n"))
        })
        .collect();
    if failed.is_empty() {
        return String::new();
    }
    let (shown, others) = failed.split_at(failed.len().min(FAILURES));
    let more = if others.is_empty() { String::new() } else { format!("<li>and {} more</li>\n", others.len()) };
    format!("<ul class=\"failures\">\n{}{more}</ul>\n", shown.concat())
}

fn games(view: &View<'_>) -> String {
    let colours = Colours::of(&view.plan.rows);
    let better = match view.report.primary.direction {
        Direction::Lower => ", lower is better",
        Direction::Higher => ", higher is better",
        Direction::Neither => "",
    };
    let metric = escape(&view.plan.primary.metric);
    let mut room = ROWS;
    let mut html = String::new();
    for game in &view.report.games {
        let mut lines = view.lines(game);
        let scales = Scales::of(&lines);
        let left_out = fewer(&mut lines, room);
        room -= lines.len();
        let row = |line: &ViewRow<'_>| {
            let style = colours.style(line.row);
            if view.is_large() { of_squares(line, style, &scales) } else { of_tiles(line, style, &scales) }
        };
        let rows: String = match view.is_large() {
            true => folded(view, game, &lines, row),
            false => {
                begun_first(&mut lines);
                lines.iter().map(row).collect()
            }
        };
        let name = escape(&game.game);
        let _ = write!(html, "<section>\n<h2>{name}: {metric}{better}</h2>\n{rows}");
        if left_out > 0 {
            let _ =
                writeln!(html, "<p class=\"soft\">and {left_out} more rows: <code>posenc status</code> lists all</p>");
        }
        html += "</section>\n";
    }
    html
}

/// Rows of which no cell has begun, as where a part of a grid is trained first, come after the others.
fn begun_first(lines: &mut [ViewRow<'_>]) {
    lines.sort_by_key(|line| !line.has_begun());
}

/// Keeps at most this number of rows, first those with a running or failed cell, then others that have begun; returns the
/// number of the rest.
fn fewer(lines: &mut Vec<ViewRow<'_>>, most: usize) -> usize {
    let left_out = lines.len().saturating_sub(most);
    if left_out > 0 {
        let matters = |line: &ViewRow<'_>| line.cells.iter().any(|cell| cell.is_running() || cell.end() == End::Failed);
        lines.sort_by_key(|line| (!matters(line), !line.has_begun()));
        lines.truncate(most);
    }
    left_out
}

/// The rows of a large grid in groups that fold: by the first axis with a few values, otherwise in one.
fn folded(view: &View<'_>, game: &GameReport, lines: &[ViewRow<'_>], row: impl Fn(&ViewRow<'_>) -> String) -> String {
    // Older plans have no axes; then the cells that have begun tell them.
    let of_plan: BTreeSet<&str> = lines.iter().flat_map(|line| line.row.axes.keys()).map(String::as_str).collect();
    let of_report = || view.report.axes.iter().map(String::as_str).collect();
    let axes: Vec<&str> = if of_plan.is_empty() { of_report() } else { of_plan.into_iter().collect() };
    let value = |line: &ViewRow<'_>, axis: usize| {
        let of_report = || line.report?.axes.get(view.report.axes.iter().position(|name| name == axes[axis])?).cloned();
        let value = line.row.axes.get(axes[axis]).cloned().or_else(of_report);
        value.filter(|_| line.row.role != Role::Twin).unwrap_or_default()
    };
    let values = |axis: usize| lines.iter().map(move |line| value(line, axis)).filter(|value| !value.is_empty());
    let axis = (0..axes.len()).find(|&axis| GROUPS.contains(&values(axis).collect::<BTreeSet<_>>().len()));
    let titled = lines.iter().map(|line| {
        let title = match axis.map(|axis| (&axes[axis], value(line, axis))) {
            None => "all rows".to_owned(),
            Some((_, value)) if value.is_empty() => "other rows".to_owned(),
            Some((axis, value)) => format!("{axis} = {}", shortened(&value, 120)),
        };
        (title, *line)
    });
    let mut html = String::new();
    for (place, (title, lines)) in by_key(titled).iter_mut().enumerate() {
        begun_first(lines);
        let states = lines.iter().flat_map(|line| line.cells).map(|cell| &cell.state);
        let others = counts(&states, &["running", "failed"]);
        let about = format!("{} of {} done{others}", count(&states, "done"), states.clone().count());
        let open = if count(&states, "running") > 0 { " open" } else { "" };
        let (id, title) = (format!("{}-{place}", escape(&game.game)), escape(title));
        let _ = writeln!(html, "<details id=\"{id}\"{open}><summary><b>{title}</b> {about}</summary>");
        html.extend(lines.iter().map(&row));
        html += "</details>\n";
    }
    html
}

fn reading(view: &View<'_>) -> String {
    let metric = escape(&view.plan.primary.metric);
    let when = match view.plan.primary.at {
        ReadAt::Last => "on test positions after the last step".to_owned(),
        ReadAt::Step(step) => format!("on validation positions after step {step}"),
    };
    let again =
        view.refresh_s.map_or_else(String::new, |seconds| format!(" The page is loaded again every {seconds} s."));
    let cells = match view.is_large() {
        true => "A square is a cell: filled = done, framed = running, crossed = failed.".to_owned(),
        false => format!(
            "A tile is a cell, its small number the seed. Curve: training loss by step, with one scale for each game. Large \
             number: {metric} {when}; with an ellipsis, the newest on validation positions."
        ),
    };
    format!(
        "{cells} Dots: {metric} of a seed less that of the same seed of the reference; bar: their mean; brackets: its \
         interval, Holm-corrected except for the A/A control. A verdict appears when all seeds of the row and of its \
         reference have ended; it is that of <code>posenc report</code>.{again}"
    )
}
