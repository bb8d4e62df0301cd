//! The page around a report: head, sections, tables, figures.

use crate::comparison::Verdict;
use crate::figures::Figure;
use crate::numbers::time;
use crate::sections::interactions::Change;
use crate::table::Table;
use figures::{escape, plot};

/// The colours of pages by name, light and dark.
pub const COLOURS: &str = include_str!("colours.css");

const STYLE: &str = include_str!("style.css");

/// Nothing is loaded and nothing is sent: only styles and scripts of the page itself act.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; base-uri 'none'; \
                      form-action 'none'";

/// A part of the page with a heading.
pub struct Section {
    pub id: String,
    pub title: String,
    pub body: String,
    fold: Fold,
}

/// Whether a reader can fold a section.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fold {
    Never,
    Open,
    Closed,
}

pub fn section(id: &str, title: &str, body: &str) -> Section {
    Section { id: id.to_owned(), title: title.to_owned(), body: body.to_owned(), fold: Fold::Never }
}

impl Section {
    /// The same with its body folded away, or open until a reader folds it.
    pub(super) fn folded(self, closed: bool) -> Self {
        Self { fold: if closed { Fold::Closed } else { Fold::Open }, ..self }
    }

    pub(super) fn html(&self) -> String {
        let (id, title, body) = (escape(&self.id), escape(&self.title), &self.body);
        let open = match self.fold {
            Fold::Never => return format!("<section id=\"{id}\">\n<h2>{title}</h2>\n{body}</section>\n"),
            Fold::Open => " open",
            Fold::Closed => "",
        };
        format!(
            "<section id=\"{id}\">\n<details class=\"part\"{open}>\n<summary><h2>{title}</h2></summary>\n{body}</details>\n</section>\n"
        )
    }
}

/// A page; `maker` is the command that writes it.
pub fn page(maker: &str, name: &str, status: &str, sections: &[Section]) -> String {
    opening_with("", maker, name, status, sections)
}

/// A page that opens with this HTML, above the links to its sections.
pub(super) fn opening_with(first: &str, maker: &str, name: &str, status: &str, sections: &[Section]) -> String {
    let link = |section: &Section| format!("<a href=\"#{}\">{}</a>\n", escape(&section.id), escape(&section.title));
    let links: String = sections.iter().map(link).collect();
    let parts: String = sections.iter().map(Section::html).collect();
    let (name, status) = (escape(name), escape(status));
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"generator\" content=\"posenc {}\">\n\
         <link rel=\"icon\" href=\"data:,\">\n<title>{name} – posenc</title>\n<style>\n{COLOURS}{STYLE}{}</style>\n</head>\n<body>\n\
         <header>\n<p class=\"maker\">{maker}</p>\n<h1>{name}</h1>\n<p class=\"status\">{status}</p>\n</header>\n\
         <main>\n{first}<nav aria-label=\"Sections\">\n{links}</nav>\n{parts}</main>\n</body>\n</html>\n",
        env!("CARGO_PKG_VERSION"),
        plot::STYLE
    )
}

/// A table that scrolls sideways if it is wider than the page. Screen readers read `label`.
pub(super) fn scrolling(label: &str, table: &str) -> String {
    let label = escape(label);
    format!("<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{label}\">{table}</div>\n")
}

/// A list; empty without lines.
pub(super) fn list(class: &str, lines: &[String]) -> String {
    let items: String = lines.iter().map(|line| format!("<li>{}</li>\n", escape(line))).collect();
    if lines.is_empty() { items } else { format!("<ul class=\"{class}\">\n{items}</ul>\n") }
}

/// A table with its title and notes; empty without rows.
pub fn table(table: &Table) -> String {
    if table.is_empty() {
        return String::new();
    }
    let class = |column: usize| if table.text_columns.contains(&column) { "word" } else { "number" };
    let heading = |(column, name): (usize, &String)| {
        format!("<th scope=\"col\" class=\"{}\">{}</th>", class(column), escape(name))
    };
    let header: String = table.header.iter().enumerate().map(heading).collect();
    let row = |cells: &Vec<String>| {
        let cells = cells.iter().enumerate().map(|(column, cell)| match column {
            0 => format!("<th scope=\"row\" class=\"word\">{}</th>", escape(cell)),
            _ => format!("<td class=\"{}\">{}</td>", class(column), escape(cell)),
        });
        format!("<tr>{}</tr>\n", cells.collect::<String>())
    };
    let rows: String = table.rows.iter().map(row).collect();
    let title = if table.title.is_empty() { String::new() } else { format!("<h3>{}</h3>\n", escape(&table.title)) };
    let notes: String = table.notes.iter().map(|note| format!("<p class=\"small\">{}</p>\n", escape(note))).collect();
    let label = if table.title.is_empty() { "table" } else { table.title.as_str() };
    let drawn = format!("<table>\n<thead><tr>{header}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table>");
    title + &scrolling(label, &drawn) + &notes
}

/// Figures side by side if there is room; empty without any.
pub fn figures(class: &str, figures: Vec<Figure>) -> String {
    let figure = |Figure { svg, title, caption, .. }: &Figure| {
        let (title, caption) = (escape(title), escape(caption));
        format!("<figure>\n<figcaption><b>{title}</b> {caption}</figcaption>\n{svg}</figure>\n")
    };
    let drawn: String = figures.iter().map(figure).collect();
    if drawn.is_empty() { drawn } else { format!("<div class=\"figures {class}\">\n{drawn}</div>\n") }
}

/// The badge of a verdict: its class, and a sign that needs no colours.
pub fn badge(verdict: Verdict) -> (&'static str, &'static str) {
    match verdict {
        Verdict::Better => ("better", "▲ better"),
        Verdict::Worse => ("worse", "▼ worse"),
        Verdict::Diverged => ("missing", "✕ diverged"),
        Verdict::ReferenceDiverged => ("missing", "✕ reference diverged"),
        Verdict::DependsOnTuning => ("open", "○ depends on tuning"),
        Verdict::Equivalent => ("equivalent", "≈ equivalent"),
        Verdict::Open => ("open", "○ open"),
        Verdict::Missing => ("missing", "? none"),
    }
}

/// The badge of an interaction, which is neither better nor worse.
pub(super) fn change_badge(change: Change) -> (&'static str, &'static str) {
    match change {
        Change::Shrinks => ("open", "↘ shrinks"),
        Change::Grows => ("open", "↗ grows"),
        Change::Reverses => ("open", "⇄ reverses"),
        Change::Changes => ("open", "∆ changes"),
        Change::NotDistinguishable => ("open", "○ open"),
        Change::Missing => ("missing", "? none"),
    }
}

/// A time in seconds since 1970 as `2026-11-20 17:25 UTC`.
pub fn utc(unix_s: f64) -> String {
    time(unix_s, "%Y-%m-%d %H:%M UTC")
}

#[cfg(test)]
mod tests {
    use super::STYLE;
    use figures::plot::PALETTE;

    #[test]
    fn printed_plots_have_the_colours_of_the_printed_page() {
        let print = STYLE.split("@media print").nth(1).expect("rules for print");
        for (name, colour, _) in PALETTE {
            assert!(print.contains(&format!("--{name}: {colour};")), "{name}");
        }
    }
}
