//! `posenc data generate engines`: what the command adds to crate `engines`, with a small engine written for the shell.

use crate::bundles::contents;
use crate::cli::{folder, posenc, run, run_args, with_little_room};
use dataset::{Manifest, Split};
use testing::{assert_says, program};

/// Finds no move by itself, and takes the first one of those that it is asked about.
const ENGINE: &str = r#"while read -r command rest; do
    case $command in
    uci) printf 'id name Script 1.0\noption name MultiPV type spin\noption name Hash type spin\nuciok\n' ;;
    isready) echo readyok ;;
    quit) exit ;;
    go)
        set -- $rest
        [ "$3" = searchmoves ] && printf 'info depth 1 multipv 1 score cp 10 pv %s\ninfo depth 1 multipv 2 score cp 5 pv %s\n' "$4" "${5:-$4}"
        echo "bestmove ${4:-(none)}" ;;
    esac
done
"#;

#[test]
fn a_full_disk_costs_no_finished_game() {
    let dir = folder();
    let engine = program(dir.path(), "engine", ENGINE);
    let command = |name: &str| {
        let mut command = posenc(dir.path(), &["data", "generate", "engines", "--game", "chess", "--engine"]);
        command.arg(&engine).args(["--nodes", "5", "--multipv", "4", "--games", "6", "--processes", "1"]);
        command.args(["--random-plies", "2..4", "--ply-cap", "40", "--seed", "3", "--name", "x", "--out", name]);
        command
    };
    assert!(command("whole").output().expect("posenc starts").status.success());
    let full = with_little_room(command("set"), 8_000).fails();
    full.tells(&["cannot write", "games.jsonl", "File too large", "of 6 games are kept: make room"]);
    let output = command("set").output().expect("posenc starts");
    let said = String::from_utf8_lossy(&output.stdout);
    let found = said.split("(found ").nth(1).and_then(|rest| rest.split(' ').next()?.parse::<u64>().ok());
    assert!(found.is_some_and(|found| (1..6).contains(&found)), "{said}");
    assert!(contents(&dir.path().join("whole")) == contents(&dir.path().join("set")), "other bytes");
}

#[test]
fn the_command_makes_a_dataset_that_can_be_verified() {
    let dir = folder();
    let engine = program(dir.path(), "engine", ENGINE);
    let engine = engine.to_string_lossy();
    let generate = "data generate engines --game chess --nodes 5 --multipv 2 --games 4 --processes 2 --seed 3 \
                    --random-plies 2..4 --temperature 40 --ply-cap 20 --out set --option Hash=1 --engine";
    let generate: Vec<&str> = generate.split(' ').chain([&*engine]).collect();
    run_args(&dir, &generate).succeeds().says(&["set: 4 games with 80 positions", "plies in"]);
    let manifest = Manifest::read(&dir.path().join("set")).expect("a manifest");
    let options = ["--nodes 5 --multipv 2", "--random-plies 2..4", "--temperature 40", "--option Hash=1"];
    assert_says(&manifest.made_by, &options);
    assert!(!manifest.made_by.contains("processes") && !manifest.made_by.contains('\\'), "{}", manifest.made_by);
    let splits: u64 = Split::ALL.iter().map(|&split| manifest.split.games[split]).sum();
    assert_eq!(splits, 4);
    run(&dir, "data verify set").succeeds();
    run_args(&dir, &generate).fails_with(&["set exists already"]);
    assert_eq!(run(&dir, "data generate engines --game go").code, Some(2));
    let relabel = "data generate relabelled --from set --engine engine --nodes 1 --out labels --temperature inf";
    run(&dir, relabel).fails_with(&["--temperature inf: expected a number above 0"]);
}
