//! Templates become pages.

use crate::functions::{self, PageOutputs};
use crate::library::Library;
use crate::syntax::{Syntax, page_of};
use anyhow::{Context as _, anyhow};
use minijinja::{Environment, UndefinedBehavior};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};

/// Renders templates whose numbers come from the bundles and run folders of one folder, each of which is read once.
#[derive(Debug)]
pub struct Renderer {
    library: Arc<Library>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    /// Where it belongs: the path of the template without its extension.
    pub page: PathBuf,
    pub text: String,
    /// The figures that it shows, each at its path.
    pub figures: BTreeMap<PathBuf, String>,
    /// What could not be checked, such as the time of a commit that is not in this repository.
    pub remarks: Vec<String>,
}

impl Renderer {
    /// One for a folder of bundles and run folders.
    pub fn new(bundles: &Path) -> Self {
        Self { library: Arc::new(Library::new(bundles)) }
    }

    /// Renders a template.
    /// Refuses a claim that a commit came before a cell if it did not.
    pub fn render(&self, template: &Path) -> anyhow::Result<Rendered> {
        let page = page_of(template)?;
        let source = fs::read_to_string(template)
            .with_context(|| format!("cannot read the template {}; check its path", template.display()))?;
        let folder = template.parent().unwrap_or(Path::new(""));
        let outputs = PageOutputs::default();
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_keep_trailing_newline(true);
        environment.set_trim_blocks(true);
        environment.set_lstrip_blocks(true);
        functions::add(&mut environment, &self.library, folder, &outputs);
        Syntax::of(&page).apply(&mut environment).map_err(wrong)?;
        let name = template.to_string_lossy();
        let text = environment.render_named_str(&name, &source, ()).map_err(wrong)?;
        let remarks = std::mem::take(&mut *outputs.remarks.lock().unwrap_or_else(PoisonError::into_inner));
        let figures = std::mem::take(&mut *outputs.figures.lock().unwrap_or_else(PoisonError::into_inner));
        Ok(Rendered { page, text, figures, remarks })
    }
}

/// The template engine's error with its causes: a macro's error names only the macro.
fn wrong(error: minijinja::Error) -> anyhow::Error {
    anyhow!("{:#}; correct the template, or name the folder of its bundles with --bundles", anyhow::Error::from(error))
}
