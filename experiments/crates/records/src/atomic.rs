//! Files are replaced as a whole: a reader sees the old contents or the new ones.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;

/// Replaces a file's contents; after a crash or on a full disk the old contents are still there. A failure leaves no
/// temporary file. The temporary name is random and new: no link that someone put there is followed.
pub fn replace(path: &Path, contents: &[u8]) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".");
    let mut builder = tempfile::Builder::new();
    builder.prefix(&name).suffix(".tmp");
    // As of any new file: others may read it if the umask lets them.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = builder.tempfile_in(folder)?;
    file.as_file_mut().write_all(contents)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    File::open(folder)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn contents_are_replaced_and_nothing_is_left_beside_them() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("status.json");
        replace(&path, b"old").unwrap();
        replace(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let plain = dir.path().join("plain");
            fs::write(&plain, b"").unwrap();
            let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
            assert_eq!(mode(&path), mode(&plain), "others may read it as they may read any file");
        }
    }

    #[test]
    fn a_failure_leaves_nothing_behind() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("taken");
        fs::create_dir(&path).unwrap();
        fs::write(path.join("inside"), b"").unwrap();
        assert!(replace(&path, b"new").is_err());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
