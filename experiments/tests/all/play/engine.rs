//! `posenc play` as a process.

use crate::cli::{given, posenc};
use std::io::Write as _;
use std::process::Stdio;
use std::time::{Duration, Instant};
use testing::Finished;

/// 10,000 lines of words of both protocols in any order, of bytes, and of nothing.
#[test]
fn junk_on_stdin_never_ends_the_engine() {
    const WORDS: &str = "position|startpos|fen|sfen|moves|e2e4|7g7f|e1e9|setoption|name|value|MultiPV|-5|99999999999999999999|stop|\
        ponderhit|debug|register|\u{0}|ü|8/8/8/8 w|P*5e|uci|searchmoves";
    let words: Vec<&str> = WORDS.split('|').collect();
    let finished = Finished::new();
    let mut stream = streams::stream(3, &["junk"]);
    let mut text = Vec::new();
    for number in 0..10_000 {
        if number % 500 == 0 {
            text.extend(b"go nodes 1\n");
        }
        for _ in 0..streams::below(&mut stream, 7) {
            text.extend(words[streams::below(&mut stream, words.len() as u64) as usize].as_bytes());
            text.push(b' ');
        }
        text.push(streams::below(&mut stream, 256) as u8);
        text.push(b'\n');
    }
    text.extend(b"\nisready\nquit\n");
    for game in ["chess", "shogi"] {
        let said = given(posenc(finished.path(), &["play", &finished.cell(game)]), text.clone()).succeeds().stdout;
        assert!(said.ends_with("readyok\n"), "{game}");
        assert_eq!(said.lines().filter(|line| line.starts_with("bestmove ")).count(), 20, "{game}");
    }
}

#[test]
fn stop_and_a_ponderhit_end_a_search_that_runs() {
    let finished = Finished::new();
    for (game, go, end) in [("chess", "go infinite", "stop"), ("shogi", "go ponder btime 1000", "ponderhit")] {
        let agent = ["--agent", "search", "--visits", "100000"];
        let mut command = posenc(finished.path(), &[&["play", &finished.cell(game)][..], &agent].concat());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
        let mut input = child.stdin.take().expect("its input");
        let start = Instant::now();
        writeln!(input, "position startpos\n{go}").expect("read");
        std::thread::sleep(Duration::from_millis(300));
        writeln!(input, "{end}\ngo nodes 5\nquit").expect("read");
        let output = child.wait_with_output().expect("it ends");
        assert!(output.status.success(), "{game}: {:?}", output.status);
        let said = String::from_utf8(output.stdout).expect("text");
        assert_eq!(said.lines().filter(|line| line.starts_with("bestmove ")).count(), 2, "{said}");
        let nodes = said.lines().filter_map(|line| line.split_once(" nodes ")?.1.split(' ').next()?.parse().ok());
        let nodes: Vec<u64> = nodes.collect();
        assert!(nodes.len() == 2 && nodes[0] < 100_000 && nodes[1] == 5, "{game} after {:?}: {said}", start.elapsed());
    }
}

#[test]
fn an_agent_without_its_output_is_refused_before_the_first_answer() {
    let finished = Finished::new();
    let play = |outputs: &str, agent: &str| {
        let cell = finished.with_outputs("chess", outputs);
        given(posenc(finished.path(), &["play", &cell, "--agent", agent]), "uci\nquit\n")
    };
    let (policy, result) = (r#"{"policy": {}}"#, r#"{"result": {}}"#);
    for (outputs, agent) in [(policy, "policy"), (result, "value")] {
        play(outputs, agent).succeeds().says(&["uciok"]);
    }
    for (outputs, agent, needed) in [
        (result, "policy", "a policy"),
        (result, "search", "a policy"),
        (policy, "value", "an output for the result of the game"),
        (policy, "search", "an output for the result of the game"),
    ] {
        let message = format!("the agent `{agent}` needs {needed}, and the network has none");
        let answer = play(outputs, agent).fails_with(&[&message]);
        assert!(answer.stdout.is_empty(), "{}", answer.stdout);
    }
}
