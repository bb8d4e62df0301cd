//! A relation that is planted in a map is found, on both boards.

use games::GameKind;
use inspect::displacement::Displacements;
use inspect::permutation::test;
use inspect::relation::{Relation, Step, distance};
use inspect::significance::{Tested, least_controls, name, permutations};
use records::inspected::{HeadRecord, Signal};
use streams::{Stream, normal, stream};

const ALPHA: f64 = 0.01;
/// Enough for a p-value below the level in a family of three heads.
const PERMUTATIONS: usize = 1_999;

/// Three heads: the first favours `relation` and the second avoids it, amid noise and a decay with distance; the third is
/// noise.
fn heads(game: GameKind, relation: Relation, noise: f64) -> Vec<HeadRecord> {
    let tested = |head: usize| {
        let mut draws = stream(head as u64, &["planted", game.name(), relation.name()]);
        let planted = |step| if relation.contains(step) { [1.0, -1.0, 0.0][head] } else { 0.0 };
        let decay = |step| if relation.is_distance() { 0.0 } else { (-(distance(step) as f64) / 3.0).exp() };
        tested(game, head, |step| planted(step) + decay(step), noise, &mut draws)
    };
    name(&(0..3).map(tested).collect::<Vec<_>>(), ALPHA, &[])
}

/// A head whose map is this function of the step, and noise.
fn tested(game: GameKind, head: usize, of: impl Fn(Step) -> f64, noise: f64, draws: &mut Stream) -> Tested {
    let board = Displacements::of(game.geometry());
    let values: Vec<f64> = board.steps.iter().map(|&step| of(step) + noise * normal(draws)).collect();
    let profile = board.profile(&board.places().map(|place| values[place]).collect::<Vec<_>>());
    let test = test(&board, &profile, Relation::of(game), PERMUTATIONS, draws);
    Tested { layer: 0, head, signal: Signal::Position, occupant: None, profile, test }
}

/// Silver's squares are below their neighbours here, yet above the rest of the board; gold's are above both.
#[test]
fn a_head_that_prefers_a_general_is_not_named_after_the_neighbours_it_likes_less() {
    let of = |step: Step| match step {
        (_, 1) if distance(step) == 1 => 0.25,
        (0, -1) | (1 | -1, 0) => 1.3,
        _ => 0.0,
    };
    let game = GameKind::Shogi;
    let tested = tested(game, 0, of, 0.02, &mut stream(5, &["general"]));
    let strongest = tested.test.relations.iter().filter(|found| !found.relation.is_distance());
    let strongest = strongest.max_by(|a, b| a.share.total_cmp(&b.share)).expect("relations");
    assert!(strongest.relation == Relation::Silver && strongest.z < 0.0 && !strongest.agrees, "{strongest:?}");
    let movement = name(&[tested], ALPHA, &[])[0].movement.clone().expect("a movement");
    assert_eq!((&movement.relation[..], movement.favours), (Relation::Gold.name(), true));
}

#[test]
fn every_planted_relation_is_named() {
    let mut of_noise = 0;
    for game in GameKind::ALL {
        for &relation in Relation::of(game) {
            let heads = heads(game, relation, 0.1);
            for (head, favours) in heads.iter().zip([true, false]) {
                let movement = head.movement.as_ref().unwrap_or_else(|| panic!("{game:?} {relation:?}: {head:?}"));
                assert_eq!((&movement.relation[..], movement.favours), (relation.name(), favours), "{game:?} {head:?}");
                let found = head.relations.iter().find(|found| found.relation == relation.name()).expect("tested");
                assert!(found.p < ALPHA && (found.z > 0.0) == favours);
            }
            of_noise += usize::from(heads[2].movement.is_some());
        }
    }
    // One of a hundred families without directions may name one.
    assert!(of_noise <= 2, "{of_noise} heads of noise are named");
}

#[test]
fn results_are_the_same_twice() {
    let relation = Relation::Knight;
    assert_eq!(heads(GameKind::Chess, relation, 0.3), heads(GameKind::Chess, relation, 0.3));
}

#[test]
fn shares_are_shares_of_the_variance() {
    for game in GameKind::ALL {
        for head in heads(game, Relation::Bishop, 0.1) {
            assert!((0.0..=1.0).contains(&head.distance_share) && (head.displacement_share - 1.0).abs() < 1e-9);
            let beyond = head.relations.iter().filter(|found| found.relation != Relation::King.name());
            beyond.for_each(|found| assert!(found.share >= 0.0 && found.share + head.distance_share <= 1.0 + 1e-9));
        }
    }
}

#[test]
fn permutations_are_enough_for_every_family() {
    for heads in [1, 8, 360] {
        let least = heads as f64 / (permutations(heads, ALPHA) + 1) as f64;
        assert!(least < ALPHA, "{heads} heads: {least}");
    }
}

#[test]
fn controls_above_all_of_which_a_head_lies_can_be_enough() {
    let controls = vec![0.0; least_controls(ALPHA)];
    assert!(1.0 / ((controls.len() + 1) as f64) < ALPHA);
    assert!(1.0 / (controls.len() as f64) >= ALPHA);
}
