//! The plots of rows, their learning curves, costs and slices.

use super::{Figure, Look, slug};
use crate::model::comparison::Comparison;
use crate::model::slices::{Dimension, SliceReport};
use crate::model::transfer::{Scale, Transfer};
use crate::model::{GameReport, Report, RowReport};
use crate::plot::curves::{self, CurvePlot, Point, Series};
use crate::plot::dots::{self, Dot, DotGroup, DotPlot};
use crate::plot::forest::{self, ForestPlot, ForestRow};
use crate::plot::scatter::{self, Guide, ScatterPlot, ScatterPoint};
use crate::statistics::Interval;
use crate::statistics::crossed::Estimate;
use crate::tables::cells::{self, name};
use facts::metrics::Direction;
use facts::{Role, grouped};

pub(crate) fn forest(report: &Report, game: &GameReport, look: &Look) -> Option<Figure> {
    let reference = game.rows.iter().find(|row| row.role == Role::Reference)?;
    let rows = game.rows.iter().chain(&game.twin).filter_map(|row| {
        let comparison = row.comparison.as_ref()?;
        Some(ForestRow {
            label: name(row),
            style: look.row(row),
            mean: comparison.test?.mean,
            plain: comparison.interval?,
            corrected: comparison.holm.map(|corrected| corrected.interval),
            verdict: verdict(row, comparison),
        })
    });
    let title = match game.has_groups() {
        true => format!("Differences to the reference of each group on {}.", game.game),
        false => format!("Differences to {} on {}.", reference.label, game.game),
    };
    let plot = ForestPlot {
        title: title.clone(),
        x_label: format!("difference in {}", report.primary.with_unit()),
        sides: match report.primary.direction {
            Direction::Lower => Some(("better", "worse")),
            Direction::Higher => Some(("worse", "better")),
            Direction::Neither => None,
        },
        rows: rows.collect(),
    };
    let id = format!("{}-forest", game.game);
    let svg = forest::draw(&plot, &id, look.medium)?;
    let caption = "Means over paired seeds; thick: the plain 95 % interval of the table, thin: Holm's over the grid, which gives the \
         verdict.";
    Some(Figure { id, svg, title, caption: caption.to_owned() })
}

fn verdict(row: &RowReport, comparison: &Comparison) -> String {
    match row.role {
        Role::Twin => "(no difference by design)".to_owned(),
        _ => cells::verdict(comparison),
    }
}

/// Learning curves, and their differences to the reference.
pub(crate) fn curves(report: &Report, game: &GameReport, look: &Look) -> Vec<Figure> {
    let level = |row: &RowReport| -> Vec<Point> {
        let band = |summary: &crate::statistics::Summary| summary.sd.unwrap_or_default();
        // An untrained network's loss would take up most of the plot's height.
        row.curve
            .iter()
            .filter(|point| point.step > 0)
            .map(|point| {
                let (x, y, sd) = (point.step as f64, point.level.mean, band(&point.level));
                Point { x, y, low: y - sd, high: y + sd }
            })
            .collect()
    };
    let difference = |row: &RowReport| -> Vec<Point> {
        let points = row.curve.iter().filter_map(|point| {
            let test = point.difference?;
            let Interval { low, high } = test.interval(0.95);
            Some(Point { x: point.step as f64, y: test.mean, low, high })
        });
        points.collect()
    };
    let series = |points: &dyn Fn(&RowReport) -> Vec<Point>| -> Vec<Series> {
        let rows = game.rows.iter();
        rows.map(|row| Series { label: name(row), style: look.row(row), points: points(row) }).collect()
    };
    let uniform = game.uniform_baseline.filter(|_| report.primary.name == "policy_loss");
    let plot = |title: &str, y_label: String, series, level| CurvePlot {
        title: title.to_owned(),
        x_label: "optimiser steps".to_owned(),
        x_name: "step",
        y_label,
        series,
        level,
    };
    let levels = plot(
        &format!("Learning curves on {}.", game.game),
        format!("validation {}", report.primary.with_unit()),
        series(&level),
        uniform.map(|nats| (nats, "uniform over legal moves, on test".to_owned())),
    );
    let mut differing = series(&difference);
    differing.retain(|series| !series.points.is_empty());
    let differences = plot(
        &format!("Differences to the reference on {}, by step.", game.game),
        format!("difference in {}", report.primary.with_unit()),
        differing,
        Some((0.0, "reference".to_owned())),
    );
    let drawn = [
        (levels, "curves", "Validation positions, mean over seeds; bands: ± one standard deviation over seeds."),
        (differences, "gains", "The same, row less reference, paired by seed; bands: 95 % t-intervals, uncorrected."),
    ];
    let figure = |(plot, kind, caption): (CurvePlot, &str, &str)| {
        let id = format!("{}-{kind}", game.game);
        let svg = curves::draw(&plot, &id, look.medium)?;
        Some(Figure { id, svg, title: plot.title, caption: caption.to_owned() })
    };
    drawn.into_iter().filter_map(figure).collect()
}

