//! What a program that speaks UCI or USI is answered.

use super::cell;
use crate::cli::posenc;
use crate::inspect::Finished;
use games::Referee;
use games::chess::Chess;
use games::shogi::Shogi;
use play::engine::{Engine, Next, Settings};
use std::io::Write as _;
use std::process::Stdio;
use train::inspect::Loaded;

fn engine<G: Referee>(cell: &Loaded) -> Engine<'_, G> {
    Engine::new(cell, "test".to_owned(), Settings::default())
}

fn said<G: Referee>(engine: &mut Engine<'_, G>, lines: &[&str]) -> Vec<String> {
    let mut out = Vec::new();
    for line in lines {
        assert_eq!(engine.line(line, &mut out).expect("an answer"), Next::Line);
    }
    out
}

#[test]
fn a_game_of_chess_is_spoken() {
    let finished = Finished::new();
    let cell = cell(&finished, "chess");
    let mut engine = engine::<Chess>(&cell);
    let hello = said(&mut engine, &["uci", "isready"]);
    assert_eq!(hello[0], "id name test");
    assert_eq!(hello[hello.len() - 2..], ["uciok", "readyok"]);
    assert!(said(&mut engine, &["usi"]).is_empty(), "chess is not spoken in USI");
    let all = said(&mut engine, &["setoption name MultiPV value 20", "position startpos", "go nodes 1"]);
    assert_eq!(all.len(), 21, "20 moves and the best of them: {all:?}");
    let best = all[0].rsplit(' ').next().expect("a move");
    assert_eq!(all[20], format!("bestmove {best}"));
    let mut lines = |lines: &[&str]| said(&mut engine, lines);
    lines(&["setoption name MultiPV value 1", "setoption name UCI_ShowWDL value true"]);
    assert!(lines(&["go movetime 10"])[0].contains(" wdl "));
    assert_eq!(lines(&["go searchmoves a2a3"])[1], "bestmove a2a3");
    assert_eq!(lines(&["position startpos moves f2f3 e7e5 g2g4 d8h4", "go depth 3"]), ["bestmove (none)"]);
    let mated = lines(&["position startpos", "go mate 2"]);
    assert!(mated[1].starts_with("bestmove "), "UCI has no other answer: {mated:?}");
    // What follows the first illegal move is not played.
    let told = lines(&["position startpos moves e2e4 e2e4 e7e5", "go"]);
    assert!(told[0].starts_with("info string ") && told[0].contains("e2e4"), "{told:?}");
    assert!(told[2].starts_with("bestmove "), "{told:?}");
}

#[test]
fn an_answer_waits_for_stop_and_ponderhit_and_a_new_search_forgets_it() {
    let finished = Finished::new();
    let cell = cell(&finished, "chess");
    let mut engine = engine::<Chess>(&cell);
    let mut answers = |lines: &[&str]| {
        let said = said(&mut engine, lines);
        said.iter().filter(|line| line.starts_with("bestmove")).count()
    };
    assert_eq!(answers(&["position startpos", "go infinite"]), 0);
    assert_eq!(answers(&["stop"]), 1);
    assert_eq!(answers(&["stop"]), 0);
    assert_eq!(answers(&["go ponder wtime 1000 btime 1000"]), 0);
    assert_eq!(answers(&["ponderhit"]), 1);
    assert_eq!(answers(&["go infinite", "go nodes 5", "stop"]), 1);
}

#[test]
fn a_game_of_shogi_is_spoken_and_the_mated_side_resigns() {
    let finished = Finished::new();
    let cell = cell(&finished, "shogi");
    let mut engine = engine::<Shogi>(&cell);
    assert_eq!(said(&mut engine, &["usi"]).last().map(String::as_str), Some("usiok"));
    let best = said(&mut engine, &["usinewgame", "position startpos moves 7g7f", "go btime 0 wtime 0 byoyomi 1000"]);
    assert!(best.last().is_some_and(|line| line.starts_with("bestmove ")), "{best:?}");
    let mated = "position sfen 4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1";
    assert_eq!(said(&mut engine, &[mated, "go byoyomi 1000"]), ["bestmove resign"]);
    assert_eq!(said(&mut engine, &["go mate infinite"]), ["checkmate notimplemented"]);
}

/// 10,000 lines of words of both protocols in any order, of bytes, and of nothing.
#[test]
fn junk_on_stdin_never_ends_the_engine() {
    const WORDS: [&str; 24] = [
        "position",
        "startpos",
        "fen",
        "sfen",
        "moves",
        "e2e4",
        "7g7f",
        "e1e9",
        "setoption",
        "name",
        "value",
        "MultiPV",
        "-5",
        "99999999999999999999",
        "stop",
        "ponderhit",
        "debug",
        "register",
        "\u{0}",
        "ü",
        "8/8/8/8 w",
        "P*5e",
        "uci",
        "searchmoves",
    ];
    let finished = Finished::new();
    let mut stream = streams::stream(3, &["junk"]);
    let mut text = Vec::new();
    for number in 0..10_000 {
        if number % 500 == 0 {
            text.extend(b"go nodes 1\n");
        }
        for _ in 0..streams::below(&mut stream, 7) {
            text.extend(WORDS[streams::below(&mut stream, WORDS.len() as u64) as usize].as_bytes());
            text.push(b' ');
        }
        text.push(streams::below(&mut stream, 256) as u8);
        text.push(b'\n');
    }
    text.extend(b"\nisready\nquit\n");
    for game in ["chess", "shogi"] {
        let mut command = posenc(finished.path(), &["play", &finished.cell(game)]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
        let mut input = child.stdin.take().expect("its input");
        let junk = text.clone();
        let writer = std::thread::spawn(move || input.write_all(&junk));
        let output = child.wait_with_output().expect("it ends");
        writer.join().expect("no panic").expect("everything was read");
        assert!(output.status.success(), "{game}: {:?}", output.status);
        let said = String::from_utf8(output.stdout).expect("text");
        assert!(said.ends_with("readyok\n"), "{game}");
        assert_eq!(said.lines().filter(|line| line.starts_with("bestmove ")).count(), 20, "{game}");
    }
}
