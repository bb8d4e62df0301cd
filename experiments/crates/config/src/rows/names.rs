//! `names:`: the names that rows have in tables, figures and folders, in place of their labels.
//!
//! ```yaml
//! names:
//!   Shaw q,k: {encoding: {shaw: {terms: [q, k]}}}    # the row with these values, in every game
//!   No position: none                                # the row with this label
//! ```
//! A name stands for at most one row of a game. The hashes of cells do not depend on it.
//!
//! The name of the experiment's run folder is that of its file, followed by what the command line overrides. So a try with
//! `--set` has a folder for itself and never replaces the cells of the file.

use super::expand::{Combination, Matrix};
use super::matched::entry::RowName;
use super::matched::rows::ExperimentRows;
use super::row::{Row, for_folder};
use crate::settings::file::ExperimentFile;
use crate::settings::setting::{Point, Setting};
use crate::yaml::source::{ConfigError, Source, at};
use crate::yaml::tree::Node;
use facts::name::{RULE, is_name};

const LONGEST: usize = 80;

/// Names the rows of `combinations`. Entries by label that match none of them are left to [`of_controls`].
pub(crate) fn of_rows(rows: &mut [Row], combinations: &[Combination], matrix: Matrix<'_>) -> Result<(), ConfigError> {
    let mut found: Vec<(&str, Vec<usize>)> = Vec::new();
    for (name, row) in &matrix.file.names {
        check(name, matrix.document)?;
        if is_replaced(row, matrix) {
            continue;
        }
        let all = ExperimentRows { rows, combinations, matrix };
        let own = all.all(row)?;
        let is_later = matches!(row, RowName::Label(_)) && !matrix.file.controls.is_empty();
        if own.is_empty() && !is_later {
            return Err(all.unknown(row, &at!["names", name.as_str()], None));
        }
        found.push((name.as_str(), own));
    }
    give(rows, &found, matrix.document)
}

/// Names matched controls, which follow the rows of `combinations`.
pub(crate) fn of_controls(
    rows: &mut [Row],
    combinations: &[Combination],
    matrix: Matrix<'_>,
) -> Result<(), ConfigError> {
    let first = combinations.len();
    let mut found: Vec<(&str, Vec<usize>)> = Vec::new();
    for (name, row) in &matrix.file.names {
        let RowName::Label(label) = row else { continue };
        if rows[..first].iter().any(|row| row.custom_name.as_ref() == Some(name)) || is_replaced(row, matrix) {
            continue;
        }
        let own: Vec<usize> = (first..rows.len()).filter(|&i| rows[i].is_called(label)).collect();
        if own.is_empty() {
            return Err(ExperimentRows { rows, combinations, matrix }.unknown(row, &at!["names", name.as_str()], None));
        }
        found.push((name.as_str(), own));
    }
    found.iter().flat_map(|(_, own)| own).for_each(|row| rows[*row].custom_name = None);
    give(rows, &found, matrix.document)
}

/// Whether the command line sets a setting of an entry, or, if the entry is a label, anything: its row may be absent.
fn is_replaced(row: &RowName, matrix: Matrix<'_>) -> bool {
    match row {
        RowName::Label(_) => !matrix.overrides.0.is_empty(),
        RowName::Values(point) => matrix.is_overridden(point),
    }
}

fn check(name: &str, document: &Node) -> Result<(), ConfigError> {
    let is_plain = !name.trim().is_empty() && name.trim() == name && !name.contains(char::is_control);
    if is_plain && name.chars().count() <= LONGEST {
        return Ok(());
    }
    let error = document.error_at(&at!["names", name], format!("{name:?} cannot be the name of a row"));
    Err(error.help(format!("use 1 to {LONGEST} characters in one line, without blanks around them")))
}

