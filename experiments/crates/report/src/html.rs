//! A report as one HTML page: no scripts, no other files, light and dark, for screen and paper.

mod page;

use super::document::capitalised;
use super::figures::{Figure, Look, gaps, plots, sensitivity};
use super::model::{GameReport, Report};
use super::plot::Medium;
pub use super::plot::canvas::escape;
use super::table::Table;
use super::{conclusions, phrases, tables};
use page::{details, figures, list, section, table};

pub fn draw(report: &Report) -> String {
    let mut sections = vec![section("question", "Question", &question(report)), verdicts(report)];
    sections.push(section("warnings", "Warnings", &list("warnings", &report.warnings)));
    sections.push(section("systems", "All systems", &table(&tables::systems(report).titled(""))));
    sections.extend(report.games.iter().map(|game| of_game(report, game)));
    sections.push(across(report));
    sections.push(section("movements", "Movements of heads", &table(&tables::movements(report))));
    let failures: Vec<String> = report.failures.iter().map(|cell| phrases::failure(cell).join(" — ")).collect();
    sections.push(section("failures", "Failures", &list("failures", &failures)));
    sections.push(section("reading", "Notes", &list("notes", &phrases::notes(report))));
    sections.push(section("provenance", "Provenance", &provenance(report)));
    sections.retain(|section| !section.body.is_empty());
    page::page(&report.experiment, &phrases::status(report), &sections)
}

fn question(report: &Report) -> String {
    let expected = |text: &String| format!("<p class=\"expect\"><b>Expectation.</b> {}</p>\n", escape(text.trim()));
    let mut html: String =
        report.question.iter().map(|text| format!("<p class=\"question\">{}</p>\n", escape(text.trim()))).collect();
    html.extend(report.expect.iter().map(expected));
    html + &format!("<p>{}: {}</p>\n", phrases::PRIMARY_METRIC, escape(&phrases::primary(report)))
}

fn verdicts(report: &Report) -> page::Section {
    let all = conclusions::conclusions(report);
    let items = all.iter().map(|one| (page::badge(one.verdict), &one.sentence[..]));
    let body = answers(items, &conclusions::method(report));
    let body = body + &interactions(report);
    section("verdicts", "Verdicts", &body)
}

/// The conclusions of the interactions.
fn interactions(report: &Report) -> String {
    let all = conclusions::interactions(report);
    let items = all.iter().map(|one| (page::change_badge(one.change), &one.sentence[..]));
    match answers(items, &conclusions::interactions_method(report)) {
        list if list.is_empty() => list,
        list => format!("<h3>Interactions</h3>\n{list}"),
    }
}

/// Sentences with their badges, and their method; empty without a sentence.
fn answers<'a>(all: impl Iterator<Item = ((&'static str, &'static str), &'a str)>, method: &str) -> String {
    let item = |((class, sign), sentence): ((&str, &str), &str)| {
        let sentence = escape(sentence);
        format!("<li class=\"{class}\"><span class=\"badge\" aria-hidden=\"true\">{sign}</span>{sentence}</li>\n")
    };
    let items: String = all.map(item).collect();
    if items.is_empty() {
        return items;
    }
    format!("<ul class=\"verdicts\">\n{items}</ul>\n<p class=\"small\">{}</p>\n", escape(method))
}

fn of_game(report: &Report, game: &GameReport) -> page::Section {
    let name = &game.game;
    let look = Look::of(report, Medium::Page);
    let mut html = format!("<p class=\"facts\">{}</p>\n", escape(&phrases::facts(game).join(" · ")));
    html += &figures("one", plots::forest(report, game, &look).into_iter().collect());
    html += &table(&tables::comparison(report, game));
    html += &figures("one", gaps::gaps(report, game, &look));
    html += &figures("two", plots::curves(report, game, &look));
    html += &figures("two", sensitivity::sensitivity(game, &look));
    html += &figures("three", plots::cost(report, game, &look));
    html += &tables::further(report, game).iter().map(table).collect::<String>();
    let slices = plots::slices(game, &look);
    if !slices.is_empty() {
        html += &format!("<h3>Differences by slice</h3>\n{}", figures("two", slices));
    }
    html += &tables::slices(game).iter().map(table).collect::<String>();
    html += &table(&tables::costs(game));
    html += &page::named_list("Matched controls", &phrases::controls(game));
    section(name, &capitalised(name), &html)
}

fn across(report: &Report) -> page::Section {
    let look = Look::of(report, Medium::Page);
    let plots: Vec<Figure> =
        report.transfer.iter().filter_map(|transfer| plots::transfer(report, transfer, &look)).collect();
    let tables: String = tables::transfer(report).iter().map(table).collect();
    let title = match report.transfer.first() {
        Some(transfer) => format!("{} against {}", capitalised(&transfer.games[0]), transfer.games[1]),
        None => String::new(),
    };
    section("across", &title, &(figures("square", plots) + &tables))
}

fn provenance(report: &Report) -> String {
    let origin = &report.provenance;
    let mut lines: Vec<String> = origin.programs.clone();
    lines.push(format!("seeds {}", origin.seeds.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")));
    lines.extend(origin.datasets.iter().map(|data| {
        let [train, validation, test] = data.positions.map(facts::grouped);
        format!(
            "dataset {} (content {}): {train} training, {validation} validation, {test} test positions",
            data.name, data.content_hash
        )
    }));
    lines.extend(
        origin
            .began
            .map(|(first, last)| format!("the first cell began {}, the last {}", page::utc(first), page::utc(last))),
    );
    let cells = Table::new(
        ["cell", "final weights (BLAKE3)", "batches (BLAKE3 chain)"],
        &[0, 1, 2],
        origin.cells.iter().map(|cell| vec![cell.folder.clone(), cell.weights.clone(), cell.batches.clone()]),
    );
    let count = origin.cells.len();
    list("notes", &lines) + &details(&format!("Fingerprints of {count} finished cells"), &table(&cells))
}
