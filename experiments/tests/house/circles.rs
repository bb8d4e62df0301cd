//! Circles of files: each imports a name from the next, and the last one from the first.
//!
//! An import is a path to a name that another file of the crate defines, `use`d or written out, followed through
//! re-exports to the file with the definition. `mod child;`, and a `pub use` of a name that its own file does not need,
//! import nothing: they only show what is below.

use crate::expect_none;
use crate::metadata::{packages, root};
use crate::source::{Source, Token, paths, sources};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;

const REMEDY: &str = "Move what both files need into a third one, or the two into one file.";

/// Re-exports of re-exports are followed this far.
const DEPTH: usize = 8;

/// A path by its modules from the crate's root: `["sinks", "jsonl"]`.
type Module = Vec<String>;

struct File {
    /// Every path of a `use`, and whether it is `pub`.
    uses: Vec<(bool, Vec<String>)>,
    code: Vec<Token>,
}

/// Which files a file imports from, each with the first name.
type Edges<'a> = BTreeMap<&'a Module, BTreeMap<&'a Module, String>>;

/// The files of a crate by their modules.
struct Files(BTreeMap<Module, File>);

impl Files {
    /// The files that ship; `src` is the crate's folder of sources below the workspace.
    fn of(src: &Path, sources: &[Source]) -> Self {
        let file = |source: &Source| {
            let (uses, code) = taken_apart(source.shipped());
            Some((module(source.path.strip_prefix(src).ok()?), File { uses, code }))
        };
        Self(sources.iter().filter_map(file).collect())
    }

    /// The files whose names a file imports, each with the first such name.
    fn imports(&self, of: &Module) -> BTreeMap<&Module, String> {
        let file = &self.0[of];
        let is_used = |name: &str| file.code.iter().any(|(_, word)| word == name);
        let needed = |(public, path): &&(bool, Vec<String>)| !public || path.last().is_some_and(|name| is_used(name));
        let used = file.uses.iter().filter(needed).map(|(_, path)| path.clone());
        let written = paths(&file.code).into_iter().map(|(_, path)| path);
        let mut found = BTreeMap::new();
        for path in used.chain(written) {
            if let Some((target, name)) = self.target(of, &path, DEPTH).filter(|(target, _)| *target != of) {
                found.entry(target).or_insert(name);
            }
        }
        found
    }

    /// The file that defines what a path in `from` names; none for a module, and for names of other crates.
    fn target(&self, from: &Module, path: &[String], depth: usize) -> Option<(&Module, String)> {
        let (mut at, mut rest) = self.start(from, path, depth)?;
        while let Some((next, after)) = rest.split_first() {
            let below: Module = at.iter().chain([next]).cloned().collect();
            if !self.0.contains_key(&below) {
                break;
            }
            (at, rest) = (below, after);
        }
        let name = rest.first()?;
        let (module, file) = self.0.get_key_value(&at)?;
        match file.uses.iter().find(|(_, path)| path.last() == Some(name)) {
            Some((_, path)) if depth > 0 => self.target(module, path, depth - 1),
            _ => Some((module, name.clone())),
        }
    }

    /// The module that a path starts from, and the rest of the path.
    fn start<'a>(&self, from: &Module, path: &'a [String], depth: usize) -> Option<(Module, &'a [String])> {
        let path = path.strip_suffix(&["self".to_owned()]).filter(|path| !path.is_empty()).unwrap_or(path);
        let first = path.first()?;
        match first.as_str() {
            "crate" => return Some((Module::new(), &path[1..])),
            "self" => return Some((from.clone(), &path[1..])),
            "super" => {
                let ups = path.iter().take_while(|part| *part == "super").count();
                return Some((from[..from.len().checked_sub(ups)?].to_vec(), &path[ups..]));
            }
            _ => {}
        }
        let below: Module = from.iter().chain([first]).cloned().collect();
        if self.0.contains_key(&below) {
            return Some((below, &path[1..]));
        }
        // A module that a `use` brought here.
        let (_, used) = self.0[from].uses.iter().find(|(_, used)| used.last() == Some(first) && used.len() > 1)?;
        let (base, rest) = self.start(from, used, depth.checked_sub(1)?)?;
        let module: Module = base.into_iter().chain(rest.iter().cloned()).collect();
        self.0.contains_key(&module).then_some((module, &path[1..]))
    }

    /// Shortest circles, until every file that is in a circle is named in one.
    fn circles(&self) -> Vec<String> {
        let edges: Edges<'_> = self.0.keys().map(|file| (file, self.imports(file))).collect();
        let mut circles = Vec::new();
        let mut named: BTreeSet<&Module> = BTreeSet::new();
        for start in edges.keys().copied() {
            if named.contains(start) {
                continue;
            }
            let Some(circle) = circle_through(start, &edges) else { continue };
            let steps = circle.iter().zip(circle.iter().cycle().skip(1));
            let steps =
                steps.map(|(file, next)| format!("{} imports {}::{}", shown(file), shown(next), edges[file][*next]));
            circles.push(steps.collect::<Vec<_>>().join(", "));
            named.extend(circle);
        }
        circles
    }
}

