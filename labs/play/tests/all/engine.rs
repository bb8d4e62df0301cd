//! What a program that speaks UCI or USI is answered.

use config::Weights;
use games::chess::Chess;
use games::shogi::Shogi;
use games::{GameKind, Referee};
use play::engine::{Engine, Next, Settings};
use tch::Device;
use testing::{Bench, Finished, dlshogi};
use train::inference::predict::{Meaning, predictions};
use train::inference::{Loaded, outputs, positions};

fn engine<G: Referee>(cell: &Loaded) -> Engine<'_, G> {
    Engine::new(cell, "test".to_owned(), Settings::default())
}

fn replies<G: Referee>(engine: &mut Engine<'_, G>, lines: &[&str]) -> Vec<String> {
    let mut out = Vec::new();
    for line in lines {
        assert_eq!(engine.line(line, &mut out).expect("an answer"), Next::Line);
    }
    out
}

#[test]
fn a_game_of_chess_is_spoken() {
    let cell = Finished::new().loaded("chess");
    let mut engine = engine::<Chess>(&cell);
    let hello = replies(&mut engine, &["uci", "isready"]);
    assert_eq!(hello[0], "id name test");
    assert_eq!(hello[hello.len() - 2..], ["uciok", "readyok"]);
    assert!(replies(&mut engine, &["usi"]).is_empty(), "chess is not spoken in USI");
    let all = replies(&mut engine, &["setoption name MultiPV value 20", "position startpos", "go nodes 1"]);
    assert_eq!(all.len(), 21, "20 moves and the best of them: {all:?}");
    let best = all[0].rsplit(' ').next().expect("a move");
    assert_eq!(all[20], format!("bestmove {best}"));
    let mut lines = |lines: &[&str]| replies(&mut engine, lines);
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
    // An odd number of moves: if some were left out, the wrong side could move.
    let endless = format!("position startpos moves e2e4 {}", "e7e6 ".repeat(10_000));
    let told = lines(&["position startpos moves d2d4", &endless, "go searchmoves d7d5"]);
    assert_eq!(told[0], "info string a position has at most 10000 moves, and this one 10001");
    assert_eq!(told[2], "bestmove d7d5");
}

