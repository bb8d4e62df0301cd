//! The revision of the source that a program was built from.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The revision of the source that a program was built from. No number and no hash of a cell depends on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revision {
    /// The commit; the release, such as `v0.1.0`, of a program that was built outside a git work tree.
    pub commit: String,
    /// The commit by the nearest tag (`git describe --always --tags`); not in cells of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub described: Option<String>,
    /// Whether tracked files differed from the commit.
    pub dirty: bool,
    /// Git's hash of what differed (`git diff HEAD`), where something did: two dirty builds with the same one are the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.described.as_ref().unwrap_or(&self.commit))?;
        if self.dirty { f.write_str(" with changes") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_printed_by_its_tag_and_older_records_are_read() {
        let old: Revision = serde_json::from_str(r#"{"commit": "fdf8bb7c", "dirty": true}"#).expect("an older record");
        assert_eq!(old.to_string(), "fdf8bb7c with changes");
        let new = Revision { described: Some("v0.1.0-12-gfdf8bb7".to_owned()), dirty: false, ..old };
        assert_eq!(new.to_string(), "v0.1.0-12-gfdf8bb7");
        let again = serde_json::to_string(&new).expect("JSON");
        assert_eq!(serde_json::from_str::<Revision>(&again).expect("the same"), new);
    }
}
