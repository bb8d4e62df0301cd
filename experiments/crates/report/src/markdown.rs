//! A report as Markdown, with tables in GitHub's form.

mod escape;

use super::document::{Block, blocks, capitalised};
use super::model::Report;
use super::table::Table;
use escape::{escape, escape_cell};

pub fn draw(report: &Report) -> String {
    let blocks = blocks(report).into_iter().map(|block| match block {
        Block::Title(name, status) => format!("# {}\n\n{}", escape(&name), escape(&status)),
        Block::Remark(label, text) => format!("**{}.** {}", capitalised(label), escape(&text)),
        Block::List(title, method, lines) => {
            let method = if method.is_empty() { method } else { format!("{}.\n\n", escape(&capitalised(&method))) };
            let lines: Vec<String> = lines.iter().map(|line| escape(line)).collect();
            format!("### {}\n\n{method}- {}", capitalised(title), lines.join("\n- "))
        }
        Block::Game(name, facts) if facts.is_empty() => format!("## {}", escape(&name)),
        Block::Game(name, facts) => format!("## {}\n\n{}", escape(&name), escape(&facts)),
        Block::Table(_, table) => draw_table(&table),
    });
    blocks.collect::<Vec<_>>().join("\n\n") + "\n"
}

/// A table in GitHub's form, with its title and notes; empty without rows.
pub fn draw_table(table: &Table) -> String {
    if table.is_empty() {
        return String::new();
    }
    let line = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
    let cells = |texts: &[String]| texts.iter().map(|text| escape_cell(text)).collect::<Vec<_>>();
    let rule = |column| if table.text_columns.contains(&column) { "---" } else { "---:" }.to_owned();
    let lines: Vec<String> = [line(cells(&table.header)), line((0..table.header.len()).map(rule).collect())]
        .into_iter()
        .chain(table.rows.iter().map(|row| line(cells(row))))
        .collect();
    let title = if table.title.is_empty() { String::new() } else { format!("### {}", escape(&table.title)) };
    let notes: Vec<String> = table.notes.iter().map(|note| escape(note)).collect();
    let mut parts = vec![title, lines.join("\n"), notes.join("\n")];
    parts.retain(|part| !part.is_empty());
    parts.join("\n\n")
}
