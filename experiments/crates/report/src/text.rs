//! A report as plain text. Tables are as wide as their cells need, in a terminal as in a pipe.
//!
//! No colours are used, so `NO_COLOR` holds by construction.

use super::document::{Block, blocks};
use super::model::Report;

pub fn draw(report: &Report) -> String {
    let mut text = String::new();
    for block in blocks(report) {
        let (separator, block) = match block {
            Block::Title(name, status) => ("", format!("{name}: {status}")),
            Block::Remark(label, remark) => ("\n", format!("{label}: {remark}")),
            Block::List(title, method, lines) => {
                let method = if method.is_empty() { method } else { format!(" ({method})") };
                ("\n\n", format!("{title}{method}\n  {}", lines.join("\n  ")))
            }
            Block::Game(name, facts) if facts.is_empty() => ("\n\n", name),
            Block::Game(name, facts) => ("\n\n", format!("{name} · {facts}")),
            Block::Table(_, table) => ("\n\n", table.text()),
        };
        text += separator;
        text += &block;
    }
    text + "\n"
}
