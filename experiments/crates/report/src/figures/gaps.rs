//! The plots of gaps and their changes.

use super::{Figure, Look};
use crate::distinct::distinct;
use crate::model::interactions::InteractionReport;
use crate::model::{GameReport, Report};
use figures::plot::Style;
use figures::plot::forest::{self, ForestPlot, ForestRow};

/// For each gap of a game: the gap with each value, and its changes.
pub(crate) fn gaps(report: &Report, game: &GameReport, look: &Look) -> Vec<Figure> {
    let names = distinct(game.interactions.iter().map(InteractionReport::name));
    names.iter().enumerate().filter_map(|(number, name)| of_gap(report, game, look, (number, name))).collect()
}

fn of_gap(report: &Report, game: &GameReport, look: &Look, (number, name): (usize, &str)) -> Option<Figure> {
    let mut rows: Vec<ForestRow> = Vec::new();
    for (number, one) in game.interactions.iter().filter(|one| one.name() == name).enumerate() {
        for (by, gap) in one.definition.by.iter().zip(one.gaps) {
            // All interactions of an entry have the same first value.
            let (Some(gap), false) = (gap, rows.iter().any(|row| row.label == *by)) else { continue };
            let (mean, plain, label) = (gap.mean, gap.interval, by.clone());
            rows.push(ForestRow {
                label,
                style: Style::Reference,
                mean,
                plain,
                corrected: None,
                verdict: String::new(),
            });
        }
        rows.extend(change(number, one));
    }
    let plot = ForestPlot {
        title: format!("The gap {name} on {}, and its changes.", game.game),
        x_label: format!("difference in {}", report.primary.with_unit()),
        sides: None,
        rows,
    };
    let id = format!("{}-interactions-{number}", game.game);
    let svg = forest::draw(&plot, &id, look.medium)?;
    let caption = "Means over seeds; thick: the plain 95 % interval, thin: Holm's over the interactions of the grid, which \
                   gives the verdict.";
    Some(Figure { id, svg, title: plot.title, caption: caption.to_owned() })
}

fn change(number: usize, one: &InteractionReport) -> Option<ForestRow> {
    let [first, second] = &one.definition.by;
    Some(ForestRow {
        label: format!("{first} → {second}"),
        style: Style::Row(number),
        mean: one.test?.mean,
        plain: one.interval?,
        corrected: one.holm.map(|corrected| corrected.interval),
        verdict: one.change.name().to_owned(),
    })
}
