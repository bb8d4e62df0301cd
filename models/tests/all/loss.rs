//! Losses against hand-computed values and loops.

use crate::common::sums::{Sum, policy_cross_entropy, wdl_cross_entropy};
use crate::common::*;
use models::loss::{
    PolicyTargets, expand_mask, policy_cross_entropy_rows, policy_divergence_rows, policy_log_probs,
    wdl_cross_entropy_rows,
};
use tch::{Kind, Tensor};

fn indices(values: &[i64], columns: i64) -> Tensor {
    Tensor::from_slice(values).view([-1, columns])
}

fn scalar(tensor: &Tensor) -> f64 {
    tensor.double_value(&[])
}

#[test]
fn a_mask_is_one_bit_a_move_lowest_first() {
    for moves in [1, 7, 20, 1858, 3781] {
        let bytes = usize::div_ceil(moves, u8::BITS as usize);
        let rows: Vec<Vec<u8>> =
            (0..3).map(|row| (0..bytes).map(|i| mixed((row * bytes + i) as u64) as u8).collect()).collect();
        let found = expand_mask(&tensor(&rows), moves);
        assert_eq!((found.size(), found.kind()), (vec![3, moves as i64], Kind::Bool));
        let expected: Vec<f64> = rows
            .iter()
            .flat_map(|row| (0..moves).map(|v| f64::from(row[v / u8::BITS as usize] >> (v % u8::BITS as usize) & 1)))
            .collect();
        assert_eq!(numbers(&found), expected);
    }
}

#[test]
fn illegal_moves_have_probability_zero() {
    let logits = floats(&[1.0, 50.0, 2.0, 0.0], 4);
    let legal = floats(&[1.0, 0.0, 1.0, 0.0], 4).to_kind(Kind::Bool);
    let found = numbers(&policy_log_probs(&logits, Some(&legal)).exp());
    let e = std::f64::consts::E;
    assert_near(&found, &[1.0 / (1.0 + e), 0.0, e / (1.0 + e), 0.0], 1e-6, "masked");
    assert_eq!((found[1], found[3]), (0.0, 0.0));
    let open = numbers(&policy_log_probs(&logits, None).exp());
    assert!(open[1] > 0.999 && open[3] > 0.0);
}

#[test]
fn policy_losses_by_hand() {
    // Probabilities 1/2, 1/4, 1/4 in the first row; the second row has no target, the third a certain one.
    let ln2 = std::f32::consts::LN_2;
    let logits = floats(&[ln2, 0.0, 0.0, 9.0, -9.0, 3.0, 0.0, 0.0, ln2], 3);
    let index = indices(&[2, 0, -1, -1, 1, -1], 2);
    let prob = floats(&[0.25, 0.75, 0.3, 0.3, 1.0, 7.0], 2);
    let targets = PolicyTargets { index_bk: &index, prob_bk: &prob };
    assert_eq!(numbers(&targets.present()), [1.0, 0.0, 1.0]);
    let log_probs = policy_log_probs(&logits, None);
    let ln2 = f64::from(ln2);
    let cross_entropy = [0.25 * 2.0 * ln2 + 0.75 * ln2, 0.0, 2.0 * ln2];
    let entropy = [0.25 * 4f64.ln() + 0.75 * (4f64 / 3.0).ln(), 0.0, 0.0];
    assert_near(&numbers(&policy_cross_entropy_rows(&log_probs, targets)), &cross_entropy, 1e-6, "cross-entropy");
    assert_near(&numbers(&targets.entropy_rows()), &entropy, 1e-6, "entropy");
    let divergence: Vec<f64> = cross_entropy.iter().zip(entropy).map(|(c, e)| c - e).collect();
    assert_near(&numbers(&policy_divergence_rows(&log_probs, targets)), &divergence, 1e-6, "divergence");
    let sum = policy_cross_entropy(&logits, None, targets);
    assert_near(&[scalar(&sum.sum), scalar(&sum.count)], &[cross_entropy.iter().sum(), 2.0], 1e-6, "sum");
    assert_near(&[scalar(&sum.mean())], &[cross_entropy.iter().sum::<f64>() / 2.0], 1e-6, "mean");
}

#[test]
fn rows_without_moves_or_targets_make_no_nan() {
    let logits = floats(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 3).set_requires_grad(true);
    let legal = floats(&[0.0, 0.0, 0.0, 1.0, 0.0, 1.0], 3).to_kind(Kind::Bool);
    let (index, prob) = (indices(&[-1, 0], 1), floats(&[0.0, 1.0], 1));
    let sum = policy_cross_entropy(&logits, Some(&legal), PolicyTargets { index_bk: &index, prob_bk: &prob });
    let gradient = Tensor::run_backward(&[&sum.mean()], &[&logits], false, false).remove(0);
    let gradient = numbers(&gradient);
    assert!(gradient.iter().all(|g| g.is_finite()), "{gradient:?}");
    assert_eq!(gradient[..3], [0.0; 3]);
    assert!(gradient[3] < 0.0 && gradient[4] == 0.0 && gradient[5] > 0.0);
    let nothing = Sum::of(&Tensor::from_slice(&[0f32, 0.0]), &Tensor::from_slice(&[false, false]));
    assert_eq!(scalar(&nothing.mean()), 0.0);
}

#[test]
fn value_losses_by_hand() {
    let logits = floats(&[1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 5.0, 1.0, 1.0, 0.0, 2.0, 1.0], 3);
    let outcome = Tensor::from_slice(&[0i64, 2, -1, 1]);
    let e = std::f64::consts::E;
    let expected = [(e + 2.0).ln() - 1.0, 3f64.ln(), 0.0, (1.0 + e * e + e).ln() - 2.0];
    assert_near(&numbers(&wdl_cross_entropy_rows(&logits, &outcome)), &expected, 1e-6, "rows");
    let sum = wdl_cross_entropy(&logits, &outcome);
    assert_near(&[scalar(&sum.mean())], &[expected.iter().sum::<f64>() / 3.0], 1e-6, "mean");
}
