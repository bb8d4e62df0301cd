//! The plots of a report as files, each as SVG and PDF.

use super::error::FiguresError;
use super::{Figure, Look};
use crate::model::Report;
use crate::sections::{costs, interactions, slices, training, transfer, tuning, verdicts};
use figures::convert;
use figures::plot::Medium;
use std::fs;
use std::path::Path;

/// Writes every plot of the page to `dir`, which is created, as `<id>.svg` and `<id>.pdf`: one column of a paper wide
/// (3.25 inches), in the colours of the printed page. Returns what it wrote.
pub fn write(report: &Report, dir: &Path) -> Result<Vec<Figure>, FiguresError> {
    let figures = all(report);
    if figures.is_empty() {
        return Err(FiguresError::None { experiment: report.experiment.clone() });
    }
    let io = |path: &Path| {
        let path = path.to_owned();
        move |cause| FiguresError::Write { path, cause }
    };
    fs::create_dir_all(dir).map_err(io(dir))?;
    for figure in &figures {
        let path = dir.join(format!("{}.svg", figure.id));
        fs::write(&path, &figure.svg).map_err(io(&path))?;
        let pdf = convert::pdf(&figure.svg).map_err(|cause| FiguresError::Convert { id: figure.id.clone(), cause })?;
        let path = dir.join(format!("{}.pdf", figure.id));
        fs::write(&path, pdf).map_err(io(&path))?;
    }
    Ok(figures)
}

fn all(report: &Report) -> Vec<Figure> {
    let look = Look::of(report.games.iter().flat_map(|game| &game.rows), Medium::Column);
    let mut figures = Vec::new();
    for game in &report.games {
        figures.extend(verdicts::figure(report, game, &look));
        figures.extend(interactions::figures(&game.game, &game.interactions, &report.primary, &look));
        figures.extend(training::figures(report, game, &look));
        figures.extend(tuning::figures(&game.game, game.tuning.as_ref(), &game.rows, &look));
        figures.extend(costs::figures(report, game, &look));
        figures.extend(slices::figures(&game.game, &game.slices, &look));
    }
    figures.extend(report.transfer.iter().filter_map(|transfer| transfer::figure(&report.primary, transfer, &look)));
    figures
}
