//! A gap with each value that it is compared over, the games side by side: which advice depends on what?

use super::interactions::{Change, Gap, InteractionReport};
use crate::document::capitalised;
use crate::figures::{Figure, slugs};
use crate::model::{GameReport, Report};
use crate::no_verdict::blocking_reason;
use facts::distinct;
use facts::metrics::Direction;
use facts::row_name::readable;
use figures::plot::Medium;
use figures::plot::hero::{self, HeroPanel, HeroPlot, HeroRow, HeroVerdict};

const CAPTION: &str = "Means over paired seeds with plain 95 % intervals; values that lack a cell are left out. Colour and \
                       shape: whether the gap differs from that with the reference, by Holm over the interactions of the \
                       grid.";

/// What the interactions of a plot have in common.
#[derive(PartialEq)]
struct Question {
    /// `Shaw less absolute (batch 64)`.
    gap: String,
    /// The value with which each other one is compared.
    reference: String,
}

impl Question {
    fn of(one: &InteractionReport) -> Self {
        Self { gap: one.shown(), reference: readable(&one.definition.by[0]) }
    }

    /// The questions of a report, in the order of the file, each with the name of its plot.
    fn all(report: &Report) -> Vec<(Self, String)> {
        let all = distinct(report.games.iter().flat_map(|game| &game.interactions).map(Self::of));
        let names = slugs(all.iter().map(|Self { gap, reference }| format!("{gap} against {reference}")));
        all.into_iter().zip(names.iter().map(|name| format!("gaps-{name}"))).collect()
    }

    /// The gap with the reference and with each other value that lacks no cell; nothing without one of these.
    fn rows(&self, game: &GameReport, direction: Direction) -> Vec<HeroRow> {
        let mut rows: Vec<HeroRow> = Vec::new();
        let is_own = |one: &&InteractionReport| Self::of(one) == *self && one.differences.len() == one.planned;
        for one in game.interactions.iter().filter(is_own) {
            let [Some(first), Some(second)] = one.gaps else { continue };
            let [reference, value] = &one.definition.by;
            if rows.is_empty() {
                rows.push(row(reference, first, HeroVerdict::Reference, "the reference".to_owned()));
            }
            let verdict = blocking_reason(&one.missing).unwrap_or_else(|| one.change.name().to_owned());
            rows.push(row(value, second, judged(one, direction), verdict));
        }
        rows
    }
}

fn row(value: &str, gap: Gap, judged: HeroVerdict, verdict: String) -> HeroRow {
    HeroRow {
        label: readable(value),
        judged,
        mean: gap.mean,
        plain: Some(gap.interval),
        // Holm's interval is that of the change.
        corrected: None,
        verdict,
    }
}

fn judged(one: &InteractionReport, direction: Direction) -> HeroVerdict {
    match one.change {
        Change::Missing => HeroVerdict::Missing,
        Change::NotDistinguishable => HeroVerdict::Open,
        Change::Shrinks | Change::Grows | Change::Reverses | Change::Changes => {
            match (one.mean().is_some_and(|mean| mean > 0.0), direction == Direction::Higher) {
                (true, true) => HeroVerdict::HigherAndBetter,
                (true, false) => HeroVerdict::HigherAndWorse,
                (false, true) => HeroVerdict::LowerAndWorse,
                (false, false) => HeroVerdict::LowerAndBetter,
            }
        }
    }
}

/// A plot of each question for each game alone.
pub(crate) fn figures(report: &Report, medium: Medium) -> Vec<Figure> {
    let of_question = |(question, name): &(Question, String)| -> Vec<Figure> {
        let of_game = |game: &GameReport| figure(report, question, &[game], format!("{}-{name}", game.game), medium);
        report.games.iter().filter_map(of_game).collect()
    };
    Question::all(report).iter().flat_map(of_question).collect()
}

/// A plot of each question with the games side by side that have an answer; none with fewer than two.
pub(crate) fn of_all_games(report: &Report, medium: Medium) -> Vec<Figure> {
    let of_question = |(question, name): &(Question, String)| {
        let has_rows = |game: &&GameReport| !question.rows(game, report.primary.direction).is_empty();
        let games: Vec<&GameReport> = report.games.iter().filter(has_rows).collect();
        if games.len() < 2 { None } else { figure(report, question, &games, name.clone(), medium) }
    };
    Question::all(report).iter().filter_map(of_question).collect()
}

fn figure(report: &Report, question: &Question, games: &[&GameReport], id: String, medium: Medium) -> Option<Figure> {
    let names: Vec<&str> = games.iter().map(|game| game.game.as_str()).collect();
    let title = format!("The gap {} on {} with each value.", question.gap, names.join(" and "));
    let plot = HeroPlot { title, panels: games.iter().map(|game| panel(report, question, game)).collect() };
    let svg = hero::draw(&plot, &id, medium)?;
    Some(Figure { id, svg, title: plot.title, caption: CAPTION.to_owned() })
}

fn panel(report: &Report, question: &Question, game: &GameReport) -> HeroPanel {
    let primary = &report.primary;
    HeroPanel {
        title: format!("{}: {}", capitalised(&game.game), primary.name),
        x_label: primary.in_unit(&question.gap),
        sides: primary.sides(),
        rows: question.rows(game, primary.direction),
        note: "colour and shape: against the reference".to_owned(),
    }
}
