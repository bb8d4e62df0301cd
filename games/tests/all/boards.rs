//! Boards for probes: labels are those of the games for the same pieces on the same squares, and those of an independent
//! definition everywhere.

use games::attacks::Tactics;
use games::maps::{MapTask, NO_LABEL};
use games::movement::{Movement, distance};
use games::{Game, GameKind, Geometry, InputName, Position, Relation, with_game};
use games::{board5, board8};

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

/// The piece codes of the squares as the side to move sees them.
pub(crate) fn codes<G: Game>(position: &G::Position) -> Vec<u8> {
    let mut row = vec![0; G::input(InputName::PieceTokens).row_bytes()];
    position.pack(InputName::PieceTokens, 0, &mut row);
    row.truncate(G::GEOMETRY.squares());
    row
}

/// A position with these codes, in which the first player moves.
fn of_codes<G: Game>(codes: &[u8]) -> G::Position {
    G::Position::from_compact(&[codes, &[0, 1, 0, 0, 0]].concat()).unwrap_or_else(|error| panic!("{error}"))
}

fn number_of<G: Game>(name: &str) -> u8 {
    G::PIECES.iter().position(|piece| *piece == name).unwrap_or_else(|| panic!("no {name}")) as u8
}

/// The displacements of a piece, as its owner sees them, whatever stands between.
fn reaches(name: &str, step: (isize, isize)) -> bool {
    let is = |movement: Movement| movement.contains(step);
    match name {
        "pawn" => is(Movement::Pawn),
        "knight" => is(Movement::Knight),
        "bishop" => is(Movement::Bishop),
        "rook" => is(Movement::Rook),
        "queen" => is(Movement::Queen),
        "king" => is(Movement::King),
        "lance" => is(Movement::Lance),
        "shogi_knight" => is(Movement::ShogiKnight),
        "silver" => is(Movement::Silver),
        "gold" => is(Movement::Gold),
        "shogi_pawn" => step == (0, 1),
        "horse" => is(Movement::Bishop) || is(Movement::King),
        "dragon" => is(Movement::Rook) || is(Movement::King),
        other => panic!("no piece {other}"),
    }
}

fn displacement(board: Geometry, from: usize, to: usize) -> (isize, isize) {
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

/// The squares that the piece on a square attacks, by the definition.
fn attacked<G: Game>(codes: &[u8], from: usize) -> Vec<usize> {
    let Some(number) = usize::from(codes[from]).checked_sub(1) else { return Vec::new() };
    let name = G::PIECES[number % G::PIECES.len()];
    let ahead = if number < G::PIECES.len() { 1 } else { -1 };
    let is_attacked = |&to: &usize| {
        let (files, ranks) = displacement(G::GEOMETRY, from, to);
        to != from && reaches(name, (files * ahead, ranks * ahead)) && is_open(G::GEOMETRY, codes, from, to)
    };
    (0..codes.len()).filter(is_attacked).collect()
}

fn labels_are_those_of_the_definition<G: Tactics>() {
    let squares = G::GEOMETRY.squares();
    for mut position in placements::<G>(60) {
        // The second player's view is compared, too.
        for _ in 0..2 {
            let codes = codes::<G>(&position);
            let is_own = |square: usize| (1..=G::PIECES.len()).contains(&usize::from(codes[square]));
            let attacks: Vec<Vec<usize>> = (0..squares).map(|from| attacked::<G>(&codes, from)).collect();
            let by = |own: bool, to: usize| {
                i8::from((0..squares).any(|from| is_own(from) == own && attacks[from].contains(&to)))
            };
            let expected: Vec<i8> = (0..squares).map(|to| by(true, to) + 2 * by(false, to)).collect();
            assert_eq!(MapTask::AttackedSquares.labels::<G>(&position), expected, "{position:?}");
            let pairs = (0..squares).flat_map(|from| (0..squares).map(move |to| (from, to)));
            let expected: Vec<i8> = pairs.map(|(from, to)| i8::from(attacks[from].contains(&to))).collect();
            assert_eq!(MapTask::Attackers.labels::<G>(&position), expected, "{position:?}");
            let targets = |from: usize| {
                if codes[from] != 1 {
                    return attacks[from].iter().filter(|&&to| !is_own(to)).count() as i8;
                }
                let captures = attacks[from].iter().filter(|&&to| codes[to] != 0 && !is_own(to)).count() as i8;
                captures + i8::from(codes.get(from + G::GEOMETRY.files()) == Some(&0))
            };
            let expected: Vec<i8> =
                (0..squares).map(|from| if is_own(from) { targets(from) } else { NO_LABEL }).collect();
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

/// Attacked squares of a lone piece, summed over its squares.
fn attacks_of_a_lone<G: Tactics>(name: &str) -> usize {
    let squares = G::GEOMETRY.squares();
    let of = |square: usize| {
        let mut codes = vec![0; squares];
        codes[square] = 1 + number_of::<G>(name);
        G::attacks(&of_codes::<G>(&codes))[square].len()
    };
    (0..squares).map(of).sum()
}

fn lone_pieces_have_the_known_numbers<G: Tactics>() {
    let side = G::GEOMETRY.files();
    let (rooks, bishops) = (2 * (side - 1) * side * side, 2 * side * (side - 1) * (2 * side - 1) / 3);
    assert_eq!(attacks_of_a_lone::<G>("rook"), rooks);
    assert_eq!(attacks_of_a_lone::<G>("bishop"), bishops);
    assert_eq!(attacks_of_a_lone::<G>("queen"), rooks + bishops);
    assert_eq!(attacks_of_a_lone::<G>("king"), 4 * (side - 1) * (2 * side - 1));
    assert_eq!(attacks_of_a_lone::<G>("knight"), 8 * (side - 1) * (side - 2));
    assert_eq!(attacks_of_a_lone::<G>("shogi_knight"), 2 * (side - 1) * (side - 2));
    assert_eq!(attacks_of_a_lone::<G>("lance"), side * side * (side - 1) / 2);
    let mut codes = vec![0; side * side];
    codes[G::GEOMETRY.square(side / 2, side / 2)] = 1 + number_of::<G>("queen");
    let most = MapTask::Mobility.labels::<G>(&of_codes::<G>(&codes)).into_iter().max();
    assert_eq!(most, Some(G::MAX_TARGETS as i8), "a queen in the middle has most moves");
}

#[test]
fn lone_pieces_attack_as_many_squares_as_is_known() {
    assert_eq!(attacks_of_a_lone::<board8::Board8>("king"), 420);
    for board in GameKind::BOARDS {
        with_game!(board, G => lone_pieces_have_the_known_numbers::<G>());
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
