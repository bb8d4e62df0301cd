//! A report's tables as LaTeX, for a paper; they need `\usepackage{booktabs}` and nothing else.

use super::document::{Block, blocks};
use super::model::Report;
use super::table::Table;

/// Draws a report: a `table` for each of its tables and comments for its sentences and notes, in the order of the text. A comment is
/// one line, since the texts of blocks are.
pub fn draw(report: &Report) -> String {
    let comment = |text: &str| format!("% {text}\n");
    let comments = |texts: &[String]| texts.iter().map(|text| comment(text)).collect::<String>();
    let mut text = String::new();
    for block in blocks(report) {
        text += &match block {
            Block::Title(name, status) => comment(&format!("{name}: {status}")) + "% \\usepackage{booktabs}\n",
            Block::Remark(label, remark) => comment(&format!("{label}: {remark}")),
            Block::List(title, method, lines) => comment(&format!("{title}: {method}")) + &comments(&lines),
            Block::Game(name, facts) => comment(&format!("{name}: {facts}")),
            Block::Table(None, own) => table(&own, &own.title) + &comments(&own.notes),
            Block::Table(Some(game), own) => table(&own, &format!("{game}: {}", own.title)) + &comments(&own.notes),
        };
    }
    text
}

fn table(table: &Table, caption: &str) -> String {
    let columns: String =
        (0..table.header.len()).map(|column| if table.text_columns.contains(&column) { 'l' } else { 'r' }).collect();
    let line = |cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|cell| escape(cell)).collect();
        // After the end of a row, TeX would take these for the options of that end.
        let guard = if cells.first().is_some_and(|cell| cell.starts_with(['[', '*'])) { "{}" } else { "" };
        format!("    {guard}{} \\\\\n", cells.join(" & "))
    };
    let rows: String = table.rows.iter().map(|row| line(row)).collect();
    format!(
        "\n\\begin{{table}}\n  \\centering\n  \\caption{{{}}}\n  \\begin{{tabular}}{{{columns}}}\n    \\toprule\n{}    \
         \\midrule\n{rows}    \\bottomrule\n  \\end{{tabular}}\n\\end{{table}}\n",
        escape(caption),
        line(&table.header)
    )
}

/// A text as LaTeX sets it: special characters escaped, signs and symbols by their commands. ▲ and ▼ need `amssymb`.
pub fn escape(text: &str) -> String {
    let mut out = String::new();
    for character in text.chars() {
        match character {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => out.extend(['\\', character]),
            '\\' => out += "\\textbackslash{}",
            '~' => out += "\\textasciitilde{}",
            '^' => out += "\\textasciicircum{}",
            '−' => out += "$-$",
            '±' => out += "$\\pm$",
            '×' => out += "$\\times$",
            '†' => out += "$\\dagger$",
            '≥' => out += "$\\ge$",
            '≤' => out += "$\\le$",
            '●' => out += "$\\bullet$",
            '◐' => out += "$\\circ$",
            '·' => out += "$\\cdot$",
            '→' => out += "$\\to$",
            '°' => out += "$^\\circ$",
            '²' => out += "$^2$",
            '³' => out += "$^3$",
            '₂' => out += "$_2$",
            'α' => out += "$\\alpha$",
            'Δ' => out += "$\\Delta$",
            'θ' => out += "$\\theta$",
            'ρ' => out += "$\\rho$",
            'τ' => out += "$\\tau$",
            '<' => out += "$<$",
            '>' => out += "$>$",
            '–' => out += "--",
            char::REPLACEMENT_CHARACTER => out.push('?'),
            '▲' => out += "$\\blacktriangle$",
            '▼' => out += "$\\blacktriangledown$",
            '∞' => out += "$\\infty$",
            '…' => out += "\\ldots{}",
            other => out.push(other),
        }
    }
    out
}
