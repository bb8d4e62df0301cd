//! Why a page cannot be rendered.

use std::error::Error as _;
use std::io;
use std::path::PathBuf;

/// Why a page cannot be rendered.
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    /// The template cannot be read.
    #[error("cannot read the template {path}: {cause}; check its path")]
    Read { path: PathBuf, cause: io::Error },
    /// The name has another ending.
    #[error("{0} is no template: its name must end in .jinja, after the name of the page, as in page.md.jinja")]
    Name(PathBuf),
    /// The template is wrong, or asks for what its bundles do not have.
    #[error("{0}; correct the template, or name the folder of its bundles with --bundles")]
    Template(String),
}

impl RenderError {
    /// The template engine's error with its causes: a macro's error names only the macro.
    pub(crate) fn of(error: &minijinja::Error) -> Self {
        let mut text = error.to_string();
        let mut cause = error.source();
        while let Some(next) = cause {
            text += &format!(": {next}");
            cause = next.source();
        }
        Self::Template(text)
    }
}
