//! A position, ready for the network.

use games::InputLayout;

/// A position, ready for the network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    pub text: String,
    /// The packed row of the cell's input.
    pub row: Vec<u8>,
    /// The plies before it, the earliest first.
    pub earlier: Vec<EarlierPly>,
    /// Its legal moves, in a fixed order for each position.
    pub legal: Vec<LegalMove>,
    pub squares: usize,
}

/// A ply before the position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EarlierPly {
    pub row: Vec<u8>,
    /// The index of the played move.
    pub played: u16,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LegalMove {
    pub text: String,
    /// Its index in the vocabulary.
    pub index: u16,
    /// How often the position after it occurred before.
    pub repetitions: u8,
}

impl Request {
    /// The rows of a sequence of this many plies that ends with the position, and the position's index there: as much
    /// history as fits, then padding. A network that reads single positions gets one row.
    pub fn sequence(&self, plies: usize) -> (Vec<u8>, usize) {
        if plies == 1 {
            return (self.row.clone(), 0);
        }
        let known = self.earlier.len().min(plies - 1);
        let earlier = self.earlier[self.earlier.len() - known..].iter().map(|ply| (&ply.row, ply.played));
        let mut rows = Vec::with_capacity(plies * (self.row.len() + InputLayout::MOVE_BYTES));
        // The position itself has no played move.
        for (row, played) in earlier.chain([(&self.row, InputLayout::NO_MOVE)]) {
            rows.extend_from_slice(row);
            rows.extend(played.to_le_bytes());
        }
        for _ in known + 1..plies {
            rows.resize(rows.len() + self.row.len(), 0);
            rows.extend(InputLayout::NO_MOVE.to_le_bytes());
        }
        (rows, known)
    }
}
