//! The move vocabularies: a move has one index, an index one move, and both are what notations and other programs say.

use crate::samples::{self, position};
use games::chess::ChessPosition;
use games::shogi::ShogiPosition;
use games::{Entry, Frame, FromTo, GameKind, InputName, MovesName, PlaneEntry, Planes, Position, Side, Vocabulary};
use shogi_core::Color;
use std::collections::BTreeSet;

fn vocabularies() -> impl Iterator<Item = (GameKind, &'static FromTo)> {
    GameKind::LISTED.into_iter().map(|kind| (kind, kind.from_to()))
}

#[test]
fn an_entry_and_its_index_are_inverse() {
    for (kind, vocabulary) in vocabularies() {
        for (index, &entry) in vocabulary.entries().iter().enumerate() {
            assert_eq!(vocabulary.index_of(entry), Some(index), "{}", kind.name());
        }
        assert_eq!(vocabulary.len(), vocabulary.entries().len());
        assert!(!vocabulary.is_empty());
    }
}

#[test]
fn what_is_no_entry_has_no_index() {
    for (kind, vocabulary) in vocabularies() {
        let squares = kind.geometry().squares() as u8;
        let promotions = vocabulary.promotions.len() as u8;
        for entry in [
            Entry::Plain { from: 0, to: 0 },
            Entry::Plain { from: squares, to: 0 },
            Entry::Plain { from: 0, to: squares },
            Entry::Plain { from: u8::MAX, to: u8::MAX },
            Entry::Promotion { from: 0, to: 1, kind: 0 },
            Entry::Promotion { from: squares - 2, to: squares - 1, kind: promotions },
            Entry::Drop { kind: vocabulary.drops.len() as u8, to: 0 },
            Entry::Drop { kind: 0, to: squares - 1 },
        ] {
            assert_eq!(vocabulary.index_of(entry), None, "{entry:?} in {}", kind.name());
        }
    }
}

/// Datasets and checkpoints name these: a change here breaks them all, so it needs a new name instead.
#[test]
fn fingerprints_do_not_change() {
    let fingerprints: Vec<String> = vocabularies().map(|(_, vocabulary)| vocabulary.hash()).collect();
    assert_eq!(
        fingerprints,
        [
            "7ca336a963318edce76bf5f72b610e74c8891695ad1b80d133f68d2a597a062e",
            "c11d51272520ab62a05729fcfa5b36ee26feb90c20d76ada7456c599dbdbc2da",
            "c17ce01b8d27ccb3b3ab9a82a2f77f8a881262a85c479c69bf969933f4216cb4",
            "204ae37a2679f5db78e034d0ec4f9cddbcf00c3bff5a5da25f087306a4dae618",
            "6d0bd8b1b10ba478a1d59b5407180b8e41f698e7d366aa734005aa3681a7f682",
            "84219bac2e6c6c53ed9261f65cd4f347183ba8713d7d15c49b1c31d5e7fd19d0",
            "cfb27cf5d3d262f246ff02910d592f78932d1e176ef7bc7016e99973474c1ee2",
            "9e676bdfe308c76012e21ea991f3c7681f98454890089e668bead711311821cd",
        ]
    );
    let (chess, shogi) = (GameKind::Chess, GameKind::Shogi);
    for (game, moves, fingerprint) in [
        (chess, MovesName::Chessdecoder1924, "678053eb7a2d6b1c95ade2dafc0c3283fc511da10221e089f7bb955f984596e8"),
        (shogi, MovesName::Dlshogi2187, "03f47b5d5a28e356658b10acdf306505ab26d2e28ce0a02004c5166351f7b858"),
        (shogi, MovesName::Shogi1496, "2203c42faa2746902493fdc8ff9441f6a25f054f1d6c21463af435904e1abc5a"),
        (shogi, MovesName::PythonDlshogi2187, "5ba4036e6f400c1af7ae9470d6c9e9bc69d1a69a4f20a972afe4c8c289667bf9"),
    ] {
        assert_eq!(game.moves(moves).hash(), fingerprint, "{}", moves.name());
    }
}

