//! Plain tables for the terminal.

use comfy_table::{CellAlignment, ContentArrangement, LineStyle, Table, presets};
use facts::printable;

/// A table with a line under its header; columns named in `right` are aligned to the right.
pub fn table(header: &[&str], right: &[usize], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut table = Table::new();
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
