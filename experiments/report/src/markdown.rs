//! A report as Markdown, with tables in GitHub's form.

use super::model::{GameReport, Report};
use super::sheet::Sheet;
use super::{conclusions, controls, tables, words};

/// Draws a report.
#[must_use]
pub fn draw(report: &Report) -> String {
    let mut blocks = vec![format!("# {}", report.experiment), words::status(report)];
    blocks.extend(report.question.as_ref().map(|question| format!("**Question.** {}", question.trim())));
    blocks.extend(report.expect.as_ref().map(|expect| format!("**Expectation.** {}", expect.trim())));
    blocks.push(words::primary(report));
    let sentences: Vec<String> = conclusions::conclusions(report).into_iter().map(|one| one.sentence).collect();
    blocks.push(list("Verdicts", &sentences));
    let sentences: Vec<String> = conclusions::interactions(report).into_iter().map(|one| one.sentence).collect();
    blocks.push(list("Interactions", &sentences));
    blocks.push(list("Warnings", &report.warnings));
    blocks.push(sheet(&tables::systems(report)));
    blocks.extend(report.games.iter().flat_map(|game| of_game(report, game)));
    blocks.extend(tables::transfer(report).iter().map(sheet));
    let failures: Vec<String> = report.failures.iter().map(|cell| words::failure(cell).join("; ")).collect();
    blocks.push(list("Failures", &failures));
    blocks.push(list("Notes", &words::notes(report)));
    blocks.retain(|block| !block.is_empty());
    blocks.join("\n\n") + "\n"
}

fn of_game(report: &Report, game: &GameReport) -> Vec<String> {
    let mut blocks = vec![format!("## {}", game.game), words::facts(game).join(" · ")];
    blocks.push(sheet(&tables::comparison(report, game)));
    if game.twin.is_none() {
        blocks.push(words::NO_TWIN.to_owned());
    }
    let sheets = [tables::further(report, game), tables::slices(game), vec![tables::costs(game)]].concat();
    blocks.extend(sheets.iter().map(sheet));
    blocks.push(list("Position sources common to all rows", &game.common_sources));
    blocks.push(list("Matched controls", &controls::lines(game)));
    blocks
}

fn list(title: &str, lines: &[String]) -> String {
    if lines.is_empty() { String::new() } else { format!("### {title}\n\n- {}", lines.join("\n- ")) }
}

/// A table in GitHub's form, with its title and notes; empty without rows.
#[must_use]
pub fn sheet(sheet: &Sheet) -> String {
    if sheet.is_empty() {
        return String::new();
    }
    let line = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
    let escaped = |cells: &[String]| cells.iter().map(|cell| cell.replace('|', "\\|")).collect::<Vec<_>>();
    let rule = |column| if sheet.words.contains(&column) { "---" } else { "---:" }.to_owned();
    let table: Vec<String> = [line(escaped(&sheet.header)), line((0..sheet.header.len()).map(rule).collect())]
        .into_iter()
        .chain(sheet.rows.iter().map(|row| line(escaped(row))))
        .collect();
    let title = if sheet.title.is_empty() { String::new() } else { format!("### {}", sheet.title) };
    let mut parts = vec![title, table.join("\n"), sheet.notes.join("\n")];
    parts.retain(|part| !part.is_empty());
    parts.join("\n\n")
}
