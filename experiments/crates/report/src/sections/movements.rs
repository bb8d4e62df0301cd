//! Which movements the heads of inspected cells follow.

use crate::model::Report;
use crate::name::readable;
use crate::table::{ABSENT, Table};
use records::inspected::{RowMovements, listed};

/// A line for each row with inspected cells; empty without any.
pub(crate) fn table(report: &Report) -> Table {
    if report.movements.is_empty() {
        return Table::default();
    }
    let list = |numbers: &[usize]| numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    let row = |row: &RowMovements| {
        let kinds: Vec<String> =
            row.movements.iter().map(|(kind, counts)| format!("{kind} {}", list(counts))).collect();
        vec![
            readable(&row.row),
            row.game.name().to_owned(),
            row.seeds.iter().map(u64::to_string).collect::<Vec<_>>().join(", "),
            row.heads.to_string(),
            list(&row.named),
            listed(&row.control),
            if kinds.is_empty() { ABSENT.to_owned() } else { kinds.join("; ") },
        ]
    };
    let header = ["row", "game", "seeds", "heads", "named", "named with random weights", "movements"];
    let note = "Heads of inspected cells (`posenc inspect`) whose position term follows a movement of a piece beyond \
                distance; numbers are in the order of the seeds.";
    Table::new(header, &[0, 1, 2, 4, 5, 6], report.movements.iter().map(row)).noted(vec![note.to_owned()])
}
