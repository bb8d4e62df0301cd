//! The answers of `posenc new`: from options, from a terminal, or printed defaults.

use crate::commands::error_message::for_stderr;
use crate::commands::options::named;
use config::nearest;
use encodings::{EncodingConfig, EncodingInfo};
use games::GameKind;
use std::io::{self, IsTerminal as _};

#[derive(Debug, Clone)]
pub(super) struct Games(pub(super) Vec<GameKind>);

/// In the order of the answer, each once.
#[derive(Debug, Clone)]
pub(super) struct Encodings(pub(super) Vec<EncodingInfo>);

#[derive(Debug, Clone)]
pub(super) struct Depths(pub(super) Vec<usize>);

pub(super) const EVERY_GAME: &str = if GameKind::ALL.len() == 2 { "both" } else { "all" };

pub(super) fn parse_games(text: &str) -> Result<Games, String> {
    if text == EVERY_GAME {
        return Ok(Games(GameKind::ALL.to_vec()));
    }
    let games = words(text).map(|word| named("games", &GameKind::LISTED, GameKind::name, word));
    let games: Vec<GameKind> =
        games.collect::<Result<_, _>>().map_err(|reason| format!("{reason}, or {EVERY_GAME}"))?;
    let is_repeated = (1..games.len()).any(|i| games[..i].contains(&games[i]));
    if games.is_empty() || is_repeated { Err("name one or more games, each once".to_owned()) } else { Ok(Games(games)) }
}

pub(super) fn parse_encodings(text: &str) -> Result<Encodings, String> {
    let find = |name: &str| {
        let found = EncodingConfig::REGISTRY.iter().find(|info| info.name == name);
        found.copied().ok_or_else(|| {
            let all = EncodingConfig::NAMES.join(", ");
            match nearest(name, EncodingConfig::NAMES.iter().copied()) {
                Some(meant) => {
                    format!("there is no encoding `{name}`; did you mean `{meant}`? The encodings are {all}")
                }
                None => format!("there is no encoding `{name}`; the encodings are {all}"),
            }
        })
    };
    let all: Vec<EncodingInfo> = words(text).map(find).collect::<Result<_, _>>()?;
    let is_repeated = |i: &usize| all[..*i].iter().any(|other| other.name == all[*i].name);
    if let Some(i) = (0..all.len()).find(is_repeated) {
        return Err(format!("{} is named twice", all[i].name));
    }
    if all.len() < 2 { Err("name two or more, separated by commas".to_owned()) } else { Ok(Encodings(all)) }
}

pub(super) fn parse_depths(text: &str) -> Result<Depths, String> {
    let read = |word: &str| word.parse().ok().filter(|&layers: &usize| layers > 0);
    let mut all: Vec<usize> =
        words(text).map(read).collect::<Option<_>>().ok_or("write whole numbers above 0, such as 2,4")?;
    all.sort_unstable();
    all.dedup();
    if all.is_empty() { Err("write at least one number of layers".to_owned()) } else { Ok(Depths(all)) }
}

pub(super) fn parse_seeds(text: &str) -> Result<u64, String> {
    const MOST: u64 = 1000;
    text.parse()
        .ok()
        .filter(|seeds| (1..=MOST).contains(seeds))
        .ok_or_else(|| format!("write a number from 1 to {MOST}"))
}

/// In one line, so that it cannot end a comment.
pub(super) fn parse_question(text: &str) -> Result<String, String> {
    let is_line = !text.trim().is_empty() && !text.contains(char::is_control);
    is_line.then(|| text.trim().to_owned()).ok_or_else(|| "write the question in one line".to_owned())
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim).filter(|word| !word.is_empty())
}

/// The value of an option; without it the answer of a person, or the default where nobody can be asked.
pub(super) fn asked<T>(
    what: &str,
    option: &str,
    given: Option<T>,
    default: &str,
    read: impl Fn(&str) -> Result<T, String>,
) -> anyhow::Result<T> {
    if let Some(given) = given {
        return Ok(given);
    }
    let is_terminal = io::stdin().is_terminal() && io::stderr().is_terminal();
    if !is_terminal {
        eprintln!("{what}: {default} ({option})");
        return read(default).map_err(anyhow::Error::msg);
    }
    loop {
        eprint!("{}", for_stderr(&format!("{what} [{default}]: ")));
        let mut line = String::new();
        io::stdin().read_line(&mut line)?;
        let answer = if line.trim().is_empty() { default } else { line.trim() };
        match read(answer) {
            Ok(read) => return Ok(read),
            Err(reason) => eprintln!("{}", for_stderr(&format!("  {reason}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_answers_say_what_would_be_right() {
        let names =
            |text: &str| parse_encodings(text).map(|all| all.0.iter().map(|info| info.name).collect::<Vec<_>>());
        assert_eq!(names("shaw, absolute"), Ok(vec!["shaw", "absolute"]));
        let reason = |text: &str| names(text).expect_err("refused");
        assert!(reason("shaw,absolut").contains("absolute, relative_bias"));
        assert!(
            ["ropee", "rotary"].iter().all(|name| reason(&format!("shaw,{name}")).contains("did you mean `rope`?"))
        );
        assert!(reason("shaw,xyz").starts_with("there is no encoding `xyz`; the encodings are none, "));
        assert!(reason("shaw").contains("two or more") && reason("shaw,shaw").contains("shaw is named twice"));
        assert_eq!(parse_depths("4, 2,4").expect("numbers").0, [2, 4]);
        assert!(["", "0", "2.5", "two"].iter().all(|text| parse_depths(text).is_err()));
        assert_eq!(parse_games(EVERY_GAME).expect("games").0, GameKind::ALL);
        assert_eq!(parse_games("shogi, chess").expect("games").0, [GameKind::Shogi, GameKind::Chess]);
        assert_eq!(parse_games("chess,chess").expect_err("refused"), "name one or more games, each once");
        let names = GameKind::LISTED.map(GameKind::name).join(", ");
        assert_eq!(parse_games("go").expect_err("refused"), format!("the games are {names}, or {EVERY_GAME}"));
        assert!(parse_question("Why?\nseeds: []").is_err() && parse_question(" ").is_err());
        assert!(parse_seeds("0").is_err() && parse_seeds("3") == Ok(3));
    }
}
