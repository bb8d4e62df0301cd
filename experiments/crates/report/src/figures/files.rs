//! The plots of a report as files, each as SVG and PDF.

use super::{Figure, Styles};
use crate::model::Report;
use crate::order::by_effect;
use crate::sections::{
    answer, costs, gaps, interactions, named_heads, scaling, slices, training, transfer, tuning, verdicts,
};
use anyhow::{Context as _, ensure};
use figures::convert;
use figures::plot::Medium;
use std::fs;
use std::path::Path;

/// Writes every plot of the page to `dir`, which is created, as `<id>.svg` and `<id>.pdf`: one column of a paper wide
/// (3.25 inches), figures of all games a column for each game. SVGs are legible on light and dark pages; PDFs have the
/// colours of the printed page. Returns the SVGs.
pub fn write(report: &Report, dir: &Path) -> anyhow::Result<Vec<Figure>> {
    let report = &by_effect(report);
    let [figures, printed] = [Medium::Column, Medium::Print].map(|medium| all(report, medium));
    ensure!(
        !figures.is_empty(),
        "{} has no figures yet: plots need finished cells; see `posenc status`",
        report.experiment
    );
    let cannot =
        |path: &Path| format!("cannot write {}; choose another folder or free space on the disk", path.display());
    fs::create_dir_all(dir).with_context(|| cannot(dir))?;
    for (Figure { id, svg, .. }, print) in figures.iter().zip(&printed) {
        let [drawing, page] = ["svg", "pdf"].map(|extension| dir.join(format!("{id}.{extension}")));
        fs::write(&drawing, svg).with_context(|| cannot(&drawing))?;
        let pdf = convert::pdf(&print.svg).with_context(|| {
            format!("cannot convert the figure {id} to PDF; its SVG is written, please report this as a defect")
        })?;
        fs::write(&page, pdf).with_context(|| cannot(&page))?;
    }
    Ok(figures)
}

/// The plots as SVGs that are legible on light and dark pages.
pub fn for_any_page(report: &Report) -> Vec<Figure> {
    all(&by_effect(report), Medium::Column)
}

fn all(report: &Report, medium: Medium) -> Vec<Figure> {
    let styles = Styles::of(report.games.iter().flat_map(|game| &game.rows), medium);
    let mut figures = answer::figures(report, medium);
    figures.extend(answer::of_all_games(report, medium));
    figures.extend(named_heads::figure(&report.named_heads, medium));
    figures.extend(gaps::figures(report, medium));
    figures.extend(gaps::of_all_games(report, medium));
    for game in &report.games {
        figures.extend(verdicts::figure(report, game, &styles));
        figures.extend(interactions::figures(&game.game, &game.interactions, &report.primary, &styles));
        figures.extend(scaling::figures(&game.game, &game.scaling, &report.primary, medium));
        figures.extend(training::figures(report, game, &styles));
        figures.extend(tuning::figures(&game.game, game.tuning.as_ref(), &game.rows, &styles));
        figures.extend(costs::figures(report, game, &styles));
        figures.extend(slices::figures(&game.game, &game.slices, &styles));
    }
    figures.extend(report.transfer.iter().filter_map(|transfer| transfer::figure(&report.primary, transfer, &styles)));
    figures
}
