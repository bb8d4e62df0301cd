//! The role of a row in the comparison of its game.

use serde::{Deserialize, Serialize};

games::named! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Role {
        /// A row that is compared with the reference.
        Compared = "compared",
        /// A row that differences are taken against.
        Reference = "reference",
        /// A reference with other parameter streams: the A/A control.
        Twin = "twin",
    }
}
