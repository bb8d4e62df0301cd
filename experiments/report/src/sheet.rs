//! A table before it has a format: what text, Markdown, LaTeX and HTML all draw.

use crate::text_table;

/// A table.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sheet {
    /// What stands above it; empty where the place says it.
    pub title: String,
    /// The names of the columns.
    pub header: Vec<String>,
    /// Which columns hold words and are flush left; all others hold numbers.
    pub words: Vec<usize>,
    /// The rows, each as long as the header.
    pub rows: Vec<Vec<String>>,
    /// What stands below it, a line each.
    pub notes: Vec<String>,
}

impl Sheet {
    /// A table without title and notes.
    pub fn new<S: Into<String>>(
        header: impl IntoIterator<Item = S>,
        words: &[usize],
        rows: impl Iterator<Item = Vec<String>>,
    ) -> Self {
        let header = header.into_iter().map(Into::into).collect();
        Self { header, words: words.to_vec(), rows: rows.collect(), ..Self::default() }
    }

    /// The same with something above it.
    #[must_use]
    pub fn titled(self, title: &str) -> Self {
        Self { title: title.to_owned(), ..self }
    }

    /// Whether it says nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The table for a terminal, title and notes included; empty without rows.
    #[must_use]
    pub fn text(&self) -> String {
        if self.is_empty() {
            return String::new();
        }
        let header: Vec<&str> = self.header.iter().map(String::as_str).collect();
        let right: Vec<_> = (0..header.len()).filter(|column| !self.words.contains(column)).collect();
        let table = text_table::table(&header, &right, self.rows.iter().cloned());
        let mut parts = vec![self.title.clone(), table.trim_end().to_owned()];
        parts.extend(self.notes.iter().map(|note| wrapped(note)));
        parts.retain(|part| !part.is_empty());
        parts.join("\n")
    }
}

/// Columns of a note in a terminal.
const COLUMNS: usize = 120;

/// A text in lines of at most [`COLUMNS`] columns, where its words allow.
fn wrapped(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= COLUMNS => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines.join("\n")
}
