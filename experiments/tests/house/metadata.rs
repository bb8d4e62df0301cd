//! What cargo says of the workspace: its crates, their folders and their dependencies.

use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(Deserialize)]
pub(crate) struct Package {
    pub(crate) name: String,
    #[serde(rename = "manifest_path")]
    pub(crate) manifest: PathBuf,
    pub(crate) dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
pub(crate) struct Dependency {
    #[serde(rename = "name")]
    package: String,
    rename: Option<String>,
    /// `dev` or `build`; none if it is a normal one.
    pub(crate) kind: Option<String>,
    #[serde(rename = "optional")]
    pub(crate) is_optional: bool,
}

impl Dependency {
    /// The name in `Cargo.toml` and in code, which a rename changes: the package `yaml_serde` has the name `serde_yaml`.
    pub(crate) fn name(&self) -> &str {
        self.rename.as_ref().unwrap_or(&self.package)
    }
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
    #[derive(Deserialize)]
    struct Metadata {
        packages: Vec<Package>,
    }
    let metadata = cargo(&["metadata", "--format-version", "1", "--no-deps", "--offline", "--locked"]);
    serde_json::from_str::<Metadata>(&metadata).expect("cargo's metadata").packages
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
