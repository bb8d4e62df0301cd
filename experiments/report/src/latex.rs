//! A report's tables as LaTeX, for a paper: `booktabs` and `siunitx` are not asked for, `\usepackage{booktabs}` is enough.

use super::model::Report;
use super::sheet::Sheet;
use super::{conclusions, tables, words};
use std::iter::once;

/// Draws a report: a `table` for each of its tables, in the order of the text.
#[must_use]
pub fn draw(report: &Report) -> String {
    let comment = |text: &str| text.lines().map(|line| format!("% {line}\n")).collect::<String>();
    let mut text = comment(&format!("{}: {}", report.experiment, words::status(report)));
    text += &comment(&words::primary(report));
    text += &comment(&format!("Verdicts: {}", conclusions::method(report)));
    for conclusion in conclusions::conclusions(report) {
        text += &comment(&conclusion.sentence);
    }
    if report.asked > 0 {
        text += &comment(&format!("Interactions: {}", conclusions::interactions_method(report)));
    }
    for conclusion in conclusions::interactions(report) {
        text += &comment(&conclusion.sentence);
    }
    report.warnings.iter().for_each(|warning| text += &comment(&format!("Warning: {warning}")));
    text += "% \\usepackage{booktabs}\n";
    let systems = tables::systems(report);
    text += &table(&systems, &systems.title);
    for game in &report.games {
        let main =
            tables::comparison(report, game).titled(&format!("{} ({})", report.primary.name, report.primary.unit));
        let sheets = once(main)
            .chain(tables::further(report, game))
            .chain(tables::slices(game))
            .chain(once(tables::costs(game)));
        for sheet in sheets {
            text += &table(&sheet, &format!("{}: {}", game.game, sheet.title));
        }
    }
    for sheet in tables::transfer(report) {
        text += &table(&sheet, &sheet.title);
    }
    text
}

fn table(sheet: &Sheet, caption: &str) -> String {
    if sheet.is_empty() {
        return String::new();
    }
    let columns: String =
        (0..sheet.header.len()).map(|column| if sheet.words.contains(&column) { 'l' } else { 'r' }).collect();
    let line = |cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|cell| escape(cell)).collect();
        format!("    {} \\\\\n", cells.join(" & "))
    };
    let rows: String = sheet.rows.iter().map(|row| line(row)).collect();
    format!(
        "\n\\begin{{table}}\n  \\centering\n  \\caption{{{}}}\n  \\begin{{tabular}}{{{columns}}}\n    \\toprule\n{}    \
         \\midrule\n{rows}    \\bottomrule\n  \\end{{tabular}}\n\\end{{table}}\n",
        escape(caption),
        line(&sheet.header)
    )
}

/// A text as LaTeX sets it: special characters escaped, signs and symbols by their commands.
fn escape(text: &str) -> String {
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
            '<' => out += "$<$",
            '>' => out += "$>$",
            '–' => out += "--",
            other => out.push(other),
        }
    }
    out
}