/// Gives each name to the rows with these numbers.
fn give(rows: &mut [Row], found: &[(&str, Vec<usize>)], document: &Node) -> Result<(), ConfigError> {
    for (name, own) in found {
        let wrong = |message: String| document.error_at(&at!["names", *name], message);
        for (place, &i) in own.iter().enumerate() {
            let game = rows[i].run.game;
            if let Some(&other) = own[..place].iter().find(|&&other| rows[other].run.game == game) {
                let message = format!("`{name}` would name several rows: {} and {}", rows[other].name, rows[i].name);
                return Err(wrong(message).help("name more of the values of one row"));
            }
            if let Some(other) = &rows[i].custom_name {
                let message = format!("the row {} has two names: `{other}` and `{name}`", rows[i].name);
                return Err(wrong(message).help("keep one of the two"));
            }
            rows[i].custom_name = Some((*name).to_owned());
        }
    }
    for (name, own) in found {
        let same = |i: usize| {
            let is_same = |(j, other): &(usize, &Row)| {
                *j != i && other.run.game == rows[i].run.game && other.display_name() == *name
            };
            rows.iter().enumerate().find(is_same)
        };
        if let Some((_, other)) = own.iter().find_map(|&i| same(i)) {
            let message = format!("`{name}` is also the name of the row {}", other.label);
            return Err(document.error_at(&at!["names", *name], message).help("choose another name"));
        }
    }
    found.iter().flat_map(|(_, own)| own).for_each(|&i| rows[i].label = folder_label(rows, i));
    Ok(())
}

/// The label of a named row; the old one if the name has no character for it, or another row has it.
fn folder_label(rows: &[Row], row: usize) -> String {
    let words = for_folder(rows[row].display_name());
    let label = format!("{}-{words}", rows[row].run.game.name());
    let is_taken = rows.iter().enumerate().any(|(other, known)| other != row && known.label == label);
    if words.is_empty() || is_taken { rows[row].label.clone() } else { label }
}

/// Bytes of the part of the name that lists overrides.
const LONGEST_OVERRIDES: usize = 100;

/// Hexadecimal digits of the hash of the overrides that the name cannot show.
const DIGITS: usize = 8;

/// The name that the file has for the experiment, or the file's own.
pub(crate) fn own_name(file: &ExperimentFile, document: &Node, source: &Source) -> Result<String, ConfigError> {
    if let Some(name) = &file.name {
        let error = || document.error_at(&at!["name"], format!("\"{name}\" cannot be a folder name"));
        return is_name(name).then(|| name.clone()).ok_or_else(|| error().help(format!("use {RULE}")));
    }
    let stem = source.path().file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let error = || source.error(format!("`name` is missing, and \"{stem}\" cannot be a folder name"));
    is_name(&stem).then(|| stem.clone()).ok_or_else(|| error().help(format!("add `name: …` with {RULE}")))
}

/// `quickstart+train.steps=40`. The order of the options does not matter, nor a value that a later one replaces. Values
/// with other characters than those of a plain word, and long ones, are distinguished by a hash.
pub(crate) fn run_name(file: &str, overrides: &Point) -> String {
    let word = |(setting, value): (&Setting, &Node)| format!("{}={value}", setting.key_path().join("."));
    let words: Vec<String> = acting(overrides).into_iter().map(word).collect();
    if words.is_empty() {
        return file.to_owned();
    }
    let exact = words.join("+");
    let mut plain = words.iter().map(|word| plain(word)).collect::<Vec<_>>().join("+");
    if plain != exact || plain.len() > LONGEST_OVERRIDES {
        plain.truncate(LONGEST_OVERRIDES);
        let hash = blake3::hash(exact.as_bytes()).to_hex();
        plain = format!("{plain}-{}", &hash[..DIGITS]);
    }
    format!("{file}+{plain}")
}

/// The overrides that no later one covers, a whole before its parts.
fn acting(overrides: &Point) -> Vec<(&Setting, &Node)> {
    let is_covered =
        |place: usize, setting: &Setting| overrides.settings().skip(place + 1).any(|later| later.covers(setting));
    let acting = overrides.values().enumerate().filter(|&(place, (setting, _))| !is_covered(place, setting));
    let mut acting: Vec<(&Setting, &Node)> = acting.map(|(_, one)| one).collect();
    acting.sort_by(|(a, _), (b, _)| a.key_path().cmp(b.key_path()));
    acting
}

/// Letters, digits and `- _ . =`; anything else becomes a dash.
fn plain(word: &str) -> String {
    let kept = |c: char| if c.is_ascii_alphanumeric() || "-_.=".contains(c) { c } else { ' ' };
    let spaced: String = word.chars().map(kept).collect();
    spaced.split_whitespace().collect::<Vec<_>>().join("-").replace("=-", "=")
}
