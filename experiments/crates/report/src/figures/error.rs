//! Why figures cannot be written.

use figures::convert::ConversionError;
use std::io;
use std::path::PathBuf;

/// Why figures cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum FiguresError {
    /// The report has no plot.
    #[error("{experiment} has no figures yet: plots need finished cells; see `posenc status`")]
    None { experiment: String },
    /// A file or its folder cannot be written.
    #[error("cannot write {}: {cause}; choose another folder or free space on the disk", path.display())]
    Write { path: PathBuf, cause: io::Error },
    /// A plot cannot be converted to PDF.
    #[error("cannot convert the figure {id} to PDF: {cause}; its SVG is written, please report this as a defect")]
    Convert { id: String, cause: ConversionError },
}
