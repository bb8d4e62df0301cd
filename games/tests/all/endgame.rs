//! The smallest endings against the rules, position by position, and against counts that others published.

use games::chess::ChessPosition;
use games::chess::endgame::{Ending, Solved, Value};
use games::{Position as _, Side};

/// What the rules and the values of its successors say about a position.
fn by_the_rules(solved: &Solved, position: &ChessPosition) -> Value {
    let moves = position.list_moves();
    if moves.is_empty() {
        return if position.in_check() { Value::Loss(0) } else { Value::Draw };
    }
    let after = |&mv: &_| solved.value(&position.after(mv)).expect("the ending and what it becomes are solved");
    let values: Vec<Value> = moves.iter().map(after).collect();
    let losses = values.iter().filter_map(|value| if let Value::Loss(plies) = value { Some(plies) } else { None });
    if let Some(soonest) = losses.min() {
        return Value::Win(soonest + 1);
    }
    let wins: Vec<u8> =
        values.iter().filter_map(|value| if let Value::Win(plies) = value { Some(*plies) } else { None }).collect();
    match wins.iter().max() {
        Some(latest) if wins.len() == values.len() => Value::Loss(latest + 1),
        _ => Value::Draw,
    }
}

/// How many positions there are by side to move, how many of each are decided, and the longest win in plies.
#[derive(Debug, PartialEq)]
struct Census {
    strong: usize,
    won: usize,
    lone: usize,
    lost: usize,
    longest: u8,
}

fn census(ending: Ending) -> Census {
    let solved = Solved::new(ending);
    let mut census = Census { strong: 0, won: 0, lone: 0, lost: 0, longest: 0 };
    for placement in ending.placements() {
        let position = placement.position();
        let value = solved.value(&position).expect("its own ending");
        assert_eq!(value, by_the_rules(&solved, &position), "{position:?}");
        match position.side_to_move() {
            Side::First => census.strong += 1,
            Side::Second => census.lone += 1,
        }
        match value {
            Value::Win(plies) => {
                census.won += 1;
                census.longest = census.longest.max(plies);
            }
            Value::Loss(_) => census.lost += 1,
            Value::Draw => {}
        }
    }
    census
}

#[test]
fn pawn_endings_are_what_bitbases_say() {
    // Known of KPK bitbases: 331,352 legal positions, 163,328 of them with White to move, of which 124,960 are won; with
    // Black to move 97,604 of 168,024 are lost. The longest win is mate in 28.
    let known = Census { strong: 163_328, won: 124_960, lone: 168_024, lost: 97_604, longest: 2 * 28 - 1 };
    assert_eq!(census(Ending::Kpk), known);
}

#[test]
fn rooks_mate_in_sixteen_and_queens_in_ten_at_most() {
    for (ending, moves) in [(Ending::Krk, 16), (Ending::Kqk, 10)] {
        let found = census(ending);
        assert_eq!(found.won, found.strong, "{ending:?} to move always wins");
        assert_eq!(found.longest, 2 * moves - 1, "{ending:?}");
    }
}

fn parse(fen: &str) -> ChessPosition {
    ChessPosition::parse(fen).expect("a legal position")
}

#[test]
fn colours_do_not_matter() {
    let solved = Solved::new(Ending::Kpk);
    for (white, black) in [
        ("8/8/8/8/4k3/8/4P3/4K3 w - - 0 1", "4k3/4p3/8/4K3/8/8/8/8 b - - 0 1"),
        ("8/4k3/8/4K3/4P3/8/8/8 b - - 0 1", "8/8/8/4p3/4k3/8/4K3/8 w - - 0 1"),
        ("8/P7/8/8/8/k7/8/7K w - - 0 1", "7k/8/K7/8/8/8/p7/8 b - - 0 1"),
    ] {
        assert_eq!(solved.value(&parse(white)), solved.value(&parse(black)), "{white}");
    }
}

#[test]
fn the_moves_that_keep_a_result_are_named() {
    let solved = Solved::new(Ending::Kpk);
    // The only move that holds: straight back, to have the opposition after either step forward.
    let position = parse("8/4k3/4P3/4K3/8/8/8/8 b - - 0 1");
    assert_eq!(solved.value(&position), Some(Value::Draw));
    let text = |position: &ChessPosition| -> Vec<String> {
        solved.keeping(position).iter().map(|&mv| position.move_text(mv)).collect()
    };
    assert_eq!(text(&position), ["e7e8"]);
    // Queen or rook wins; knight and bishop draw.
    let promotion = parse("8/P7/8/8/8/2k5/8/7K w - - 0 1");
    let moves = text(&promotion);
    assert!(moves.contains(&"a7a8q".to_owned()) && moves.contains(&"a7a8r".to_owned()), "{moves:?}");
    assert!(!moves.contains(&"a7a8n".to_owned()) && !moves.contains(&"a7a8b".to_owned()), "{moves:?}");
    // A lost side may play anything.
    let lost = parse("8/8/8/8/4k3/8/8/Q6K b - - 0 1");
    let queen = Solved::new(Ending::Kqk);
    assert!(matches!(queen.value(&lost), Some(Value::Loss(_))));
    assert_eq!(queen.keeping(&lost), lost.list_moves());
}

#[test]
fn other_material_has_no_value() {
    let solved = Solved::new(Ending::Krk);
    assert_eq!(solved.value(&ChessPosition::start()), None);
    assert_eq!(solved.value(&parse("8/8/8/8/4k3/8/8/Q6K w - - 0 1")), None, "the queen's ending was not asked for");
    assert_eq!(solved.value(&parse("8/8/8/4k3/8/8/8/4K2R w K - 0 1")), None, "castling is in no table");
    assert_eq!(solved.value(&parse("8/8/8/8/4k3/8/8/B6K w - - 0 1")), Some(Value::Draw));
    assert!(solved.keeping(&ChessPosition::start()).is_empty());
}
