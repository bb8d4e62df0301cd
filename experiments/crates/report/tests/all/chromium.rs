//! Headless Chromium, for tests that need a browser.

#![allow(clippy::print_stdout, reason = "for those who ask with --nocapture")]

use std::path::{Path, PathBuf};
use std::process::Command;

/// What Chromium is called; `POSENC_BROWSER` names another one.
const NAMES: [&str; 5] =
    ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

pub(crate) struct Chromium(PathBuf);

impl Chromium {
    /// The browser; without one, says that the test is skipped.
    pub(crate) fn found() -> Option<Self> {
        let found = std::env::var_os("POSENC_BROWSER").map(PathBuf::from).or_else(|| {
            let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
            NAMES.iter().flat_map(|name| folders.iter().map(move |dir| dir.join(name))).find(|path| path.is_file())
        });
        if found.is_none() {
            println!("skipped: no Chromium (apt-get install chromium-headless-shell, or set POSENC_BROWSER)");
        }
        found.map(Self)
    }

    /// Opens `page#hash` and returns what the browser prints: with `--dump-dom`, the document after loading. The page may not
    /// complain in the console.
    pub(crate) fn open(&self, page: &Path, hash: &str, options: &[&str]) -> String {
        let output = Command::new(&self.0)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--enable-logging=stderr"])
            .arg(format!("--user-data-dir={}", page.with_extension("profile").display()))
            .args(options)
            .arg(format!("file://{}#{hash}", page.display()))
            .output()
            .expect("the browser starts");
        let log = String::from_utf8_lossy(&output.stderr).into_owned();
        let complaints: Vec<&str> = log.lines().filter(|line| line.contains("CONSOLE")).collect();
        assert_eq!(complaints, [""; 0], "{hash} {options:?}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}
