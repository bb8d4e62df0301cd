//! Where the cells' positions come from.

/// A dataset that cells were trained on; the bundle does not contain it.
#[derive(Debug, Clone)]
pub(super) struct DataSource {
    pub(super) name: String,
    pub(super) game: &'static str,
    pub(super) content_hash: String,
    pub(super) licence: Option<String>,
    pub(super) source: Option<String>,
    pub(super) made_by: Option<String>,
}
