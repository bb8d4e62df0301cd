//! The list of hashes, which is read before any other file.

use super::error::unreadable;
use super::names::{CELLS, METADATA, SUMS, is_safe};
use records::plan;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The files of a bundle with their hashes.
#[derive(Debug)]
pub(super) struct Listing(BTreeMap<String, blake3::Hash>);

impl Listing {
    /// Reads and checks the text of the list.
    /// Refuses paths that lead out of the bundle or are listed twice, and two files with one place in the run folder.
    pub(super) fn parse(bundle: &Path, text: &[u8]) -> anyhow::Result<Self> {
        let wrong = |line: usize, what: &str| unreadable(bundle, format!("line {} of {SUMS} {what}", line + 1));
        let text = std::str::from_utf8(text).map_err(|_| unreadable(bundle, format!("{SUMS} is not UTF-8")))?;
        let mut files = BTreeMap::new();
        for (at, line) in text.lines().enumerate() {
            let (hash, path) = line.split_once("  ").ok_or_else(|| wrong(at, "is not a hash with a path"))?;
            let hash = blake3::Hash::from_hex(hash).map_err(|_| wrong(at, "is not a hash with a path"))?;
            if !is_safe(path) || path == SUMS {
                return Err(wrong(at, "names a path that cannot be in it"));
            }
            if files.insert(path.to_owned(), hash).is_some() {
                return Err(wrong(at, &format!("names {path} a second time")));
            }
        }
        for name in [METADATA, plan::FILE] {
            if !files.contains_key(name) {
                return Err(unreadable(bundle, format!("it has no {name}")));
            }
        }
        let listing = Self(files);
        listing.check_places().map_err(|reason| unreadable(bundle, reason))?;
        Ok(listing)
    }

    /// In a run folder, rows are beside the other files: none may take the place of one.
    fn check_places(&self) -> Result<(), String> {
        let (mut rows, mut others) = (BTreeSet::new(), BTreeSet::new());
        for path in self.0.keys() {
            match path.split_once('/') {
                Some((CELLS, rest)) => match rest.split_once('/') {
                    Some((row, _)) => rows.insert(row),
                    None => return Err(format!("{path} is not in the folder of a cell")),
                },
                Some((folder, _)) => others.insert(folder),
                None => others.insert(path.as_str()),
            };
        }
        match rows.intersection(&others).next() {
            None => Ok(()),
            Some(name) => Err(format!("{CELLS}/{name} would replace {name} in the run folder")),
        }
    }

    /// The hash of a file; none if the list lacks it.
    pub(super) fn hash(&self, path: &str) -> Option<blake3::Hash> {
        self.0.get(path).copied()
    }

    pub(super) fn paths(&self) -> impl Iterator<Item = &String> {
        self.0.keys()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(paths: &[&str]) -> Result<Listing, String> {
        let hash = blake3::hash(b"").to_hex();
        let text: String = [METADATA, plan::FILE].iter().chain(paths).map(|path| format!("{hash}  {path}\n")).collect();
        Listing::parse(Path::new("b"), text.as_bytes()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_list_has_each_place_once() {
        let listing = parse(&["cells/row-a/seed-0/status.json", "tuning/grid.json"]).unwrap();
        assert_eq!((listing.paths().count(), listing.hash("other")), (4, None));
        let cases: [(&[&str], &str); 7] = [
            (&["a", "a"], "names a a second time"),
            (&["../a"], "names a path that cannot be in it"),
            (&["/a"], "names a path that cannot be in it"),
            (&[SUMS], "names a path that cannot be in it"),
            (&["cells/grid.json"], "cells/grid.json is not in the folder of a cell"),
            (&["cells/grid.json/seed-0/x"], "would replace grid.json"),
            (&["cells/tuning/seed-0/x", "tuning/y"], "would replace tuning"),
        ];
        for (paths, reason) in cases {
            let error = parse(paths).unwrap_err();
            assert!(error.contains(reason), "{error}");
        }
        for text in ["", "no hash", &format!("{}  {METADATA}\n", blake3::hash(b"").to_hex())] {
            assert!(Listing::parse(Path::new("b"), text.as_bytes()).is_err(), "{text}");
        }
    }
}
