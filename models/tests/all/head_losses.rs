//! Losses of rewards, moves left, soft policies and maps against hand-computed values.

use crate::common::sums::Sum;
use crate::common::*;
use models::loss::{
    PolicyTargets, Targets, known, moves_left_rows, pair_map_answer, pair_map_cells, policy_cross_entropy_rows,
    policy_log_probs, result_share_rows, reward_bucket, reward_bucket_rows, reward_error_rows,
    reward_squared_error_rows, square_map_answer, square_map_cells, value_cross_entropy_rows, value_share_rows,
    value_shares,
};
use tch::{Kind, Tensor};

const NONE: f32 = f32::NAN;

fn gradient(of: &Tensor, at: &Tensor) -> Vec<f64> {
    numbers(&Tensor::run_backward(&[of], &[at], false, false).remove(0))
}

#[test]
fn a_soft_target_is_the_fourth_root_made_whole_again() {
    // 16 : 1 becomes 2 : 1; a move of probability 0 stays at 0; the third row has no target, the last one move.
    let prob =
        floats(&[16.0 / 17.0, 1.0 / 17.0, 0.0, 81.0 / 98.0, 16.0 / 98.0, 1.0 / 98.0, 0.5, 0.5, 0.5, 1.0, 9.0, 9.0], 3);
    let index = Tensor::from_slice(&[5i64, 2, 0, 1, 2, 3, -1, -1, -1, 4, -1, -1]).view([-1, 3]);
    let targets = PolicyTargets { index_bk: &index, prob_bk: &prob };
    let expected = [2.0 / 3.0, 1.0 / 3.0, 0.0, 0.5, 1.0 / 3.0, 1.0 / 6.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0];
    let soft = targets.softened(4.0);
    assert_near(&numbers(&soft), &expected, 1e-6, "temperature 4");
    assert_near(&numbers(&targets.softened(1.0))[..6], &numbers(&prob)[..6], 1e-6, "temperature 1");
    let targets = PolicyTargets { index_bk: &index, prob_bk: &soft };
    let uniform = policy_log_probs(&Tensor::zeros([4, 8], (Kind::Float, tch::Device::Cpu)), None);
    let ln8 = 8f64.ln();
    assert_near(&numbers(&policy_cross_entropy_rows(&uniform, targets)), &[ln8, ln8, 0.0, ln8], 1e-6, "uniform");
    let entropy = -(2f64 / 3.0 * (2f64 / 3.0).ln() + 1f64 / 3.0 * (1f64 / 3.0).ln());
    assert_near(&numbers(&targets.entropy_rows())[..1], &[entropy], 1e-6, "entropy");
}

#[test]
fn a_value_and_a_probability_of_a_draw_are_win_draw_and_loss() {
    // Lc0's q = 0.4 and d = 0.3; a draw more probable than the value allows; two unknown rows.
    let value = Tensor::from_slice(&[0.7f32, 0.9, NONE, 0.5]);
    let draw = Tensor::from_slice(&[0.3f32, 0.4, 0.5, NONE]);
    let shares = numbers(&value_shares(&value, &draw));
    assert_near(&shares[..3], &[0.55, 0.3, 0.15], 1e-6, "(1 + q − d)/2, d, (1 − q − d)/2");
    assert_near(&shares[3..6], &[0.7 / 1.1, 0.4 / 1.1, 0.0], 1e-6, "no share is below zero");
    let logits = floats(&[0.0, 0.0, 0.0, 1.0, 0.0, -1.0, 5.0, 5.0, 5.0, 5.0, 5.0, 5.0], 3);
    let whole = (-1..=1).map(|i| f64::from(i).exp()).sum::<f64>().ln();
    let expected = [3f64.ln(), whole - 0.7 / 1.1, 0.0, 0.0];
    assert_near(&numbers(&value_cross_entropy_rows(&logits, &value, &draw)), &expected, 1e-6, "cross-entropy");
    let off = |found: [f64; 3], wanted: [f64; 3]| (0..3).map(|i| (found[i] - wanted[i]).powi(2)).sum::<f64>() / 3.0;
    let second = off([1.0, 0.0, -1.0], [0.7 / 1.1, 0.4 / 1.1, 0.0]);
    let expected = [off([0.0; 3], [0.55, 0.3, 0.15]), second, 0.0, 0.0];
    assert_near(&numbers(&value_share_rows(&logits, &value, &draw)), &expected, 1e-6, "squared error");
}

