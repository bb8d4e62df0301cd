//! A report as one HTML page: no other files, light and dark, for screen and paper. It opens with the curves over positions if the grid
//! has budgets, the hero figure and one table; the details are folded. A script filters and sorts one table; everything is there
//! without it.

mod answer;
pub mod page;
mod rows;

use super::document::{capitalised, further, interaction_answers};
use super::figures::{Figure, Styles};
use super::model::{GameReport, Report};
use super::order::by_effect;
use super::sections::{
    costs, gaps, interactions, named_heads, notes, scaling, slices, systems, training, transfer, tuning,
    verdicts as judged,
};
use super::table::Table;
use figures::escape;
use figures::plot::Medium;
use page::{Section, figures, list, section, table};

pub fn draw(report: &Report) -> String {
    let report = &by_effect(report);
    let first = answer::hero(report) + &section("results", "Results", &answer::table(report)).html();
    let mut sections = vec![
        section("warnings", "Warnings", &list("warnings", &report.warnings)).folded(false),
        section("question", "Question", &question(report)).folded(false),
        verdicts(report),
        details("rows", "All rows and their settings", &rows::table(report)),
        details("systems", "All systems", &table(&systems::table(report).titled(""))),
    ];
    sections.extend(report.games.iter().flat_map(|game| of_game(report, game)));
    sections.push(across_games(report));
    sections.push(details("movements", "Movements of heads", &table(&named_heads::table(&report.movements))));
    let failures: Vec<String> = report.failures.iter().map(|cell| notes::failure(cell).join(" — ")).collect();
    sections.push(section("failures", "Failures", &list("failures", &failures)).folded(false));
    sections.push(details("reading", "Notes", &list("notes", &notes::notes(report))));
    sections.push(details("provenance", "Provenance", &provenance(report)));
    sections.retain(|section| !section.body.is_empty());
    page::opening_with(&first, "posenc report", &report.experiment, &notes::status(report), &sections)
}

/// A section that is folded away.
fn details(id: &str, title: &str, body: &str) -> Section {
    section(id, title, body).folded(true)
}

fn question(report: &Report) -> String {
    let expected = |text: &String| format!("<p class=\"expect\"><b>Expectation.</b> {}</p>\n", escape(text.trim()));
    let mut html: String =
        report.question.iter().map(|text| format!("<p class=\"question\">{}</p>\n", escape(text.trim()))).collect();
    html.extend(report.expect.iter().map(expected));
    html + &format!("<p>{}: {}</p>\n", notes::PRIMARY_METRIC, escape(&notes::primary(report)))
}

fn verdicts(report: &Report) -> Section {
    let all = judged::sentences(report);
    let items = all.iter().map(|(verdict, sentence)| (page::badge(*verdict), &sentence[..]));
    let body = answers(items, &judged::method(report));
    let (method, all) = interaction_answers(report);
    let items = all.iter().map(|(change, sentence)| (page::change_badge(*change), &sentence[..]));
    let interactions = answers(items, &method) + &figures("three", gaps::figures(report, Medium::Page));
    details("verdicts", "Verdicts in sentences", &(body + &with_heading("Interactions", interactions)))
}

/// A part of a section with its heading; empty without a body.
fn with_heading(title: &str, body: String) -> String {
    if body.is_empty() { body } else { format!("<h3>{title}</h3>\n{body}") }
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

/// The parts of a game: its differences, its training, its costs and its slices.
fn of_game(report: &Report, game: &GameReport) -> [Section; 4] {
    let (name, title) = (&game.game, capitalised(&game.game));
    let styles = styles(report);
    let mut differences = format!("<p class=\"facts\">{}</p>\n", escape(&notes::facts(game).join(" · ")));
    differences += &figures("one", judged::figure(report, game, &styles).into_iter().collect());
    differences += &table(&judged::table(report, game));
    differences += &figures("one", interactions::figures(name, &game.interactions, &report.primary, &styles));
    // The first is on top of the page.
    let curves = scaling::figures(name, &game.scaling, &report.primary, styles.medium).into_iter().skip(1);
    differences += &figures("one", curves.collect());
    differences += &further(report, game).iter().map(table).collect::<String>();
    let mut training = figures("two", training::figures(report, game, &styles));
    training += &figures("two", tuning::figures(name, game.tuning.as_ref(), &game.rows, &styles));
    let mut costs = figures("three", costs::figures(report, game, &styles));
    costs += &table(&costs::table(game));
    costs += &with_heading("Matched controls", list("notes", &costs::controls(game)));
    let mut slices = figures("two", slices::figures(name, &game.slices, &styles));
    slices += &slices::tables(&game.slices).iter().map(table).collect::<String>();
    [
        details(name, &format!("{title}: differences, precision and other metrics"), &differences),
        details(&format!("{name}-training"), &format!("{title}: learning curves and sensitivity"), &training),
        details(&format!("{name}-costs"), &format!("{title}: parameters, operations and time"), &costs),
        details(&format!("{name}-slices"), &format!("{title}: differences by slice"), &slices),
    ]
}

fn styles(report: &Report) -> Styles {
    Styles::of(report.games.iter().flat_map(|game| &game.rows), Medium::Page)
}

fn across_games(report: &Report) -> Section {
    let styles = styles(report);
    let plots: Vec<Figure> =
        report.transfer.iter().filter_map(|transfer| transfer::figure(&report.primary, transfer, &styles)).collect();
    let tables: String = report.transfer.iter().map(|transfer| table(&transfer::table(transfer))).collect();
    let title = match report.transfer.first() {
        Some(transfer) => format!("{} against {}", capitalised(&transfer.games[0]), transfer.games[1]),
        None => String::new(),
    };
    details("across", &title, &(figures("square", plots) + &tables))
}

fn provenance(report: &Report) -> String {
    let origin = &report.provenance;
    let mut lines: Vec<String> = origin.programs.clone();
    lines.push(format!("seeds {}", origin.seeds.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")));
    lines.extend(origin.datasets.iter().map(|data| {
        let positions = [data.train_positions, data.validation_positions, data.test_positions];
        let [train, validation, test] = positions.map(facts::grouped);
        format!(
            "dataset {} (content {}): {train} training, {validation} validation, {test} test positions",
            data.name, data.content_hash
        )
    }));
    let tests = origin.datasets.iter().filter_map(|data| data.test.as_ref());
    lines.extend(tests.map(|test| format!("test games of {} (content {})", test.name, test.content_hash)));
    let began = origin.began.map(|(first, last)| [first, last].map(page::utc));
    lines.extend(began.map(|[first, last]| format!("the first cell began {first}, the last {last}")));
    let cells = Table::new(
        ["cell", "final weights (BLAKE3)", "batches (BLAKE3 chain)"],
        &[0, 1, 2],
        origin.cells.iter().map(|(folder, of)| vec![folder.clone(), of.weights.clone(), of.batches.clone()]),
    );
    let count = origin.cells.len();
    let fingerprints = match table(&cells) {
        table if table.is_empty() => table,
        table => format!(
            "<details class=\"fingerprints\">\n<summary>Fingerprints of {count} finished cells</summary>\n{table}</details>\n"
        ),
    };
    list("notes", &lines) + &fingerprints
}
