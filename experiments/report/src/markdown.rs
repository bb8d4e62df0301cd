//! A report as Markdown, with tables in GitHub's form.

use super::document::{Block, blocks, capitalised};
use super::model::Report;
use super::table::Table;

/// Draws a report.
#[must_use]
pub fn draw(report: &Report) -> String {
    let blocks = blocks(report).into_iter().map(|block| match block {
        Block::Title(name, status) => format!("# {name}\n\n{status}"),
        Block::Remark(label, text) => format!("**{}.** {text}", capitalised(label)),
        Block::List(title, method, lines) => {
            let method = if method.is_empty() { method } else { format!("{}.\n\n", capitalised(&method)) };
            format!("### {}\n\n{method}- {}", capitalised(title), lines.join("\n- "))
        }
        Block::Game(name, facts) if facts.is_empty() => format!("## {name}"),
        Block::Game(name, facts) => format!("## {name}\n\n{facts}"),
        Block::Table(_, table) => draw_table(&table),
    });
    blocks.collect::<Vec<_>>().join("\n\n") + "\n"
}

/// A table in GitHub's form, with its title and notes; empty without rows.
#[must_use]
pub fn draw_table(table: &Table) -> String {
    if table.is_empty() {
        return String::new();
    }
    let line = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
    let escaped = |cells: &[String]| cells.iter().map(|cell| cell.replace('|', "\\|")).collect::<Vec<_>>();
    let rule = |column| if table.text_columns.contains(&column) { "---" } else { "---:" }.to_owned();
    let lines: Vec<String> = [line(escaped(&table.header)), line((0..table.header.len()).map(rule).collect())]
        .into_iter()
        .chain(table.rows.iter().map(|row| line(escaped(row))))
        .collect();
    let title = if table.title.is_empty() { String::new() } else { format!("### {}", table.title) };
    let mut parts = vec![title, lines.join("\n"), table.notes.join("\n")];
    parts.retain(|part| !part.is_empty());
    parts.join("\n\n")
}
