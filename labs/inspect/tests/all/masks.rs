//! Relations by displacement agree with pieces that walk on a board, square by square.

use games::{GameKind, Geometry};
use inspect::displacement::Displacements;
use inspect::relation::{Relation, distance};

/// The directions in which a piece moves as letters of a compass (capitals: any number of steps), ahead is n.
fn directions(relation: Relation) -> &'static str {
    match relation {
        Relation::Rank => "E W",
        Relation::File => "N S",
        Relation::Rook => "N S E W",
        Relation::Diagonal => "NE SW",
        Relation::AntiDiagonal => "NW SE",
        Relation::Bishop => "NE SW NW SE",
        Relation::Queen => "N S E W NE SW NW SE",
        Relation::Knight => "nne nnw nee nww sse ssw see sww",
        Relation::King => "n s e w ne sw nw se",
        Relation::Pawn => "ne nw",
        Relation::PawnBack => "se sw",
        Relation::Lance => "N",
        Relation::LanceBack => "S",
        Relation::ShogiKnight => "nne nnw",
        Relation::ShogiKnightBack => "sse ssw",
        Relation::Silver => "n ne nw se sw",
        Relation::SilverBack => "s ne nw se sw",
        Relation::Gold => "n ne nw e w s",
        Relation::GoldBack => "s se sw e w n",
    }
}

/// The squares that a piece on `from` reaches on an empty board.
fn reached(geometry: Geometry, relation: Relation, from: usize) -> Vec<usize> {
    let mut found = Vec::new();
    for word in directions(relation).split(' ') {
        let slides = word.starts_with(char::is_uppercase);
        let (mut file, mut rank) = (geometry.file_of(from) as i32, geometry.rank_of(from) as i32);
        loop {
            for letter in word.to_lowercase().chars() {
                match letter {
                    'n' => rank += 1,
                    's' => rank -= 1,
                    'e' => file += 1,
                    _ => file -= 1,
                }
            }
            if !(0..geometry.files() as i32).contains(&file) || !(0..geometry.ranks() as i32).contains(&rank) {
                break;
            }
            found.push(geometry.square(file as usize, rank as usize));
            if !slides {
                break;
            }
        }
    }
    found
}

#[test]
fn a_relation_holds_exactly_where_its_piece_walks() {
    for game in GameKind::ALL {
        let geometry = game.geometry();
        let board = Displacements::of(geometry);
        for &relation in Relation::of(game) {
            for query in 0..geometry.squares() {
                let walked = reached(geometry, relation, query);
                for key in 0..geometry.squares() {
                    let holds = relation.contains(board.steps[board.place(query, key)]);
                    assert_eq!(holds, walked.contains(&key), "{game:?} {relation:?} {query} {key}");
                }
            }
        }
    }
}

#[test]
fn a_profile_is_the_mean_over_the_pairs_of_each_displacement() {
    for game in GameKind::ALL {
        let geometry = game.geometry();
        let board = Displacements::of(geometry);
        let squares = geometry.squares();
        let map: Vec<f64> = (0..squares * squares).map(|pair| ((pair * 7919) % 1009) as f64).collect();
        let profile = board.profile(&map);
        assert_eq!(board.pairs.iter().sum::<u32>() as usize, squares * squares);
        assert_eq!(board.moves().count() + 1, geometry.displacement_classes());
        for (place, &(file, rank)) in board.steps.iter().enumerate() {
            let mut sum = (0.0, 0.0);
            for (query, key) in (0..squares).flat_map(|query| (0..squares).map(move |key| (query, key))) {
                let along =
                    |of: fn(&Geometry, usize) -> usize| of(&geometry, key) as isize - of(&geometry, query) as isize;
                if (along(Geometry::file_of), along(Geometry::rank_of)) == (file, rank) {
                    sum = (sum.0 + map[query * squares + key], sum.1 + 1.0);
                }
            }
            assert!((profile.means[place] - sum.0 / sum.1).abs() < 1e-9);
            assert_eq!(f64::from(board.pairs[place]), sum.1);
        }
        // A table over displacements is its own profile.
        let tied: Vec<f64> = board.places().map(|place| (place % 13) as f64).collect();
        let profile = board.profile(&tied);
        assert!((profile.share - 1.0).abs() < 1e-12 && profile.within < 1e-12);
        assert!(board.moves().all(|place| distance(board.steps[place]) > 0));
    }
}
