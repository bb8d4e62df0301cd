//! What a reader does with many inputs: the numbers of accepted and of refused records.

use std::fmt::Display;

/// How many records of an input were accepted, and how many refused.
#[derive(Debug, Clone, Copy, Default)]
pub struct Counts {
    /// Read, and found right by the law.
    pub accepted: u64,
    pub refused: u64,
}

impl Counts {
    /// Counts a record that was read, which `law` checks, or was refused for this reason.
    pub fn of<T, E: Display>(read: Result<T, E>, law: impl FnOnce(T)) -> Self {
        match read {
            Ok(accepted) => {
                law(accepted);
                Self { accepted: 1, refused: 0 }
            }
            Err(reason) => {
                assert!(!reason.to_string().is_empty(), "a refusal says why");
                Self { accepted: 0, refused: 1 }
            }
        }
    }

    pub fn plus(self, other: Self) -> Self {
        Self { accepted: self.accepted + other.accepted, refused: self.refused + other.refused }
    }
}
