use super::*;
use games::chess::Chess;
use games::shogi::Shogi;
use games::{InputName, MovesName};
use std::time::Duration;

fn situation<G: Referee>(start: &str, moves: &str) -> Situation<G> {
    let start = if start.is_empty() { G::Position::start() } else { G::Position::parse(start).expect("a position") };
    let mut situation = Situation::<G>::new(start, G::input(InputName::PieceTokens), MovesName::FromTo, 1);
    for text in moves.split_whitespace() {
        let mv = situation.position().parse_move(text).expect("a legal move");
        situation.play(mv);
    }
    situation
}

/// The same share for each move, and half a point.
fn uniform_network(requests: &[Request]) -> Result<Vec<Evaluated>, PlayError> {
    let evaluated = |request: &Request| {
        let share = 1.0 / request.legal.len() as f64;
        Evaluated { moves: (0..request.legal.len()).map(|place| (place, share)).collect(), points: 0.5, result: None }
    };
    Ok(requests.iter().map(evaluated).collect())
}

fn decide<G: Referee>(search: Search, situation: &Situation<G>) -> Decision {
    let mut stream = streams::stream(1, &["test"]);
    let decisions = search.decisions(&[situation], &mut stream, &mut uniform_network, &|| false, None);
    decisions.expect("decisions").remove(0)
}

#[test]
fn a_mate_in_one_is_found_with_a_uniform_network() {
    fn check<G: Referee>(start: &str, mate: &str, visits: u32) {
        for batch in [1, 8] {
            let found = decide(Search { visits, batch, ..Search::default() }, &situation::<G>(start, ""));
            assert_eq!((found.text(), found.moves[0].points, found.nodes), (Some(mate), Some(1.0), visits.into()));
            assert!(found.moves[1..].iter().all(|mv| mv.weight < found.moves[0].weight), "{found:?}");
            assert!(found.points > Some(0.5));
        }
    }
    check::<Chess>("6k1/5ppp/8/8/8/8/8/R6K w - - 0 1", "a1a8", 60);
    check::<Shogi>("4k4/9/4P4/9/9/9/9/9/4K4 b G 1", "G*5b", 800);
}

#[test]
fn a_mate_is_avoided_two_plies_ahead() {
    // After g2g4 the queen mates.
    let before = situation::<Chess>("", "f2f3 e7e5");
    let found = decide(Search { visits: 3000, ..Search::default() }, &before);
    let weight = |text: &str| found.moves.iter().find(|mv| mv.text == text).expect("a legal move").weight;
    let mean = 1.0 / found.moves.len() as f64;
    assert!(weight("g2g4") < mean / 2.0, "{found:?}");
}

#[test]
fn the_rules_end_the_game_in_the_tree_as_on_the_board() {
    fn points<G: Referee>(start: &str, moves: &str) -> Option<f64> {
        let situation = situation::<G>(start, moves);
        points_at_end(&situation, &situation.position().list_moves())
    }
    assert_eq!(points::<Chess>("", "f2f3 e7e5 g2g4 d8h4"), Some(0.0));
    assert_eq!(points::<Chess>("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", ""), Some(0.5), "stalemate");
    assert_eq!(points::<Chess>("4k3/8/8/8/8/8/8/4K3 w - - 0 1", ""), Some(0.5), "dead material");
    let twice = "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1";
    assert_eq!(points::<Chess>("", twice), None);
    assert_eq!(points::<Chess>("", &format!("{twice} f6g8")), Some(0.5));
    assert_eq!(points::<Shogi>("4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1", ""), Some(0.0));
    assert_eq!(points::<Shogi>("", "7g7f 3c3d"), None);
}

#[test]
fn a_position_without_moves_and_one_whose_game_is_over_are_answered() {
    let mated = situation::<Chess>("", "f2f3 e7e5 g2g4 d8h4");
    let none = decide(Search::default(), &mated);
    assert_eq!((none.text(), none.nodes), (None, 100));
    let dead = situation::<Chess>("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "");
    assert!(decide(Search::default(), &dead).text().is_some());
}

#[test]
fn several_trees_grow_as_each_would_alone_and_a_stop_leaves_one_visit() {
    let starts = ["", "e2e4", "e2e4 e7e5", "d2d4"].map(|moves| situation::<Chess>("", moves));
    let search = Search { visits: 50, batch: 3, ..Search::default() };
    let all: Vec<&Situation<Chess>> = starts.iter().collect();
    let mut stream = streams::stream(1, &["test"]);
    let together = search.decisions(&all, &mut stream, &mut uniform_network, &|| false, None).expect("decisions");
    let alone: Vec<Decision> = starts.iter().map(|start| decide(search, start)).collect();
    assert_eq!(together, alone);
    let stopped = search.decisions(&all, &mut stream, &mut uniform_network, &|| true, None).expect("decisions");
    assert!(stopped.iter().all(|decision| decision.nodes == 1 && decision.text().is_some()));
}

#[test]
fn batches_are_as_small_as_the_time_and_whole_without_a_limit() {
    let start = situation::<Chess>("", "");
    let sizes = |search: Search, each: Duration, time: Option<Duration>| {
        let (mut sizes, mut stream) = (Vec::new(), streams::stream(1, &["test"]));
        let mut slow = |requests: &[Request]| {
            sizes.push(requests.len());
            std::thread::sleep(each * requests.len() as u32);
            uniform_network(requests)
        };
        let end = time.map(|time| Instant::now() + time);
        search.decisions(&[&start], &mut stream, &mut slow, &|| false, end).expect("decisions");
        sizes
    };
    let search = Search { visits: 200, batch: 256, ..Search::default() };
    assert_eq!(sizes(search, Duration::ZERO, None)[..2], [1, 20]);
    let each = Duration::from_millis(20);
    let hurried = sizes(search, each, Some(each * 10));
    // Each takes 20 ms or more, so that at most 10 fit into 200 ms.
    assert!(hurried[0] == 1 && hurried.iter().sum::<usize>() <= 10, "{hurried:?}");
}

#[test]
fn a_temperature_draws_by_visits() {
    let mate = situation::<Chess>("6k1/5ppp/8/8/8/8/8/R6K w - - 0 1", "");
    let search = Search { visits: 60, temperature: 1.0, ..Search::default() };
    let mut stream = streams::stream(1, &["test"]);
    let all = search.decisions(&[&mate; 200], &mut stream, &mut uniform_network, &|| false, None).expect("decisions");
    let share = all[0].moves[0].weight;
    let mated = all.iter().filter(|decision| decision.text() == Some("a1a8")).count() as f64 / 200.0;
    assert!((mated - share).abs() < 0.15 && share < 0.95, "{mated} and {share}");
    let sharp = decide(Search { temperature: 0.25, ..search }, &mate);
    assert!(sharp.moves[0].weight > share);
}
