//! Each head alone learns one batch by heart: its loss goes to its floor.

use crate::common::learning::{BATCH, minimise, nadam};
use crate::common::sums::{Sum, policy_cross_entropy};
use crate::common::*;
use games::{GameKind, InputName};
use models::loss::{self, PolicyTargets, Targets};
use models::{ChessformerConfig, HeadName, NormPlace, Output, Schedule};
use tch::{Kind, Tensor};

/// An even board and an odd one, whose game has drops and promotions.
const BOARDS: [GameKind; 2] = [GameKind::Chess, GameKind::Minishogi];

/// The rate of most heads. Tanh and sigmoid saturate at it.
const RATE: f64 = 8e-3;

/// Trains a network with these heads on one batch; each loss of the last step.
fn learn(
    game: GameKind,
    outputs: &str,
    (steps, rate): (u64, f64),
    losses: impl Fn(&Output) -> Vec<Tensor>,
) -> Vec<f64> {
    let spec = spec(game, InputName::PieceTokens);
    let mut config = ChessformerConfig { outputs: read(outputs), ..tiny(NormPlace::Post) };
    config.value.hidden = 16;
    let stack = [encoding(r#"{"absolute": {"at": "every_layer"}}"#)];
    let (network, layout) = declare(&config, &stack, &spec);
    let schedule = Schedule::new(10, vec![rate, rate / 8.0], vec![steps * 3 / 4]).expect("a valid schedule");
    let packed = packed(&spec, BATCH);
    let arena = &mut initialise(&layout, 1);
    minimise(arena, nadam(), Some(10.0), steps, &schedule, |views| losses(&network.forward(views, &packed)))
}

fn assert_floor(found: &[f64], floor: f64, tolerance: f64, what: &str) {
    let reached = found.iter().all(|found| (found - floor).abs() < tolerance);
    assert!(reached && !found.is_empty(), "{what}: {found:?}, where the floor is {floor}");
}

/// Checks that on either board the head's loss falls to 0, within this tolerance.
fn assert_learnt(outputs: &str, steps: u64, tolerance: f64, loss: impl Fn(&Output) -> Tensor) {
    for game in BOARDS {
        let last = learn(game, outputs, (steps, RATE), |output| vec![loss(output)]);
        assert_floor(&last, 0.0, tolerance, game.name());
    }
}

#[test]
fn the_soft_policys_loss_falls_to_the_entropy_of_its_target() {
    for game in BOARDS {
        let moves = spec(game, InputName::PieceTokens).moves.len();
        let index = (0..BATCH * 3).map(|i| (mixed(i as u64) as usize % moves) as i64).collect::<Vec<_>>();
        let index = Tensor::from_slice(&index).view([BATCH as i64, 3]);
        let prob = Tensor::from_slice(&[0.9f32, 0.09, 0.01].repeat(BATCH)).view([BATCH as i64, 3]);
        let hard = PolicyTargets { index_bk: &index, prob_bk: &prob };
        let soft = hard.softened(4.0);
        let targets = PolicyTargets { index_bk: &index, prob_bk: &soft };
        let floor = targets.entropy_rows().mean(Kind::Float).double_value(&[]);
        // The fourth roots of 0.9, 0.09 and 0.01, made whole: a spread of 1.03 nats, where the hard target has 0.35.
        let roots = [0.9f64, 0.09, 0.01].map(|p| p.powf(0.25));
        let whole: f64 = roots.iter().sum();
        let entropy: f64 = roots.iter().map(|root| -(root / whole) * (root / whole).ln()).sum();
        assert!((floor - entropy).abs() < 1e-5, "{floor} instead of {entropy}");
        let last = learn(game, r#"{"soft_policy": {}}"#, (250, RATE), |output| {
            vec![policy_cross_entropy(&output[HeadName::SoftPolicy], None, targets).mean()]
        });
        assert_floor(&last, entropy, 0.02, game.name());
    }
}

#[test]
fn rewards_their_errors_and_their_intervals_are_learnt() {
    // Far enough from certain that tanh does not saturate on the way: behind it no gradient leads back.
    let p = Tensor::from_slice(&[0.7f32, 0.25, 0.5, 0.6, 0.4, f32::NAN]);
    let targets = Targets::rewards(&p);
    for (game, head) in BOARDS.into_iter().zip([HeadName::Q, HeadName::ShortTerm]) {
        let name = head.name();
        let outputs = format!(r#"{{"{name}": {{"error": true, "buckets": 32}}}}"#);
        let last = learn(game, &outputs, (600, 7e-4), |output| {
            let value = &output[head];
            let [error, buckets] = ["error", "buckets"].map(|part| output.part(head, part).expect("asked"));
            let rows = [
                loss::reward_squared_error_rows(value, &targets),
                loss::reward_error_rows(error, value, &targets),
                loss::reward_bucket_rows(buckets, &targets),
            ];
            let weighted = rows.iter().zip([1.0, 1.0, 0.1]);
            weighted.map(|(rows, weight)| Sum::of(rows, &targets.present).mean() * weight).collect()
        });
        assert_floor(&last[..2], 0.0, 2e-3, name);
        assert_floor(&last[2..], 0.0, 5e-3, name);
    }
}

#[test]
fn the_moves_left_are_learnt() {
    let target = Tensor::from_slice(&[3.0f32, 12.0, 25.0, 7.0, f32::NAN, 18.0]);
    assert_learnt(r#"{"moves_left": {"embedding": 4, "hidden": 16}}"#, 400, 2e-3, |output| {
        let rows = loss::moves_left_rows(&output[HeadName::MovesLeft], &target);
        Sum::of(&rows, &loss::known(&target)).mean()
    });
}

#[test]
fn shares_of_the_result_are_learnt() {
    let outcome = Tensor::from_slice(&[0i64, 1, 2, 2, -1, 0]);
    assert_learnt(r#"{"result_shares": {}}"#, 300, 2e-3, |output| {
        let rows = loss::result_share_rows(&output[HeadName::ResultShares], &outcome);
        Sum::of(&rows, &outcome.ge(0)).mean()
    });
}