#[test]
fn rewards_and_their_errors_by_hand() {
    let targets = Targets::rewards(&Tensor::from_slice(&[1.0f32, 0.5, 0.25, NONE]));
    assert_eq!(numbers(&targets.values), [1.0, 0.0, -0.5, 0.0]);
    assert_eq!(numbers(&targets.present), [1.0, 1.0, 1.0, 0.0]);
    let value = Tensor::from_slice(&[0.5f32, -0.5, -0.5, 0.9]).set_requires_grad(true);
    let squared = reward_squared_error_rows(&value, &targets);
    assert_eq!(numbers(&squared), [0.25, 0.25, 0.0, 0.0]);
    let sum = Sum::of(&squared, &targets.present);
    assert_near(&numbers(&sum.mean()), &[0.5 / 3.0], 1e-6, "mean over the rows with a target");
    // d(v − q)²/dv = 2(v − q), over three rows.
    assert_near(&gradient(&sum.mean(), &value), &[-1.0 / 3.0, -1.0 / 3.0, 0.0, 0.0], 1e-6, "gradient");

    let error = Tensor::from_slice(&[0.25f32, 0.75, 0.5, 0.3]).set_requires_grad(true);
    let rows = reward_error_rows(&error, &value, &targets);
    assert_eq!(numbers(&rows), [0.0, 0.25, 0.25, 0.0]);
    assert_eq!(gradient(&rows.sum(Kind::Float), &error), [0.0, 1.0, 1.0, 0.0]);
    assert!(!reward_error_rows(&error.detach(), &value, &targets).requires_grad(), "nothing reaches the reward");
}

#[test]
fn a_certain_win_falls_into_the_last_interval() {
    let q = Tensor::from_slice(&[-1.0f32, -0.95, -0.9376, -0.0001, 0.0, 0.0625, 0.99, 1.0, 1.0 - 6e-8]);
    assert_eq!(numbers(&reward_bucket(&q, 32)), [0.0, 0.0, 0.0, 15.0, 16.0, 17.0, 31.0, 31.0, 31.0]);
    let targets = Targets::rewards(&Tensor::from_slice(&[1.0f32, 0.0, 0.6, NONE]));
    let ln3 = 3f32.ln();
    let logits = floats(&[0.0, 0.0, 0.0, ln3, ln3, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 9.0, 9.0, 0.0, 1.0], 4);
    let expected = [2f64.ln(), 2f64.ln(), 4f64.ln(), 0.0];
    assert_near(&numbers(&reward_bucket_rows(&logits, &targets)), &expected, 1e-6, "cross-entropy");
}

#[test]
fn moves_left_by_hand() {
    // In units of 20: off by 0.25 (a square), by 0.5 (both alike), by 2 (a line), by 0, unknown.
    let target = Tensor::from_slice(&[20.0f32, 30.0, 60.0, 7.0, NONE]);
    let moves = Tensor::from_slice(&[25.0f32, 20.0, 20.0, 7.0, 3.0]).set_requires_grad(true);
    let rows = moves_left_rows(&moves, &target);
    assert_near(&numbers(&rows), &[0.5 * 0.0625, 0.125, 0.5 * (2.0 - 0.25), 0.0, 0.0], 1e-6, "Huber");
    assert_eq!(numbers(&known(&target)), [1.0, 1.0, 1.0, 1.0, 0.0]);
    let expected = [0.25 / 20.0, -0.5 / 20.0, -0.5 / 20.0, 0.0, 0.0];
    assert_near(&gradient(&rows.sum(Kind::Float), &moves), &expected, 1e-6, "gradient");
}