/// The moves of a list of chess, in UCI.
fn list(name: MovesName) -> Vec<String> {
    match GameKind::Chess.vocabulary(name) {
        Ok(Vocabulary::List(list)) => {
            list.moves.entries().iter().map(|&entry| samples::uci(entry, &["q", "r", "b", "n"])).collect()
        }
        other => panic!("{other:?} is no list"),
    }
}

/// A legal move of python-chess in ChessDecoder's notation, by its own rules: castling by the names of the four moves of the
/// king, bare promotions to a knight.
fn converted(position: &ChessPosition, uci: &str) -> String {
    let castling = [("e1g1", "e1h1"), ("e1c1", "e1a1"), ("e8g8", "e8h8"), ("e8c8", "e8a8")];
    let king = || samples::piece_of_fen(&position.to_text(), &uci[..2]).eq_ignore_ascii_case(&'k');
    match castling.iter().find(|(own, _)| *own == uci && king()) {
        Some((_, rook)) => (*rook).to_owned(),
        None => uci.strip_suffix('n').unwrap_or(uci).to_owned(),
    }
}

#[test]
fn every_legal_move_goes_there_and_back() {
    let (entries, mut castled) = (list(MovesName::Chessdecoder1924), BTreeSet::new());
    for (fen, legal) in samples::oracle(GameKind::Chess) {
        let position: ChessPosition = position(&fen);
        let mut seen = BTreeSet::new();
        for uci in &legal {
            let mv = position.parse_move(uci).expect("legal");
            let index = usize::from(position.label(mv, MovesName::Chessdecoder1924, Frame::FirstPlayer));
            let name = &entries[index];
            assert_eq!(*name, converted(&position, uci), "{uci} in {fen}");
            assert!(seen.insert(index), "{uci} in {fen} shares its index");
            // The way back: read by the rules, bare promotions as those to a knight.
            let back = position.parse_move(name).or_else(|_| position.parse_move(&format!("{name}n")));
            assert_eq!(back.expect("a legal move"), mv, "{name} in {fen}");
            if name != uci && !uci.ends_with('n') {
                castled.insert((uci.clone(), name.clone()));
            }
        }
    }
    let all = [("e1c1", "e1a1"), ("e1g1", "e1h1"), ("e8c8", "e8a8"), ("e8g8", "e8h8")];
    assert_eq!(castled, all.map(|(a, b)| (a.to_owned(), b.to_owned())).into_iter().collect());
}

/// ChessDecoder turns every `e1h1` of its network into castling; here it is one where a king stands on e1.
#[test]
fn a_rooks_own_way_to_the_corner_is_no_castling() {
    let entries = list(MovesName::Chessdecoder1924);
    for (fen, uci, name) in [
        ("k7/8/8/8/8/8/8/2K1R3 w - - 0 1", "e1h1", "e1h1"),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", "e1h1"),
        ("r3k3/8/8/8/8/8/8/4K3 b q - 0 1", "e8c8", "e8a8"),
    ] {
        let position: ChessPosition = position(fen);
        let mv = position.parse_move(uci).expect("legal");
        let index = position.label(mv, MovesName::Chessdecoder1924, Frame::FirstPlayer);
        assert_eq!((entries[usize::from(index)].as_str(), position.move_text(mv).as_str()), (name, uci), "{fen}");
    }
}

const UCI: [MovesName; 2] = [MovesName::Uci1968Dm, MovesName::Uci1968Sid];

/// A move on the board that its ranks are mirrored on.
fn mirrored(uci: &str) -> String {
    let rank = |c: char| char::from(b'1' + b'8' - c as u8);
    uci.chars().map(|c| if c.is_ascii_digit() { rank(c) } else { c }).collect()
}

