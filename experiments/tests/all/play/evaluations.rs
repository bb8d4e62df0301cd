//! `evaluate` in an experiment file: finished cells are asked once, and what is missing is asked again.

use crate::cli::{cell_of, run};
use records::Strength;
use records::strength::{EVENTS, Evaluation, FILE, Measure};
use std::fs;
use std::path::Path;
use tempfile::TempDir;
use testing::{EXPERIMENT, events, place, small};

const EVALUATE: &str = "\
evaluate:
  chess:
    agents: [policy, value]
    suites: [suite.epd]
    match: {against: reference, pairs: 2, random_plies: 0..0, max_plies: 12}
  shogi:
    mates: [mates.sfen]
    no_mates: [mates.sfen]
";

/// A grid of two rows and their controls in both games, with files to be asked from.
fn grid(evaluate: &str) -> TempDir {
    let text = EXPERIMENT.replace("    - absolute: {at: input}\n", "").replace("seeds: [0, 1, 2]", "seeds: [0, 1]");
    let dir = place(&format!("{text}{evaluate}"));
    fs::write(dir.path().join("suite.epd"), "6k1/5ppp/8/8/8/8/8/R6K w - - bm Ra8#; id \"mates.1\";\n")
        .expect("written");
    fs::write(dir.path().join("mates.sfen"), "4k4/9/4P4/9/9/9/9/9/4K4 b G 1\n").expect("written");
    dir
}

fn asked(cell: &Path) -> Vec<Evaluation> {
    Strength::read(cell).expect("a readable file").evaluations
}

fn questions(cell: &Path) -> Vec<(Measure, String)> {
    asked(cell).into_iter().map(|one| (one.measure, one.agent)).collect()
}

#[test]
fn cells_are_asked_once_and_what_is_missing_is_asked_again() {
    let dir = grid(EVALUATE);
    let evaluated = "evaluated after: every cell of chess by each agent (policy, value); files: 1, games: 4";
    run(&dir, "check experiment.yaml").succeeds().says_in_prose(&[evaluated]);
    let told = ["match reference, agent policy: ", " of 2; copies of earlier pairs: 1"];
    run(&dir, "run experiment.yaml").succeeds().tells(&told);
    let run_dir = dir.path().join("runs/small");
    let shaw = cell_of(&run_dir, "chess-shaw");
    let of = |measure: Measure, agent: &str| (measure, agent.to_owned());
    let all = ["policy", "value"].map(|agent| [of(Measure::Suite, agent), of(Measure::Match, agent)]).concat();
    assert_eq!(questions(&shaw), all);
    assert_eq!(asked(&shaw)[2].value, 1.0, "the value agent mates");
    assert_eq!((asked(&shaw)[1].name.as_str(), asked(&shaw)[1].of), ("reference", 2));
    let reference = cell_of(&run_dir, "chess-none");
    assert_eq!(questions(&reference), [of(Measure::Suite, "policy"), of(Measure::Suite, "value")]);
    let shogi = cell_of(&run_dir, "shogi-shaw");
    assert_eq!(questions(&shogi), [of(Measure::Mates, "policy"), of(Measure::NoMates, "policy")]);
    let asked_of =
        ["strength: suite suite.epd, agent value", "strength: match reference, agent policy", "mates in one"];
    run(&dir, "report runs/small").succeeds().says(&asked_of);
    let shown = events(&shaw.join(EVENTS)).scalars;
    let tags: Vec<(&str, i64)> = shown.iter().map(|(tag, step, _)| (tag.as_str(), *step)).collect();
    assert_eq!((tags.len(), tags[0]), (4, ("strength/suite suite.epd policy", 8)), "{tags:?}");

    let before = fs::read(shaw.join(FILE)).expect("the answers");
    let again = run(&dir, "run experiment.yaml").succeeds();
    assert!(!again.stderr.contains(", agent "), "nothing is asked again: {}", again.stderr);
    // A kill before the last answer, in the middle of its match.
    let mut cut = Strength::read(&shaw).expect("a readable file");
    let lost = cut.evaluations.pop().expect("an answer");
    cut.write(&shaw).expect("written");
    let journal = shaw.join(format!("match-{}", &lost.identity[..12])).join("games.jsonl");
    let games = fs::read_to_string(&journal).expect("a journal");
    fs::write(&journal, &games[..games.len() - 7]).expect("written");
    let resumed = run(&dir, "run experiment.yaml").succeeds();
    assert_eq!(resumed.stderr.matches(", agent ").count(), 1, "{}", resumed.stderr);
    assert!(fs::read(shaw.join(FILE)).expect("the answers") == before);

    run(&dir, "publish runs/small --out bundle --license CC0-1.0").succeeds();
    assert_eq!(asked(&cell_of(&dir.path().join("bundle/cells"), "chess-shaw")), asked(&shaw));
}

#[test]
fn what_cannot_be_asked_is_refused_before_the_first_step() {
    let refused = |from: &str, to: &str, parts: &[&str]| {
        let dir = grid(&EVALUATE.replace(from, to));
        run(&dir, "run experiment.yaml").fails_with(parts);
        run(&dir, "check experiment.yaml").fails_with(parts);
        assert!(!dir.path().join("runs").exists());
    };
    refused("suite.epd", "none.epd", &["there is no file none.epd"]);
    refused(
        "[policy, value]",
        "[oracle]",
        &["`evaluate.chess.agents`", "the agents are `policy`, `value` and `search`"],
    );
    refused("pairs: 2", "pairs: 0", &["at least 1 opening, found 0"]);
    refused("max_plies: 12", "max_plies: 0", &["a whole number, 1 or more"]);
    refused("pairs: 2", "pairs: 9223372036854775808", &["at most 1000000 openings, found 9223372036854775808"]);
    refused("  chess:\n    agents", "  go:\n    agents", &["`go`", "shogi"]);
}

#[test]
fn the_labels_of_its_own_dataset_give_a_cells_own_loss() {
    let text = small().replace("test_positions: 8", "test_positions: 100000");
    let dir = place(&format!("{text}evaluate:\n  chess: {{agents: [policy, value], labels: [chess]}}\n"));
    run(&dir, "check experiment.yaml").succeeds();
    run(&dir, "run experiment.yaml").succeeds();
    run(&dir, "report runs/small").succeeds().says(&["other labels: policy loss on chess"]);
    let cell = cell_of(&dir.path().join("runs/small"), "chess-shaw");
    let found = asked(&cell);
    assert_eq!((found.len(), found[0].measure), (1, Measure::Labels), "labels depend on no agent");
    let table = run(&dir, "report runs/small --format csv").succeeds().stdout;
    let own = table.lines().find(|line| line.starts_with("small,chess,shaw,") && line.contains(",policy_loss,"));
    let own = own.unwrap_or_else(|| panic!("{table}"));
    assert!(own.contains(&format!("policy_loss,1,{}", found[0].value)), "{own}: {}", found[0].value);

    let refused = dir.path().join("experiment.yaml");
    let text = fs::read_to_string(&refused).expect("the experiment").replace("labels: [chess]", "labels: [none]");
    fs::write(&refused, text).expect("written");
    run(&dir, "check experiment.yaml").fails_with(&["there is no folder of a dataset", "none"]);
}
