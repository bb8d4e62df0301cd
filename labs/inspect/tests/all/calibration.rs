//! Maps without directions are named at most as often as the level says.

use games::GameKind;
use inspect::displacement::Displacements;
use inspect::permutation::test;
use inspect::relation::{Relation, distance};
use inspect::significance::{Tested, name};
use records::inspected::Signal;
use streams::{Stream, normal, stream, uniform};

const DRAWS: usize = 300;
const PERMUTATIONS: usize = 199;
/// The level, and the most names that binomial noise explains at it: 15 expected, five standard deviations above.
const ALPHA: f64 = 0.05;
const MOST: usize = 34;

/// How many of [`DRAWS`] networks of one head are named.
fn named(game: GameKind, label: &str, mut map: impl FnMut(&Displacements, &mut Stream) -> Vec<f64>) -> usize {
    let board = Displacements::of(game.geometry());
    let is_named = |&draw: &usize| {
        let mut draws = stream(draw as u64, &["calibration", label, game.name()]);
        let profile = board.profile(&map(&board, &mut draws));
        let test = test(&board, &profile, Relation::of(game), PERMUTATIONS, &mut draws);
        let tested = Tested { layer: 0, head: 0, signal: Signal::Position, occupant: None, profile, test };
        name(&[tested], ALPHA, &[])[0].movement.is_some()
    };
    (0..DRAWS).filter(is_named).count()
}

/// A map over pairs from one over displacements.
fn tied(board: &Displacements, of_step: impl FnMut(&(isize, isize)) -> f64) -> Vec<f64> {
    let values: Vec<f64> = board.steps.iter().map(of_step).collect();
    board.places().map(|place| values[place]).collect()
}

#[test]
fn independent_values_are_rarely_named() {
    for game in GameKind::ALL {
        let of_displacements = named(game, "tied", |board, draws| tied(board, |_| normal(draws)));
        assert!(of_displacements <= MOST, "{game:?}: {of_displacements} of {DRAWS}");
        let of_pairs = named(game, "pairs", |board, draws| {
            let squares = board.geometry().squares();
            (0..squares * squares).map(|_| normal(draws)).collect()
        });
        assert!(of_pairs <= MOST, "{game:?}: {of_pairs} of {DRAWS}");
    }
}

#[test]
fn smooth_functions_of_the_distance_are_rarely_named() {
    for game in GameKind::ALL {
        for noise in [0.02, 0.2, 1.0] {
            let smooth = named(game, &format!("smooth {noise}"), |board, draws| {
                // A decay with a random range, and a wave: both the same in all directions.
                let (range, height) = (2.0 + 4.0 * uniform(draws), normal(draws));
                let (wave, phase) = (0.3 + 0.4 * uniform(draws), std::f64::consts::TAU * uniform(draws));
                tied(board, |&step| {
                    let distance = distance(step) as f64;
                    let shape = height * (-distance / range).exp() + (wave * distance + phase).cos() / 2.0;
                    shape + noise * normal(draws)
                })
            });
            // On 5 × 5 a few steps fit a decay or a wave by chance: up to 43 draws were named (docs/inspect.md).
            let most = if game.geometry().squares() < 64 { 60 } else { MOST };
            assert!(smooth <= most, "{game:?} noise {noise}: {smooth} of {DRAWS}");
        }
    }
}

#[test]
fn a_map_that_distance_explains_has_no_direction_at_all() {
    for game in GameKind::ALL {
        let exact = named(game, "exact", |board, draws| {
            let values: Vec<f64> = board.steps.iter().map(|_| normal(draws)).collect();
            tied(board, |&step| if distance(step) > 1 { values[distance(step)] } else { values[2] })
        });
        assert_eq!(exact, 0, "{game:?}");
    }
}