/// FNV-1a of the moves, a line each, by a program in Python that makes the lists as the two projects describe them.
#[test]
fn the_lists_are_those_of_the_two_projects() {
    for (name, print) in UCI.into_iter().zip([0xbb4d_c8aa_74ef_56f5, 0x5896_8dbe_4fc6_b729]) {
        assert_eq!(samples::fnv1a(list(name).join("\n").bytes()), print, "{}", name.name());
    }
}

#[test]
fn every_legal_move_is_the_entry_of_its_index_on_either_board() {
    let lists = UCI.map(|name| (name, list(name)));
    for (fen, _) in samples::oracle(GameKind::Chess) {
        let position: ChessPosition = position(&fen);
        let turned_around = position.side_to_move() == Side::Second;
        let legal = position.list_moves();
        for (name, entries) in &lists {
            for &mv in &legal {
                let uci = position.move_text(mv);
                let as_mover = if turned_around { mirrored(&uci) } else { uci.clone() };
                assert_eq!(entries[usize::from(position.label(mv, *name, Frame::FirstPlayer))], uci, "{fen}");
                assert_eq!(entries[usize::from(position.label(mv, *name, Frame::SideToMove))], as_mover, "{fen}");
            }
        }
    }
}

#[test]
fn a_vocabulary_of_the_movers_moves_does_not_serve_whites_board() {
    assert!(UCI.into_iter().all(|name| name.supports(InputName::ClsTokensWhite).is_ok()));
    assert!(MovesName::FromTo.supports(InputName::ClsTokens).is_ok());
    let error = MovesName::FromTo.supports(InputName::ClsTokensWhite).unwrap_err().to_string();
    assert!(error.contains("from_to") && error.contains("uci_1968_dm or uci_1968_sid"), "{error}");
    assert!(GameKind::Shogi.vocabulary(MovesName::Uci1968Dm).is_err());
}

fn planes(name: MovesName) -> &'static Planes {
    match GameKind::Shogi.vocabulary(name) {
        Ok(Vocabulary::Planes(planes)) => planes,
        other => panic!("{other:?}"),
    }
}

const PLANES: [MovesName; 3] = [MovesName::Dlshogi2187, MovesName::Shogi1496, MovesName::PythonDlshogi2187];

/// Squares away to the left and ahead, as the mover sees the board, and where the move ends (rank by rank from the own
/// left corner), from USI's letters.
fn walked(usi: &str, turn: Color) -> (i32, i32, u8) {
    let square = |text: &str| {
        let (file, rank) = (i32::from(text.as_bytes()[0] - b'1'), i32::from(text.as_bytes()[1] - b'a'));
        if turn == Color::Black { (8 - file, 8 - rank) } else { (file, rank) }
    };
    let to = square(&usi[2..4]);
    let from = if usi.contains('*') { to } else { square(&usi[..2]) };
    (from.0 - to.0, to.1 - from.1, (to.1 * 9 + to.0) as u8)
}

/// What USI's letters say about a move: the name of its class and the square where it ends.
fn class_of(usi: &str, turn: Color) -> (String, u8) {
    let (left, ahead, to) = walked(usi, turn);
    if usi.contains('*') {
        let pieces = ["pawn", "lance", "knight", "silver", "gold", "bishop", "rook"];
        let piece = "PLNSGBR".find(&usi[..1]).expect("the letter of a piece that can be dropped");
        return (format!("drop_{}", pieces[piece]), to);
    }
    let way = match (ahead, left.signum()) {
        (2, 1) if left == 1 => "knight_left".to_owned(),
        (2, -1) if left == -1 => "knight_right".to_owned(),
        _ => {
            assert!(left == 0 || ahead == 0 || left.abs() == ahead.abs(), "{usi}");
            let along = ["backward", "", "forward"][(1 + ahead.signum()) as usize];
            let aside = ["right", "", "left"][(1 + left.signum()) as usize];
            let words: Vec<&str> = [along, aside].into_iter().filter(|word| !word.is_empty()).collect();
            words.join("_")
        }
    };
    (if usi.ends_with('+') { format!("{way}_promoting") } else { way }, to)
}

