//! The revision of the source, for manifests and `posenc --version`.
//!
//! A macro asks git, not a build script: after a commit cargo compiles only the target that calls it, not its whole package. No
//! build fails because of git: without it, or outside a work tree, the release stands for the revision.

use proc_macro::TokenStream;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The files that change when another commit is checked out, made or packed. A new tag alone changes none of them: it shows after the
/// next change of the sources or the commit.
const OF_GIT: [&str; 3] = ["HEAD", "logs/HEAD", "packed-refs"];

/// What the workspace is built from beside its crates.
const OF_WORKSPACE: [&str; 3] = ["Cargo.toml", "Cargo.lock", ".cargo/config.toml"];

/// `[commit, description by tags, hash of the uncommitted changes]` as strings; a part that does not exist is empty.
///
/// The calling package lies in a folder of the work tree's top.
#[proc_macro]
pub fn revision(_: TokenStream) -> TokenStream {
    let package = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let root = package.parent().unwrap_or(&package);
    let git = Git::of(root).and_then(|git| Some((git.output(&["rev-parse", "HEAD"])?, git)));
    let mut watched: Vec<PathBuf> = OF_WORKSPACE.iter().map(|path| root.join(path)).collect();
    let parts = match git {
        None => [format!("v{}", std::env::var("CARGO_PKG_VERSION").unwrap_or_default()), String::new(), String::new()],
        Some((commit, git)) => {
            watched.extend(git.files());
            let described = git.output(&["describe", "--always", "--tags"]).unwrap_or_default();
            [commit, described, git.diff().unwrap_or_default()]
        }
    };
    // Cargo compiles the caller again when a file changes that it includes.
    let included = watched.iter().filter(|path| path.is_file()).filter_map(|path| path.to_str());
    let included: String = included.map(|path| format!("const _: &[u8] = include_bytes!({path:?}); ")).collect();
    format!("{{ {included}{parts:?} }}").parse().expect("the block is Rust")
}

/// Git in the workspace's work tree.
struct Git {
    root: PathBuf,
}

impl Git {
    /// `None` without git, or if the folder is not the top of a work tree: the sources may lie in another project's.
    fn of(root: &Path) -> Option<Self> {
        let git = Self { root: root.canonicalize().ok()? };
        let top = PathBuf::from(git.output(&["rev-parse", "--show-toplevel"])?);
        (top.canonicalize().ok()? == git.root).then_some(git)
    }

    /// Git in this folder, independent of its owner and of the variables of a git hook, and without waiting for locks.
    fn command(&self) -> Command {
        let mut command = Command::new("git");
        command.arg("-C").arg(&self.root).arg("-c").arg(format!("safe.directory={}", self.root.display()));
        for name in ["GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"] {
            command.env_remove(name);
        }
        command.env("GIT_OPTIONAL_LOCKS", "0").stderr(Stdio::null());
        command
    }

    /// What a git command prints, if it succeeds and prints anything.
    fn output(&self, arguments: &[&str]) -> Option<String> {
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

    /// The files of git that name the commit; in a linked work tree they are in several folders.
    fn files(&self) -> Vec<PathBuf> {
        let branch = self.output(&["symbolic-ref", "-q", "HEAD"]);
        let names = OF_GIT.iter().copied().chain(branch.as_deref());
        names.filter_map(|name| Some(self.root.join(self.output(&["rev-parse", "--git-path", name])?))).collect()
    }
}
