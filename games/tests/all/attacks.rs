//! Attacks, mobility and pins on every position of the two oracles, against rules written down once more: men that walk
//! over an array, and the legal moves that other programs list.

use crate::samples::{self, Case};
use games::attacks::Tactics;
use games::chess::Chess;
use games::maps::{MapTask, NO_LABEL};
use games::minishogi::Minishogi;
use games::referee::mating_among;
use games::shogi::Shogi;
use games::{Game, GameKind, Position};
use std::collections::{BTreeMap, BTreeSet};

/// A step: files to the right, ranks ahead, as the man's owner sees the board.
type Step = (i32, i32);

/// A man's steps, and the directions in which it slides.
type Moves = (&'static [Step], &'static [Step]);

const LINES: &[Step] = &[(0, 1), (0, -1), (1, 0), (-1, 0)];
const DIAGONALS: &[Step] = &[(1, 1), (1, -1), (-1, 1), (-1, -1)];
const ALL: &[Step] = &[(0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1)];
const JUMPS: &[Step] = &[(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];
const GOLD: &[Step] = &[(-1, 1), (0, 1), (1, 1), (-1, 0), (1, 0), (0, -1)];
const SILVER: &[Step] = &[(-1, 1), (0, 1), (1, 1), (-1, -1), (1, -1)];

fn chess_moves(man: &str) -> Moves {
    match man {
        "P" => (&[(-1, 1), (1, 1)], &[]),
        "N" => (JUMPS, &[]),
        "B" => (&[], DIAGONALS),
        "R" => (&[], LINES),
        "Q" => (&[], ALL),
        "K" => (ALL, &[]),
        _ => panic!("no man of chess: {man}"),
    }
}

fn shogi_moves(man: &str) -> Moves {
    match man {
        "P" => (&[(0, 1)], &[]),
        "L" => (&[], &[(0, 1)]),
        "N" => (&[(-1, 2), (1, 2)], &[]),
        "S" => (SILVER, &[]),
        "G" | "+P" | "+L" | "+N" | "+S" => (GOLD, &[]),
        "B" => (&[], DIAGONALS),
        "R" => (&[], LINES),
        "K" => (ALL, &[]),
        "+B" => (LINES, DIAGONALS),
        "+R" => (DIAGONALS, LINES),
        _ => panic!("no man of shogi: {man}"),
    }
}

struct Man {
    name: String,
    /// Whether it belongs to the side to move.
    own: bool,
}

/// A board in the frame of the side to move.
struct Board {
    side: i32,
    men: BTreeMap<i32, Man>,
    moves: fn(&str) -> Moves,
}

impl Board {
    fn stepped(&self, from: i32, (files, ranks): Step, own: bool) -> Option<i32> {
        let ahead = if own { 1 } else { -1 };
        let (file, rank) = (from % self.side + files * ahead, from / self.side + ranks * ahead);
        let on_board = (0..self.side).contains(&file) && (0..self.side).contains(&rank);
        on_board.then_some(rank * self.side + file)
    }

    /// What the man on a square attacks.
    fn attacked_from(&self, from: i32) -> Vec<i32> {
        let Some(man) = self.men.get(&from) else { return Vec::new() };
        let (steps, slides) = (self.moves)(&man.name);
        let mut found: Vec<i32> = steps.iter().filter_map(|&step| self.stepped(from, step, man.own)).collect();
        for &slide in slides {
            let mut at = from;
            while let Some(next) = self.stepped(at, slide, man.own) {
                found.push(next);
                if self.men.contains_key(&next) {
                    break;
                }
                at = next;
            }
        }
        found
    }

    fn squares(&self) -> std::ops::Range<i32> {
        0..self.side * self.side
    }

    fn attackers_of(&self, target: i32, own: bool) -> BTreeSet<i32> {
        let men = self.men.iter().filter(|(_, man)| man.own == own).map(|(&square, _)| square);
        men.filter(|&from| self.attacked_from(from).contains(&target)).collect()
    }

    fn king(&self, own: bool) -> i32 {
        let is_king = |man: &Man| man.own == own && man.name == "K";
        *self.men.iter().find(|(_, man)| is_king(man)).expect("a king").0
    }

    /// The men of a side without which others attack their king.
    fn pinned(&mut self, own: bool) -> BTreeSet<i32> {
        let king = self.king(own);
        let before = self.attackers_of(king, !own);
        let men: Vec<i32> = self.men.iter().filter(|(_, man)| man.own == own).map(|(&square, _)| square).collect();
        let mut pinned = BTreeSet::new();
        for square in men.into_iter().filter(|&square| square != king) {
            let man = self.men.remove(&square).expect("a man");
            if self.attackers_of(king, !own) != before {
                pinned.insert(square);
            }
            self.men.insert(square, man);
        }
        pinned
    }
}

/// Squares of UCI, White's view; as a white king's walk from a1.
fn chess_square(text: &str) -> i32 {
    let (file, rank) = (text.as_bytes()[0] - b'a', text.as_bytes()[1] - b'1');
    i32::from(rank) * 8 + i32::from(file)
}

/// Squares of USI on a board with this many files, Black's view from the lower left corner.
fn usi_square(text: &str, side: i32) -> i32 {
    let (file, rank) = (text.as_bytes()[0] - b'1', text.as_bytes()[1] - b'a');
    (side - 1 - i32::from(rank)) * side + side - 1 - i32::from(file)
}

/// What differs between the games' notations: which capital letters move, how squares turn, and how they are written.
struct Notation {
    first: &'static str,
    turn: fn(i32) -> i32,
    square: fn(&str) -> i32,
    moves: fn(&str) -> Moves,
}

const CHESS: Notation =
    Notation { first: "w", turn: |square| (7 - square / 8) * 8 + square % 8, square: chess_square, moves: chess_moves };
const SHOGI: Notation =
    Notation { first: "b", turn: |square| 80 - square, square: |text| usi_square(text, 9), moves: shogi_moves };
const MINISHOGI: Notation =
    Notation { first: "b", turn: |square| 24 - square, square: |text| usi_square(text, 5), moves: shogi_moves };

impl Notation {
    /// From the first two fields of FEN or SFEN.
    fn board(&self, text: &str) -> Board {
        let mut fields = text.split(' ');
        let (ranks, mover) = (fields.next().expect("a board"), fields.next().expect("a turn"));
        let side = ranks.split('/').count() as i32;
        let mut men = BTreeMap::new();
        for (row, rank) in ranks.split('/').enumerate() {
            let (mut file, mut promoted) = (0, "");
            for letter in rank.chars() {
                if letter == '+' {
                    promoted = "+";
                } else if let Some(empty) = letter.to_digit(10) {
                    file += empty as i32;
                } else {
                    let square = (side - 1 - row as i32) * side + file;
                    let name = format!("{promoted}{}", letter.to_ascii_uppercase());
                    let own = letter.is_uppercase() == (mover == self.first);
                    men.insert(if mover == self.first { square } else { (self.turn)(square) }, Man { name, own });
                    (file, promoted) = (file + 1, "");
                }
            }
        }
        Board { side, men, moves: self.moves }
    }

    /// From and to of the listed moves that are no drops, in the frame of the side to move.
    fn listed(&self, text: &str, moves: &[String]) -> BTreeSet<(i32, i32)> {
        let mover_is_first = text.split(' ').nth(1) == Some(self.first);
        let square = |text: &str| {
            let square = (self.square)(text);
            if mover_is_first { square } else { (self.turn)(square) }
        };
        let on_board = moves.iter().filter(|mv| !mv.contains('*'));
        on_board.map(|mv| (square(&mv[..2]), square(&mv[2..4]))).collect()
    }
}

fn check_attacks<G: Tactics>(cases: &[Case], notation: &Notation) {
    let mut seen = [0usize; 4];
    for (text, _) in cases {
        let board = notation.board(text);
        let position = G::Position::parse(text).expect("a position");
        let pairs = MapTask::Attackers.labels::<G>(&position);
        let expected: Vec<i8> = board
            .squares()
            .flat_map(|from| {
                let attacked = board.attacked_from(from);
                board.squares().map(move |to| i8::from(attacked.contains(&to)))
            })
            .collect();
        assert_eq!(pairs, expected, "{text}");

        let squares = MapTask::AttackedSquares.labels::<G>(&position);
        for (to, &label) in board.squares().zip(&squares) {
            let by = |own: bool| {
                let mut men = board.men.iter().filter(|(_, man)| man.own == own);
                i8::from(men.any(|(&from, _)| expected[(from * board.side * board.side + to) as usize] == 1))
            };
            let right = by(true) + 2 * by(false);
            assert_eq!(label, right, "square {to} of {text}");
            seen[right as usize] += 1;
        }
    }
    assert!(seen.iter().all(|&count| count > 10_000), "every class occurs: {seen:?}");
}

#[test]
fn attacks_are_where_men_can_walk() {
    check_attacks::<Chess>(&samples::oracle(GameKind::Chess), &CHESS);
    check_attacks::<Shogi>(&samples::oracle(GameKind::Shogi), &SHOGI);
    check_attacks::<Minishogi>(&samples::oracle(GameKind::Minishogi), &MINISHOGI);
}

/// Where nobody is in check or pinned, what a man that is no king attacks and its side does not occupy is where the
/// listed moves go; chess' pawns capture only where there is something.
fn check_against_moves<G: Tactics>(cases: &[Case], notation: &Notation) -> usize {
    let mut compared = 0;
    for (text, moves) in cases {
        let board = notation.board(text);
        let position = G::Position::parse(text).expect("a position");
        let attacks = G::attacks(&position);
        let listed = notation.listed(text, moves);
        if position.in_check() || MapTask::Pins.labels::<G>(&position).contains(&1) {
            continue;
        }
        let pawns_capture_only = G::NAME == "chess";
        for (&from, man) in board.men.iter().filter(|(_, man)| man.own && man.name != "K") {
            let is_pawn = pawns_capture_only && man.name == "P";
            let free = |to: &i32| match board.men.get(to) {
                Some(other) => !other.own,
                None => !is_pawn,
            };
            let attacked = board.squares().filter(|&to| attacks[from as usize].contains(to as usize)).filter(free);
            let go = listed.iter().filter(|(origin, _)| *origin == from).map(|&(_, to)| to);
            let captures = go.filter(|to| !is_pawn || board.men.contains_key(to));
            assert_eq!(attacked.collect::<Vec<_>>(), captures.collect::<Vec<_>>(), "{} on {from} in {text}", man.name);
            compared += 1;
        }
    }
    compared
}

#[test]
fn attacks_are_where_listed_moves_go() {
    assert!(check_against_moves::<Chess>(&samples::oracle(GameKind::Chess), &CHESS) > 50_000);
    assert!(check_against_moves::<Shogi>(&samples::oracle(GameKind::Shogi), &SHOGI) > 50_000);
    assert!(check_against_moves::<Minishogi>(&samples::oracle(GameKind::Minishogi), &MINISHOGI) > 10_000);
}

fn check_mobility<G: Tactics>(cases: &[Case], notation: &Notation) -> i8 {
    let mut largest = 0;
    for (text, moves) in cases {
        let board = notation.board(text);
        let listed = notation.listed(text, moves);
        let expected: Vec<i8> = board
            .squares()
            .map(|square| match board.men.get(&square) {
                Some(man) if man.own => listed.iter().filter(|(from, _)| *from == square).count() as i8,
                _ => NO_LABEL,
            })
            .collect();
        let labels = MapTask::Mobility.labels::<G>(&G::Position::parse(text).expect("a position"));
        assert_eq!(labels, expected, "{text}");
        largest = largest.max(*labels.iter().max().expect("squares"));
    }
    assert!((largest as u16) < MapTask::Mobility.classes::<G>(), "{largest}");
    largest
}

#[test]
fn mobility_counts_the_listed_moves() {
    assert!(check_mobility::<Chess>(&samples::oracle(GameKind::Chess), &CHESS) > 20);
    assert!(check_mobility::<Shogi>(&samples::oracle(GameKind::Shogi), &SHOGI) > 15);
    assert!(check_mobility::<Minishogi>(&samples::oracle(GameKind::Minishogi), &MINISHOGI) > 8);
    // No piece can ever have more than a queen or a horse in the middle of the board.
    let queen = <Chess as Game>::Position::parse("6k1/8/8/8/4Q3/K7/8/8 w - - 0 1").expect("a position");
    assert_eq!(MapTask::Mobility.labels::<Chess>(&queen).into_iter().max(), Some(27));
    assert_eq!(MapTask::Mobility.classes::<Chess>(), 28);
    let horse = <Shogi as Game>::Position::parse("9/8k/9/9/4+B4/9/9/K8/9 b - 1").expect("a position");
    assert_eq!(MapTask::Mobility.labels::<Shogi>(&horse).into_iter().max(), Some(20));
    assert_eq!(MapTask::Mobility.classes::<Shogi>(), 21);
}

fn check_pins<G: Tactics>(cases: &[Case], notation: &Notation) {
    let mut pinned = [0usize; 2];
    for (text, _) in cases {
        let mut board = notation.board(text);
        let covering: BTreeSet<i32> = board.pinned(true).union(&board.pinned(false)).copied().collect();
        let label = |square| match board.men.get(&square) {
            None => NO_LABEL,
            Some(_) if !covering.contains(&square) => 0,
            Some(man) => 2 - i8::from(man.own),
        };
        let expected: Vec<i8> = board.squares().map(label).collect();
        let labels = MapTask::Pins.labels::<G>(&G::Position::parse(text).expect("a position"));
        assert_eq!(labels, expected, "{text}");
        for (class, count) in [1, 2].into_iter().zip(&mut pinned) {
            *count += labels.iter().filter(|&&label| label == class).count();
        }
    }
    assert!(pinned.iter().all(|&count| count > 100), "both sides' pins occur: {pinned:?}");
}

#[test]
fn a_pinned_man_covers_its_king() {
    check_pins::<Chess>(&samples::oracle(GameKind::Chess), &CHESS);
    check_pins::<Shogi>(&samples::oracle(GameKind::Shogi), &SHOGI);
    check_pins::<Minishogi>(&samples::oracle(GameKind::Minishogi), &MINISHOGI);
}

#[test]
fn pins_and_attacks_of_positions_worked_out_by_hand() {
    // White: Ke1, Re4, Nb5; Black: Ke8, Re7, Qe5 (unpinned: two men stand between), Bh4 pins f2.
    let position = <Chess as Game>::Position::parse("4k3/4r3/8/1N2q3/4R2b/8/5P2/4K3 w - - 0 1").expect("a position");
    let pins = MapTask::Pins.labels::<Chess>(&position);
    let at = |name: &str| pins[chess_square(name) as usize];
    assert_eq!([at("e4"), at("f2"), at("e5"), at("e7"), at("e1"), at("a1")], [1, 1, 0, 0, 0, NO_LABEL]);
    let attacked = MapTask::AttackedSquares.labels::<Chess>(&position);
    let at = |name: &str| attacked[chess_square(name) as usize];
    // e5 by the rook; f2 by king and bishop; b5 by the queen only; a8 by nobody; a7 by knight and rook; e6 by Black.
    assert_eq!([at("e5"), at("f2"), at("b5"), at("a8"), at("a7"), at("e6")], [3, 3, 2, 0, 3, 2]);
    // A lance pins forward only: White's on 5b does, Black's on 5h looks away from its own king.
    let position = <Shogi as Game>::Position::parse("4k4/4l4/9/9/4S4/9/4K4/4L4/9 b - 1").expect("a position");
    let pins = MapTask::Pins.labels::<Shogi>(&position);
    let at = |name: &str| pins[usi_square(name, 9) as usize];
    assert_eq!([at("5e"), at("5b"), at("5h"), at("5g"), at("5d")], [1, 0, 0, 0, NO_LABEL]);
}

/// How many positions have a mate in one.
fn check_checks<P: Position>(cases: &[Case], every: usize) -> usize {
    let (mut legal, mut answers, mut with_mate) = (Vec::new(), Vec::new(), 0);
    for (text, _) in cases.iter().step_by(every) {
        let position = P::parse(text).expect("a position");
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
    assert!(check_checks::<<Chess as Game>::Position>(&samples::oracle(GameKind::Chess), 10) > 10);
    assert!(check_checks::<<Shogi as Game>::Position>(&samples::oracle(GameKind::Shogi), 10) > 10);
    assert!(check_checks::<<Minishogi as Game>::Position>(&samples::oracle(GameKind::Minishogi), 10) > 10);
}
