//! Removes what killed processes left over.

use records::CellLock;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// The processes of this machine; without it nothing is removed.
const PROCESSES: &str = "/proc";

/// Removes from a folder what ended processes of this user left there: files and folders whose names are `before`, the number of
/// the process, and `after` with whatever follows. A folder that some process has locked stays, also if that process is
/// one of another container. What cannot be removed stays, too.
pub(super) fn remove(dir: &Path, before: &str, after: &str) {
    let Ok(user) = fs::metadata(Path::new(PROCESSES).join("self")).map(|own| own.uid()) else { return };
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let (name, path) = (entry.file_name(), entry.path());
        let process = name.to_str().and_then(|name| process(name, before, after));
        let has_ended = process.is_some_and(|process| !Path::new(PROCESSES).join(process).exists());
        // Of the entry itself: a link is removed and not followed.
        let own = entry.metadata().ok().filter(|entry| has_ended && entry.uid() == user);
        let Some(own) = own else { continue };
        let _ = match own.is_dir() {
            true if CellLock::is_held(&path) => Ok(()),
            true => fs::remove_dir_all(&path),
            false => fs::remove_file(&path),
        };
    }
}

/// The number of the process in such a name.
fn process<'a>(name: &'a str, before: &str, after: &str) -> Option<&'a str> {
    let rest = name.strip_prefix(before)?;
    let end = rest.find(|c: char| !c.is_ascii_digit())?;
    (end > 0 && rest[end..].starts_with(after)).then_some(&rest[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_the_number_of_their_process() {
        assert_eq!(process("x.tar.zst.42.tmp", "x.tar.zst.", ".tmp"), Some("42"));
        assert_eq!(process("posenc-bundle-42-a1B2", "posenc-bundle-", "-"), Some("42"));
        for name in ["x.tar.zst..tmp", "x.tar.zst.42", "x.tar.zst.4a.tmp", "y.tar.zst.42.tmp", "x.tar.zst.new.tmp"] {
            assert_eq!(process(name, "x.tar.zst.", ".tmp"), None, "{name}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn only_what_ended_processes_left_goes() {
        let dir = tempfile::tempdir().unwrap();
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let ended = child.id();
        child.wait().unwrap();
        let make = |name: String| {
            fs::create_dir(dir.path().join(&name)).unwrap();
            fs::write(dir.path().join(&name).join("file"), "x").unwrap();
            name
        };
        let gone = make(format!("posenc-bundle-{ended}-a"));
        let mut kept = vec![make(format!("posenc-bundle-{}-b", std::process::id())), make("other".to_owned())];
        let locked = make(format!("posenc-bundle-{ended}-c"));
        let _lock = CellLock::try_take(&dir.path().join(&locked)).unwrap();
        kept.push(locked);
        let link = dir.path().join(format!("posenc-bundle-{ended}-d"));
        std::os::unix::fs::symlink(dir.path().join("other"), &link).unwrap();
        remove(dir.path(), "posenc-bundle-", "-");
        assert!(!dir.path().join(gone).exists() && fs::symlink_metadata(&link).is_err());
        assert!(kept.iter().all(|name| dir.path().join(name).join("file").exists()));
    }
}