/// The files of a shortest circle through `start`.
fn circle_through<'a>(start: &'a Module, edges: &Edges<'a>) -> Option<Vec<&'a Module>> {
    let mut ways = VecDeque::from([vec![start]]);
    let mut seen = BTreeSet::new();
    while let Some(way) = ways.pop_front() {
        for &next in edges[way[way.len() - 1]].keys() {
            if next == start {
                return Some(way);
            }
            if seen.insert(next) {
                ways.push_back(way.iter().copied().chain([next]).collect());
            }
        }
    }
    None
}

fn shown(module: &Module) -> String {
    if module.is_empty() { "crate".to_owned() } else { module.join("::") }
}

fn module(path: &Path) -> Module {
    let mut parts: Module = path.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if parts.last().is_some_and(|last| last == "mod" || (parts.len() == 1 && (last == "lib" || last == "main"))) {
        parts.pop();
    }
    parts
}

/// The paths of all `use`s, and the code without them.
fn taken_apart(tokens: &[Token]) -> (Vec<(bool, Vec<String>)>, Vec<Token>) {
    let (mut uses, mut rest, mut left) = (Vec::new(), Vec::new(), tokens);
    // `use<'a>` in a type is none.
    let is_use = |pair: &[Token]| pair[0].1 == "use" && pair[1].1 != "<";
    while let Some(at) = left.windows(2).position(is_use) {
        let (before, from) = left.split_at(at);
        let end = from.iter().position(|(_, text)| text == ";").unwrap_or(from.len());
        // `pub` or `pub(crate)`.
        let public = before.last().is_some_and(|(_, text)| text == "pub" || text == ")");
        uses.extend(paths(&from[1..end]).into_iter().map(|(_, path)| (public, path)));
        rest.extend_from_slice(before);
        left = &from[end..];
    }
    rest.extend_from_slice(left);
    (uses, rest)
}

#[test]
fn no_files_of_a_crate_import_each_other() {
    let mut breaches = Vec::new();
    for package in packages() {
        let src = package.dir().strip_prefix(root()).unwrap_or(package.dir()).join("src");
        let circles = Files::of(&src, &sources(root(), package.dir())).circles().into_iter();
        breaches.extend(circles.map(|circle| format!("{}: {circle}", package.name)));
    }
    expect_none("Files that import names from each other:", REMEDY, &breaches);
}

#[test]
fn circles_are_found_and_what_only_shows_names_is_none() {
    let found = |files: &[(&str, &str)]| {
        let sources: Vec<Source> =
            files.iter().map(|(path, code)| Source::new(Path::new("src").join(path), code)).collect();
        Files::of(Path::new("src"), &sources).circles()
    };
    let circle =
        found(&[("lib.rs", "mod a;\nmod b;"), ("a.rs", "use super::b::B;"), ("b.rs", "fn f(a: crate::a::A) {}")]);
    assert_eq!(circle, ["a imports b::B, b imports a::A"]);
    let three =
        [("a.rs", "use crate::b::B;"), ("b.rs", "use crate::c::{self, C};\nc::d();"), ("c.rs", "use crate::a::A;")];
    assert_eq!(found(&three), ["a imports b::B, b imports c::C, c imports a::A"]);
    let parent = [("a.rs", "mod b;\nuse b::help;\nstruct A;"), ("a/b.rs", "use super::A;")];
    assert_eq!(found(&parent), ["a imports a::b::help, a::b imports a::A"]);
    // The re-export leads to the file with the definition, and imports nothing where its file does not use the name.
    let shown = [("lib.rs", "mod a;\nmod b;\npub use a::A;"), ("a.rs", "struct A;"), ("b.rs", "use crate::A;")];
    assert_eq!(found(&shown), [""; 0]);
    let through =
        [("lib.rs", "mod a;\nmod b;\npub use a::A;"), ("a.rs", "use crate::b::B;"), ("b.rs", "use crate::A;")];
    assert_eq!(found(&through), ["a imports b::B, b imports a::A"]);
    let own = [("a.rs", "mod b;\npub use b::B;\nfn f(b: B) {}\nstruct A;"), ("a/b.rs", "use super::A;")];
    assert_eq!(found(&own).len(), 1);
    // Of another crate, and in tests.
    let none = [
        ("a.rs", "mod b;\nuse tch::Kind;\nuse b::B;"),
        ("a/b.rs", "use super::Kind;\n#[cfg(test)]\nmod t { use super::super::A; }"),
    ];
    assert_eq!(found(&none), [""; 0]);
}
