//! Heads on a terminal: at most 18 lines of 80 columns.

use super::tables::{fits, named, percent, untested};
use facts::row_name::readable;
use records::inspected::{HeadRecord, Inspected, RowMovements, by_row};
use report::table::table;

/// Lines of a table without its header.
const LINES: usize = 12;
/// Columns of a row's name, and of the last column.
const NAME: usize = 26;
const LAST: usize = 32;

/// The heads of one cell, or the rows of several.
pub fn text(cells: &[Inspected]) -> String {
    let heads = match cells {
        [cell] => of_cell(cell),
        cells => of_rows(cells),
    };
    let untested = untested(cells);
    if untested.is_empty() { heads } else { format!("{heads}{untested}\n") }
}

fn of_cell(cell: &Inspected) -> String {
    let fit = |head: &HeadRecord| named(head).map(|(_, found)| found.fit);
    let mut heads: Vec<&HeadRecord> = cell.heads.iter().collect();
    if heads.len() > LINES {
        heads.sort_by(|a, b| fit(b).unwrap_or(-1.0).total_cmp(&fit(a).unwrap_or(-1.0)));
    }
    let row = |head: &&HeadRecord| {
        let movement = head.movement.as_ref().map_or_else(|| "–".to_owned(), |movement| movement.name());
        let fit = fit(head).map_or_else(String::new, percent);
        vec![head.layer.to_string(), head.head.to_string(), movement, fit, fitting(&fits(head, cell.alpha), LAST)]
    };
    let header = ["layer", "head", "movement", "fit", "best fits (* significant)"];
    let drawn = table(&header, &[0, 1, 3], heads.iter().take(LINES).map(row));
    let (named, all, alpha) = (cell.named().count(), heads.len(), cell.alpha);
    let title =
        format!("{}, seed {}: {named} of {all} heads follow a movement (p < {alpha})", cell.game.name(), cell.seed);
    format!("{title}\n\n{drawn}{}", more(all, "heads"))
}

fn of_rows(cells: &[Inspected]) -> String {
    let rows = by_row(cells);
    let row = |row: &RowMovements| {
        let (least, most) = (row.named.iter().min().unwrap_or(&0), row.named.iter().max().unwrap_or(&0));
        let named = if least == most { most.to_string() } else { format!("{least}–{most}") };
        let counts = row.movements.iter().map(|(name, heads)| format!("{name} {}", heads.iter().sum::<usize>()));
        let movements = fitting(&counts.collect::<Vec<_>>(), LAST);
        vec![row.game.name().to_owned(), clipped(&readable(&row.row)), format!("{named} of {}", row.heads), movements]
    };
    let drawn = table(&["game", "row", "named", "heads by movement"], &[], rows.iter().take(LINES).map(row));
    let named: usize = cells.iter().map(|cell| cell.named().count()).sum();
    let heads: usize = cells.iter().map(|cell| cell.heads.len()).sum();
    let title = format!("{} cells: {named} of {heads} heads follow a movement", cells.len());
    format!("{title}\n\n{drawn}{}", more(rows.len(), "rows"))
}

fn more(all: usize, what: &str) -> String {
    if all > LINES { format!("and {} more {what}, on the page\n", all - LINES) } else { String::new() }
}

/// As many parts as these columns hold.
fn fitting(parts: &[String], columns: usize) -> String {
    let mut text = String::new();
    for part in parts {
        let longer = if text.is_empty() { part.clone() } else { format!("{text}, {part}") };
        if longer.chars().count() + 3 > columns {
            return text + ", …";
        }
        text = longer;
    }
    text
}

fn clipped(name: &str) -> String {
    match name.char_indices().nth(NAME) {
        None => name.to_owned(),
        Some(_) => name.chars().take(NAME - 1).chain(['…']).collect(),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use games::GameKind;
    use records::inspected::{FORMAT, Movement, RelationRecord, Signal};

    pub(crate) fn head(head: usize) -> HeadRecord {
        let relations = ["silver back", "shogi knight back", "gold"].map(|relation| RelationRecord {
            relation: relation.to_owned(),
            share: 0.5,
            fit: 0.6 - head as f64 / 100.0,
            z: -9.0,
            p: 0.001,
            p_control: None,
        });
        let movement = (head % 2 == 1).then(|| Movement { relation: "shogi knight back".to_owned(), favours: false });
        HeadRecord {
            layer: 11,
            head,
            occupant: None,
            signal: Signal::Position,
            displacement_share: 1.0,
            distance_share: 0.25,
            movement,
            relations: relations.to_vec(),
        }
    }

    pub(crate) fn cell(row: &str, seed: u64, heads: usize) -> Inspected {
        Inspected {
            format: FORMAT,
            cell: "row/seed".to_owned(),
            row: row.to_owned(),
            game: GameKind::Shogi,
            seed,
            weights: String::new(),
            positions: 50,
            permutations: 9_999,
            controls: 0,
            by_piece: false,
            alpha: 0.01,
            heads: (0..heads).map(head).collect(),
            control: Vec::new(),
            pieces: Vec::new(),
            pieces_control: Vec::new(),
        }
    }

    #[test]
    fn any_number_of_heads_and_rows_fits_a_terminal() {
        let name = "relative_bias{terms: [q, k], max_distance: 7}";
        let rows: Vec<Inspected> = (0..40).map(|row| cell(&format!("{row}\u{1b}[2J {name}"), 0, 24)).collect();
        let two = [cell("shaw", 0, 4), cell("shaw", 1, 3)];
        for cells in [&rows[..1], &rows, &two[..1], &two] as [&[Inspected]; 4] {
            let text = text(cells);
            let lines: Vec<&str> = text.lines().collect();
            assert!(lines.len() <= 18 && lines.iter().all(|line| line.chars().count() <= 80), "{text}");
            assert!(!text.contains("**") && !text.contains('|') && !text.contains('\u{1b}'), "{text}");
        }
    }

    #[test]
    fn the_best_heads_come_first_and_seeds_are_a_range() {
        let of_cell = text(&[cell("shaw", 0, 24)]);
        assert!(of_cell.starts_with("shogi, seed 0: 12 of 24 heads follow a movement (p < 0.01)\n"), "{of_cell}");
        let first = of_cell.lines().nth(4).expect("a head");
        let words: Vec<&str> = first.split_whitespace().collect();
        assert_eq!(words[..8], ["11", "1", "avoids", "shogi", "knight", "back", "59", "%"], "{of_cell}");
        assert!(first.ends_with("silver back* 59 %, …"), "{of_cell}");
        let untested = "Not tested: against random weights (--controls 120), by piece (--pieces).\n";
        assert!(of_cell.ends_with(&format!("and 12 more heads, on the page\n{untested}")), "{of_cell}");
        let tested = Inspected { controls: 120, by_piece: true, ..cell("shaw", 0, 24) };
        assert!(text(&[tested]).ends_with("and 12 more heads, on the page\n"));
        let of_rows = text(&[cell("shaw", 0, 4), cell("shaw", 1, 3)]);
        assert!(of_rows.starts_with("2 cells: 3 of 7 heads follow a movement\n"), "{of_rows}");
        assert!(of_rows.contains("1–2 of 4") && of_rows.contains("avoids shogi knight back 3"), "{of_rows}");
    }
}
