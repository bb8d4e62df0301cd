//! How the rows were trained: learning curves, settings that never acted, and the primary metric on novel and on
//! training positions.

use crate::figures::{Figure, Styles};
use crate::model::{CurvePoint, GameReport, Report, RowReport};
use crate::numbers::{decimals, fixed, mean_sd, or_absent, signed};
use crate::run_folder::{CellRecord, CellResult};
use crate::statistics::{Interval, PairedTest, Summary};
use crate::table::{ROW, Table};
use facts::grouped;
use facts::metrics::NOVEL;
use figures::plot::curves::{self, CurvePlot, Point, Series};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The curve of a row's finished cells, with differences to the cells of the same seeds of its reference.
pub(crate) fn curve(cells: &[CellRecord], reference: Option<&[CellRecord]>, metric: &str) -> Vec<CurvePoint> {
    let results = cells.iter().filter_map(|cell| cell.result.as_ref());
    let steps: BTreeSet<u64> = results.flat_map(|result| result.validation.iter().map(|line| line.step)).collect();
    let at = |cell: &CellRecord, step| value(cell.result.as_ref()?, step, metric);
    let point = |step: u64| {
        let levels: Vec<f64> = cells.iter().filter_map(|cell| at(cell, step)).collect();
        let pairs = cells.iter().zip(reference.unwrap_or_default());
        let differences: Vec<f64> = pairs.filter_map(|(own, other)| Some(at(own, step)? - at(other, step)?)).collect();
        Some(CurvePoint { step, level: Summary::of(&levels)?, difference: PairedTest::of(&differences) })
    };
    steps.into_iter().filter_map(point).collect()
}

/// The most points of a line of logged values.
const LOGGED: usize = 160;

/// The mean over the seeds of what was logged on training batches by step: the first and the last step, and at most
/// [`LOGGED`] in all.
pub(crate) fn logged(results: &[&CellResult]) -> Vec<(u64, f64)> {
    let mut by_step: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
    for &(step, value) in results.iter().flat_map(|result| &result.training) {
        by_step.entry(step).or_default().push(value);
    }
    let means: Vec<(u64, f64)> =
        by_step.into_iter().map(|(step, values)| (step, values.iter().sum::<f64>() / values.len() as f64)).collect();
    thinned(&means)
}

/// At most [`LOGGED`] of the points, evenly chosen, the first and the last among them.
fn thinned(points: &[(u64, f64)]) -> Vec<(u64, f64)> {
    let count = points.len().min(LOGGED);
    (0..count).map(|i| points[i * (points.len() - 1) / (count - 1).max(1)]).collect()
}

/// The last line of a step counts.
fn value(result: &CellResult, step: u64, metric: &str) -> Option<f64> {
    let line = result.validation.iter().rfind(|line| line.step == step)?;
    line.metrics.get(metric).filter(|value| value.is_finite())
}

/// Settings of a row's training that never acted, in words. A clip that never acted is none: the table shows its share of 0 %.
pub(crate) fn inactive(cells: &[CellRecord]) -> Vec<String> {
    let Some(train) = cells.iter().find_map(|cell| cell.facts.as_ref()?.config.get("train")) else { return Vec::new() };
    let (rate, steps) = (&train["learning_rate"], train["steps"].as_u64());
    let unreached = |step: &Value| {
        let (step, steps) = (step.as_u64()?, steps?);
        (step >= steps).then(|| {
            let (step, steps) = (grouped(step), grouped(steps));
            format!("the boundary of `train.learning_rate` at step {step} (training ends at step {steps})")
        })
    };
    rate["boundaries"].as_array().into_iter().flatten().filter_map(unreached).collect()
}

/// The primary metric on novel positions and on the training positions.
pub(crate) fn table(report: &Report, game: &GameReport) -> Table {
    let novel = format!("{}.{NOVEL}", report.primary.name);
    let shown = |row: &RowReport| row.gap.is_some() || row.test.contains_key(&novel) || row.per_doubling().is_some();
    if !game.rows.iter().any(shown) {
        return Table::default();
    }
    let rows = game.all_rows().map(|row| {
        vec![
            row.name(),
            or_absent(row.test.get(&novel), |summary| mean_sd(summary, 1.0)),
            or_absent(row.gap.as_ref(), signed_mean_sd),
            or_absent(row.epochs, |epochs| fixed(epochs, 2)),
            or_absent(row.clipped.as_ref(), |share| mean_sd(share, 100.0)),
            or_absent(row.per_doubling(), |slope| signed(slope, decimals(slope.abs()))),
        ]
    });
    let name = &report.primary.name;
    let title = format!("{name} on novel positions, the gap between test and training, and the slope at the end");
    let notes = vec![format!(
        "per doubling: the change of {name} on validation per doubling of the steps, over the last half of the steps; \
         clipped: the share of steps whose gradient was longer than `train.clip`"
    )];
    Table::new([ROW, "novel", "gap", "epochs", "clipped %", "per doubling"], &[0], rows)
        .titled(&title)
        .noted(notes)
        .without_empty_columns()
}

