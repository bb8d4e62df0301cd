//! Tables of heads.

use super::layer::Statistics;
use super::significance::least_controls;
use facts::row_name::readable;
use records::inspected::{self, HeadRecord, Inspected, Movement, RelationRecord, RowMovements, by_row};
use report::table::Table;

/// A table in which the columns of these names hold text, all others numbers.
pub(super) fn table(header: &[&str], text: &[&str], rows: Vec<Vec<String>>) -> Table {
    let text: Vec<usize> = (0..header.len()).filter(|&column| text.contains(&header[column])).collect();
    Table::new(header.iter().copied(), &text, rows)
}

/// The movement of a head and the numbers of its relation.
pub(super) fn named(head: &HeadRecord) -> Option<(&Movement, &RelationRecord)> {
    let movement = head.movement.as_ref()?;
    Some((movement, head.relations.iter().find(|found| found.relation == movement.relation)?))
}

/// The cells of a movement: its name, the fit of its relation, its share beyond distance, and both p-values.
fn numbers((movement, found): (&Movement, &RelationRecord)) -> [String; 5] {
    let control = found.p_control.map_or(String::new(), p_value);
    [movement.name(), percent(found.fit), percent(found.share), p_value(found.p), control]
}

/// The three relations that fit a head best; a star marks significant ones.
pub(super) fn fits(head: &HeadRecord, alpha: f64) -> Vec<String> {
    let is_significant = |found: &RelationRecord| found.p < alpha && found.p_control.is_none_or(|p| p < alpha);
    let mark = |found: &RelationRecord| if is_significant(found) { "*" } else { "" };
    let mut found: Vec<&RelationRecord> = head.relations.iter().collect();
    found.sort_by(|a, b| b.fit.total_cmp(&a.fit));
    let shown = |found: &RelationRecord| format!("{}{} {}", found.relation, mark(found), percent(found.fit));
    found.into_iter().take(3).map(shown).collect()
}

/// The tests that were left out of these cells, and their options; empty if none was.
pub(super) fn untested(cells: &[Inspected]) -> String {
    let alpha = cells.iter().map(|cell| cell.alpha).fold(1.0, f64::min);
    let controls = || format!("against random weights (--controls {})", least_controls(alpha) + 20);
    let pieces = || "by piece (--pieces)".to_owned();
    let left_out = [
        cells.iter().all(|cell| cell.controls == 0).then(controls),
        cells.iter().all(|cell| !cell.by_piece).then(pieces),
    ];
    let left_out: Vec<String> = left_out.into_iter().flatten().collect();
    if left_out.is_empty() { String::new() } else { format!("Not tested: {}.", left_out.join(", ")) }
}

/// Head → movement; relations with both p-values below `alpha` have a star.
pub fn heads(records: &[HeadRecord], alpha: f64) -> Table {
    let row = |head: &HeadRecord| {
        let unnamed = || {
            let [p, control] = [least(head, |found| Some(found.p)), least(head, |found| found.p_control)];
            ["–".to_owned(), String::new(), String::new(), p, control]
        };
        let [movement, fit, share, p, control] = named(head).map_or_else(unnamed, numbers);
        vec![
            head.layer.to_string(),
            head.head.to_string(),
            movement,
            fit,
            share,
            p,
            control,
            percent(head.distance_share),
            percent(head.displacement_share),
            fits(head, alpha).join(", "),
            head.signal.name().to_owned(),
        ]
    };
    let header = [
        "layer",
        "head",
        "movement",
        "fit",
        "beyond distance",
        "p",
        "p among random weights",
        "distance",
        "displacement",
        "best fits",
        "signal",
    ];
    table(&header, &["movement", "best fits", "signal"], records.iter().map(row).collect())
}

/// The table of pieces has this many lines at most; `heads.json` has all.
pub const MOST_PIECES: usize = 40;