pub(crate) fn cost(report: &Report, game: &GameReport, look: &Look) -> Vec<Figure> {
    let low_is_good = match report.primary.direction {
        Direction::Lower => true,
        Direction::Higher => false,
        Direction::Neither => return Vec::new(),
    };
    let step = |row: &RowReport| row.step_time.map(|time| time.seconds * 1e3);
    let parameters = |row: &RowReport| Some(row.network.parameters() as f64);
    let flops = |row: &RowReport| row.flops.map(|flops| flops as f64);
    type Cost<'a> = &'a dyn Fn(&RowReport) -> Option<f64>;
    let costs: [(&str, &str, &str, Cost<'_>); 3] = [
        ("time", "Quality against step time", "a training step [ms]", &step),
        ("parameters", "Quality against size", "parameters", &parameters),
        ("flops", "Quality against arithmetic", "operations of a forward pass [FLOP a position]", &flops),
    ];
    let figure = |(kind, title, x_label, cost): (&str, &str, &str, Cost<'_>)| {
        let points = game.rows.iter().filter_map(|row| {
            let summary = row.primary?;
            let sd = summary.sd.unwrap_or_default();
            Some(ScatterPoint {
                label: name(row),
                style: look.row(row),
                at: (cost(row)?, summary.mean),
                across: None,
                upright: Some(Interval { low: summary.mean - sd, high: summary.mean + sd }),
            })
        });
        let plot = ScatterPlot {
            title: format!("{title} on {}.", game.game),
            x_label: x_label.to_owned(),
            y_label: report.primary.with_unit(),
            points: points.collect(),
            guide: Guide::Front { low_is_good },
            size: (400.0, 320.0),
        };
        let id = format!("{}-{kind}", game.game);
        let svg = scatter::draw(&plot, &id, look.medium)?;
        let caption = "Bars: ± one standard deviation over seeds; line: the best rows at each cost.";
        Some(Figure { id, svg, title: plot.title, caption: caption.to_owned() })
    };
    costs.into_iter().filter_map(figure).collect()
}

/// Differences by slice, for each reference.
pub(crate) fn slices(game: &GameReport, look: &Look) -> Vec<Figure> {
    let of_reference = |(number, report): (usize, &SliceReport)| {
        let group = if number == 0 { String::new() } else { format!("-{}", slug(&report.reference)) };
        slices_of(game, report, &group, look)
    };
    game.slices.iter().enumerate().flat_map(of_reference).collect()
}

/// `group` ends the names of the figures.
fn slices_of(game: &GameReport, report: &SliceReport, group: &str, look: &Look) -> Vec<Figure> {
    let figure = |dimension: &Dimension| {
        let groups = dimension.slices.iter().map(|slice| {
            let dots = report.rows.iter().zip(&slice.differences).filter_map(|(label, estimate)| {
                let Estimate { difference: mean, interval } = (*estimate)?;
                Some(Dot { label: label.clone(), style: look.label(label), mean, interval })
            });
            DotGroup { label: format!("{} ({})", slice.name, grouped(slice.positions as u64)), dots: dots.collect() }
        });
        let plot = DotPlot {
            title: format!("By {} on {}.", dimension.name, game.game),
            x_label: format!("difference in {} to {}", report.measure, report.reference),
            groups: groups.collect(),
        };
        let id = format!("{}-slice-{}{group}", game.game, slug(dimension.name));
        let svg = dots::draw(&plot, &id, look.medium)?;
        let caption = "Row less reference, paired by position; 95 % intervals over seeds and games, uncorrected; in \
                       parentheses: positions.";
        Some(Figure { id, svg, title: plot.title, caption: caption.to_owned() })
    };
    // The first dimension, all positions, is in the table.
    report.dimensions.iter().skip(1).filter_map(figure).collect()
}

pub(crate) fn transfer(report: &Report, transfer: &Transfer, look: &Look) -> Option<Figure> {
    let [first, second] = &transfer.games;
    let unit = match transfer.scale {
        Scale::Metric => report.primary.with_unit(),
        Scale::Learnable(_) => "the learnt share of the gap".to_owned(),
    };
    let points = transfer.rows.iter().map(|row| {
        let [x, y] = row.effects;
        ScatterPoint {
            label: row.label.clone(),
            style: look.label(&row.labels[0]),
            at: (x.difference, y.difference),
            across: Some(x.interval),
            upright: Some(y.interval),
        }
    });
    let plot = ScatterPlot {
        title: format!("Does it carry over? Differences on {first} and on {second}."),
        x_label: format!("{first}: difference in {unit}"),
        y_label: format!("{second}: difference in {unit}"),
        points: points.collect(),
        guide: Guide::Agreement,
        size: (620.0, 440.0),
    };
    let id = format!("{first}-{second}-transfer");
    let svg = scatter::draw(&plot, &id, look.medium)?;
    let caption = "Row less reference, with plain 95 % intervals; on the diagonal a row's difference is the same in both \
                   games.";
    Some(Figure { id, svg, title: plot.title, caption: caption.to_owned() })
}
