//! A table before it has a format: text, Markdown, LaTeX and HTML draw it.

use comfy_table::{CellAlignment, ContentArrangement, LineStyle, presets};
use facts::columns::wrapped;
use facts::printable;

/// A value that is not there yet, or does not exist.
pub const ABSENT: &str = "–";

/// The heading of the rows' names.
pub(super) const ROW: &str = "row";

/// A header, rows of cells and notes.
///
/// ```
/// use report::markdown::draw_table;
/// use report::table::Table;
///
/// let table = Table::new(["row", "loss"], &[0], [vec!["shaw".to_owned(), "2.313".to_owned()]]);
/// assert_eq!(draw_table(&table), "| row | loss |\n| --- | ---: |\n| shaw | 2.313 |");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Table {
    pub title: String,
    pub header: Vec<String>,
    /// The columns of text, which are aligned to the left; all others hold numbers.
    pub text_columns: Vec<usize>,
    /// The rows, each as long as the header.
    pub rows: Vec<Vec<String>>,
    /// Notes below it, a line each.
    pub notes: Vec<String>,
}

impl Table {
    /// A table without title and notes.
    pub fn new<S: Into<String>>(
        header: impl IntoIterator<Item = S>,
        text_columns: &[usize],
        rows: impl IntoIterator<Item = Vec<String>>,
    ) -> Self {
        let header = header.into_iter().map(Into::into).collect();
        Self { header, text_columns: text_columns.to_vec(), rows: rows.into_iter().collect(), ..Self::default() }
    }

    /// A table of named columns, the first of text.
    pub(super) fn of_columns(columns: Vec<(String, Vec<String>)>) -> Self {
        let (header, mut columns): (Vec<String>, Vec<_>) =
            columns.into_iter().map(|(name, cells)| (name, cells.into_iter())).unzip();
        let rows = std::iter::from_fn(|| columns.iter_mut().map(Iterator::next).collect::<Option<Vec<String>>>());
        let rows: Vec<Vec<String>> = if header.is_empty() { Vec::new() } else { rows.collect() };
        Self::new(header, &[0], rows)
    }

    pub fn titled(self, title: &str) -> Self {
        Self { title: title.to_owned(), ..self }
    }

    /// The same with further notes.
    pub(super) fn noted<S: Into<String>>(mut self, notes: impl IntoIterator<Item = S>) -> Self {
        self.notes.extend(notes.into_iter().map(Into::into));
        self
    }

    /// The same without the columns in which no row has a value.
    pub(super) fn without_empty_columns(self) -> Self {
        let has_value = |column: &usize| self.rows.iter().any(|row| !matches!(&row[*column][..], ABSENT | "n/a"));
        let kept: Vec<usize> = (0..self.header.len()).filter(has_value).collect();
        let keep = |cells: &Vec<String>| kept.iter().map(|&column| cells[column].clone()).collect::<Vec<String>>();
        Self {
            header: keep(&self.header),
            text_columns: (0..kept.len()).filter(|&column| self.text_columns.contains(&kept[column])).collect(),
            rows: self.rows.iter().map(keep).collect(),
            ..self
        }
    }

    pub(super) fn printable(&self) -> Self {
        let all = |texts: &Vec<String>| texts.iter().map(|text| printable(text)).collect::<Vec<String>>();
        Self {
            title: printable(&self.title),
            header: all(&self.header),
            text_columns: self.text_columns.clone(),
            rows: self.rows.iter().map(all).collect(),
            notes: all(&self.notes),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The table for a terminal, title and notes included; empty without rows.
    pub fn text(&self) -> String {
        if self.is_empty() {
            return String::new();
        }
        let Self { title, header, text_columns, rows, notes } = self.printable();
        let header: Vec<&str> = header.iter().map(String::as_str).collect();
        let right: Vec<_> = (0..header.len()).filter(|column| !text_columns.contains(column)).collect();
        let table = table(&header, &right, rows);
        let mut parts = vec![title, table.trim_end().to_owned()];
        parts.extend(notes.iter().map(|note| wrapped(note, COLUMNS, "")));
        parts.retain(|part| !part.is_empty());
        parts.join("\n")
    }
}

/// Columns of a note in a terminal.
const COLUMNS: usize = 120;

/// A plain table for a terminal, with a line under its header; columns named in `right` are aligned to the right.
pub fn table(header: &[&str], right: &[usize], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut table = comfy_table::Table::new();
    table.load_style(presets::NOTHING.header_separator(LineStyle::none().fill('─').junction('─')));
    table.set_content_arrangement(ContentArrangement::Disabled);
    let shown = |cells: Vec<String>| cells.iter().map(|cell| printable(cell)).collect::<Vec<String>>();
    let header = header.iter().map(|name| printable(name)).collect::<Vec<String>>();
    table.set_header(header).add_rows(rows.into_iter().map(shown));
    for &column in right {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.column_iter_mut().for_each(|column| {
        column.set_padding((0, 1));
    });
    table.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}
