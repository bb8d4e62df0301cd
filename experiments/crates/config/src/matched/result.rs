//! The result of matching: the sizes that changed, and the row that they match.

use facts::Quantity;
use std::fmt;

/// The row that a control was matched to, and how.
#[derive(Debug, Clone, PartialEq)]
pub struct Matched {
    /// The label of the row whose network was changed.
    pub source: String,
    pub quantity: Quantity,
    /// The label of the row that it was matched to.
    pub goal: String,
    pub goal_folder: String,
    pub sizes: Vec<ChangedSize>,
    /// Its count and the goal's; `None` for step times, which are measured.
    pub counts: Option<[u64; 2]>,
}

/// A size that differs between a control and the row that it was made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedSize {
    /// `ffn`, `width`, `depth`, or the option of the encoding.
    pub name: String,
    /// In the row that it was made from.
    pub from: usize,
    pub to: usize,
}

impl Matched {
    /// The sizes that changed, as a part of a folder's name: `-ffn352`.
    pub fn folder_words(&self) -> String {
        self.sizes.iter().map(|size| format!("-{}{}", size.name, size.to)).collect()
    }

    /// Its own count by the goal's.
    pub fn ratio(&self) -> Option<f64> {
        self.counts.map(|[own, goal]| own as f64 / goal as f64)
    }
}

/// `params of shaw by ffn 352`.
impl fmt::Display for Matched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sizes: Vec<String> = self.sizes.iter().map(|size| format!("{} {}", size.name, size.to)).collect();
        write!(f, "{} of {} by {}", self.quantity.words(), self.goal, sizes.join(" and "))
    }
}
