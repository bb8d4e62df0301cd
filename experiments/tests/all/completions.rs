//! `posenc completions` and `posenc man` describe the whole command line.

use crate::cli::run;
use std::collections::BTreeSet;
use std::fs;

/// The commands that `posenc help` lists.
fn commands() -> BTreeSet<String> {
    let help = run(std::path::Path::new("."), &["help"]).succeeds().stdout;
    let (_, commands) = help.split_once("Experiments:\n").expect("groups of commands");
    let (commands, _) = commands.split_once("Options:\n").expect("options");
    let names = commands.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names = names.filter_map(|line| line.split_whitespace().next()).map(str::to_owned);
    names.filter(|name| name != "help").collect()
}

#[test]
fn every_shell_completes_every_command() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = run(std::path::Path::new("."), &["completions", shell]).succeeds().stdout;
        for command in commands() {
            assert!(script.contains(&command), "{shell}: {command}");
        }
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let dir = tempfile::tempdir().expect("a folder");
    run(dir.path(), &["man", "--out", "pages"]).succeeds();
    for command in commands() {
        let page = fs::read_to_string(dir.path().join(format!("pages/posenc-{command}.1")));
        let page = page.unwrap_or_else(|error| panic!("{command}: {error}"));
        assert!(page.contains(".TH") && page.contains(&command), "{command}");
    }
    assert!(dir.path().join("pages/posenc.1").is_file());
}
