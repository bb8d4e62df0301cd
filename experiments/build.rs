//! Records the revision of the source that the program is built from, for manifests and `posenc --version`. No build fails
//! because of it: without git, or outside a work tree, the release stands for the revision.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The folders of the crates: each of them, and the folders in them, may hold one.
const ROOMS: [&str; 6] = ["games", "encodings", "models", "experiments", "experiments/crates", "labs"];

/// What a crate is built from.
const OF_CRATE: [&str; 4] = ["src", "shim", "build.rs", "Cargo.toml"];

/// What the workspace is built from beside its crates.
const OF_WORKSPACE: [&str; 3] = ["Cargo.toml", "Cargo.lock", ".cargo/config.toml"];

/// What git changes when another commit is checked out, made or tagged.
const OF_GIT: [&str; 4] = ["HEAD", "logs/HEAD", "packed-refs", "refs/tags"];

fn main() {
    let package = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let root = package.parent().unwrap_or(&package);
    watch_sources(root);
    let git = Git::of(root);
    if let Some(git) = &git {
        git.watch();
    }
    let release = || format!("v{}", std::env::var("CARGO_PKG_VERSION").unwrap_or_default());
    let git = git.and_then(|git| Some((git.says(&["rev-parse", "HEAD"])?, git)));
    let (commit, described, diff) = match git {
        None => (release(), None, None),
        Some((commit, git)) => (commit, git.says(&["describe", "--always", "--tags"]), git.diff()),
    };
    set("POSENC_COMMIT", &commit);
    set("POSENC_DESCRIBED", &described.unwrap_or_default());
    set("POSENC_DIFF", &diff.unwrap_or_default());
}

fn set(variable: &str, value: &str) {
    println!("cargo::rustc-env={variable}={value}");
}

/// Runs this again when the path changes. A path that does not exist would run it at every build.
fn watch(path: &Path) {
    if path.exists() {
        println!("cargo::rerun-if-changed={}", path.display());
    }
}

/// All sources: a change of any makes the tree dirty, and the program is then built again in any case.
fn watch_sources(root: &Path) {
    let folders_in = |folder: PathBuf| {
        let inside = std::fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let inside: Vec<PathBuf> = inside.filter(|path| path.join("Cargo.toml").is_file()).collect();
        std::iter::once(folder).chain(inside)
    };
    let crates = ROOMS.iter().flat_map(|room| folders_in(root.join(room)));
    let of_crates = crates.flat_map(|folder| OF_CRATE.map(|part| folder.join(part)));
    let all = of_crates.chain(OF_WORKSPACE.map(|part| root.join(part)));
    all.for_each(|path| watch(&path));
}

/// Git in the workspace's work tree.
struct Git {
    root: PathBuf,
}

impl Git {
    /// `None` without git, or if the folder is not the top of a work tree: the sources may lie in another project's.
    fn of(root: &Path) -> Option<Self> {
        let git = Self { root: root.canonicalize().ok()? };
        let top = PathBuf::from(git.says(&["rev-parse", "--show-toplevel"])?);
        (top.canonicalize().ok()? == git.root).then_some(git)
    }

    /// Git in this folder, whoever owns it, whatever a hook of git's has set, and without waiting for locks.
    fn command(&self) -> Command {
        let mut command = Command::new("git");
        command.arg("-C").arg(&self.root).arg("-c").arg(format!("safe.directory={}", self.root.display()));
        for name in ["GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"] {
            command.env_remove(name);
        }
        command.env("GIT_OPTIONAL_LOCKS", "0").stderr(Stdio::null());
        command
    }

    fn says(&self, arguments: &[&str]) -> Option<String> {
        let output = self.command().args(arguments).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        let text = text.trim();
        (output.status.success() && !text.is_empty()).then(|| text.to_owned())
    }

    /// Git's hash of the difference between tracked files and the commit, if there is one.
    fn diff(&self) -> Option<String> {
        let output = self.command().args(["diff", "HEAD", "--no-ext-diff", "--no-color"]).output().ok()?;
        if !output.status.success() || output.stdout.is_empty() {
            return None;
        }
        let mut hashing = self.command();
        hashing.args(["hash-object", "--stdin"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut hashing = hashing.spawn().ok()?;
        hashing.stdin.take()?.write_all(&output.stdout).ok()?;
        let hash = String::from_utf8(hashing.wait_with_output().ok()?.stdout).ok()?;
        Some(hash.trim().to_owned())
    }

    /// Runs this again when the commit or a tag changes; in a linked work tree these files are in several folders.
    fn watch(&self) {
        let branch = self.says(&["symbolic-ref", "-q", "HEAD"]);
        for name in OF_GIT.iter().copied().chain(branch.as_deref()) {
            if let Some(path) = self.says(&["rev-parse", "--git-path", name]) {
                watch(&self.root.join(path));
            }
        }
    }
}
