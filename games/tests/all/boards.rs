//! Boards for probes: labels are those of the games for the same pieces on the same squares, and those of an independent
//! definition everywhere.

use crate::attacks::{attacks, check_attacks};
use crate::samples::codes;
use games::attacks::Tactics;
use games::board5;
use games::map_labels::{MapTask, NO_LABEL};
use games::{Game, GameKind, Position, with_game};

/// Uniform enough integers below a number, the same in every run.
fn below(state: &mut u64) -> impl FnMut(u64) -> u64 {
    move |most| {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 33) % most
    }
}

fn placements<G: Game>(number: usize) -> Vec<G::Position> {
    let mut state = 1;
    let mut below = below(&mut state);
    (0..number).map(|_| G::placement(&mut below).expect("a board")).collect()
}

/// A position with these codes, in which the first player moves.
fn of_codes<G: Game>(codes: &[u8]) -> G::Position {
    G::Position::from_compact(&[codes, &[0, 1, 0, 0, 0]].concat()).unwrap_or_else(|error| panic!("{error}"))
}

fn labels_are_those_of_the_definition<G: Tactics>() {
    for mut position in placements::<G>(60) {
        // The second player's view is compared, too.
        for _ in 0..2 {
            check_attacks::<G>(&position);
            let codes = codes::<G>(&position);
            let is_own = |square: usize| (1..=G::PIECES.len()).contains(&usize::from(codes[square]));
            // The first kind is the pawn of chess.
            let moves = |from: usize, to: usize| match (codes[from], codes[to]) {
                (1, 0) => to == from + G::GEOMETRY.files(),
                _ => attacks::<G>(&codes, from, to) && !is_own(to),
            };
            let squares = 0..codes.len();
            let targets = |from: usize| squares.clone().filter(|&to| moves(from, to)).count() as i8;
            let of_square = |from: usize| if is_own(from) { targets(from) } else { NO_LABEL };
            let expected: Vec<i8> = squares.clone().map(of_square).collect();
            assert_eq!(MapTask::Mobility.labels::<G>(&position), expected, "{position:?}");
            let Some(mv) = position.choose_move(|moves| moves / 2) else { break };
            position.play(mv);
        }
    }
}

#[test]
fn labels_are_what_movements_and_open_lines_say() {
    for board in GameKind::BOARDS {
        with_game!(board, G => labels_are_those_of_the_definition::<G>());
    }
}

#[test]
fn a_queen_in_the_middle_has_most_moves() {
    fn check<G: Tactics>() {
        let (side, queen) = (G::GEOMETRY.files(), G::PIECES.iter().position(|piece| *piece == "queen"));
        let mut codes = vec![0; side * side];
        codes[G::GEOMETRY.square(side / 2, side / 2)] = 1 + queen.expect("a queen") as u8;
        let most = MapTask::Mobility.labels::<G>(&of_codes::<G>(&codes)).into_iter().max();
        assert_eq!(most, Some(G::MAX_TARGETS as i8));
    }
    for board in GameKind::BOARDS {
        with_game!(board, G => check::<G>());
    }
}

fn placements_are_spread<G: Game>() {
    let squares = G::GEOMETRY.squares();
    let mut seen = vec![0; 1 + 2 * G::PIECES.len()];
    let numbers = placements::<G>(600).into_iter().map(|position| {
        let codes = codes::<G>(&position);
        codes.iter().for_each(|&code| seen[usize::from(code)] += 1);
        codes.iter().filter(|&&code| code > 0).count()
    });
    let numbers: Vec<usize> = numbers.collect();
    assert_eq!(numbers.iter().min(), Some(&squares.div_ceil(8)));
    assert_eq!(numbers.iter().max(), Some(&(squares / 2)));
    let (least, most) = (seen[1..].iter().min(), seen[1..].iter().max());
    assert!(least.zip(most).is_some_and(|(least, most)| *least > 50 && most < &(2 * least)), "{seen:?}");
}

#[test]
fn placements_have_every_piece_on_an_eighth_to_a_half_of_the_squares() {
    for board in GameKind::BOARDS {
        with_game!(board, G => placements_are_spread::<G>());
    }
}

fn comes_back<G: Game>() {
    for position in placements::<G>(50) {
        let text = position.to_text();
        let same = G::Position::parse(&text).unwrap_or_else(|error| panic!("{error}"));
        let again = G::Position::from_compact(&position.compact().expect("bytes")).expect("a placement");
        for same in [same, again] {
            assert_eq!((same.to_text(), codes::<G>(&same)), (text.clone(), codes::<G>(&position)));
        }
        let legal = position.list_moves();
        let mut indices: Vec<u16> = legal.iter().map(|&mv| position.move_index(mv)).collect();
        for &mv in &legal {
            let written = position.write_move(mv);
            assert_eq!(position.parse_move(&written), Ok(mv), "{written}");
            assert!(written.code(G::KIND).is_some(), "{written}");
        }
        indices.sort_unstable();
        indices.dedup();
        assert_eq!(indices.len(), legal.len(), "no two moves share an index");
    }
}

#[test]
fn placements_and_moves_come_back_from_texts_and_bytes() {
    for board in GameKind::BOARDS {
        with_game!(board, G => comes_back::<G>());
    }
    let eleven = "11/11/11/11/11/5+b5/11/11/11/11/K9r b - 1";
    let parsed = <games::board11::Board11 as Game>::Position::parse(eleven).expect("a placement");
    assert_eq!(parsed.to_text(), eleven);
}

#[test]
fn what_is_no_placement_is_refused() {
    type Placement = <board5::Board5 as Game>::Position;
    assert!(Placement::parse("5/5/5/5/K3r b - 1").is_ok());
    for wrong in [
        "",
        "5/5/5/5/5 b",
        "5/5/5/5/5 b P 1",
        "5/5/5/5/5 x - 1",
        "5/5/5/5/5 b - x",
        "5/5/5/5 b - 1",
        "5/5/5/5/6 b - 1",
        "5/5/5/5/K3 b - 1",
        "5/5/5/5/KKKKKK b - 1",
        "5/5/5/5/4+ b - 1",
        "5/5/5/5/+4K b - 1",
        "5/5/5/5/+K4 b - 1",
        "5/5/5/5/X4 b - 1",
        "5/5/5/5/99999999999999999999999 b - 1",
    ] {
        assert!(Placement::parse(wrong).is_err(), "{wrong}");
    }
    let bytes = Placement::start().compact().expect("bytes");
    assert!(Placement::from_compact(&bytes).is_ok());
    let with = |place: usize, byte: u8| {
        let mut bytes = bytes.clone();
        bytes[place] = byte;
        bytes
    };
    for wrong in [Vec::new(), bytes[1..].to_vec(), [&bytes[..], &[0]].concat(), with(0, 27), with(25, 2)] {
        assert!(Placement::from_compact(&wrong).is_err(), "{wrong:?}");
    }
}
