//! An engine for these tests: it knows the rules, judges moves by a hash, and fails on request.
//!
//! Engines are programs, so a test binary has to be one: a shell script starts it again with the name of the one test
//! that plays the engine, and the environment says what kind of engine.

use engines::EngineSettings;
use games::{Game, GameKind, Position, Side, with_game};
use serde::{Deserialize, Serialize};
use std::fs::{self, OpenOptions};
use std::io::{self, BufRead, Write};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

const VARIABLE: &str = "FAKE_ENGINE";

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Faults {
    /// Ends at this ply of any game.
    pub(crate) dies_at: Option<usize>,
    /// Ends at ply 12, but only the first time: the file tells.
    pub(crate) dies_once: Option<PathBuf>,
    /// Falls silent at ply 12, but only the first time.
    pub(crate) hangs_once: Option<PathBuf>,
    pub(crate) is_deaf: bool,
    /// Plays an illegal move every fourth ply, and says that it is the best.
    pub(crate) cheats: bool,
    /// Says things that mean nothing.
    pub(crate) babbles: bool,
    pub(crate) resigns_at: Option<usize>,
    /// Declares a win at this ply, without reason.
    pub(crate) declares_at: Option<usize>,
    /// Names no move where the second player is to move.
    pub(crate) resigns_as_second: bool,
    /// No fault: it sees every mate in two, by trying all moves.
    pub(crate) solves: bool,
}

pub(crate) fn engine(dir: &Path, game: GameKind, faults: &Faults, multipv: usize) -> EngineSettings {
    EngineSettings::new(program(dir, game, faults), game, multipv, Duration::from_secs(60))
}

/// Writes a program into `dir` that is an engine with these faults.
pub(crate) fn program(dir: &Path, game: GameKind, faults: &Faults) -> PathBuf {
    let name = format!("engine-{}", fs::read_dir(dir).expect("a folder").count());
    let me = std::env::current_exe().expect("this test's own path");
    let faults = serde_json::to_string(&(game, faults)).expect("JSON");
    script(dir, &name, &format!("{VARIABLE}='{faults}' exec '{}' --exact fake::speaks_the_protocol", me.display()))
}

