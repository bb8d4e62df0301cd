//! What a reader does with many inputs: the numbers of accepted and of refused records.

/// How many records of an input were accepted, and how many refused.
#[derive(Debug, Clone, Copy, Default)]
pub struct Counts {
    /// Read, and found right by the law.
    pub accepted: u64,
    pub refused: u64,
}

impl Counts {
    pub fn plus(self, other: Self) -> Self {
        Self { accepted: self.accepted + other.accepted, refused: self.refused + other.refused }
    }

    /// Counts what was read, or was refused with this reason, and returns what was read.
    pub fn add<T>(&mut self, read: Result<T, String>) -> Option<T> {
        match read {
            Ok(accepted) => {
                self.accepted += 1;
                Some(accepted)
            }
            Err(reason) => {
                assert!(!reason.is_empty(), "a refusal says why");
                self.refused += 1;
                None
            }
        }
    }
}
