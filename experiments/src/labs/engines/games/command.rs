//! The command line that makes the same dataset again, for `dataset.yaml`.

use super::Args;
use config::shell_word;
use std::path::Path;

/// Everything that decides the content and nothing else (no --processes); files by name, since their folders belong
/// to this machine.
pub(super) fn line(args: &Args) -> String {
    let mut words = vec!["posenc data generate engines".to_owned()];
    let mut say = |name: &str, value: String| words.push(format!("--{name} {value}"));
    say("game", args.game.name().to_owned());
    say("engine", file_name(&args.engine));
    args.engine_arg.iter().for_each(|argument| say("engine-arg", shell_word(argument)));
    args.option.iter().for_each(|(name, value)| say("option", shell_word(&format!("{name}={value}"))));
    say("nodes", args.nodes.to_string());
    say("multipv", args.multipv.to_string());
    say("games", args.games.to_string());
    say("seed", args.seed.to_string());
    args.openings.iter().for_each(|book| say("openings", file_name(book)));
    args.random_plies.iter().for_each(|(from, to)| say("random-plies", format!("{from}..{to}")));
    args.random_within.iter().for_each(|within| say("random-within", within.to_string()));
    args.random_until.iter().for_each(|until| say("random-until", until.to_string()));
    say("temperature", args.temperature.to_string());
    args.adjudicate_win.iter().for_each(|rule| say("adjudicate-win", format!("{}:{}", rule.points, rule.plies)));
    args.adjudicate_draw
        .iter()
        .for_each(|rule| say("adjudicate-draw", format!("{}:{}:{}", rule.points, rule.plies, rule.from_ply)));
    say("ply-cap", args.ply_cap.to_string());
    words.push(args.shares.words());
    for (name, given) in [("--cap-is-draw", args.cap_is_draw), ("--fresh-engine", args.fresh_engine)] {
        words.extend(given.then(|| name.to_owned()));
    }
    words.join(" ")
}

fn file_name(path: &Path) -> String {
    shell_word(&path.file_name().unwrap_or(path.as_os_str()).to_string_lossy())
}
