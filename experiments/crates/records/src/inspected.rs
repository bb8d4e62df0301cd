//! `inspect/heads.json`: the movements that the attention heads of a cell follow, by `posenc inspect`.

use crate::files::{RecordError, read_json, write_json};
use facts::by_key;
use games::GameKind;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

/// The default name of the folder in a cell's.
pub const DIR: &str = "inspect";

pub const FILE: &str = "heads.json";

pub const FORMAT: u32 = 1;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Inspected {
    pub format: u32,
    pub cell: String,
    /// Its row in the experiment; the encoding if the cell belongs to none.
    pub row: String,
    pub game: GameKind,
    pub seed: u64,
    pub weights: String,
    /// Positions over which maps are means.
    pub positions: usize,
    pub permutations: usize,
    /// Networks with random weights that the heads are compared with.
    pub controls: usize,
    /// Whether heads were also tested by piece, as older versions always did.
    #[serde(default = "yes")]
    pub by_piece: bool,
    /// A head is named if both p-values are below this.
    pub alpha: f64,
    pub heads: Vec<HeadRecord>,
    /// The same network with random weights; empty without controls.
    pub control: Vec<HeadRecord>,
    /// The heads on pairs of squares with a certain piece on one of them; empty if they were not tested, or if the signal does
    /// not depend on the position.
    #[serde(default)]
    pub pieces: Vec<HeadRecord>,
    /// The same of the network with random weights.
    #[serde(default)]
    pub pieces_control: Vec<HeadRecord>,
}

fn yes() -> bool {
    true
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeadRecord {
    pub layer: usize,
    pub head: usize,
    pub signal: Signal,
    /// The piece on one square of the pairs; `None` for all pairs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub occupant: Option<Occupant>,
    /// The share of the signal's variance over pairs of squares that displacements explain.
    pub displacement_share: f64,
    /// The share of its variance over displacements that distance explains.
    pub distance_share: f64,
    /// The movement that the head follows, if it is significant.
    pub movement: Option<Movement>,
    pub relations: Vec<RelationRecord>,
}

/// A piece on one of the two squares of a pair.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Occupant {
    pub on: End,
    /// Its owner and kind, `own bishop`.
    pub piece: String,
    /// Its number on all boards of the positions.
    pub seen: usize,
}

games::named! {
    /// One of the two squares of a pair.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum End {
        Query = "query",
        Key = "key",
    }
}

impl Occupant {
    /// In words: `own bishop on the key`.
    pub fn name(&self) -> String {
        format!("{} on the {}", self.piece, self.on.name())
    }
}

games::named! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Signal {
        /// The contribution of encodings to the logits of this layer, by terms and rotations.
        Position = "position",
        /// The whole logits, if no encoding acts on them in this layer.
        Logits = "logits",
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Movement {
    /// The significant relation that explains most.
    pub relation: String,
    /// Whether the head favours the relation's squares; otherwise it avoids them.
    pub favours: bool,
}

/// How much of a head's signal a relation explains.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RelationRecord {
    pub relation: String,
    /// The share of the variance over displacements that it explains beyond distance.
    pub share: f64,
    /// The share of that variance that it explains alone, including the part that distance explains.
    pub fit: f64,
    /// The standardised statistic; above 0 if the relation's squares have higher values.
    pub z: f64,
    /// The p-value of the permutation test, corrected for relations and heads.
    pub p: f64,
    /// The p-value among networks with random weights, corrected likewise; none without controls.
    pub p_control: Option<f64>,
}

impl Movement {
    /// In words: `knight`, `avoids knight`.
    pub fn name(&self) -> String {
        let sign = if self.favours { "" } else { "avoids " };
        format!("{sign}{}", self.relation)
    }
}

/// The number of heads per movement in the cells of a row. Lists have one entry per seed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowMovements {
    pub game: GameKind,
    pub row: String,
    pub seeds: Vec<u64>,
    pub heads: usize,
    /// Heads that follow a movement.
    pub named: Vec<usize>,
    /// The same of a network with random weights; none for a cell that was not compared with any.
    pub control: Vec<Option<usize>>,
    /// Heads by movement, the most frequent first.
    pub movements: Vec<(String, Vec<usize>)>,
    /// Heads by piece and movement, the most frequent first.
    pub pieces: Vec<(String, Vec<usize>)>,
    /// Heads and pieces with a movement of a network with random weights.
    pub pieces_control: Vec<Option<usize>>,
}

