//! Why figures cannot be written.

use figures::convert::ConversionError;
use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum FiguresError {
    #[error("{experiment} has no figures yet: plots need finished cells; see `posenc status`")]
    None { experiment: String },
    #[error("cannot write {}: {cause}; choose another folder or free space on the disk", path.display())]
    Write { path: PathBuf, cause: io::Error },
    #[error("cannot convert the figure {id} to PDF: {cause}; its SVG is written, please report this as a defect")]
    Convert { id: String, cause: ConversionError },
}