/// Writes a program of this text for the shell.
pub(crate) fn script(dir: &Path, name: &str, text: &str) -> PathBuf {
    let path = dir.join(name);
    fs::write(&path, format!("#!/bin/sh\n{text}\n")).expect("the folder can be written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("its mode can be set");
    path
}

/// A test like any other, unless the environment asks for an engine.
#[test]
fn speaks_the_protocol() {
    if let Ok(text) = std::env::var(VARIABLE) {
        let (game, faults): (GameKind, Faults) = serde_json::from_str(&text).expect("a game and its faults");
        let (stdin, mut stdout) = (io::stdin().lock(), io::stdout().lock());
        // Behind whatever the test runner has begun to write.
        writeln!(stdout).expect("stdout is open");
        with_game!(game, G => Engine::<G>::new(faults).serve(stdin, &mut stdout));
        std::process::exit(0);
    }
    let mut said = Vec::new();
    let asked = "usi\nsetoption name MultiPV value 2\nisready\nposition startpos moves 7g7f\ngo nodes 5\nquit\n";
    Engine::<games::shogi::Shogi>::new(Faults::default()).serve(asked.as_bytes(), &mut said);
    let said = String::from_utf8(said).expect("UTF-8");
    let [.., ready, first, second, best] = *said.lines().collect::<Vec<_>>() else { panic!("{said}") };
    assert_eq!(ready, "readyok");
    assert!(first.starts_with("info depth 2 multipv 1 score cp ") && second.contains(" multipv 2 "), "{said}");
    let move_of = |line: &str| line.split(' ').next_back().map(str::to_owned);
    assert_eq!(move_of(best), move_of(first));
}

struct Engine<G: Game> {
    faults: Faults,
    multipv: usize,
    position: G::Position,
    plies: usize,
}

impl<G: Game> Engine<G> {
    fn new(faults: Faults) -> Self {
        Self { faults, multipv: 1, position: G::Position::start(), plies: 0 }
    }

    fn serve(mut self, input: impl BufRead, out: &mut impl Write) {
        for line in input.lines() {
            let line = line.expect("input is UTF-8");
            let words: Vec<&str> = line.split_ascii_whitespace().collect();
            if !self.answer(out, &words) {
                return;
            }
        }
    }

    fn answer(&mut self, out: &mut impl Write, words: &[&str]) -> bool {
        match *words {
            ["uci" | "usi"] if self.faults.is_deaf => {}
            ["uci" | "usi"] => self.introduce(out, words[0]),
            ["isready"] => say(out, "readyok"),
            ["setoption", "name", "MultiPV", "value", value] => self.multipv = value.parse().expect("a number"),
            ["position", ref rest @ ..] => self.set_up(rest),
            ["go", "nodes", _, ref rest @ ..] => return self.search(out, rest),
            ["quit"] => return false,
            _ => {}
        }
        true
    }

    fn introduce(&self, out: &mut impl Write, hello: &str) {
        say(out, "id name Fake 1.0");
        say(out, "option name MultiPV type spin default 1 min 1 max 500");
        say(out, "option name Threads type spin default 4 min 1 max 4");
        say(out, "option name Hash type spin default 16 min 1 max 64000");
        say(out, &format!("{hello}ok"));
    }

    fn set_up(&mut self, words: &[&str]) {
        let (start, moves) = match words.iter().position(|word| *word == "moves") {
            Some(at) => (&words[..at], &words[at + 1..]),
            None => (words, &[][..]),
        };
        self.position = match start {
            ["startpos"] => G::Position::start(),
            ["fen" | "sfen", fields @ ..] => G::Position::parse(&fields.join(" ")).expect("a position"),
            other => panic!("{other:?}"),
        };
        self.plies = moves.len();
        for mv in moves {
            let mv = self.position.parse_move(mv).expect("posenc sends legal moves");
            self.position.play(mv);
        }
    }

    fn search(&self, out: &mut impl Write, only: &[&str]) -> bool {
        if self.faults.dies_at == Some(self.plies) || (self.plies == 12 && first_time(&self.faults.dies_once)) {
            // Written as programs do: the test runner keeps what `eprintln!` says to itself.
            io::stderr().write_all(b"out of luck\n").expect("stderr is open");
            return false;
        }
        if self.plies == 12 && first_time(&self.faults.hangs_once) {
            std::thread::sleep(Duration::from_secs(3600));
        }
        if self.faults.resigns_as_second && self.position.side_to_move() == Side::Second {
            say(out, "bestmove resign");
            return true;
        }
        let mut moves = self.judged();
        if let ["searchmoves", allowed @ ..] = only {
            moves.retain(|(mv, _)| allowed.contains(&mv.as_str()));
        } else if self.faults.cheats && self.plies % 4 == 3 {
            moves.insert(0, ("a1a1".to_owned(), 900));
        }
        moves.truncate(self.multipv);
        if self.faults.babbles {
            babble(out);
        }
        for (rank, (mv, score)) in (1..).zip(&moves) {
            let score = match score.abs() {
                mate if mate > MATE => format!("mate {}", score.signum() * (mate - MATE)),
                _ => format!("cp {score}"),
            };
            say(out, &format!("info depth 2 multipv {rank} score {score} nodes 5 pv {mv}"));
        }
        match moves.first() {
            _ if self.faults.resigns_at == Some(self.plies) => say(out, "bestmove resign"),
            _ if self.faults.declares_at == Some(self.plies) => say(out, "bestmove win"),
            Some((mv, _)) => say(out, &format!("bestmove {mv}")),
            None => say(out, "bestmove (none)"),
        }
        true
    }

    /// The legal moves with scores from −60 to 60, the best first.
    fn judged(&self) -> Vec<(String, i32)> {
        let text = self.position.to_text();
        let judge = |mv| {
            let mate = self.faults.solves.then(|| mate::<G>(&self.position, mv)).flatten();
            let mv = self.position.move_text(mv);
            if let Some(moves) = mate {
                return (mv, moves.signum() * (MATE + moves.abs()));
            }
            let score = i32::from(blake3::hash(format!("{text} {mv}").as_bytes()).as_bytes()[0] % 121) - 60;
            (mv, score)
        };
        let mut judged: Vec<(String, i32)> = self.position.list_moves().into_iter().map(judge).collect();
        // The shortest mate first, the longest resistance before others that lose.
        judged.sort_by_key(|&(_, score)| match score {
            mate if mate > MATE => mate - 1_000,
            mate if mate < -MATE => mate + 1_000,
            score => -score,
        });
        judged
    }
}

/// A score beyond this is a mate; the rest is the number of moves.
const MATE: i32 = 100;

/// The deepest mate that it sees, in moves.
const DEEPEST: i32 = 2;

/// In how many moves a move mates, negative if it lets the opponent mate.
fn mate<G: Game>(position: &G::Position, mv: <G::Position as Position>::Move) -> Option<i32> {
    let after = position.after(mv);
    let forces = |moves: &i32| loses::<G>(&after, moves - 1);
    (1..=DEEPEST).find(forces).or_else(|| (1..=DEEPEST).find(|&moves| can_mate::<G>(&after, moves)).map(|moves| -moves))
}

/// Whether the side to move can force mate in this number of moves.
pub(crate) fn can_mate<G: Game>(position: &G::Position, moves: i32) -> bool {
    position.list_moves().into_iter().any(|mv| loses::<G>(&position.after(mv), moves - 1))
}

/// Whether the side to move is mated, or will be in this number of moves, whatever it plays.
fn loses<G: Game>(position: &G::Position, moves: i32) -> bool {
    let legal = position.list_moves();
    if legal.is_empty() {
        return position.in_check();
    }
    moves > 0 && legal.into_iter().all(|mv| can_mate::<G>(&position.after(mv), moves))
}

fn babble(out: &mut impl Write) {
    for line in
        ["info", "info string best move is a1a1", "info depth x pv", "\u{fffd}\u{1f600}", "bestmov e2e4", "readyok"]
    {
        say(out, line);
    }
    out.write_all(b"\xff\xfe not UTF-8\n").expect("stdout is open");
    say(out, &"x".repeat(100_000));
}

fn say(out: &mut impl Write, line: &str) {
    writeln!(out, "{line}").and_then(|()| out.flush()).expect("stdout is open");
}

/// Whether the file was not there before; it is now.
fn first_time(path: &Option<PathBuf>) -> bool {
    path.as_ref().is_some_and(|path| OpenOptions::new().write(true).create_new(true).open(path).is_ok())
}
