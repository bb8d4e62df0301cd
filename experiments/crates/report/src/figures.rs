//! The plots of a report: for the page, and as files for a paper.

mod files;

pub use files::{for_any_page, write};

use super::model::RowReport;
use facts::{Role, distinct};
use figures::plot::{Medium, Style};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figure {
    /// Game and plot, unique in a report: its name in a page and as a file.
    pub id: String,
    pub svg: String,
    pub title: String,
    pub caption: String,
}

/// How the plots of a report are drawn: a medium, and one style for each row, the same in all games.
pub struct Styles {
    pub(crate) medium: Medium,
    compared: Vec<String>,
}

impl Styles {
    /// For these rows, those of all games.
    pub fn of<'a>(rows: impl Iterator<Item = &'a RowReport>, medium: Medium) -> Self {
        let compared = rows.filter(|row| row.role == Role::Compared);
        Self { medium, compared: distinct(compared.map(|row| row.label.clone())) }
    }

    pub fn row(&self, row: &RowReport) -> Style {
        match row.role {
            Role::Reference => Style::Reference,
            Role::Twin => Style::Twin,
            Role::Compared => self.label(&row.label),
        }
    }

    pub(crate) fn label(&self, label: &str) -> Style {
        Style::Row(self.compared.iter().position(|known| known == label).unwrap_or_default())
    }
}

/// A name as part of an [`id`](Figure::id): small letters, digits and hyphens.
pub(crate) fn slug(name: &str) -> String {
    let words = name.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-").to_lowercase()
}

/// [Slugs](slug) of different names, all different: one that an earlier name has ends with a number.
pub(crate) fn slugs(names: impl Iterator<Item = impl AsRef<str>>) -> Vec<String> {
    let plain: Vec<String> = names.map(|name| slug(name.as_ref())).collect();
    let mut all: Vec<String> = Vec::new();
    for own in &plain {
        let numbered = (2..).map(|number| format!("{own}-{number}")).filter(|other| !plain.contains(other));
        let unused = std::iter::once(own.clone()).chain(numbered).find(|id| !all.contains(id));
        all.extend(unused);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::{slug, slugs};

    #[test]
    fn names_of_files_are_plain() {
        assert_eq!(slug("from- and to-square"), "from-and-to-square");
        assert_eq!(slug("train.encoding_rate"), "train-encoding-rate");
        let names = ["a_b", "a-b", "c", "a b", "a-b-2"];
        assert_eq!(slugs(names.iter()), ["a-b", "a-b-3", "c", "a-b-4", "a-b-2"]);
        assert_eq!(["絶対 (入力)", "相対"].map(slug), ["絶対-入力", "相対"], "names without an ASCII letter differ");
    }
}
