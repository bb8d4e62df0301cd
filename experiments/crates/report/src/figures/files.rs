//! The plots of a report as files, each as SVG and PDF.

use super::{Figure, Look};
use crate::model::Report;
use crate::sections::{costs, interactions, slices, training, transfer, tuning, verdicts};
use anyhow::{Context as _, ensure};
use figures::convert;
use figures::plot::Medium;
use std::fs;
use std::path::Path;

/// Writes every plot of the page to `dir`, which is created, as `<id>.svg` and `<id>.pdf`: one column of a paper wide
/// (3.25 inches), in the colours of the printed page. Returns what it wrote.
pub fn write(report: &Report, dir: &Path) -> anyhow::Result<Vec<Figure>> {
    let figures = all(report);
    ensure!(
        !figures.is_empty(),
        "{} has no figures yet: plots need finished cells; see `posenc status`",
        report.experiment
    );
    let cannot =
        |path: &Path| format!("cannot write {}; choose another folder or free space on the disk", path.display());
    fs::create_dir_all(dir).with_context(|| cannot(dir))?;
    for Figure { id, svg, .. } in &figures {
        let [drawing, page] = ["svg", "pdf"].map(|extension| dir.join(format!("{id}.{extension}")));
        fs::write(&drawing, svg).with_context(|| cannot(&drawing))?;
        let pdf = convert::pdf(svg).with_context(|| {
            format!("cannot convert the figure {id} to PDF; its SVG is written, please report this as a defect")
        })?;
        fs::write(&page, pdf).with_context(|| cannot(&page))?;
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
