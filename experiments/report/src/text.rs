//! A report as plain text, up to about 140 columns wide.
//!
//! No colours are used, so `NO_COLOR` holds by construction.

use super::model::{GameReport, Report};
use super::sheet::Sheet;
use super::{conclusions, controls, tables, words};

/// Draws a report.
#[must_use]
pub fn draw(report: &Report) -> String {
    let mut blocks = vec![head(report), verdicts(report)];
    blocks.push(interactions(report));
    blocks.push(tables::systems(report).text());
    blocks.extend(report.games.iter().map(|game| game_block(report, game)));
    blocks.extend(tables::transfer(report).iter().map(Sheet::text));
    let failures: Vec<String> = report.failures.iter().map(|cell| words::failure(cell).join("\n    ")).collect();
    blocks.push(list("failures", &failures));
    blocks.push(list("notes", &words::notes(report)));
    blocks.push(list("warnings", &report.warnings));
    blocks.retain(|block| !block.is_empty());
    blocks.join("\n\n") + "\n"
}

fn head(report: &Report) -> String {
    let mut lines = vec![format!("{}: {}", report.experiment, words::status(report))];
    lines.extend(report.question.as_ref().map(|question| format!("question: {}", question.trim())));
    lines.push(words::primary(report));
    lines.join("\n")
}

fn verdicts(report: &Report) -> String {
    let lines: Vec<String> = conclusions::conclusions(report).into_iter().map(|one| one.sentence).collect();
    list(&format!("verdicts ({})", conclusions::method(report)), &lines)
}

fn interactions(report: &Report) -> String {
    let lines: Vec<String> = conclusions::interactions(report).into_iter().map(|one| one.sentence).collect();
    list(&format!("interactions ({})", conclusions::interactions_method(report)), &lines)
}

fn game_block(report: &Report, game: &GameReport) -> String {
    let sources = match game.common_sources.as_slice() {
        [] => "no other position sources common to all rows".to_owned(),
        sources => format!("position sources common to all rows:\n  - {}", sources.join("\n  - ")),
    };
    let facts = [vec![game.game.clone()], words::facts(game)].concat();
    let mut comparison = format!("{}\n{}", facts.join(" · "), tables::comparison(report, game).text());
    if game.twin.is_none() {
        comparison += &format!("\n{}", words::NO_TWIN);
    }
    let mut parts = vec![comparison];
    parts.extend(tables::further(report, game).iter().map(Sheet::text));
    parts.extend(tables::slices(game).iter().map(Sheet::text));
    parts.push(format!("{}\n{sources}", tables::costs(game).text()));
    parts.push(list("matched controls", &controls::lines(game)));
    parts.retain(|part| !part.is_empty());
    parts.join("\n\n")
}

fn list(title: &str, lines: &[String]) -> String {
    if lines.is_empty() { String::new() } else { format!("{title}\n  {}", lines.join("\n  ")) }
}
