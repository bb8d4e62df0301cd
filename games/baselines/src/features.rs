//! Hand features of a position and a legal move, written once for every game.
//!
//! A feature is present or absent. Squares are in the frame of the side to move. "Attacked" and "defended" are those of
//! [`games::attacks`] before the move is made: pins and attacks through other pieces do not count. "Lesser" compares
//! [`Tactics::WORTH`].

use games::attacks::{Pieces, SquareSet, Tactics};
use games::{Entry, InputName, Position};
use std::marker::PhantomData;
use std::ops::Range;

#[derive(Debug, Clone)]
pub struct Features<G> {
    pub names: Vec<String>,
    groups: Groups,
    game: PhantomData<G>,
}

/// Where each group of features begins.
#[derive(Debug, Clone)]
struct Groups {
    moved: usize,
    dropped: usize,
    captured: usize,
    promoted: usize,
    castles: usize,
    checks: usize,
    flees: usize,
    enters: usize,
    hangs: usize,
    takes: usize,
    from_ring: usize,
    to_ring: usize,
    advance: usize,
    from_third: usize,
    to_third: usize,
    king_distance: usize,
}

/// Parts that the ranks are cut into: own, middle, far.
const THIRDS: usize = 3;
/// Distances to the opponent's king: next to it, two squares, three, more.
const KING_DISTANCES: usize = 4;

/// Values that are computed once for a position.
#[derive(Debug)]
struct Board {
    codes: Vec<u8>,
    /// For each square, which squares hold own pieces that attack it.
    own_attackers: Vec<SquareSet>,
    /// Whether the opponent attacks it.
    attacked: SquareSet,
    /// The least worth of the opponent's attackers of each square.
    least_attacker: Vec<u8>,
    /// The square of the opponent's king.
    king: Option<usize>,
}

/// A move in terms of squares.
struct MoveSquares {
    /// The square that a piece leaves; none for a drop.
    from: Option<usize>,
    to: usize,
    /// The kind that moves or is dropped, an index into [`games::Game::PIECES`].
    kind: usize,
    /// Which drop, an index into the vocabulary's.
    dropped: Option<usize>,
    /// Which promotion, an index into the vocabulary's; the first index after them for one that the vocabulary writes as
    /// the bare pair of squares.
    promoted: Option<usize>,
    captured: Option<usize>,
    castles: bool,
}

impl<G: Tactics> Default for Features<G> {
    fn default() -> Self {
        let mut names: Vec<String> = Vec::new();
        let mut add = |prefix: &str, parts: &[&str]| {
            let start = names.len();
            names.extend(parts.iter().map(|part| [prefix, part].concat()));
            start
        };
        let vocabulary = G::from_to();
        let promotions = [vocabulary.promotions, &["bare"]].concat();
        // Rings of squares around the middle of the board.
        let rings = G::GEOMETRY.files().max(G::GEOMETRY.ranks()).div_ceil(2);
        let rings: Vec<String> = (0..rings).map(|ring| ring.to_string()).collect();
        let rings: Vec<&str> = rings.iter().map(String::as_str).collect();
        let thirds = ["own third", "middle", "far third"];
        let groups = Groups {
            moved: add("moves ", G::PIECES),
            dropped: add("drops ", vocabulary.drops),
            captured: add("takes ", G::PIECES),
            promoted: add("promotes ", &promotions),
            castles: add("", &["castles"]),
            checks: add("", &["gives check", "gives check, unprotected"]),
            flees: add("from ", &["attacked", "attacked by less", "attacked, undefended"]),
            enters: add("to ", &["attacked", "attacked by less", "defended", "attacked, undefended"]),
            hangs: add("enters undefended ", G::PIECES),
            takes: add("takes ", &["more than it is", "unprotected"]),
            from_ring: add("from ring ", &rings),
            to_ring: add("to ring ", &rings),
            advance: add("goes ", &["ahead", "aside", "back"]),
            from_third: add("from ", &thirds),
            to_third: add("to ", &thirds),
            king_distance: add("king at ", &["1", "2", "3", "more"]),
        };
        Self { names, groups, game: PhantomData }
    }
}