#[test]
fn every_legal_move_of_shogi_has_one_index_and_every_index_one_move() {
    let mut most = 0;
    for (sfen, listed) in samples::oracle(GameKind::Shogi) {
        let position: ShogiPosition = position(&sfen);
        for name in PLANES {
            let vocabulary = planes(name);
            let mut seen = BTreeSet::new();
            for usi in &listed {
                let mv = position.parse_move(usi).expect("a legal move");
                let index = position.label(mv, name, Frame::SideToMove);
                let PlaneEntry { class, to } = vocabulary.entries()[usize::from(index)];
                let found = (vocabulary.classes[usize::from(class)].to_owned(), to);
                assert_eq!(found, class_of(usi, position.turn()), "{usi} in {sfen}");
                // `shogi_moves_equal_cshogi` shows that no other move is legal here.
                assert!(seen.insert(index), "{usi} shares its index of {} in {sfen}", name.name());
            }
        }
        most = most.max(listed.len());
    }
    assert!(most > 200, "positions with many moves are among them: {most}");
}

/// cshogi's labels, and of those that can occur their numbers in order.
#[test]
fn indices_are_those_of_other_programs() {
    let text = samples::text("shogi_codes_3k.tsv.zst");
    let mut moves = 0;
    for line in text.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let position: ShogiPosition = position(fields[0]);
        for one in fields[3].split_whitespace() {
            let (usi, label) = (one.split(':').next().expect("a move"), one.rsplit(':').next().expect("a label"));
            let mv = position.parse_move(usi).expect("a legal move");
            let index = |name| position.label(mv, name, Frame::SideToMove);
            assert_eq!(index(MovesName::Dlshogi2187).to_string(), label, "{usi} in {}", fields[0]);
            let compact = usize::from(index(MovesName::Shogi1496));
            assert_eq!(label_of(planes(MovesName::Shogi1496).entries()[compact]).to_string(), label, "{usi}");
            moves += 1;
        }
    }
    assert_eq!((text.lines().count(), moves), (3_000, text.matches(':').count() / 3));
}

/// dlshogi's number of an entry: its class, then its square file by file from the mover's 1a.
fn label_of(PlaneEntry { class, to }: PlaneEntry) -> u16 {
    let (file, rank) = (8 - u16::from(to) % 9, 8 - u16::from(to) / 9);
    u16::from(class) * 81 + file * 9 + rank
}

/// FNV-1a of the labels of rsshogi's table (`COMPACT_TO_MOVE_LABEL` of 1.7.3, which is behind a feature), two bytes each, the
/// lower first.
#[test]
fn the_compact_vocabulary_has_what_can_occur() {
    let labels = planes(MovesName::Shogi1496).entries().iter().map(|&entry| label_of(entry));
    assert_eq!(samples::fnv1a(labels.flat_map(u16::to_le_bytes)), 0xf6e3_f805_9591_3409);
}

#[test]
fn a_game_offers_its_own_vocabularies_only() {
    let of_chess = [MovesName::FromTo, MovesName::Chessdecoder1924, MovesName::Uci1968Dm, MovesName::Uci1968Sid];
    for (game, own) in [(GameKind::Chess, &of_chess[..]), (GameKind::Shogi, &MovesName::ALL[..4])] {
        let names: Vec<MovesName> = game.vocabularies().iter().map(|(name, _)| *name).collect();
        assert_eq!(names, own);
        assert_eq!(game.vocabulary(MovesName::FromTo).expect("every game's").hash(), game.from_to().hash());
    }
    let error = GameKind::Chess.vocabulary(MovesName::Dlshogi2187).expect_err("chess has no such moves");
    assert_eq!(
        error.to_string(),
        "chess has no moves dlshogi_2187: its vocabularies are from_to, chessdecoder_1924, uci_1968_dm, uci_1968_sid"
    );
    let error = GameKind::Shogi.vocabulary(MovesName::Chessdecoder1924).expect_err("shogi has none").to_string();
    assert!(error.starts_with("shogi has no moves chessdecoder_1924"), "{error}");
}
