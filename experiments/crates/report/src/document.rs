//! A report as a list of blocks, which text, Markdown and LaTeX draw in this order. Their texts are printable: each is one line
//! without control characters.

use super::model::{GameReport, Report};
use super::sections::interactions::{self, Change};
use super::sections::{
    budgets, costs, heads, notes, precision, scaling, sizes, slices, strength, systems, ties, training, transfer,
    tuning, verdicts,
};
use super::table::Table;
use facts::printable;

pub(super) enum Block {
    Title(String, String),
    Remark(&'static str, String),
    /// A list with a title, the method of its conclusions (or an empty text) and its lines.
    List(&'static str, String, Vec<String>),
    /// The name of a game, before its tables, and facts about its data.
    Game(String, String),
    /// A table with the game that it belongs to; it has rows.
    Table(Option<String>, Table),
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
    let mut blocks = vec![Block::Title(report.experiment.clone(), notes::status(report))];
    let remark = |label, text: &Option<String>| text.as_ref().map(|text| Block::Remark(label, text.trim().to_owned()));
    blocks.extend(remark("question", &report.question));
    blocks.extend(remark("expectation", &report.expect));
    blocks.push(Block::Remark(notes::PRIMARY_METRIC, notes::primary(report)));
    let verdicts = verdicts::sentences(report).into_iter().map(|(_, sentence)| sentence).collect();
    blocks.push(Block::List("verdicts", verdicts::method(report), verdicts));
    let (method, answers) = interaction_answers(report);
    let answers = answers.into_iter().map(|(_, sentence)| sentence).collect();
    blocks.push(Block::List("interactions", method, answers));
    blocks.push(list("warnings", report.warnings.clone()));
    blocks.push(Block::Table(None, systems::table(report)));
    blocks.extend(report.games.iter().flat_map(|game| of_game(report, game)));
    blocks.extend(report.transfer.iter().map(|transfer| Block::Table(None, transfer::table(transfer))));
    let failures = report.failures.iter().map(|cell| notes::failure(cell).join("; ")).collect();
    blocks.push(list("failures", failures));
    blocks.push(list("notes", notes::notes(report)));
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
    let mut tables = vec![verdicts::table(report, game)];
    tables.extend(further(report, game));
    tables.extend(slices::tables(&game.slices));
    tables.push(costs::table(game));
    let mut blocks = vec![Block::Game(game.game.clone(), notes::facts(game).join(" · "))];
    blocks.extend(tables.into_iter().map(|table| Block::Table(Some(game.game.clone()), table)));
    blocks.push(list("matched controls", costs::controls(game)));
    blocks
}

/// The tables of a game between that of its verdicts and those of its slices.
pub(super) fn further(report: &Report, game: &GameReport) -> Vec<Table> {
    let mut tables = vec![ties::table(game.ties.as_ref(), &report.primary), interactions::table(&game.interactions)];
    tables.extend(heads::metrics(game, &report.primary));
    tables.push(training::table(report, game));
    tables.extend(heads::phases(game));
    tables.push(precision::table(report, game));
    tables.extend(tuning::tables(game.tuning.as_ref()));
    tables.extend(game.sizes.as_ref().map(sizes::table));
    tables.extend(game.budgets.as_ref().map(budgets::table));
    tables.extend(game.scaling.iter().flat_map(|scaling| scaling::tables(scaling, &report.primary)));
    tables.extend(game.strength.iter().map(|asked| strength::table(&report.primary, asked)));
    tables.retain(|table| !table.is_empty());
    tables
}

/// How the interactions of a report were tested, and what came out.
pub(super) fn interaction_answers(report: &Report) -> (String, Vec<(Change, String)>) {
    let all = report.games.iter().flat_map(|game| &game.interactions);
    let answers = |game: &GameReport| interactions::answers(&game.game, &game.interactions, &report.primary);
    (interactions::method(all, report.interaction_family), report.games.iter().flat_map(answers).collect())
}

/// A text with its first letter in upper case.
pub(super) fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}