#[test]
fn maps_of_squares_and_of_pairs_are_learnt() {
    for game in BOARDS {
        let squares = spec(game, InputName::PieceTokens).input.geometry.squares();
        // Labels that follow from what stands on the square, some cells without one.
        let rows = rows(&spec(game, InputName::PieceTokens), BATCH);
        let of_square = |row: usize, square: usize| match mixed((row * 1013 + square) as u64) % 7 {
            0 => -1,
            _ => i64::from(rows[row][square] % 3),
        };
        let labels: Vec<i64> =
            (0..BATCH).flat_map(|row| (0..squares).map(move |s| (row, s))).map(|(row, s)| of_square(row, s)).collect();
        let targets = Targets::map(&Tensor::from_slice(&labels).view([BATCH as i64, -1]));
        let last = learn(game, r#"{"per_square": {"classes": 3}}"#, (150, RATE), |output| {
            let cells = loss::square_map_cells(&output[HeadName::PerSquare], &targets);
            vec![Sum::of(&cells, &targets.present).mean()]
        });
        assert_floor(&last, 0.0, 0.02, game.name());
        // Yes where both squares hold the same of two kinds: a product of what stands on them.
        let kind = |row: usize, square: usize| rows[row][square].is_multiple_of(2);
        let labels: Vec<i64> = (0..BATCH)
            .flat_map(|row| (0..squares * squares).map(move |pair| (row, pair / squares, pair % squares)))
            .map(|(row, from, to)| i64::from(kind(row, from) && kind(row, to)))
            .collect();
        let targets = Targets::map(&Tensor::from_slice(&labels).view([BATCH as i64, -1]));
        let last = learn(game, r#"{"pairs": {}}"#, (150, RATE), |output| {
            let cells = loss::pair_map_cells(&output[HeadName::Pairs], &targets);
            vec![Sum::of(&cells, &targets.present).mean()]
        });
        assert_floor(&last, 0.0, 0.02, game.name());
    }
}
