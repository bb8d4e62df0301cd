//! Network files of Lc0: `posenc data import-net` and `posenc export --lc0`.

pub(super) mod export;
pub(super) mod import;
