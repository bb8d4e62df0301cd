//! What cargo says of the workspace: its crates, their folders and their dependencies.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) manifest: PathBuf,
    pub(crate) dependencies: Vec<Dependency>,
}

/// A dependency as a crate's code names it.
pub(crate) struct Dependency {
    /// The name in the manifest: `serde_yaml`, though the package behind it is `yaml_serde`.
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) is_optional: bool,
}

impl Package {
    pub(crate) fn dir(&self) -> &Path {
        self.manifest.parent().expect("a manifest lies in a folder")
    }
}

pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies in the workspace")
}

pub(crate) fn packages() -> Vec<Package> {
    let metadata = cargo(&["metadata", "--format-version", "1", "--no-deps", "--offline", "--locked"]);
    let metadata: Value = serde_json::from_str(&metadata).expect("cargo metadata is JSON");
    list(&metadata["packages"]).iter().map(package).collect()
}

/// The crates that `cargo tree` prints for these options, a line for each.
pub(crate) fn tree(options: &[&str]) -> Vec<String> {
    let all = ["tree", "--offline", "--locked", "--edges", "normal,build,dev", "--prefix", "none"];
    cargo(&[&all, options].concat()).lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

fn cargo(arguments: &[&str]) -> String {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo).args(arguments).current_dir(root()).output().expect("cargo starts");
    assert!(output.status.success(), "cargo {}: {}", arguments[0], String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("cargo writes UTF-8")
}

fn package(value: &Value) -> Package {
    Package {
        name: text(&value["name"]),
        manifest: PathBuf::from(text(&value["manifest_path"])),
        dependencies: list(&value["dependencies"]).iter().map(dependency).collect(),
    }
}

fn dependency(value: &Value) -> Dependency {
    let name = if value["rename"].is_null() { &value["name"] } else { &value["rename"] };
    Dependency {
        name: text(name),
        kind: value["kind"].as_str().unwrap_or("normal").to_owned(),
        is_optional: value["optional"] == true,
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list in cargo's metadata")
}

fn text(value: &Value) -> String {
    value.as_str().expect("a string in cargo's metadata").to_owned()
}
