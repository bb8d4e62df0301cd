//! Heads of inspected cells that follow the movement of a piece: a table, and pictures of those whose maps are stored.

use crate::figures::Figure;
use crate::run_folder::RunFolder;
use crate::table::{ABSENT, Table};
use facts::row_name::readable;
use figures::plot::Medium;
use figures::plot::head_maps::{self, HeadMap};
use games::GameKind;
use records::inspected::{HeadRecord, Inspected, RowMovements, Signal, listed};

#[derive(Debug, Clone, PartialEq)]
pub struct NamedHead {
    pub game: GameKind,
    pub row: String,
    pub layer: usize,
    pub head: usize,
    pub movement: String,
    /// What it adds to the logits by displacement, less the mean over all displacements but zero, from the lower left, file
    /// by file.
    pub map: Vec<f64>,
}

/// The most heads that are shown.
const MOST: usize = 4;

/// For each movement the head that it explains best, the best explained first.
pub(crate) fn of(folder: &RunFolder) -> Vec<NamedHead> {
    let heads = folder.inspected().flat_map(|cell| cell.heads.iter().map(move |head| (cell, head)));
    let mut found: Vec<(&Inspected, &HeadRecord, &str, f64)> =
        heads.filter_map(|(cell, head)| followed(head).map(|(movement, fit)| (cell, head, movement, fit))).collect();
    found.sort_by(|a, b| b.3.total_cmp(&a.3));
    let mut named: Vec<NamedHead> = Vec::new();
    for (cell, head, movement, _) in found {
        if named.len() < MOST && named.iter().all(|known| known.movement != movement) {
            named.extend(folder.head_map(cell, head).map(|map| NamedHead {
                game: cell.game,
                row: cell.row.clone(),
                layer: head.layer,
                head: head.head,
                movement: movement.to_owned(),
                map: without_mean(map),
            }));
        }
    }
    named
}

/// The movement whose squares a head favours by its encoding, and the share of its signal that the movement explains.
fn followed(head: &HeadRecord) -> Option<(&str, f64)> {
    let movement = head.movement.as_ref().filter(|movement| movement.favours && head.signal == Signal::Position)?;
    let relation = head.relations.iter().find(|relation| relation.relation == movement.relation)?;
    Some((movement.relation.as_str(), relation.fit))
}

fn without_mean(mut map: Vec<f64>) -> Vec<f64> {
    let middle = map.len() / 2;
    let others = map.iter().enumerate().filter(|(place, _)| *place != middle).map(|(_, value)| value);
    let mean = others.sum::<f64>() / map.len().saturating_sub(1).max(1) as f64;
    map.iter_mut().for_each(|value| *value -= mean);
    map[middle] = 0.0;
    map
}

/// The maps side by side.
pub(crate) fn figure(heads: &[NamedHead], medium: Medium) -> Option<Figure> {
    let map = |head: &NamedHead| HeadMap {
        title: head.movement.clone(),
        row: readable(&head.row),
        head: format!("{}, layer {}, head {}", head.game.name(), head.layer, head.head),
        size: head.game.geometry().torus(),
        values: head.map.clone(),
    };
    let maps: Vec<HeadMap> = heads.iter().map(map).collect();
    let title = "Heads that follow the movement of a piece.";
    let svg = head_maps::draw(&maps, title, "heads", medium)?;
    let caption = "What a head adds to the logits by the displacement from the query's square (framed) to the key's: orange \
                   more, blue less.";
    Some(Figure { id: "heads".to_owned(), svg, title: title.to_owned(), caption: caption.to_owned() })
}

/// A line for each row with inspected cells.
pub(crate) fn table(rows: &[RowMovements]) -> Table {
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
    Table::new(header, &[0, 1, 2, 4, 5, 6], rows.iter().map(row)).noted([note])
}

#[cfg(test)]
mod tests {
    use super::without_mean;

    #[test]
    fn the_query_itself_is_neutral_and_not_in_the_mean() {
        assert_eq!(without_mean(vec![1.0, 100.0, 3.0]), [-1.0, 0.0, 1.0]);
    }
}
