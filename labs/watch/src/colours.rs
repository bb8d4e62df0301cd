//! The colours of rows.

use facts::Role;
use facts::row_name::without_options;
use figures::plot::Style;
use records::plan::Row;
use std::collections::{BTreeMap, BTreeSet};

/// One colour for each encoding in all games, whatever else varies, or for each label if encodings do not vary.
pub(crate) struct Colours {
    styles: BTreeMap<String, Style>,
    /// Names of encodings that a game has with different options.
    several: BTreeSet<String>,
}

impl Colours {
    pub(crate) fn of(rows: &[Row]) -> Self {
        let mut colours = Self { styles: BTreeMap::new(), several: several(rows) };
        let keys = |role: Role| -> Vec<String> {
            rows.iter().filter(|row| row.role == role).map(|row| colours.key(row)).collect()
        };
        let [references, compared] = [Role::Reference, Role::Compared].map(keys);
        colours.styles.extend(references.into_iter().map(|key| (key, Style::Reference)));
        let references = colours.styles.len();
        for key in compared {
            let next = Style::Row(colours.styles.len() - references);
            colours.styles.entry(key).or_insert(next);
        }
        colours
    }

    pub(crate) fn style(&self, row: &Row) -> Style {
        match row.role {
            Role::Twin => Style::Twin,
            Role::Reference | Role::Compared => self.styles.get(&self.key(row)).copied().unwrap_or(Style::Reference),
        }
    }

    /// The encoding without its options, which may differ between games, unless a game has several that differ only in them.
    fn key(&self, row: &Row) -> String {
        let Some(encoding) = row.axes.get("encoding") else { return row.label.clone() };
        let name = without_options(encoding);
        if self.several.contains(&name) { encoding.clone() } else { name }
    }
}

fn several(rows: &[Row]) -> BTreeSet<String> {
    let mut first: BTreeMap<(&str, String), &str> = BTreeMap::new();
    let mut several = BTreeSet::new();
    for (game, encoding) in rows.iter().filter_map(|row| Some((row.game.name(), &row.axes.get("encoding")?[..]))) {
        let name = without_options(encoding);
        if *first.entry((game, name.clone())).or_insert(encoding) != encoding {
            several.insert(name);
        }
    }
    several
}