/// Piece and head → movement, of those with one; the best fits first.
pub fn pieces(records: &[HeadRecord]) -> Table {
    let mut found: Vec<(&RelationRecord, Vec<String>)> = Vec::new();
    for head in records {
        let (Some(occupant), Some(named)) = (&head.occupant, named(head)) else { continue };
        let [seen, layer, number] = [occupant.seen, head.layer, head.head].map(|number| number.to_string());
        let cells = [occupant.name(), seen, layer, number].into_iter().chain(numbers(named)).collect();
        found.push((named.1, cells));
    }
    found.sort_by(|a, b| b.0.fit.total_cmp(&a.0.fit));
    let header =
        ["piece", "seen", "layer", "head", "movement", "fit", "beyond distance", "p", "p among random weights"];
    let rows = found.into_iter().take(MOST_PIECES).map(|(_, cells)| cells).collect();
    table(&header, &["piece", "movement"], rows)
}

/// For each row and piece, the number of heads that follow each movement, with a count for each seed.
pub fn pieces_by_row(cells: &[Inspected]) -> Table {
    let row = |row: RowMovements| {
        vec![
            row.game.name().to_owned(),
            readable(&row.row),
            counted(&row.seeds),
            inspected::listed(&row.pieces_control),
            listed(&row.pieces),
        ]
    };
    let header = ["game", "row", "seeds", "with random weights", "pieces and movements, heads by seed"];
    table(&header, &header, by_row(cells).into_iter().map(row).collect())
}

fn counted<N: ToString>(numbers: &[N]) -> String {
    numbers.iter().map(N::to_string).collect::<Vec<_>>().join(", ")
}

fn listed(counts: &[(String, Vec<usize>)]) -> String {
    let kinds: Vec<String> = counts.iter().map(|(kind, counts)| format!("{kind} {}", counted(counts))).collect();
    if kinds.is_empty() { "–".to_owned() } else { kinds.join("; ") }
}

/// The smallest p of a head without a name.
fn least(head: &HeadRecord, of: impl Fn(&RelationRecord) -> Option<f64>) -> String {
    head.relations.iter().filter_map(of).min_by(f64::total_cmp).map_or(String::new(), p_value)
}

/// How many heads of each row follow each movement, with a count for each seed.
pub fn seeds(cells: &[Inspected]) -> Table {
    let row = |row: RowMovements| {
        vec![
            row.game.name().to_owned(),
            readable(&row.row),
            counted(&row.seeds),
            row.heads.to_string(),
            counted(&row.named),
            inspected::listed(&row.control),
            listed(&row.movements),
        ]
    };
    let header =
        ["game", "row", "seeds", "heads", "named, by seed", "named with random weights", "movements, heads by seed"];
    table(&header, &header, by_row(cells).into_iter().map(row).collect())
}

pub fn statistics(statistics: &[Statistics]) -> Table {
    let row = |one: &Statistics| {
        let some = |value: Option<f64>, shown: fn(f64) -> String| value.map_or("–".to_owned(), shown);
        vec![
            one.layer.to_string(),
            one.head.to_string(),
            format!("{:.2}", one.entropy_nats),
            percent(one.entropy_share),
            format!("{:.2}", one.distance),
            one.reach.to_string(),
            some(one.effective_rank, |rank| format!("{rank:.1}")),
            some(one.position_share, percent),
            percent(one.fixed_share),
            format!("{:.3}", one.content_sd),
            some(one.position_sd, |sd| format!("{sd:.3}")),
        ]
    };
    let header = [
        "layer",
        "head",
        "entropy [nats]",
        "of even",
        "distance",
        "reach",
        "effective rank",
        "position's share",
        "fixed share",
        "content sd",
        "position sd",
    ];
    table(&header, &[], statistics.iter().map(row).collect())
}

pub fn percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}

pub fn p_value(p: f64) -> String {
    if p < 0.001 { format!("{p:.1e}") } else { format!("{p:.3}") }
}