impl<G: Tactics> Features<G> {
    /// Calls `each` with the indices of the present features, ascending, for each of these legal moves.
    pub fn of(&self, position: &G::Position, legal: &[<G::Position as Position>::Move], mut each: impl FnMut(&[u16])) {
        let board = Board::of::<G>(position);
        let mut present = Vec::with_capacity(self.names.len());
        for &mv in legal {
            present.clear();
            let step = step::<G>(position, &board, mv);
            self.push(&board, &step, position.gives_check(mv), &mut present);
            present.sort_unstable();
            each(&present);
        }
    }

    fn push(&self, board: &Board, step: &MoveSquares, checks: bool, out: &mut Vec<u16>) {
        let groups = &self.groups;
        let mut add = |feature: usize| out.push(feature as u16);
        let worth = G::WORTH[step.kind];
        match step.dropped {
            Some(kind) => add(groups.dropped + kind),
            None => add(groups.moved + step.kind),
        }
        if let Some(kind) = step.promoted {
            add(groups.promoted + kind);
        }
        if step.castles {
            add(groups.castles);
        }
        let attacked = board.attacked.contains(step.to);
        let defenders = board.own_attackers[step.to];
        let defended = defenders.len() > usize::from(step.from.is_some_and(|from| defenders.contains(from)));
        let hangs = attacked && !defended && !step.castles;
        if checks {
            add(groups.checks);
            if hangs {
                add(groups.checks + 1);
            }
        }
        if let Some(from) = step.from.filter(|&from| board.attacked.contains(from)) {
            add(groups.flees);
            if board.least_attacker[from] < worth {
                add(groups.flees + 1);
            }
            if board.own_attackers[from].is_empty() {
                add(groups.flees + 2);
            }
        }
        if attacked {
            add(groups.enters);
            if board.least_attacker[step.to] < worth {
                add(groups.enters + 1);
            }
        }
        if defended {
            add(groups.enters + 2);
        }
        if hangs {
            add(groups.enters + 3);
            add(groups.hangs + step.kind);
        }
        if let Some(kind) = step.captured {
            add(groups.captured + kind);
            if G::WORTH[kind] > worth {
                add(groups.takes);
            }
            if !attacked {
                add(groups.takes + 1);
            }
        }
        self.push_places(board, step, add);
    }

    fn push_places(&self, board: &Board, step: &MoveSquares, mut add: impl FnMut(usize)) {
        let (groups, geometry) = (&self.groups, G::GEOMETRY);
        add(groups.to_ring + Self::ring(step.to));
        add(groups.to_third + Self::third(step.to));
        if let Some(from) = step.from {
            add(groups.from_ring + Self::ring(from));
            add(groups.from_third + Self::third(from));
            let advance = geometry.rank_of(from).cmp(&geometry.rank_of(step.to)) as i8 + 1;
            add(groups.advance + advance as usize);
        }
        if let Some(king) = board.king {
            let files = geometry.file_of(king).abs_diff(geometry.file_of(step.to));
            let ranks = geometry.rank_of(king).abs_diff(geometry.rank_of(step.to));
            add(groups.king_distance + files.max(ranks).clamp(1, KING_DISTANCES) - 1);
        }
    }

    /// The ring of a square, 0 in the middle.
    fn ring(square: usize) -> usize {
        let from_middle = |at: usize, size: usize| size.div_ceil(2) - 1 - at.min(size - 1 - at);
        let file = from_middle(G::GEOMETRY.file_of(square), G::GEOMETRY.files());
        file.max(from_middle(G::GEOMETRY.rank_of(square), G::GEOMETRY.ranks()))
    }

