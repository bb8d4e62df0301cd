//! What an agent chooses follows from the network and the rules.

use config::Weights;
use games::chess::Chess;
use games::shogi::Shogi;
use games::{Position, Referee};
use play::{Agent, Decision, Player};
use tch::Device;
use testing::Finished;
use train::inference::predict::predictions;
use train::inference::{Loaded, Situation, outputs};

fn situation<G: Referee>(cell: &Loaded, start: &str, moves: &str) -> Situation<G> {
    let start = if start.is_empty() { G::Position::start() } else { G::Position::parse(start).expect("a position") };
    let mut situation: Situation<G> = Situation::of_run(start, &cell.config);
    for text in moves.split_whitespace() {
        let mv = situation.position().parse_move(text).expect("a legal move");
        situation.play(mv);
    }
    situation
}

fn decide<G: Referee>(cell: &Loaded, agent: Agent, situation: &Situation<G>) -> Decision {
    let mut stream = streams::stream(5, &["test"]);
    Player::new(cell, agent).decide(&[situation], &mut stream).expect("a decision").remove(0)
}

#[test]
fn the_policy_agent_plays_the_likeliest_legal_move_on_both_boards() {
    fn check<G: Referee>(cell: &Loaded) {
        let situation = situation::<G>(cell, "", "");
        let asked = [situation.request(String::new())];
        let predicted = predictions(&asked, &outputs(cell, &asked).expect("a forward pass"), 1.0).expect("numbers");
        let decision = decide(cell, Agent::POLICY, &situation);
        assert_eq!(decision.text(), Some(predicted[0].moves[0].text.as_str()));
        assert_eq!(decision.moves.len(), predicted[0].moves.len());
        for (mine, wanted) in decision.moves.iter().zip(&predicted[0].moves) {
            let wanted = wanted.policy.expect("a policy").probability;
            assert!((mine.weight - wanted).abs() < 1e-6, "{mine:?}: {wanted}");
        }
    }
    let finished = Finished::new();
    check::<Chess>(&finished.loaded("chess"));
    check::<Shogi>(&finished.loaded("shogi"));
}

#[test]
fn the_value_agent_mates_and_weighs_the_rest_by_the_opponents_points() {
    fn check<G: Referee>(cell: &Loaded, start: &str, mate: &str) {
        let before = situation::<G>(cell, start, "");
        let decision = decide(cell, Agent::Value, &before);
        assert_eq!((decision.text(), decision.moves[0].weight), (Some(mate), 1.0));
        for mv in &decision.moves[1..] {
            let mut after = before.clone();
            let played = after.position().parse_move(&mv.text).expect("legal");
            after.play(played);
            if G::verdict(after.played()).is_none() {
                let result = decide(cell, Agent::POLICY, &after).result.expect("the network has a result");
                let points = 1.0 - (result[0] + result[1] / 2.0);
                assert!((mv.weight - points).abs() < 1e-6, "{mv:?}: {points}");
            }
        }
    }
    let finished = Finished::new();
    check::<Chess>(&finished.loaded("chess"), "6k1/5ppp/8/8/8/8/8/R6K w - - 0 1", "a1a8");
    check::<Shogi>(&finished.loaded("shogi"), "4k4/9/4P4/9/9/9/9/9/4K4 b G 1", "G*5b");
}

#[test]
fn the_value_agent_refuses_a_network_whose_numbers_are_not_of_the_result() {
    let finished = Finished::new();
    let check = |outputs: &str| {
        let folder = finished.path().join(finished.with_outputs("chess", outputs));
        let cell = Loaded::cell(&folder, Weights::Raw, Device::Cpu).expect("a cell");
        Player::new(&cell, Agent::Value).check_outputs::<Chess>()
    };
    for outputs in
        [r#"{"value_result": {}}"#, r#"{"result_shares": {}}"#, r#"{"win_rate": {}}"#, r#"{"q": {"wdl": true}}"#]
    {
        check(outputs).expect(outputs);
    }
    let others = r#"{"policy": {}, "q": {}, "moves_left": {}, "per_square": {"classes": 2}, "pairs": {}}"#;
    let refused = check(others).expect_err("no head tells the result").to_string();
    assert!(refused.contains("needs an output for the result of the game"), "{refused}");
}

#[test]
fn a_move_that_repeats_a_position_for_the_third_time_is_a_draw_to_the_value_agent() {
    let cell = Finished::new().loaded("chess");
    let before = situation::<Chess>(&cell, "", "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1");
    let decision = decide(&cell, Agent::Value, &before);
    let weight = |text: &str| decision.moves.iter().find(|mv| mv.text == text).expect("legal").weight;
    assert_eq!(weight("f6g8"), 0.5);
    assert_ne!(weight("f6d5"), 0.5);
}

#[test]
fn draws_at_a_temperature_repeat_with_their_stream_and_differ_between_streams() {
    let cell = Finished::new().loaded("chess");
    let start = situation::<Chess>(&cell, "", "");
    let agent = "policy:temperature=2".parse().expect("an agent");
    let drawn = |seed| {
        let mut stream = streams::stream(seed, &["test"]);
        let all = Player::new(&cell, agent).decide(&[&start; 40], &mut stream).expect("decisions");
        all.iter().map(|decision| decision.text().expect("a move").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(drawn(1), drawn(1));
    assert_ne!(drawn(1), drawn(2));
    let mut kinds = drawn(1);
    kinds.sort();
    kinds.dedup();
    assert!(kinds.len() > 3, "{kinds:?}");
}

#[test]
fn a_search_of_one_visit_is_the_policy_on_both_boards() {
    fn check<G: Referee>(cell: &Loaded, start: &str) {
        for options in ["", ",batch=8", ",temperature=2"] {
            let temperature = options.strip_prefix(",t").map_or_else(String::new, |rest| format!(":t{rest}"));
            let [search, policy] = [format!("search:visits=1{options}"), format!("policy{temperature}")];
            let [search, policy] = [search, policy].map(|agent| agent.parse().expect("an agent"));
            let situation = situation::<G>(cell, start, "");
            assert_eq!(decide(cell, search, &situation), decide(cell, policy, &situation));
        }
    }
    let finished = Finished::new();
    let (chess, shogi) = (finished.loaded("chess"), finished.loaded("shogi"));
    for start in ["", "6k1/5ppp/8/8/8/8/8/R6K w - - 0 1", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"] {
        check::<Chess>(&chess, start);
    }
    for start in ["", "4k4/9/4P4/9/9/9/9/9/4K4 b G 1", "4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1"] {
        check::<Shogi>(&shogi, start);
    }
}

#[test]
fn a_search_repeats_and_its_visits_are_shared_among_the_moves() {
    fn check<G: Referee>(cell: &Loaded) {
        let start = situation::<G>(cell, "", "");
        for agent in ["search:visits=40", "search:visits=40,batch=6", "search:visits=40,temperature=1"] {
            let agent = agent.parse().expect("an agent");
            let found = decide(cell, agent, &start);
            assert_eq!(found, decide(cell, agent, &start));
            assert_eq!((found.nodes, found.result), (40, None));
            let shares: f64 = found.moves.iter().map(|mv| mv.weight).sum();
            assert!((shares - 1.0).abs() < 1e-9, "{found:?}");
            let visited = found.moves.iter().filter(|mv| mv.weight > 0.0);
            assert!(visited.clone().count() > 1 && visited.clone().all(|mv| mv.points.is_some()), "{found:?}");
        }
    }
    let finished = Finished::new();
    check::<Chess>(&finished.loaded("chess"));
    check::<Shogi>(&finished.loaded("shogi"));
}
