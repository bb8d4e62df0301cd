//! `posenc --help`: the commands in groups.

use clap::Subcommand;
use clap::builder::Styles;
use config::columns::{COLUMNS, wrapped};
use std::fmt::Write as _;

/// The groups, each with its commands. Commands of labs that were not built are left out.
const GROUPS: [(&str, &[&str]); 5] = [
    (
        "Experiments",
        &[
            "new", "check", "run", "submit", "status", "watch", "retry", "prune", "report", "compare", "publish",
            "verify", "render", "schema",
        ],
    ),
    ("Data", &["data"]),
    ("Look inside", &["list", "show", "predict", "inspect", "export"]),
    ("Play", &["eval", "play", "match"]),
    ("Machine and shell", &["devices", "bench", "completions", "man", HELP]),
];

/// clap's own command, which the description of a command line does not have.
const HELP: &str = "help";

const NAMES: usize = 11;

const DESCRIPTIONS: usize = COLUMNS - NAMES - 4;

/// The template of a program with these commands; `note` stands at its end.
pub(super) fn template<C: Subcommand>(note: &str) -> String {
    let commands = C::augment_subcommands(clap::Command::new("posenc"));
    let styles = Styles::styled();
    let (header, literal) = (styles.get_header(), styles.get_literal());
    let mut text = "{about-with-newline}\n{usage-heading} {usage}\n".to_owned();
    // A String takes every character.
    for (group, names) in GROUPS {
        let listed: Vec<_> = names.iter().filter_map(|&name| Some((name, about(&commands, name)?))).collect();
        if !listed.is_empty() {
            let _ = writeln!(text, "\n{header}{group}:{header:#}");
        }
        for (name, about) in listed {
            let (gap, about) = (NAMES.saturating_sub(name.len()), lines(&about));
            let _ = writeln!(text, "  {literal}{name}{literal:#}{:gap$}  {about}", "");
        }
    }
    let _ = write!(text, "\n{header}Options:{header:#}\n{{options}}{note}");
    text
}

/// Breaks the usage lines that are wider than a terminal, before options: clap does not break them.
pub(super) fn fitted(mut command: clap::Command) -> clap::Command {
    command.build();
    broken(command)
}

fn broken(mut command: clap::Command) -> clap::Command {
    let usage = command.render_usage().to_string();
    if let Some(line) = usage.strip_prefix("Usage: ").filter(|_| usage.lines().any(|line| line.len() > COLUMNS)) {
        // An option and its value stay together.
        let whole = wrapped(&line.replace(" <", "\u{a0}<"), COLUMNS - "Usage: ".len(), "       ");
        command = command.override_usage(whole.replace('\u{a0}', " "));
    }
    command.mut_subcommands(broken)
}

/// The description of a command, if there is such a one and it is not hidden.
fn about(commands: &clap::Command, name: &str) -> Option<String> {
    if name == HELP {
        return Some("Print this message, or the help of a command".to_owned());
    }
    commands.find_subcommand(name).filter(|command| !command.is_hide_set())?.get_about().map(ToString::to_string)
}

/// A description in lines, each below the first.
fn lines(about: &str) -> String {
    wrapped(about, DESCRIPTIONS, "").replace('\n', &format!("\n{:1$}", "", NAMES + 4))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::{Cli, Command};
    use clap::CommandFactory as _;
    use std::collections::BTreeSet;

    #[test]
    fn every_command_is_in_one_group() {
        let commands = Command::augment_subcommands(clap::Command::new("posenc"));
        let visible = commands.get_subcommands().filter(|command| !command.is_hide_set());
        let visible: BTreeSet<&str> = visible.map(clap::Command::get_name).chain([HELP]).collect();
        let listed: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        let grouped: BTreeSet<&str> = listed.iter().copied().collect();
        assert_eq!(listed.len(), grouped.len(), "no command is in two groups");
        let missing: Vec<_> = visible.difference(&grouped).collect();
        assert!(missing.is_empty(), "add to GROUPS: {missing:?}");
        if cfg!(feature = "labs") {
            assert_eq!(grouped, visible, "every lab is built");
        }
    }

    #[test]
    fn usage_lines_fit_a_terminal() {
        fn wide(command: &mut clap::Command, found: &mut Vec<String>) {
            let usage = command.render_usage().to_string();
            found.extend(usage.lines().filter(|line| line.chars().count() > COLUMNS).map(str::to_owned));
            command.get_subcommands_mut().for_each(|command| wide(command, found));
        }
        let (mut commands, mut found) = (fitted(Cli::command()), Vec::new());
        wide(&mut commands, &mut found);
        assert!(found.is_empty(), "{found:#?}");
    }

    #[test]
    fn lines_fit_a_terminal_and_are_aligned() {
        let help = template::<Command>("");
        let plain: String = clap::builder::StyledStr::from(help).to_string();
        assert!(plain.lines().all(|line| line.chars().count() <= COLUMNS), "{plain}");
        assert!(plain.contains("\nData:\n  data         Make, inspect and check datasets\n"), "{plain}");
    }
}
