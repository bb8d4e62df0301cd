//! The plots of a report: for the page, and as files for a paper.

use super::model::{Report, RowReport};
use super::order::by_effect;
use super::sections::{
    answer, costs, gaps, interactions, named_heads, scaling, slices, training, transfer, tuning, verdicts,
};
use anyhow::{Context as _, ensure};
use facts::{Role, distinct};
use figures::convert;
use figures::plot::{Medium, Style};
use std::fs;
use std::path::Path;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figure {
    /// Game and plot, unique in a report: its name in a page and as a file.
    pub id: String,
    pub svg: String,
    pub title: String,
    pub caption: String,
}

/// How the plots of a report are drawn: a medium, and one style for each row, the same in all games.
pub(crate) struct Look {
    pub(crate) medium: Medium,
    compared: Vec<String>,
}

impl Look {
    pub(crate) fn of(report: &Report, medium: Medium) -> Self {
        let rows = report.games.iter().flat_map(|game| &game.rows);
        let compared = rows.filter(|row| row.role == Role::Compared);
        Self { medium, compared: distinct(compared.map(|row| row.label.clone())) }
    }

    pub(crate) fn row(&self, row: &RowReport) -> Style {
        match row.role {
            Role::Reference => Style::Reference,
            Role::Twin => Style::Twin,
            Role::Compared => self.label(&row.label),
        }
    }

    pub(crate) fn label(&self, label: &str) -> Style {
        Style::Row(self.compared.iter().position(|known| known == label).unwrap_or_default())
    }
}

/// A name as part of an [`id`](Figure::id): small letters, digits and hyphens.
pub(crate) fn slug(name: &str) -> String {
    let words = name.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-").to_lowercase()
}

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
    let look = Look::of(report, medium);
    let mut figures = answer::figures(report, medium);
    figures.extend(answer::of_all_games(report, medium));
    figures.extend(named_heads::figure(&report.named_heads, medium));
    figures.extend(gaps::figures(report, medium));
    figures.extend(gaps::of_all_games(report, medium));
    for game in &report.games {
        figures.extend(verdicts::figure(report, game, &look));
        figures.extend(interactions::figures(&game.game, &game.interactions, &report.primary, &look));
        figures.extend(scaling::figures(&game.game, &game.scaling, &report.primary, medium));
        figures.extend(training::figures(report, game, &look));
        figures.extend(tuning::figures(&game.game, game.tuning.as_ref(), &game.rows, &look));
        figures.extend(costs::figures(report, game, &look));
        figures.extend(slices::figures(&game.game, &game.slices, &look));
    }
    figures.extend(report.transfer.iter().filter_map(|transfer| transfer::figure(&report.primary, transfer, &look)));
    figures
}

#[cfg(test)]
mod tests {
    use super::slug;

    #[test]
    fn names_of_files_are_plain() {
        assert_eq!(slug("from- and to-square"), "from-and-to-square");
        assert_eq!(slug("train.encoding_rate"), "train-encoding-rate");
        assert_eq!(["絶対 (入力)", "相対"].map(slug), ["絶対-入力", "相対"], "names without an ASCII letter differ");
    }
}
