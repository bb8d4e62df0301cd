//! Costs of the rows: parameters, arithmetic and time, and how closely matched controls match.

use crate::figures::{Figure, Styles};
use crate::model::{GameReport, MatchedReport, Report, RowReport};
use crate::numbers::{fixed, mega};
use crate::statistics::Interval;
use crate::table::{ROW, Table};
use facts::grouped;
use facts::metrics::Direction;
use facts::row_name::readable;
use figures::plot::scatter::{self, Guide, ScatterPlot, ScatterPoint};

pub(crate) fn table(game: &GameReport) -> Table {
    let header = [
        ROW,
        "trunk params",
        "head params",
        "encoding params",
        "MFLOPs",
        "step ms",
        "× ref.",
        "injection points",
        "own position sources",
    ];
    let rows = game.rows.iter().map(|row| {
        let network = &row.network;
        let step = row.step_time.map_or_else(|| "not measured".to_owned(), |time| fixed(time.seconds * 1e3, 1));
        let ratio = row.step_time.and_then(|time| time.ratio).map_or_else(String::new, |ratio| fixed(ratio, 2));
        vec![
            row.name(),
            grouped(network.trunk as u64),
            grouped(network.heads as u64),
            grouped(network.encoding as u64),
            mega(row.flops),
            step,
            ratio,
            network.injection_points.clone(),
            or_none(&row.own_sources, ", "),
        ]
    });
    let notes = vec![format!("position sources common to all rows: {}", or_none(&game.common_sources, "; "))];
    let last = header.len() - 1;
    Table::new(header, &[0, last - 1, last], rows).titled("costs and sources of position").noted(notes)
}

fn or_none(texts: &[String], separator: &str) -> String {
    if texts.is_empty() { "none".to_owned() } else { texts.join(separator) }
}

/// How closely each matched control of a game matches.
pub(crate) fn controls(game: &GameReport) -> Vec<String> {
    let line = |(name, matched): (String, &MatchedReport)| {
        let (what, goal) = (matched.quantity.words(), readable(&matched.goal));
        match matched.ratio {
            Some(ratio) => format!("{name} has {ratio:.4} times the {what} of {goal}"),
            None => format!("{name}: its {what} is not measured, so its match with {goal} is not checked"),
        }
    };
    game.rows.iter().filter_map(|row| Some((row.name(), row.matched.as_ref()?))).map(line).collect()
}

pub(crate) fn figures(report: &Report, game: &GameReport, styles: &Styles) -> Vec<Figure> {
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
                label: row.name(),
                style: styles.row(row),
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
        let svg = scatter::draw(&plot, &id, styles.medium)?;
        let caption = "Bars: ± one standard deviation over seeds; line: the best rows at each cost.";
        Some(Figure { id, svg, title: plot.title, caption: caption.to_owned() })
    };
    costs.into_iter().filter_map(figure).collect()
}
