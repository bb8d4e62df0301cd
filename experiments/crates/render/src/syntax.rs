//! How templates are written: as Jinja's, or in LaTeX with commands, because braces and percent signs are LaTeX's own.

use anyhow::bail;
use minijinja::syntax::SyntaxConfig;
use minijinja::{AutoEscape, Environment, Error, ErrorKind};
use report::latex;
use std::path::{Path, PathBuf};

pub const EXTENSION: &str = "jinja";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Syntax {
    /// Markdown, and every other text.
    Plain,
    Latex,
}

/// The page of a template: its path without the extension.
pub(crate) fn page_of(template: &Path) -> anyhow::Result<PathBuf> {
    match template.extension() {
        Some(extension) if extension == EXTENSION => Ok(template.with_extension("")),
        _ => bail!(
            "{} is no template: its name must end in .jinja, after the name of the page, as in page.md.jinja",
            template.display()
        ),
    }
}

impl Syntax {
    /// That of a page, by its name.
    pub(crate) fn of(page: &Path) -> Self {
        if page.extension().is_some_and(|extension| extension == "tex") { Self::Latex } else { Self::Plain }
    }

    /// Where expressions, statements and comments begin and end.
    pub(crate) const fn delimiters(self) -> [(&'static str, &'static str); 3] {
        match self {
            Self::Plain => [("{{", "}}"), ("{%", "%}"), ("{#", "#}")],
            Self::Latex => [(r"\VAR{", "}"), (r"\BLOCK{", "}"), (r"\#{", "}")],
        }
    }

    /// Lets templates be written so, and values be set so.
    pub(crate) fn apply(self, environment: &mut Environment<'_>) -> Result<(), Error> {
        if self == Self::Plain {
            environment.set_auto_escape_callback(|_| AutoEscape::None);
            return Ok(());
        }
        let [value, block, comment] = self.delimiters();
        let syntax = SyntaxConfig::builder()
            .variable_delimiters(value.0, value.1)
            .block_delimiters(block.0, block.1)
            .comment_delimiters(comment.0, comment.1)
            .build()?;
        environment.set_syntax(syntax);
        // The result of a macro is escaped already, and marked as safe if there is a way of escaping.
        environment.set_auto_escape_callback(|_| AutoEscape::Custom("latex"));
        environment.set_formatter(|out, _, value| {
            let text = value.to_string();
            let text = if value.is_safe() { text } else { latex::escape(&text) };
            out.write_str(&text).map_err(|_| Error::from(ErrorKind::WriteFailure))
        });
        Ok(())
    }
}
