//! What the trials reached by the value of the setting that was tuned.

use super::{Figure, Look, slug};
use crate::distinct::distinct;
use crate::model::tuning::{TrialReport, TunedRow};
use crate::model::{GameReport, RowReport};
use figures::plot::curves::{self, CurvePlot, Point, Series};

/// A plot for each setting that some rows tuned alone, and whose values are numbers above zero.
pub(crate) fn sensitivity(game: &GameReport, look: &Look) -> Vec<Figure> {
    let Some(tuning) = &game.tuning else { return Vec::new() };
    let settings = distinct(tuning.rows.iter().filter_map(setting));
    let figure = |setting: String| {
        let of_setting =
            |row: &&RowReport| tuned(game, row).is_some_and(|own| self::setting(own).as_ref() == Some(&setting));
        let series = game.rows.iter().filter(of_setting).map(|row| Series {
            label: row.label.clone(),
            style: look.row(row),
            points: tuned(game, row).into_iter().flat_map(|own| &own.trials).filter_map(point).collect(),
        });
        let plot = CurvePlot {
            title: format!("Sensitivity to {setting} on {}.", game.game),
            x_label: format!("log₂ of {setting}"),
            x_name: "log₂",
            y_label: format!("validation {}", tuning.metric),
            series: series.collect(),
            level: None,
        };
        let id = format!("{}-sensitivity-{}", game.game, slug(&setting));
        let svg = curves::draw(&plot, &id, look.medium)?;
        let caption = format!("Trials, mean over tuning seeds {:?}; bands: their range.", tuning.seeds);
        Some(Figure { id, svg, title: plot.title, caption })
    };
    settings.into_iter().filter_map(figure).collect()
}

fn tuned<'a>(game: &'a GameReport, row: &RowReport) -> Option<&'a TunedRow> {
    game.tuning.as_ref()?.rows.iter().find(|own| own.label == row.label)
}

/// The one setting that a row tuned, if it acts.
fn setting(row: &TunedRow) -> Option<String> {
    let acts = row.trials.iter().any(|trial| trial.score != row.trials[0].score);
    match &row.trials.first()?.values[..] {
        [(setting, _)] if acts => Some(setting.clone()),
        _ => None,
    }
}

fn point(trial: &TrialReport) -> Option<Point> {
    let value: f64 = trial.values.first()?.1.parse().ok().filter(|value| *value > 0.0)?;
    let ends = |of: fn(f64, f64) -> f64| trial.scores.iter().copied().reduce(of);
    Some(Point { x: value.log2(), y: trial.score?, low: ends(f64::min)?, high: ends(f64::max)? })
}
