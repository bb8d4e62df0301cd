//! Gaps and how they change.

use super::unit;
use crate::html::page::Figure;
use crate::interactions::Interaction;
use crate::model::{GameReport, Report};
use crate::plot::Style;
use crate::plot::forest;
use crate::plot::forest::{ForestPlot, ForestRow};
use crate::tables::interaction_name;

/// For each gap of a game: the gap with each value, and its changes.
pub(in crate::html) fn interactions(report: &Report, game: &GameReport) -> Vec<Figure> {
    let mut names: Vec<String> = Vec::new();
    for name in game.interactions.iter().map(interaction_name) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.iter().enumerate().filter_map(|(number, name)| of_gap(report, game, number, name)).collect()
}

fn of_gap(report: &Report, game: &GameReport, number: usize, name: &str) -> Option<Figure> {
    let mut rows: Vec<ForestRow> = Vec::new();
    for (number, one) in game.interactions.iter().filter(|one| interaction_name(one) == name).enumerate() {
        for (by, gap) in one.asked.by.iter().zip(one.gaps) {
            // The first value is that of every interaction of an entry.
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
        x_label: format!("difference in {}", unit(report)),
        sides: None,
        rows,
    };
    let svg = forest::draw(&plot, &format!("{}-interactions-{number}", game.game))?;
    let caption = "Means over seeds; thick: the plain 95 % interval, thin: Holm's over the interactions of the grid, which \
                   decides.";
    Some(Figure { svg, title: plot.title, caption: caption.to_owned() })
}

fn change(number: usize, one: &Interaction) -> Option<ForestRow> {
    let [first, second] = &one.asked.by;
    Some(ForestRow {
        label: format!("{first} → {second}"),
        style: Style::Row(number),
        mean: one.test?.mean,
        plain: one.interval?,
        corrected: one.holm.map(|corrected| corrected.interval),
        verdict: one.change.words().to_owned(),
    })
}
