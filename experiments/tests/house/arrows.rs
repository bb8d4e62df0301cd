//! The direction of dependencies: what the manifests declare and what the sources name.

use crate::expect_none;
use crate::metadata::{Dependency, Package, packages, root, tree};
use crate::rooms::{IN_TESTS, KEYHOLES, ONE_BUILD, RESERVED, ROOMS, WITHOUT_LIBTORCH, room};
use crate::source::{Source, paths, sources};
use std::path::PathBuf;

const REMEDY: &str = "Move the code to the room whose concern it is (docs/architecture.md), or, if the table itself is \
                      to change, change experiments/tests/house/rooms.rs and docs/architecture.md and say why.";

/// Arrows of the manifests that the table does not have.
fn forbidden_dependencies(packages: &[Package]) -> Vec<String> {
    let mut breaches = vec![];
    for package in packages.iter().filter(|package| package.name != ONE_BUILD) {
        let place = package.manifest.strip_prefix(root()).unwrap_or(&package.manifest).display();
        let Some(room) = room(&package.name) else {
            breaches.push(format!("{place}: crate `{}` has no row in the table of rooms", package.name));
            continue;
        };
        for Dependency { name, kind, .. } in
            package.dependencies.iter().filter(|dependency| dependency.name != ONE_BUILD)
        {
            let is_room = ROOMS.iter().any(|room| room.name == name);
            let in_tests = kind == "dev" && IN_TESTS.iter().any(|(who, what, _)| who == &room.name && what == name);
            let reserved = RESERVED.iter().find(|(library, _)| library == name && !in_tests);
            if is_room && !room.may_import.contains(&name.as_str()) {
                breaches.push(format!("{place}: `{}` may not import `{name}` ({kind})", room.name));
            }
            if let Some((_, owners)) = reserved.filter(|(_, owners)| !owners.contains(&room.name)) {
                breaches.push(format!("{place}: `{name}` ({kind}) belongs to {}", owners.join(", ")));
            }
        }
    }
    breaches
}

/// Paths in a crate's sources that its row does not allow.
fn forbidden_paths(name: &str, sources: &[Source]) -> Vec<String> {
    let Some(room) = room(name) else { return vec![] };
    let mut breaches = vec![];
    for source in sources {
        let named = paths(source.code());
        // A module of the file, or a name that a longer path brings into it, is no crate.
        let is_local = |first: &str| {
            let ends_a_path = |(_, path): &(usize, Vec<String>)| match &path[..] {
                [.., name, last] => last == first || (last == "self" && name == first),
                _ => false,
            };
            named.iter().any(ends_a_path) || source.code().contains(&format!("mod {first};"))
        };
        for (line, path) in &named {
            let (line, first) = (*line, path[0].as_str());
            let is_other = first != name && !is_local(first) && ROOMS.iter().any(|room| room.name == first);
            if is_other && !room.may_import.contains(&first) {
                breaches.push(format!("{}: `{name}` may not name `{}`", source.place(line), path.join("::")));
            }
        }
        for (line, path) in paths(source.shipped()) {
            breaches.extend(seen_too_much(name, &path).map(|what| format!("{}: {what}", source.place(line))));
        }
    }
    breaches
}

/// What is wrong with a path in code that ships, by the keyholes and the reserved parts of the standard library.
fn seen_too_much(name: &str, path: &[String]) -> Option<String> {
    let (first, second) = (path.first()?.as_str(), path.get(1)?.as_str());
    let keyhole = KEYHOLES.iter().find(|(who, whom, _)| *who == name && *whom == first);
    if let Some((_, _, names)) = keyhole.filter(|(_, _, names)| !names.contains(&second)) {
        return Some(format!("`{name}` sees of `{first}` only {}, not `{second}`", names.join(", ")));
    }
    let never = room(name)?.never_std.contains(&second);
    (first == "std" && never).then(|| format!("`{name}` never names `std::{second}`"))
}

#[test]
fn manifests_keep_to_the_table() {
    expect_none("Dependencies that the table of rooms does not have:", REMEDY, &forbidden_dependencies(&packages()));
}

#[test]
fn sources_keep_to_the_table() {
    let breaches: Vec<String> =
        packages().iter().flat_map(|package| forbidden_paths(&package.name, &sources(root(), package.dir()))).collect();
    expect_none("Paths that the table of rooms does not have:", REMEDY, &breaches);
}

#[test]
fn what_reads_records_links_no_libtorch() {
    let linking = tree(&["--workspace", "--invert", "torch-sys"]);
    let links = |name: &str| linking.iter().any(|line| line.split(' ').next() == Some(name));
    assert!(links("nn"), "{linking:?}");
    let breaches: Vec<String> =
        WITHOUT_LIBTORCH.iter().filter(|name| links(name)).map(|name| (*name).to_owned()).collect();
    expect_none("Crates that link LibTorch, themselves or by what they depend on:", REMEDY, &breaches);
}

#[test]
fn the_table_names_exactly_the_crates_and_has_no_circle() {
    let mut declared: Vec<String> = packages().into_iter().map(|package| package.name).collect();
    let mut rooms: Vec<String> = ROOMS.iter().map(|room| room.name.to_owned()).collect();
    declared.sort();
    rooms.sort();
    assert_eq!(declared, rooms, "experiments/tests/house/rooms.rs has one row for each crate of the workspace");
    for (index, room) in ROOMS.iter().enumerate() {
        let later = |name: &&str| !ROOMS[..index].iter().any(|earlier| earlier.name == *name);
        let upward: Vec<&&str> = room.may_import.iter().filter(|name| later(name)).collect();
        assert!(upward.is_empty(), "`{}` stands in the table before {upward:?}, which it may import", room.name);
    }
}

#[test]
fn forbidden_arrows_are_caught() {
    let dependency = |name: &str| Dependency { name: name.to_owned(), kind: "normal".to_owned(), is_optional: false };
    let package = |name: &str, of: &[&str]| Package {
        name: name.to_owned(),
        manifest: PathBuf::from("Cargo.toml"),
        dependencies: of.iter().map(|name| dependency(name)).collect(),
    };
    let caught = |name: &str, of: &[&str]| forbidden_dependencies(&[package(name, of)]).len();
    assert_eq!(caught("games", &["serde", "shakmaty"]), 0);
    assert_eq!(caught("games", &["tch", "dataset", "serde_yaml"]), 3);
    assert_eq!(caught("nn", &["streams", "games"]), 1);
    assert_eq!(caught("models", &["dataset", "experiments", "rand"]), 3);
    assert_eq!(caught("a-new-crate", &[]), 1);

    let lines =
        |name: &str, code: &str| forbidden_paths(name, &[Source::new("src/a.rs".into(), code.to_owned())]).len();
    assert_eq!(lines("encodings", "use games::{Geometry, Relation};\nuse nn::Scope;"), 0);
    assert_eq!(lines("encodings", "use games::{Geometry, chess::Chess};\nfn f() { models::body() }"), 2);
    assert_eq!(lines("games", "fn now() -> std::time::Instant { std::time::Instant::now() }"), 2);
    assert_eq!(lines("models", "fn f() {}\n#[cfg(test)]\nmod tests { use games::Game; }"), 0);
    assert_eq!(lines("models", "fn f() {}\n#[cfg(test)]\nmod tests { use dataset::Loader; }"), 1);
}