#[test]
fn maps_by_hand() {
    let labels = Tensor::from_slice(&[2i8, -1, 0, 1, -1, -1]).view([2, 3]);
    let targets = Targets::map(&labels);
    assert_eq!(numbers(&targets.present), [1.0, 0.0, 1.0, 1.0, 0.0, 0.0]);
    let ln2 = std::f32::consts::LN_2;
    let logits = floats(&[0.0, 0.0, ln2, 5.0, 5.0, 5.0, 0.0, 0.0, 0.0, ln2, 0.0, 0.0, 1.0, 2.0, 3.0, 3.0, 2.0, 1.0], 3);
    let logits = logits.view([2, 3, 3]);
    let cells = square_map_cells(&logits, &targets);
    let expected = [2f64.ln(), 0.0, 3f64.ln(), 4f64.ln(), 0.0, 0.0];
    assert_near(&numbers(&cells), &expected, 1e-6, "cells");
    let mean = Sum::of(&cells, &targets.present).mean();
    assert_near(&numbers(&mean), &[24f64.ln() / 3.0], 1e-6, "mean over labelled cells");
    let answer = numbers(&square_map_answer(&logits));
    assert_eq!((answer[0], answer[3], answer[4], answer[5]), (2.0, 0.0, 2.0, 0.0));
}

#[test]
fn pairs_by_hand() {
    let labels = Tensor::from_slice(&[1i8, 0, -1, 1]).view([1, 4]);
    let targets = Targets::map(&labels);
    let ln3 = 3f32.ln();
    let logits = floats(&[ln3, ln3, 7.0, -ln3], 2).view([1, 2, 2]);
    // The probability of yes is 3/4, 3/4 and 1/4.
    let cells = pair_map_cells(&logits, &targets);
    let expected = [(4f64 / 3.0).ln(), 4f64.ln(), 0.0, 4f64.ln()];
    assert_near(&numbers(&cells), &expected, 1e-6, "cells");
    assert_eq!(numbers(&pair_map_answer(&logits)), [1.0, 1.0, 1.0, 0.0]);
    let large = floats(&[200.0, -200.0, 0.0, 200.0], 2).view([1, 2, 2]);
    assert_eq!(numbers(&pair_map_cells(&large, &targets)), [0.0, 0.0, 0.0, 0.0], "no overflow");
}

#[test]
fn rows_without_targets_send_no_gradient() {
    let none = Tensor::from_slice(&[NONE, NONE]);
    let targets = Targets::rewards(&none);
    let value = Tensor::from_slice(&[0.5f32, -0.5]).set_requires_grad(true);
    let of = |rows: Tensor, present: &Tensor| gradient(&Sum::of(&rows, present).mean(), &value);
    assert_eq!(of(reward_squared_error_rows(&value, &targets), &targets.present), [0.0, 0.0]);
    assert_eq!(of(moves_left_rows(&value, &none), &known(&none)), [0.0, 0.0]);
}

#[test]
fn shares_of_win_draw_and_loss_by_hand() {
    // A win told as (0.5, 0.25, 0.25), a draw told as certain, a loss told as a win, and nothing known.
    let said = [[0.5f32, 0.25, 0.25], [0.0, 1.0, 0.0], [1.0, 0.0, -0.5], [9.0, 9.0, 9.0]].concat();
    let said = floats(&said, 3).set_requires_grad(true);
    let outcome = Tensor::from_slice(&[0i64, 1, 2, -1]);
    let rows = result_share_rows(&said, &outcome);
    let [first, third] = [(0.25 + 0.0625 + 0.0625) / 3.0, (1.0 + 0.0 + 2.25) / 3.0];
    assert_near(&numbers(&rows), &[first, 0.0, third, 0.0], 1e-6, "squared errors");
    let mean = Sum::of(&rows, &outcome.ge(0)).mean();
    assert_near(&numbers(&mean), &[(first + third) / 3.0], 1e-6, "mean over three games");
    // As MSELoss has it, over three numbers of three moves: d/dx = 2(x − t)/9.
    let by_hand = [-0.5, 0.25, 0.25, 0.0, 0.0, 0.0, 1.0, 0.0, -1.5, 0.0, 0.0, 0.0].map(|off: f64| 2.0 * off / 9.0);
    assert_near(&gradient(&mean, &said), &by_hand, 1e-6, "gradient");
    // And as the slope between two neighbours.
    let at = |step: f64| {
        let moved = said.detach() + Tensor::from_slice(&[step as f32, 0.0, 0.0]).view([1, 3]);
        numbers(&Sum::of(&result_share_rows(&moved, &outcome), &outcome.ge(0)).mean())[0]
    };
    let slope = (at(0.25) - at(-0.25)) / 0.5;
    assert!((slope - (by_hand[0] + by_hand[3] + by_hand[6])).abs() < 1e-5, "{slope}");
}
