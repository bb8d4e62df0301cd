//! Attacks, mobility and pins on every position of the oracles, against rules written down once more: movements along open
//! lines, and the legal moves that other programs list.

use crate::samples::{self, codes, position};
use games::attacks::Tactics;
use games::chess::Chess;
use games::map_labels::{MapTask, NO_LABEL};
use games::minishogi::Minishogi;
use games::movement::{Movement, distance};
use games::referee::mating_among;
use games::shogi::Shogi;
use games::{Game, GameKind, Geometry, Position, Relation};
use std::collections::BTreeSet;

/// The piece of a code, and whether it is the side to move's.
fn piece<G: Game>(code: u8) -> Option<(&'static str, bool)> {
    let number = usize::from(code).checked_sub(1)?;
    Some((G::PIECES[number % G::PIECES.len()], number < G::PIECES.len()))
}

/// The squares of a side's pieces.
fn squares_of<G: Game>(codes: &[u8], own: bool) -> Vec<usize> {
    let is_of_side = |&square: &usize| piece::<G>(codes[square]).is_some_and(|(_, is_own)| is_own == own);
    (0..codes.len()).filter(is_of_side).collect()
}

/// Whether a piece has this displacement as its owner sees the board, whatever stands between.
fn reaches<G: Game>(name: &str, step: (isize, isize)) -> bool {
    let is = |movement: Movement| movement.contains(step);
    let is_of_shogi = matches!(G::KIND, GameKind::Shogi | GameKind::Minishogi);
    match name {
        "pawn" if !is_of_shogi => is(Movement::Pawn),
        "pawn" | "shogi_pawn" => step == (0, 1),
        "knight" if !is_of_shogi => is(Movement::Knight),
        "knight" | "shogi_knight" => is(Movement::ShogiKnight),
        "bishop" => is(Movement::Bishop),
        "rook" => is(Movement::Rook),
        "queen" => is(Movement::Queen),
        "king" => is(Movement::King),
        "lance" => is(Movement::Lance),
        "silver" => is(Movement::Silver),
        "gold" | "promoted_pawn" | "promoted_lance" | "promoted_knight" | "promoted_silver" => is(Movement::Gold),
        "horse" => is(Movement::Bishop) || is(Movement::King),
        "dragon" => is(Movement::Rook) || is(Movement::King),
        other => panic!("no piece {other}"),
    }
}

pub(crate) fn displacement(board: Geometry, from: usize, to: usize) -> (isize, isize) {
    let files = board.file_of(to) as isize - board.file_of(from) as isize;
    (files, board.rank_of(to) as isize - board.rank_of(from) as isize)
}

/// Whether the squares between two others are empty, if they are on a line.
fn is_open(board: Geometry, codes: &[u8], from: usize, to: usize) -> bool {
    if matches!(board.relation(from, to), Relation::Knight | Relation::Other) {
        return true;
    }
    let (files, ranks) = displacement(board, from, to);
    let at =
        |start: usize, sign: isize, steps: usize| start.checked_add_signed(sign * steps as isize).expect("a place");
    (1..distance((files, ranks))).all(|steps| {
        let file = at(board.file_of(from), files.signum(), steps);
        codes[board.square(file, at(board.rank_of(from), ranks.signum(), steps))] == 0
    })
}

/// Whether the piece on a square attacks another square.
pub(crate) fn attacks<G: Game>(codes: &[u8], from: usize, to: usize) -> bool {
    let Some((name, is_own)) = piece::<G>(codes[from]) else { return false };
    let ahead = if is_own { 1 } else { -1 };
    let (files, ranks) = displacement(G::GEOMETRY, from, to);
    reaches::<G>(name, (files * ahead, ranks * ahead)) && is_open(G::GEOMETRY, codes, from, to)
}

/// Compares who attacks which square; says how many squares have each of the four labels.
pub(crate) fn check_attacks<G: Tactics>(position: &G::Position) -> [usize; 4] {
    let codes = codes::<G>(position);
    let squares = codes.len();
    let pairs = (0..squares).flat_map(|from| (0..squares).map(move |to| (from, to)));
    let expected: Vec<i8> = pairs.map(|(from, to)| i8::from(attacks::<G>(&codes, from, to))).collect();
    assert_eq!(MapTask::Attackers.labels::<G>(position), expected, "{position:?}");

    let [own, opponents] = [true, false].map(|own| squares_of::<G>(&codes, own));
    let by = |side: &[usize], to: usize| i8::from(side.iter().any(|&from| expected[from * squares + to] == 1));
    let labels: Vec<i8> = (0..squares).map(|to| by(&own, to) + 2 * by(&opponents, to)).collect();
    assert_eq!(MapTask::AttackedSquares.labels::<G>(position), labels, "{position:?}");
    [0, 1, 2, 3].map(|class| labels.iter().filter(|&&label| label == class).count())
}

#[test]
fn attacks_are_movements_along_open_lines() {
    fn check<G: Tactics>() {
        let mut seen = [0; 4];
        for (text, _) in samples::oracle(G::KIND) {
            let found = check_attacks::<G>(&position(&text));
            seen.iter_mut().zip(found).for_each(|(seen, found)| *seen += found);
        }
        assert!(seen.iter().all(|&count| count > 10_000), "every class occurs: {seen:?}");
    }
    check::<Chess>();
    check::<Shogi>();
    check::<Minishogi>();
}

