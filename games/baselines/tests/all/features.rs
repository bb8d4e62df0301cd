//! Features of moves in positions made by hand.

use baselines::Features;
use games::Position;
use games::attacks::Tactics;
use games::chess::Chess;
use games::shogi::Shogi;

/// The names of the features of a move.
fn present<G: Tactics>(position: &str, mv: &str) -> Vec<String> {
    let position = G::Position::parse(position).expect("a position");
    let mv = position.parse_move(mv).expect("a legal move");
    let features = Features::<G>::default();
    let mut names = Vec::new();
    features.of(&position, &[mv], |present| {
        assert!(present.is_sorted_by(|a, b| a < b), "{present:?}");
        names = present.iter().map(|&feature| features.names[usize::from(feature)].clone()).collect();
    });
    names
}

#[track_caller]
fn has<G: Tactics>(position: &str, mv: &str, with: &[&str], without: &[&str]) {
    let names = present::<G>(position, mv);
    for name in with {
        assert!(names.iter().any(|have| have == name), "{mv} lacks \"{name}\": {names:?}");
    }
    for name in without {
        assert!(Features::<G>::default().names.iter().any(|known| known == name), "\"{name}\" is no feature");
        assert!(!names.iter().any(|have| have == name), "{mv} has \"{name}\": {names:?}");
    }
}

#[test]
fn a_capture_has_exactly_these() {
    let wanted = [
        "moves pawn",
        "takes pawn",
        "from attacked",
        "from attacked, undefended",
        "takes unprotected",
        "from ring 0",
        "to ring 0",
        "goes ahead",
        "from middle",
        "to middle",
        "king at 3",
    ];
    assert_eq!(present::<Chess>("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5"), wanted);
    // The same position with colours exchanged is seen in the same way.
    assert_eq!(present::<Chess>("4k3/8/8/4p3/3P4/8/8/4K3 b - - 0 1", "e5d4"), wanted);
}

#[test]
fn chess_has_castling_promotions_and_captures_in_passing() {
    let castling = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
    has::<Chess>(castling, "e1g1", &["castles", "moves king"], &["takes rook", "to attacked, undefended"]);
    let promotion = "3rk3/4P3/8/8/8/8/8/4K3 w - - 0 1";
    has::<Chess>(promotion, "e7d8q", &["promotes queen", "takes rook", "takes more than it is", "gives check"], &[]);
    has::<Chess>(promotion, "e7d8n", &["promotes bare"], &["promotes queen", "gives check", "takes unprotected"]);
    let passing = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1";
    has::<Chess>(passing, "e5d6", &["takes pawn"], &["castles"]);
    has::<Chess>(passing, "e5e6", &["goes ahead"], &["takes pawn"]);
}

#[test]
fn attackers_and_defenders_are_those_of_the_square() {
    // A knight on f3, a pawn on e4; Black's queen on h5 and pawn on d6.
    let position = "4k3/8/3p4/7q/4P3/5N2/8/4K3 w - - 0 1";
    has::<Chess>(
        position,
        "f3e5",
        &["to attacked", "to attacked by less", "to attacked, undefended"],
        &["to defended"],
    );
    has::<Chess>(position, "f3e5", &["enters undefended knight", "from attacked"], &["from attacked by less"]);
    has::<Chess>(position, "f3d2", &["to defended", "goes back", "from attacked, undefended"], &["to attacked"]);
    // The piece that moves does not defend the square that it enters.
    has::<Chess>("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "a1a7", &["goes ahead", "to far third"], &["to defended"]);
    has::<Chess>("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "a1a8", &["gives check", "to ring 3"], &["to attacked"]);
    has::<Chess>("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "a1d1", &["to defended", "goes aside"], &["gives check"]);
}

#[test]
fn shogi_has_drops_and_promotions() {
    let position = "4k4/9/4P4/9/9/9/9/9/4K4 b G 1";
    has::<Shogi>(
        position,
        "G*5b",
        &["drops gold", "gives check", "to defended", "to attacked", "king at 1", "to far third"],
        &["moves gold", "goes ahead", "gives check, unprotected", "to attacked, undefended"],
    );
    has::<Shogi>(position, "5c5b+", &["moves pawn", "promotes promote", "goes ahead"], &["promotes bare"]);
    has::<Shogi>(position, "5c5b", &["moves pawn", "to attacked, undefended"], &["promotes promote"]);
    // The second player sees the board turned.
    let turned = "4k4/9/9/9/9/9/4p4/9/4K4 w g 1";
    assert_eq!(present::<Shogi>(position, "G*5b"), present::<Shogi>(turned, "G*5h"));
    let takes = "4k4/9/9/4r4/4P4/9/9/9/4K4 b - 1";
    has::<Shogi>(takes, "5e5d", &["takes rook", "takes more than it is", "takes unprotected", "from attacked"], &[]);
}

#[test]
fn there_are_a_few_dozen() {
    assert_eq!((Features::<Chess>::default().names.len(), Features::<Shogi>::default().names.len()), (55, 86));
}
