//! What a publisher decides.

use super::author::Author;

#[derive(Debug, Clone, Default)]
pub struct Publication {
    /// The licence of the results, as an SPDX identifier.
    pub licence: Option<String>,
    /// Who is to be cited.
    pub authors: Vec<Author>,
    /// Whether to include the final weights.
    pub weights: bool,
    /// Whether unfinished cells are allowed.
    pub partial: bool,
    /// Whether to leave out TensorBoard's files, which `posenc run` makes from the metrics, and to keep the means of test
    /// games in place of single positions.
    pub compact: bool,
}