    fn third(square: usize) -> usize {
        G::GEOMETRY.rank_of(square) * THIRDS / G::GEOMETRY.ranks()
    }
}

impl Board {
    fn of<G: Tactics>(position: &G::Position) -> Self {
        let squares = G::GEOMETRY.squares();
        let mut codes = vec![0; G::input(InputName::PieceTokens).row_bytes()];
        position.pack(InputName::PieceTokens, 0, &mut codes);
        codes.truncate(squares);
        let Pieces { own, opponent, .. } = G::pieces(position);
        let attacks = G::attacks(position);
        let mut board = Self {
            own_attackers: vec![SquareSet::default(); squares],
            attacked: SquareSet::default(),
            least_attacker: vec![u8::MAX; squares],
            king: codes.iter().position(|&code| kind_of(code, opponents::<G>()).is_some_and(is_king::<G>)),
            codes,
        };
        for (from, targets) in attacks.iter().enumerate() {
            for to in (0..squares).filter(|&to| targets.contains(to)) {
                if own.contains(from) {
                    board.own_attackers[to].insert(from);
                } else if opponent.contains(from) {
                    let kind = kind_of(board.codes[from], opponents::<G>());
                    let worth = kind.map_or(u8::MAX, |kind| G::WORTH[kind]);
                    board.attacked.insert(to);
                    board.least_attacker[to] = board.least_attacker[to].min(worth);
                }
            }
        }
        board
    }
}

/// The codes of own pieces.
fn own<G: Tactics>() -> Range<usize> {
    1..1 + G::PIECES.len()
}

/// The codes of the opponent's pieces.
fn opponents<G: Tactics>() -> Range<usize> {
    1 + G::PIECES.len()..1 + 2 * G::PIECES.len()
}

/// The kind of a code among those of a side.
fn kind_of(code: u8, side: Range<usize>) -> Option<usize> {
    side.contains(&usize::from(code)).then(|| usize::from(code) - side.start)
}

fn is_king<G: Tactics>(kind: usize) -> bool {
    G::PIECES[kind] == "king"
}

fn kind_named<G: Tactics>(name: &str) -> usize {
    let found = G::PIECES.iter().position(|&piece| piece == name);
    found.unwrap_or_else(|| panic!("{} has no piece {name}", G::NAME))
}

fn step<G: Tactics>(position: &G::Position, board: &Board, mv: <G::Position as Position>::Move) -> MoveSquares {
    let vocabulary = G::from_to();
    let (from, to, promoted) = match vocabulary.entries()[usize::from(position.move_index(mv))] {
        Entry::Drop { kind, to } => {
            let dropped = usize::from(kind);
            let kind = kind_named::<G>(vocabulary.drops[dropped]);
            let to = usize::from(to);
            return MoveSquares {
                from: None,
                to,
                kind,
                dropped: Some(dropped),
                promoted: None,
                captured: None,
                castles: false,
            };
        }
        Entry::Promotion { from, to, kind } => (usize::from(from), usize::from(to), Some(usize::from(kind))),
        Entry::Plain { from, to } => {
            // A promotion that shares the entry of a plain move: its text has the piece after the squares.
            let bare = position.write_move(mv).len() > "e2e4".len();
            (usize::from(from), usize::from(to), bare.then_some(vocabulary.promotions.len()))
        }
    };
    let kind = kind_of(board.codes[from], own::<G>()).expect("a piece of the side to move stands where it moves from");
    let castles = kind_of(board.codes[to], own::<G>()).is_some();
    let file = |square| G::GEOMETRY.file_of(square);
    // A pawn that changes its file to an empty square takes in passing.
    let in_passing = board.codes[to] == 0 && G::PIECES[kind] == "pawn" && file(from) != file(to);
    let captured = if in_passing { Some(kind) } else { kind_of(board.codes[to], opponents::<G>()) };
    MoveSquares { from: Some(from), to, kind, dropped: None, promoted, captured, castles }
}