fn signed_mean_sd(summary: &Summary) -> String {
    let text = mean_sd(summary, 1.0);
    if text.starts_with('−') { text } else { format!("+{text}") }
}

/// Learning curves, and their differences to the reference.
pub(crate) fn figures(report: &Report, game: &GameReport, styles: &Styles) -> Vec<Figure> {
    let level = |row: &RowReport| -> Vec<Point> {
        // An untrained network's loss would take up most of the plot's height.
        let trained = row.curve.iter().filter(|point| point.step > 0);
        let point = |point: &CurvePoint| {
            let (x, y, sd) = (point.step as f64, point.level.mean, point.level.sd.unwrap_or_default());
            Point { x, y, low: y - sd, high: y + sd }
        };
        trained.map(point).collect()
    };
    let difference = |row: &RowReport| -> Vec<Point> {
        let points = row.curve.iter().filter_map(|point| {
            let test = point.difference?;
            let Interval { low, high } = test.interval(0.95);
            Some(Point { x: point.step as f64, y: test.mean, low, high })
        });
        points.collect()
    };
    let logged = |row: &RowReport| row.training.iter().map(|&(step, value)| (step as f64, value)).collect::<Vec<_>>();
    let series = |points: &dyn Fn(&RowReport) -> Vec<Point>, faint: &dyn Fn(&RowReport) -> Vec<(f64, f64)>| {
        let of_row = |row: &RowReport| Series {
            label: row.name(),
            style: styles.row(row),
            points: points(row),
            faint: faint(row),
        };
        game.rows.iter().map(of_row).collect::<Vec<Series>>()
    };
    let uniform = game.uniform_baseline.filter(|_| report.primary.name == "policy_loss");
    let plot = |title: &str, y_label: String, series, level| CurvePlot {
        title: title.to_owned(),
        x_label: "optimiser steps".to_owned(),
        x_name: "step",
        y_label,
        of_sizes: false,
        series,
        level,
    };
    let levels = plot(
        &format!("Learning curves on {}.", game.game),
        report.primary.with_unit(),
        series(&level, &logged),
        uniform.map(|nats| (nats, "uniform over legal moves, on test".to_owned())),
    );
    let mut differing = series(&difference, &|_| Vec::new());
    differing.retain(|series| !series.points.is_empty());
    let differences = plot(
        &format!("Differences to the reference on {}, by step.", game.game),
        format!("difference in {}", report.primary.with_unit()),
        differing,
        Some((0.0, "reference".to_owned())),
    );
    let drawn = [
        (
            levels,
            "curves",
            "Marked: validation positions, mean over seeds, with bands of ± one standard deviation; thin: training batches as \
             logged, mean over seeds.",
        ),
        (differences, "gains", "The same, row less reference, paired by seed; bands: 95 % t-intervals, uncorrected."),
    ];
    let figure = |(plot, kind, caption): (CurvePlot, &str, &str)| {
        let id = format!("{}-{kind}", game.game);
        let svg = curves::draw(&plot, &id, styles.medium)?;
        Some(Figure { id, svg, title: plot.title, caption: caption.to_owned() })
    };
    drawn.into_iter().filter_map(figure).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logged_points_are_thinned_from_the_first_to_the_last() {
        let all: Vec<(u64, f64)> = (1..=1000).map(|step| (30 * step, 1.0)).collect();
        let thin = thinned(&all);
        assert_eq!((thin.len(), thin[0].0, thin[LOGGED - 1].0), (LOGGED, 30, 30_000));
        assert!(thin.windows(2).all(|pair| pair[0].0 < pair[1].0));
        assert_eq!([thinned(&all[..2]), thinned(&all[..1]), thinned(&[])], [&all[..2], &all[..1], &[]]);
    }
}
