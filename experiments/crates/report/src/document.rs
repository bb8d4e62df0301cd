//! A report as a list of blocks, which text, Markdown and LaTeX draw in this order. Their texts are printable: each is one line
//! without control characters.

use super::model::{GameReport, Report};
use super::table::Table;
use super::{conclusions, phrases, tables};
use facts::printable;
use std::iter::once;

/// A part of a document.
pub(super) enum Block {
    /// The experiment's name and status.
    Title(String, String),
    Remark(&'static str, String),
    /// A list with a title, the method of its conclusions (or an empty text) and its lines.
    List(&'static str, String, Vec<String>),
    /// The name of a game, before its tables, and facts about its data.
    Game(String, String),
    /// A table with the game that it belongs to; it has rows.
    Table(Option<String>, Table),
}

/// Every table of a report that has rows, with the game that it belongs to, in the order of the report.
pub fn printed_tables(report: &Report) -> Vec<(Option<String>, Table)> {
    let table = |block: Block| match block {
        Block::Table(game, table) => Some((game, table)),
        _ => None,
    };
    blocks(report).into_iter().filter_map(table).collect()
}

impl Block {
    fn printable(self) -> Self {
        match self {
            Self::Title(name, status) => Self::Title(printable(&name), printable(&status)),
            Self::Remark(label, text) => Self::Remark(label, printable(&text)),
            Self::List(title, method, lines) => {
                Self::List(title, printable(&method), lines.iter().map(|line| printable(line)).collect())
            }
            Self::Game(name, facts) => Self::Game(printable(&name), printable(&facts)),
            Self::Table(game, table) => Self::Table(game, table.printable()),
        }
    }
}

/// The blocks of a report; lists without lines and tables without rows are left out.
pub(super) fn blocks(report: &Report) -> Vec<Block> {
    let mut blocks = vec![Block::Title(report.experiment.clone(), phrases::status(report))];
    let remark = |label, text: &Option<String>| text.as_ref().map(|text| Block::Remark(label, text.trim().to_owned()));
    blocks.extend(remark("question", &report.question));
    blocks.extend(remark("expectation", &report.expect));
    blocks.push(Block::Remark(phrases::PRIMARY_METRIC, phrases::primary(report)));
    let verdicts = conclusions::conclusions(report).into_iter().map(|one| one.sentence).collect();
    blocks.push(Block::List("verdicts", conclusions::method(report), verdicts));
    let answers = conclusions::interactions(report).into_iter().map(|one| one.sentence).collect();
    blocks.push(Block::List("interactions", conclusions::interactions_method(report), answers));
    blocks.push(list("warnings", report.warnings.clone()));
    blocks.push(Block::Table(None, tables::systems(report)));
    blocks.extend(report.games.iter().flat_map(|game| of_game(report, game)));
    blocks.extend(tables::transfer(report).into_iter().map(|table| Block::Table(None, table)));
    let failures = report.failures.iter().map(|cell| phrases::failure(cell).join("; ")).collect();
    blocks.push(list("failures", failures));
    blocks.push(list("notes", phrases::notes(report)));
    blocks.retain(|block| match block {
        Block::List(_, _, lines) => !lines.is_empty(),
        Block::Table(_, table) => !table.is_empty(),
        _ => true,
    });
    blocks.into_iter().map(Block::printable).collect()
}

fn list(title: &'static str, lines: Vec<String>) -> Block {
    Block::List(title, String::new(), lines)
}

fn of_game(report: &Report, game: &GameReport) -> Vec<Block> {
    let tables = once(tables::comparison(report, game))
        .chain(tables::further(report, game))
        .chain(tables::slices(game))
        .chain(once(tables::costs(game)));
    let controls = list("matched controls", phrases::controls(game));
    let head = Block::Game(game.game.clone(), phrases::facts(game).join(" · "));
    let tables = tables.map(|table| Block::Table(Some(game.game.clone()), table));
    once(head).chain(tables).chain(once(controls)).collect()
}

/// A text with its first letter in upper case.
pub(super) fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}