#[test]
fn an_agent_without_its_output_is_refused_and_the_old_one_plays_on() {
    let finished = Finished::new();
    let folder = finished.path().join(finished.with_outputs("chess", r#"{"policy": {}}"#));
    let cell = Loaded::cell(&folder, Weights::Raw, Device::Cpu).expect("a cell");
    let mut engine = engine::<Chess>(&cell);
    for agent in ["value", "search:visits=7"] {
        let said = replies(&mut engine, &[&format!("setoption name Agent value {agent}"), "go"]);
        assert!(said[0].starts_with("info string the agent `") && said[0].contains("the network has none"), "{said:?}");
        assert!(said.len() == 3 && said[2].starts_with("bestmove "), "{said:?}");
    }
    assert!(replies(&mut engine, &["setoption name Agent value policy:temperature=1"]).is_empty());
}

#[test]
fn a_seed_starts_the_draws_at_once() {
    let cell = Finished::new().loaded("chess");
    let agent = "policy:temperature=1".parse().expect("an agent");
    let of_seed =
        |seed| Engine::<Chess>::new(&cell, "test".to_owned(), Settings { agent, seed, ..Settings::default() });
    let wanted = replies(&mut of_seed(9), &["go"; 8]);
    let mut engine = of_seed(0);
    assert_ne!(replies(&mut engine, &["go"; 8]), wanted);
    for _ in 0..2 {
        assert!(replies(&mut engine, &["setoption name Seed value 9"]).is_empty());
        assert_eq!(replies(&mut engine, &["go"; 8]), wanted);
    }
}

#[test]
fn an_answer_waits_for_stop_and_ponderhit_and_a_new_search_forgets_it() {
    let cell = Finished::new().loaded("chess");
    let mut engine = engine::<Chess>(&cell);
    let mut answers = |lines: &[&str]| {
        let said = replies(&mut engine, lines);
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
fn a_search_heeds_nodes_time_and_stop() {
    fn check<G: Referee>(cell: &Loaded) {
        let agent = "search:visits=100000".parse().expect("an agent");
        let mut engine = Engine::<G>::new(cell, "test".to_owned(), Settings { agent, ..Settings::default() });
        let interrupts = engine.interrupts();
        let mut lines = |lines: &[&str]| replies(&mut engine, lines);
        let nodes = |said: &[String]| -> u64 {
            let (_, after) = said[0].split_once(" nodes ").expect("its nodes");
            after.split(' ').next().and_then(|number| number.parse().ok()).expect("a number")
        };
        assert_eq!(nodes(&lines(&["position startpos", "go nodes 12"])), 12);
        for limit in ["go movetime 20", "go wtime 800 btime 800", "go btime 0 wtime 0 byoyomi 40"] {
            let said = lines(&[limit]);
            assert!(nodes(&said) < 100_000 && said[1].starts_with("bestmove "), "{limit}: {said:?}");
        }
        interrupts.note("stop");
        let stopped = lines(&["go infinite"]);
        assert_eq!((nodes(&stopped), stopped.len()), (1, 1), "{stopped:?}");
        assert!(lines(&["stop"])[0].starts_with("bestmove "));
        assert_eq!(nodes(&lines(&["go nodes 12"])), 12, "a stop ends one search");
        lines(&["setoption name Agent value search:visits=7"]);
        assert_eq!(nodes(&lines(&["go depth 3"])), 7);
        assert_eq!(nodes(&lines(&["go nodes 0"])), 1);
    }
    let finished = Finished::new();
    check::<Chess>(&finished.loaded("chess"));
    check::<Shogi>(&finished.loaded("shogi"));
}

#[test]
fn a_game_of_shogi_is_spoken_and_the_mated_side_resigns() {
    let cell = Finished::new().loaded("shogi");
    let mut engine = engine::<Shogi>(&cell);
    assert_eq!(replies(&mut engine, &["usi"]).last().map(String::as_str), Some("usiok"));
    let best = replies(&mut engine, &["usinewgame", "position startpos moves 7g7f", "go btime 0 wtime 0 byoyomi 1000"]);
    assert!(best.last().is_some_and(|line| line.starts_with("bestmove ")), "{best:?}");
    let mated = "position sfen 4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1";
    assert_eq!(replies(&mut engine, &[mated, "go byoyomi 1000"]), ["bestmove resign"]);
    assert_eq!(replies(&mut engine, &["go mate infinite"]), ["checkmate notimplemented"]);
}

#[test]
fn programs_are_told_the_win_rate_as_a_score() {
    let bench = Bench::new();
    let run = dlshogi(&bench, 4);
    let cell = Loaded::cell(&bench.trained("played", &run), Weights::Raw, Device::Cpu).expect("a cell");
    let asked = [positions::read("startpos", "", GameKind::Chess, run.input, run.moves).expect("a position")];
    let found = predictions(&asked, &outputs(&cell, &asked).expect("a forward pass"), 1.0).expect("numbers");
    let win = found[0].others.iter().find_map(|(_, meaning)| match meaning {
        Meaning::WinRate(win) => Some(*win),
        _ => None,
    });
    let score = (90.0 * (1.563_754_189_7 * (2.0 * win.expect("a win rate") - 1.0)).tan()).round() as i32;
    let mut engine =
        Engine::<Chess>::new(&cell, "test".to_owned(), Settings { shows_wdl: true, ..Settings::default() });
    let out = replies(&mut engine, &["position startpos", "go nodes 1"]);
    assert!(out[0].starts_with(&format!("info depth 1 multipv 1 score cp {score} nodes 1 pv ")), "{out:?}");
}
