//! Gaps and how they change.

use super::unit;
use crate::report::html::page::Figure;
use crate::report::interactions::Interaction;
use crate::report::model::{GameReport, Report};
use crate::report::plot::Style;
use crate::report::plot::forest::{self, ForestPlot, ForestRow};
use crate::report::tables::interaction_name;

/// The gaps of a game with each value, and their changes.
pub(in crate::report::html) fn interactions(report: &Report, game: &GameReport) -> Option<Figure> {
    let mut rows: Vec<ForestRow> = Vec::new();
    for (number, one) in game.interactions.iter().enumerate() {
        for (by, gap) in one.asked.by.iter().zip(one.gaps) {
            let label = format!("{}: {by}", interaction_name(one));
            // The first value is that of every interaction of an entry.
            let (Some(gap), false) = (gap, rows.iter().any(|row| row.label == label)) else { continue };
            let (mean, plain) = (gap.mean, gap.interval);
            rows.push(ForestRow {
                label,
                style: Style::Reference,
                mean,
                plain,
                corrected: None,
                verdict: "gap".to_owned(),
            });
        }
        rows.extend(change(number, one));
    }
    let plot = ForestPlot {
        title: format!("Gaps and their changes on {}.", game.game),
        x_label: format!("difference in {}", unit(report)),
        sides: None,
        rows,
    };
    let svg = forest::draw(&plot, &format!("{}-interactions", game.game))?;
    let caption = "Means over seeds; thick: the plain 95 % interval, thin: Holm's over the interactions of the grid, which \
                   decides.";
    Some(Figure { svg, title: plot.title, caption: caption.to_owned() })
}

fn change(number: usize, one: &Interaction) -> Option<ForestRow> {
    let [first, second] = &one.asked.by;
    Some(ForestRow {
        label: format!("change, {first} → {second}"),
        style: Style::Row(number),
        mean: one.test?.mean,
        plain: one.interval?,
        corrected: one.holm.map(|corrected| corrected.interval),
        verdict: one.change.words().to_owned(),
    })
}