/// Returns the largest number of an oracle.
fn check_mobility<G: Tactics>() -> i8 {
    let mut largest = 0;
    for (text, moves) in samples::oracle(G::KIND) {
        let position: G::Position = position(&text);
        let square = |text: &str| usize::from(samples::square::<G>(text, position.side_to_move()));
        let on_board = moves.iter().filter(|mv| !mv.contains('*'));
        let listed: BTreeSet<(usize, usize)> = on_board.map(|mv| (square(&mv[..2]), square(&mv[2..4]))).collect();
        let mut expected = vec![NO_LABEL; G::GEOMETRY.squares()];
        for from in squares_of::<G>(&codes::<G>(&position), true) {
            expected[from] = listed.iter().filter(|(origin, _)| *origin == from).count() as i8;
        }
        let labels = MapTask::Mobility.labels::<G>(&position);
        assert_eq!(labels, expected, "{text}");
        largest = largest.max(*labels.iter().max().expect("squares"));
    }
    assert!((largest as u16) < MapTask::Mobility.classes::<G>(), "{largest}");
    largest
}

#[test]
fn mobility_counts_the_listed_moves() {
    assert!(check_mobility::<Chess>() > 20);
    assert!(check_mobility::<Shogi>() > 15);
    assert!(check_mobility::<Minishogi>() > 8);
    // No piece can ever have more than a queen or a horse in the middle of the board.
    let queen = position("6k1/8/8/8/4Q3/K7/8/8 w - - 0 1");
    assert_eq!(MapTask::Mobility.labels::<Chess>(&queen).into_iter().max(), Some(27));
    assert_eq!(MapTask::Mobility.classes::<Chess>(), 28);
    let horse = position("9/8k/9/9/4+B4/9/9/K8/9 b - 1");
    assert_eq!(MapTask::Mobility.labels::<Shogi>(&horse).into_iter().max(), Some(20));
    assert_eq!(MapTask::Mobility.classes::<Shogi>(), 21);
}

/// The pieces of a side without which others attack its king.
fn covering<G: Game>(codes: &[u8], own: bool) -> Vec<usize> {
    let pieces = squares_of::<G>(codes, own);
    let is_king = |&&square: &&usize| piece::<G>(codes[square]).is_some_and(|(name, _)| name == "king");
    let king = *pieces.iter().find(is_king).expect("a king");
    let attackers = |codes: &[u8]| -> Vec<usize> {
        squares_of::<G>(codes, !own).into_iter().filter(|&from| attacks::<G>(codes, from, king)).collect()
    };
    let covers = |&square: &usize| {
        let mut without = codes.to_vec();
        without[square] = 0;
        square != king && attackers(&without) != attackers(codes)
    };
    pieces.into_iter().filter(covers).collect()
}

#[test]
fn a_pinned_piece_covers_its_king() {
    fn check<G: Tactics>() {
        let mut pinned = [0, 0];
        for (text, _) in samples::oracle(G::KIND) {
            let position: G::Position = position(&text);
            let codes = codes::<G>(&position);
            let mut expected: Vec<i8> = codes.iter().map(|&code| if code == 0 { NO_LABEL } else { 0 }).collect();
            for (side, own) in [true, false].into_iter().enumerate() {
                let covering = covering::<G>(&codes, own);
                covering.iter().for_each(|&square| expected[square] = 1 + side as i8);
                pinned[side] += covering.len();
            }
            assert_eq!(MapTask::Pins.labels::<G>(&position), expected, "{text}");
        }
        assert!(pinned.iter().all(|&count| count > 100), "both sides' pins occur: {pinned:?}");
    }
    check::<Chess>();
    check::<Shogi>();
    check::<Minishogi>();
}

/// How many positions have a mate in one.
fn check_checks<G: Game>() -> usize {
    let (mut legal, mut answers, mut with_mate) = (Vec::new(), Vec::new(), 0);
    for (text, _) in samples::oracle(G::KIND).iter().step_by(10) {
        let position: G::Position = position(text);
        position.legal_moves(&mut legal);
        assert_eq!(position.choose_move(|moves| moves - 1), legal.last().copied(), "{text}");
        let mut mates = Vec::new();
        for &mv in &legal {
            let after = position.after(mv);
            assert_eq!(position.gives_check(mv), after.in_check(), "{} in {text}", position.move_text(mv));
            after.legal_moves(&mut answers);
            if after.in_check() && answers.is_empty() {
                mates.push(mv);
            }
        }
        assert_eq!(mating_among(&position, &legal), mates, "{text}");
        with_mate += usize::from(!mates.is_empty());
    }
    with_mate
}

#[test]
fn checks_and_mates_are_what_playing_shows() {
    for with_mate in [check_checks::<Chess>(), check_checks::<Shogi>(), check_checks::<Minishogi>()] {
        assert!(with_mate > 10, "{with_mate}");
    }
}
