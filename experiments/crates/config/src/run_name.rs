//! The name of an experiment's run folder: that of its file, followed by what the command line overrides. So a try with
//! `--set` has a folder for itself and never replaces the cells of the file.

use super::file::ExperimentFile;
use super::setting::{Point, Setting};
use super::source::{ConfigError, Source, at};
use super::tree::Node;
use facts::name::{RULE, is_name};

/// Bytes of the part of the name that lists overrides.
const LONGEST: usize = 100;

/// Hexadecimal digits of the hash of the overrides that the name cannot show.
const DIGITS: usize = 8;

/// The name that the file has for the experiment, or the file's own.
pub(super) fn own_name(file: &ExperimentFile, document: &Node, source: &Source) -> Result<String, ConfigError> {
    if let Some(name) = &file.name {
        let error = || document.error_at(&at!["name"], format!("\"{name}\" is no name for a folder"));
        return is_name(name).then(|| name.clone()).ok_or_else(|| error().help(format!("use {RULE}")));
    }
    let stem = source.path().file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let error = || source.error(format!("`name` is missing, and \"{stem}\" is no name for a folder"));
    is_name(&stem).then(|| stem.clone()).ok_or_else(|| error().help(format!("add `name: …` with {RULE}")))
}

/// `quickstart+train.steps=40`. The order of the options does not matter, nor a value that a later one replaces. Values
/// with other characters than those of a plain word, and long ones, are distinguished by a hash.
pub(super) fn run_name(file: &str, overrides: &Point) -> String {
    let word = |(setting, value): (&Setting, &Node)| format!("{}={value}", setting.key_path().join("."));
    let words: Vec<String> = acting(overrides).into_iter().map(word).collect();
    if words.is_empty() {
        return file.to_owned();
    }
    let exact = words.join("+");
    let mut plain = words.iter().map(|word| plain(word)).collect::<Vec<_>>().join("+");
    if plain != exact || plain.len() > LONGEST {
        plain.truncate(LONGEST);
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
