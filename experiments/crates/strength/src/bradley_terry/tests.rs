//! Ratings against published fits, and the laws of the model.

use super::*;
use crate::elo::elo_of_score;
use crate::pairs::Trinomial;

fn pairing<'a>(first: &'a str, second: &'a str, losses: u64, draws: u64, wins: u64) -> Pairing<'a> {
    Pairing { first, second, results: Trinomial([losses, draws, wins]) }
}

fn anchored_at(name: &str) -> Anchor {
    Anchor::Player { name: name.to_owned(), elo: 0.0 }
}

fn rated(pairings: &[Pairing<'_>], draws: Draws, anchor: &Anchor) -> Ratings {
    Ratings::of(pairings, draws, anchor).expect("ratings")
}

fn refused(pairings: &[Pairing<'_>], draws: Draws, anchor: &Anchor) -> String {
    Ratings::of(pairings, draws, anchor).expect_err("no ratings").to_string()
}

fn place(ratings: &Ratings, name: &str) -> usize {
    ratings.players.iter().position(|player| player == name).expect("a player")
}

/// How much stronger the first player is than the second, and the standard error of that.
fn difference(ratings: &Ratings, first: usize, second: usize) -> [f64; 2] {
    let covariance = &ratings.covariance;
    let variance = covariance[first][first] + covariance[second][second] - 2.0 * covariance[first][second];
    [ratings.elo[first] - ratings.elo[second], variance.sqrt()]
}

fn close(ours: f64, theirs: f64, within: f64) {
    assert!((ours - theirs).abs() <= within, "{ours} is not {theirs}");
}

/// Logits with their errors, under the anchor.
fn logits(ratings: &Ratings, name: &str) -> [f64; 2] {
    let place = place(ratings, name);
    [ratings.elo[place], ratings.error(place)].map(|elo| elo / ELO_PER_LOGIT)
}

/// Compares logits and their errors with those of another program, which rounds both.
fn assert_logits(ratings: &Ratings, theirs: &[(&str, f64, f64)], within: [f64; 2]) {
    for &(name, value, error) in theirs {
        let ours = logits(ratings, name);
        close(ours[0], value, within[0]);
        close(ours[1], error, within[1]);
    }
}

/// Citations among four journals (Stigler, Statistical Science 9, 1994; Agresti, "Categorical Data Analysis"), as in the R
/// package BradleyTerry2, whose fit is −2.9491, −0.4796 and 0.2690; errors 0.1025, 0.0606 and 0.0708.
#[test]
fn journals_are_bradley_terry_2s() {
    let cited = [
        pairing("Biometrika", "Comm Statist", 33, 0, 730),
        pairing("Biometrika", "JASA", 320, 0, 498),
        pairing("Biometrika", "JRSS-B", 284, 0, 221),
        pairing("Comm Statist", "JASA", 813, 0, 68),
        pairing("Comm Statist", "JRSS-B", 276, 0, 17),
        pairing("JASA", "JRSS-B", 325, 0, 142),
    ];
    let ratings = rated(&cited, Draws::Davidson, &anchored_at("Biometrika"));
    let fit = [("Comm Statist", -2.9491, 0.1025), ("JASA", -0.4796, 0.0606), ("JRSS-B", 0.2690, 0.0708)];
    assert_logits(&ratings, &fit, [5.1e-5, 6e-5]);
    assert_eq!(ratings.draw_parameter, Some(0.0));
    assert_eq!(ratings.error(0), 0.0);
}

/// Davidson's chocolate puddings (1970, example 2): i, j, preferences of i, of j, and ties.
const PUDDINGS: [(&str, &str, [u64; 3]); 15] = [
    ("1", "2", [22, 16, 19]),
    ("1", "3", [19, 12, 16]),
    ("2", "3", [19, 10, 19]),
    ("1", "4", [23, 13, 18]),
    ("2", "4", [19, 9, 23]),
    ("3", "4", [20, 15, 19]),
    ("1", "5", [19, 18, 13]),
    ("2", "5", [20, 12, 16]),
    ("3", "5", [15, 17, 16]),
    ("4", "5", [14, 16, 17]),
    ("1", "6", [21, 12, 18]),
    ("2", "6", [20, 12, 22]),
    ("3", "6", [18, 10, 13]),
    ("4", "6", [19, 18, 14]),
    ("5", "6", [21, 12, 11]),
];

fn puddings() -> Vec<Pairing<'static>> {
    PUDDINGS.iter().map(|&(first, second, counts)| Pairing { first, second, results: Trinomial(counts) }).collect()
}

/// Errors and the ratings around the mean are those of the R package PlackettLuce, `vignettes/Overview`, "Pudding example (with ties)".
/// It stops after Davidson's seven rounds, before the fourth decimal has settled; the ratings relative to the first brand and the
/// parameter of draws are those of his iteration carried on to its end.
#[test]
fn puddings_are_davidsons() {
    let first = rated(&puddings(), Draws::Davidson, &anchored_at("1"));
    let to_first = [
        ("2", 0.220_241_900_241, 0.1872168),
        ("3", 0.152_977_704_854, 0.1935181),
        ("4", 0.175_144_908_590, 0.1882110),
        ("5", 0.133_865_226_991, 0.1927043),
        ("6", 0.377_134_895_802, 0.1924059),
    ];
    assert_logits(&first, &to_first, [1e-9, 1e-6]);
    close(first.draw_parameter.unwrap(), 0.746_822_987_654, 1e-9);
    let mean = rated(&puddings(), Draws::Davidson, &Anchor::Mean(0.0));
    let to_mean = [
        ("1", -0.176_581, 0.121_949),
        ("2", 0.043_664, 0.121_818),
        ("3", -0.023_617, 0.126_823),
        ("4", -0.001_295, 0.122_003),
        ("5", -0.042_726, 0.127_054),
        ("6", 0.200_555, 0.126_594),
    ];
    assert_logits(&mean, &to_mean, [2e-4, 1e-6]);
}

/// The same vignette, "Disconnected networks": one ranking each of A over B, C over A, A over D, B over A and B over C. Without D
/// all are connected.
#[test]
fn a_connected_network_is_plackett_luces() {
    let all = [
        pairing("A", "B", 0, 0, 1),
        pairing("C", "A", 0, 0, 1),
        pairing("B", "A", 0, 0, 1),
        pairing("B", "C", 0, 0, 1),
        pairing("A", "D", 0, 0, 1),
    ];
    let plain = rated(&all[..4], Draws::Davidson, &anchored_at("A"));
    assert_logits(&plain, &[("B", 0.8392, 1.3596), ("C", 0.4196, 1.5973)], [5.1e-5; 2]);
    let lost = refused(&all, Draws::Davidson, &anchored_at("A"));
    assert_eq!(lost, "D lost every game against the others, so the rating is infinite; play more games");
}

/// KataGo, `python/elo.py`, its first example: a chain, in which every difference is that of its own score.
#[test]
fn a_chain_has_the_logistic_differences_of_its_scores() {
    let chain = [
        pairing("Alice", "Bob", 6, 0, 12),
        pairing("Bob", "Carol", 6, 0, 12),
        pairing("Carol", "Dan", 12, 0, 24),
        pairing("Dan", "Eve", 8, 0, 40),
    ];
    let ratings = rated(&chain, Draws::Half, &Anchor::Mean(0.0));
    close(ratings.elo.iter().sum(), 0.0, 1e-7);
    for (step, (score, games)) in
        [(2.0 / 3.0, 18.0), (2.0 / 3.0, 18.0), (2.0 / 3.0, 36.0), (5.0 / 6.0, 48.0)].into_iter().enumerate()
    {
        let [elo, error] = difference(&ratings, step, step + 1);
        close(elo, elo_of_score(score), 1e-7);
        close(error, ELO_PER_LOGIT / f64::sqrt(games * score * (1.0 - score)), 1e-7);
    }
    // Independent steps: the variances add up.
    let variance = |first: usize, second: usize| difference(&ratings, first, second)[1].powi(2);
    close(variance(0, 4), (0..4).map(|i| variance(i, i + 1)).sum(), 1e-6);
}

#[test]
fn two_players_differ_by_the_elo_of_their_score() {
    let of = |results: [u64; 3], draws| {
        let games = [Pairing { first: "a", second: "b", results: Trinomial(results) }];
        difference(&rated(&games, draws, &Anchor::Mean(1500.0)), 0, 1)[0]
    };
    close(of([25, 0, 75], Draws::Davidson), elo_of_score(0.75), 1e-7);
    close(of([20, 10, 70], Draws::Half), elo_of_score(0.75), 1e-7);
    // With Davidson's draws, the odds of decided games.
    close(of([20, 10, 70], Draws::Davidson), elo_of_score(70.0 / 90.0), 1e-7);
    close(of([7, 3, 7], Draws::Davidson), 0.0, 1e-9);
}

/// At the maximum, expected points and draws are the observed ones.
#[test]
fn expectations_are_the_observations() {
    let ratings = rated(&puddings(), Draws::Davidson, &Anchor::Mean(0.0));
    let nu = ratings.draw_parameter.unwrap();
    let mut beyond = vec![0.0; 7];
    for pairing in puddings() {
        let [first, second] = [pairing.first, pairing.second].map(|name| place(&ratings, name));
        let half = (ratings.elo[first] - ratings.elo[second]) / ELO_PER_LOGIT / 2.0;
        let sum = half.exp() + nu + (-half).exp();
        let [losses, draws, wins] = pairing.results.0.map(|count| count as f64);
        let games = losses + draws + wins;
        let points = wins + draws / 2.0 - games * (half.exp() + nu / 2.0) / sum;
        beyond[first] += points;
        beyond[second] -= points;
        beyond[6] += draws - games * nu / sum;
    }
    assert!(beyond.iter().all(|value| value.abs() < 1e-8), "{beyond:?}");
}

#[test]
fn differences_do_not_depend_on_anchor_order_or_sides() {
    let plain = rated(&puddings(), Draws::Davidson, &Anchor::Mean(0.0));
    let turn = |Pairing { first, second, results: Trinomial([lost, drawn, won]) }| Pairing {
        first: second,
        second: first,
        results: Trinomial([won, drawn, lost]),
    };
    let turned: Vec<Pairing<'_>> = puddings().into_iter().rev().map(turn).collect();
    let other = rated(&turned, Draws::Davidson, &Anchor::Player { name: "4".to_owned(), elo: 2000.0 });
    close(other.elo[place(&other, "4")], 2000.0, 1e-9);
    for a in ["1", "2", "3", "4", "5", "6"] {
        for b in ["1", "2", "3", "4", "5", "6"] {
            let [ours, theirs] =
                [&plain, &other].map(|ratings| difference(ratings, place(ratings, a), place(ratings, b)));
            close(ours[0], theirs[0], 1e-7);
            close(ours[1], theirs[1], 1e-7);
            let (i, j) = (place(&plain, a), place(&plain, b));
            close(plain.covariance[i][j], plain.covariance[j][i], 1e-9);
        }
    }
    // Ratings around the mean: every row of their covariance sums to zero.
    assert!(plain.covariance.iter().all(|row| row.iter().sum::<f64>().abs() < 1e-7));
}

#[test]
fn who_has_no_finite_rating_is_named() {
    let circle = [pairing("a", "b", 1, 0, 1), pairing("b", "c", 1, 0, 1)];
    let beyond = pairing("d", "a", 0, 0, 3);
    let apart = [pairing("a", "b", 1, 0, 9), pairing("c", "d", 2, 0, 2)];
    for (pairings, reason) in [
        (vec![circle[0], circle[1], beyond], "d won every game"),
        (vec![circle[0], circle[1], pairing("d", "a", 3, 0, 0)], "d lost every game"),
        // The first player is the extreme one.
        (vec![pairing("z", "a", 0, 0, 3), circle[0], circle[1]], "z won every game"),
        // Two who beat each other, and all others.
        (vec![circle[0], circle[1], pairing("d", "e", 1, 0, 1), beyond], "d with 1 more won every game"),
        (apart.to_vec(), "no chain of games connects a with c"),
    ] {
        let error = refused(&pairings, Draws::Half, &Anchor::Mean(0.0));
        assert!(error.starts_with(reason), "{error}");
    }
    // Wins and draws but no loss, or draws alone: Davidson's ν has no maximum.
    for (losses, draws, wins) in [(0, 2, 3), (0, 5, 0)] {
        let games = [pairing("a", "b", losses, draws, wins)];
        let error = refused(&games, Draws::Davidson, &Anchor::Mean(0.0));
        assert!(error.contains("grows without limit"), "{error}");
        assert!(Ratings::of(&games, Draws::Half, &Anchor::Mean(0.0)).is_ok());
    }
}

#[test]
fn what_cannot_be_rated_is_refused() {
    let (games, mean) = ([pairing("a", "b", 1, 1, 1)], Anchor::Mean(0.0));
    let itself = [pairing("a", "a", 1, 0, 1)];
    let cases: [(&[Pairing<'_>], &Anchor, &str); 5] = [
        (&[], &mean, "there are no games"),
        (&[pairing("a", "b", 0, 0, 0)], &mean, "there are no games"),
        (&itself, &mean, "a is paired with itself"),
        (&games, &anchored_at("c"), "the anchor c has no games"),
        (&games, &Anchor::Mean(f64::NAN), "the anchor's rating must be finite, got NaN"),
    ];
    for (pairings, anchor, reason) in cases {
        let error = refused(pairings, Draws::Half, anchor);
        assert!(error.starts_with(reason), "{error}");
    }
    assert_eq!(
        [Draws::named("davidson"), Draws::named("half"), Draws::named("x")],
        [Some(Draws::Davidson), Some(Draws::Half), None]
    );
}