/// Counts the movements of inspected cells, row by row in the order of the cells.
pub fn by_row<'a>(cells: impl IntoIterator<Item = &'a Inspected>) -> Vec<RowMovements> {
    let rows = by_key(cells.into_iter().map(|cell| ((cell.game, &cell.row), cell)));
    rows.iter().map(|(_, cells)| RowMovements::of(cells)).collect()
}

impl RowMovements {
    /// `cells`: those of a row, at least one.
    fn of(cells: &[&Inspected]) -> Self {
        let of_heads = counts(cells, |cell| cell.named().map(|(_, movement)| movement.name()).collect());
        let of_pieces = counts(cells, |cell| cell.pieces.iter().filter_map(HeadRecord::piece_movement).collect());
        let named = |heads: &[HeadRecord], is_tested: bool| {
            is_tested.then(|| heads.iter().filter(|head| head.movement.is_some()).count())
        };
        let of_pieces_control = |cell: &&Inspected| named(&cell.pieces_control, cell.controls > 0 && cell.by_piece);
        Self {
            game: cells[0].game,
            row: cells[0].row.clone(),
            seeds: cells.iter().map(|cell| cell.seed).collect(),
            heads: cells.iter().map(|cell| cell.heads.len()).max().unwrap_or_default(),
            named: cells.iter().map(|cell| cell.named().count()).collect(),
            control: cells.iter().map(|cell| named(&cell.control, cell.controls > 0)).collect(),
            movements: of_heads,
            pieces: of_pieces,
            pieces_control: cells.iter().map(of_pieces_control).collect(),
        }
    }
}

/// Counts as a list, with a dash for a cell that was not tested, or one dash if none was.
pub fn listed(counts: &[Option<usize>]) -> String {
    let shown = |count: &Option<usize>| count.map_or_else(|| "–".to_owned(), |count| count.to_string());
    match counts.iter().any(Option::is_some) {
        true => counts.iter().map(shown).collect::<Vec<_>>().join(", "),
        false => "–".to_owned(),
    }
}

/// How often each of these names occurs in each cell, the most frequent first.
fn counts(cells: &[&Inspected], names: impl Fn(&Inspected) -> Vec<String>) -> Vec<(String, Vec<usize>)> {
    let mut counts: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (place, cell) in cells.iter().enumerate() {
        for name in names(cell) {
            counts.entry(name).or_insert_with(|| vec![0; cells.len()])[place] += 1;
        }
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(_, counts)| Reverse(counts.iter().sum::<usize>()));
    counts
}

impl HeadRecord {
    /// The movement that the head follows for a piece: `own bishop on the key: bishop`.
    pub fn piece_movement(&self) -> Option<String> {
        Some(format!("{}: {}", self.occupant.as_ref()?.name(), self.movement.as_ref()?.name()))
    }
}

impl Inspected {
    pub fn named(&self) -> impl Iterator<Item = (&HeadRecord, &Movement)> {
        self.heads.iter().filter_map(|head| Some((head, head.movement.as_ref()?)))
    }

    /// Reads an inspected cell's; `None` if it was not inspected into its own folder.
    pub fn read(cell: &Path) -> Result<Option<Self>, RecordError> {
        let path = cell.join(DIR).join(FILE);
        let read: Option<Self> = read_json(&path)?;
        match read.as_ref().map(|own| own.format) {
            None | Some(FORMAT) => Ok(read),
            Some(other) => {
                let reason = format!("it has the format {other}, this version of posenc reads {FORMAT}");
                Err(RecordError::Refused { path, reason })
            }
        }
    }

    pub fn write(&self, dir: &Path) -> io::Result<()> {
        write_json(&dir.join(FILE), self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn older_records_are_read_and_those_of_another_format_are_refused() {
        let dir = tempfile::tempdir().expect("a folder for the test");
        std::fs::create_dir(dir.path().join(DIR)).expect("a folder");
        let read = |format: u32| {
            let older = json!({
                "format": format, "cell": "c", "row": "shaw", "game": "chess", "seed": 0, "weights": "raw", "positions": 8,
                "permutations": 9, "controls": 0, "alpha": 0.05, "heads": [], "control": [],
            });
            std::fs::write(dir.path().join(DIR).join(FILE), older.to_string()).expect("written");
            Inspected::read(dir.path())
        };
        assert!(read(FORMAT).expect("readable").expect("there").by_piece);
        let error = read(FORMAT + 1).expect_err("another format").to_string();
        assert!(error.contains("heads.json is refused: it has the format 2"), "{error}");
    }
}
