//! Who may depend on whom. `docs/architecture.md` has the idea of each crate.

use crate::expect_none;
use crate::metadata::{Package, packages, root, tree};
use crate::source::{paths, sources};
use serde_json::json;

/// The crate without code on which every other one depends: it asks for the features of libraries that several crates
/// share, so that cargo builds each library once.
pub(crate) const ONE_BUILD: &str = "one-build";

/// What tests share; nothing that ships depends on it.
const TESTING: &str = "testing";

/// The crates, from the leaves up, and the crates of the workspace on which they may depend.
const CRATES: [(&str, &str); 29] = [
    (ONE_BUILD, ""),
    ("revision", ""),
    ("streams", ""),
    ("games", ""),
    ("dataset", "games streams"),
    ("baselines", "dataset games"),
    ("generate", "dataset games streams"),
    ("kernels", ""),
    ("nn", "kernels streams"),
    ("encodings", "games nn streams"),
    ("facts", "games"),
    ("models", "encodings facts games nn"),
    ("config", "dataset encodings facts games generate models nn streams"),
    ("records", "dataset facts games"),
    ("strength", ""),
    ("figures", "facts games strength"),
    ("train", "config dataset encodings figures games models nn records streams"),
    (TESTING, "config dataset encodings games models records streams train"),
    ("grid", "baselines config records train"),
    ("report", "dataset facts figures games records streams strength"),
    ("bundle", "config dataset games grid records report train"),
    ("render", "bundle facts records report"),
    ("engines", "dataset games streams"),
    ("inspect", "config dataset encodings facts figures games models nn records report streams train"),
    ("lc0", "config encodings games models nn records train"),
    ("play", "config dataset engines games models records streams strength train"),
    ("slurm", "grid records"),
    ("watch", "facts figures games records report"),
    (
        "experiments",
        "baselines bundle config dataset encodings engines facts figures games generate grid inspect lc0 models nn play \
         records render report revision slurm streams train watch",
    ),
];

/// Crates that do not link LibTorch, and neither do their tests: reading records and drawing reports works without it.
const WITHOUT_LIBTORCH: &str = "games facts dataset baselines generate engines figures records strength report watch";

/// The crates in `labs/`: the binary has each by a feature, and nothing of the core imports one.
pub(crate) const LABS: [&str; 6] = ["engines", "inspect", "lc0", "play", "slurm", "watch"];

/// Where a lab may import another one: (who, whom, what for).
pub(crate) const BETWEEN_LABS: [(&str, &str, &str); 1] = [("play", "engines", "engines are opponents and judges")];

/// Where a crate that ships may name only a part of another: (who, of whom, the names at that crate's root). Networks know
/// boards as geometry and shapes; they never see a position, a move or a game's rules.
const VISIBLE_NAMES: [(&str, &str, &str); 2] = [
    ("encodings", "games", "Geometry Relation geometry"),
    (
        "models",
        "games",
        "Geometry Relation geometry Boards Feature FeatureKind Frame InputLayout InputName Entry FromTo Listed PlaneEntry \
         Planes Vocabulary",
    ),
];

const REMEDY: &str = "Move the code to the crate whose concern it is (docs/architecture.md), or, if the table itself is to \
                      change, change experiments/tests/house/crates.rs and docs/architecture.md and say why.";

fn has(list: &str, name: &str) -> bool {
    list.split_whitespace().any(|one| one == name)
}

/// Dependencies that the table does not have.
fn forbidden(packages: &[Package]) -> Vec<String> {
    let mut breaches = vec![];
    for package in packages {
        let place = package.manifest.strip_prefix(root()).unwrap_or(&package.manifest).display();
        let Some((crate_name, may_import)) = CRATES.iter().find(|(name, _)| *name == package.name) else {
            breaches.push(format!("{place}: crate `{}` has no row in the table", package.name));
            continue;
        };
        for dependency in &package.dependencies {
            let (name, kind) = (dependency.name(), dependency.kind.as_deref().unwrap_or("normal"));
            let is_crate = CRATES.iter().any(|(crate_name, _)| *crate_name == name);
            let allowed = name == ONE_BUILD || has(may_import, name) || (name == TESTING && kind == "dev");
            if is_crate && !allowed {
                breaches.push(format!("{place}: `{crate_name}` may not depend on `{name}` ({kind})"));
            }
        }
    }
    breaches
}

#[test]
fn manifests_keep_to_the_table() {
    expect_none("Dependencies that the table of crates does not have:", REMEDY, &forbidden(&packages()));
}

#[test]
fn what_reads_records_links_no_libtorch() {
    let linking = tree(&["--workspace", "--invert", "torch-sys"]);
    let links = |name: &str| linking.iter().any(|line| line.split(' ').next() == Some(name));
    assert!(links("nn"), "{linking:?}");
    let breaches: Vec<String> = WITHOUT_LIBTORCH.split(' ').filter(|name| links(name)).map(str::to_owned).collect();
    expect_none("Crates that link LibTorch, themselves or by what they depend on:", REMEDY, &breaches);
}

#[test]
fn the_table_names_exactly_the_crates_and_has_no_circle() {
    let mut declared: Vec<String> = packages().into_iter().map(|package| package.name).collect();
    let mut names: Vec<&str> = CRATES.iter().map(|(name, _)| *name).collect();
    declared.sort();
    names.sort_unstable();
    assert_eq!(declared, names, "experiments/tests/house/crates.rs has one row for each crate of the workspace");
    for (index, (crate_name, may_import)) in CRATES.iter().enumerate() {
        let earlier = |name: &str| CRATES[..index].iter().any(|(earlier, _)| *earlier == name);
        let upward: Vec<&str> = may_import.split_whitespace().filter(|name| !earlier(name)).collect();
        assert!(upward.is_empty(), "`{crate_name}` stands in the table before {upward:?}, which it may import");
    }
}

#[test]
fn forbidden_arrows_are_caught() {
    let caught = |name: &str, of: &[(&str, &str)]| {
        let dependency = |(name, kind): &(&str, &str)| json!({"name": name, "kind": kind, "optional": false});
        let dependencies: Vec<_> = of.iter().map(dependency).collect();
        let package = json!({"name": name, "manifest_path": "Cargo.toml", "dependencies": dependencies});
        forbidden(&[serde_json::from_value(package).expect("a crate")]).len()
    };
    assert_eq!(caught("games", &[("serde", "normal"), (ONE_BUILD, "normal"), (TESTING, "dev")]), 0);
    assert_eq!(caught("games", &[("dataset", "normal"), ("dataset", "dev"), (TESTING, "normal")]), 3);
    assert_eq!(caught("records", &[("play", "dev"), ("facts", "normal")]), 1);
    assert_eq!(caught("a-new-crate", &[]), 1);
}

#[test]
fn networks_see_boards_as_geometry_and_shapes() {
    let mut breaches = vec![];
    for package in packages() {
        for (_, whom, names) in VISIBLE_NAMES.iter().filter(|(who, ..)| *who == package.name) {
            for source in sources(root(), package.dir()) {
                let named = paths(source.shipped()).into_iter();
                let hidden =
                    named.filter(|(_, path)| path[0] == *whom && path.get(1).is_some_and(|name| !has(names, name)));
                breaches.extend(hidden.map(|(line, path)| format!("{}: {}", source.place(line), path.join("::"))));
            }
        }
    }
    expect_none("Names of `games` that networks must not see:", REMEDY, &breaches);
}
