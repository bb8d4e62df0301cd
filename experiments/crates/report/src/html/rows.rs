//! All rows of all games in one table with a column for each varied setting. Boxes hide games and verdicts without a script;
//! a script adds a filter by words, and sorts.

use super::answer::{name, verdict};
use super::page::scrolling;
use crate::model::{GameReport, Report, RowReport};
use crate::numbers::{fixed, mean_sd, or_absent, p_value, two_cells};
use crate::sections::verdicts::{self, seeds};
use facts::{Role, distinct, grouped};
use figures::escape;

/// It contains no text of a report.
const SCRIPT: &str = include_str!("rows.js");

/// A cell: its class, its text, and the number that it is sorted by.
struct Cell(&'static str, String, Option<f64>);

impl Cell {
    fn html(&self) -> String {
        let Self(class, text, number) = self;
        let number = number.map_or_else(String::new, |number| format!(" data-value=\"{number}\""));
        format!("<td class=\"{class}\"{number}>{}</td>", escape(text))
    }
}

pub(super) fn table(report: &Report) -> String {
    let all = || report.games.iter().flat_map(|game| game.all_rows().map(move |row| (game, row)));
    let boxes = [
        Boxes::of("game", all().map(|(game, _)| game.game.clone())),
        Boxes::of("verdict", all().map(|(_, row)| verdict_words(row))),
    ];
    let rows: String = all().map(|(game, row)| line(game, row, &boxes)).collect();
    if rows.is_empty() {
        return rows;
    }
    let head = |(class, text): (&str, &str)| format!("<th scope=\"col\" class=\"{class}\">{}</th>", escape(text));
    let before = [("word", "game"), ("word", "row")];
    let axes = report.axes.iter().map(|axis| ("word", axis.as_str()));
    let after = [
        ("number", "seeds"),
        ("number", report.primary.name.as_str()),
        ("number", "difference"),
        ("number", "95 % interval"),
        ("number", "Holm p"),
        ("word", "verdict"),
        ("number", "encoding params"),
        ("number", "params"),
        ("number", "step ms"),
    ];
    let header: String = before.into_iter().chain(axes).chain(after).map(head).collect();
    let table = format!("<table>\n<thead><tr>{header}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table>");
    format!(
        "<div class=\"filtered\">\n{}<label hidden>Show rows with <input type=\"search\" placeholder=\"chess shaw\"> <output></output></label>\n\
         {}</div>\n<script>\n{SCRIPT}</script>\n",
        boxes.iter().map(Boxes::html).collect::<String>(),
        scrolling("all rows", &table)
    )
}

fn verdict_words(row: &RowReport) -> String {
    let [.., words] = verdicts::against_reference(row);
    match row.role {
        Role::Reference => "reference".to_owned(),
        Role::Twin => row.name(),
        Role::Compared => words,
    }
}

/// Boxes that hide the rows with a value of a column when their tick is removed.
struct Boxes {
    name: &'static str,
    values: Vec<String>,
}

impl Boxes {
    fn of(name: &'static str, values: impl Iterator<Item = String>) -> Self {
        Self { name, values: distinct(values.filter(|value| !value.is_empty())) }
    }

    /// Marks a row with a value.
    fn mark(&self, value: &str) -> String {
        let place = self.values.iter().position(|known| known == value);
        place.map_or_else(String::new, |place| format!(" data-{}=\"{place}\"", self.name))
    }

    /// Empty for less than two values.
    fn html(&self) -> String {
        let Self { name, values } = self;
        if values.len() < 2 {
            return String::new();
        }
        let rules = |place| {
            format!(
                ".filtered:has(input[data-{name}=\"{place}\"]:not(:checked)) tr[data-{name}=\"{place}\"] {{ display: none; }}\n"
            )
        };
        let boxes = values.iter().enumerate().map(|(place, value)| {
            format!("<label><input type=\"checkbox\" data-{name}=\"{place}\" checked> {}</label>", escape(value))
        });
        let rules: String = (0..values.len()).map(rules).collect();
        format!("<style>\n{rules}</style>\n<p class=\"boxes\">{}</p>\n", boxes.collect::<Vec<_>>().join("\n"))
    }
}

fn line(game: &GameReport, row: &RowReport, [games, verdicts]: &[Boxes; 2]) -> String {
    let comparison = row.comparison.as_ref();
    let mean = comparison.and_then(|comparison| comparison.mean());
    let interval = comparison.and_then(|comparison| comparison.interval);
    let holm = comparison.and_then(|comparison| comparison.holm).map(|corrected| corrected.holm.p);
    let [difference, ends] =
        if comparison.is_some() { two_cells(mean, interval) } else { [String::new(), String::new()] };
    let number = |text: String, number: Option<f64>| Cell("number", text, number).html();
    let axes: String = row.axes.iter().map(|value| Cell("word", value.clone(), value.parse().ok()).html()).collect();
    let level = or_absent(row.primary.as_ref(), |summary| mean_sd(summary, 1.0));
    let seconds = row.step_time.map(|time| time.seconds);
    let count = |count: usize| number(grouped(count as u64), Some(count as f64));
    let after = [
        number(seeds(row), Some(row.cells.done as f64)),
        number(level, row.primary.map(|summary| summary.mean)),
        number(difference, mean),
        number(ends, interval.map(|ends| ends.low)),
        number(holm.map_or_else(String::new, p_value), holm),
        verdict(row),
        count(row.network.encoding),
        count(row.network.parameters()),
        number(seconds.map_or_else(String::new, |seconds| fixed(seconds * 1e3, 1)), seconds),
    ];
    let marks = games.mark(&game.game) + &verdicts.mark(&verdict_words(row));
    let (game, name) = (Cell("word", game.game.clone(), None).html(), name(row));
    format!("<tr{marks}>{game}<th scope=\"row\" class=\"word\">{name}</th>{axes}{}</tr>\n", after.concat())
}
