//! Evaluation metrics against plain arithmetic in f64, row by row.

use crate::heads::{Means, finished, log_sum_exp, outputs};
use config::Mask;
use dataset::{Batch, Split};
use models::HeadName;
use nn::Arena;
use testing::{Bench, dlshogi, encoding};
use train::Setup;
use train::evaluate::evaluate;

const POSITIONS: usize = 60;

/// Without meaning for training with a mask.
const UNMASKED: [&str; 4] = ["legal_mass", "policy_accuracy_unmasked", "policy_loss_unmasked", "policy_entropy"];

impl Means {
    fn add_policy(&mut self, logits: &[f64], legal: &[bool], wanted: usize, masked: bool) {
        let allowed = |index: &usize| !masked || legal[*index];
        let places = || (0..logits.len()).filter(allowed);
        let normaliser = log_sum_exp(places().map(|index| logits[index]));
        self.add("policy_loss", normaliser - logits[wanted]);
        let better = places().filter(|&index| logits[index] > logits[wanted]).count();
        self.add("policy_accuracy", share(better == 0));
        self.add("policy_top5", share(better < 5));
        let better_of_all = logits.iter().filter(|&&logit| logit > logits[wanted]).count();
        self.add("policy_accuracy_unmasked", share(better_of_all == 0));
        let everything = log_sum_exp(logits.iter().copied());
        self.add("policy_loss_unmasked", everything - logits[wanted]);
        let surprise = |logit: &f64| (logit - everything).exp() * (everything - logit);
        self.add("policy_entropy", logits.iter().map(surprise).sum());
        let mass = |index: usize| (logits[index] - everything).exp();
        self.add("legal_mass", (0..logits.len()).filter(|&index| legal[index]).map(mass).sum());
        self.add("uniform_baseline", (legal.iter().filter(|&&legal| legal).count() as f64).ln());
    }

    fn add_value(&mut self, wdl: &[f64], outcome: usize) {
        self.add("value_loss", log_sum_exp(wdl.iter().copied()) - wdl[outcome]);
        self.add("value_accuracy", share(wdl.iter().all(|&logit| logit <= wdl[outcome])));
    }
}

fn share(hit: bool) -> f64 {
    f64::from(u8::from(hit))
}

fn legal_moves(batch: &Batch, row: usize, moves: usize) -> Vec<bool> {
    let bytes = &batch.legal[row * batch.legal.len() / batch.size..];
    let bits = bytes.iter().flat_map(|byte| (0..u8::BITS).map(move |bit| byte >> bit & 1 == 1));
    bits.take(moves).collect()
}

fn expected(cell: &(Setup, Arena)) -> Means {
    let mut means = Means::default();
    let (masked, moves) = (cell.0.config.train.mask != Mask::None, cell.0.config.spec().moves.len());
    outputs(cell, POSITIONS, &mut |batch, output| {
        let rows = |head: HeadName| -> Vec<Vec<f64>> {
            let rows = Vec::<Vec<f32>>::try_from(&output[head]).expect("rows");
            rows.into_iter().map(|row| row.into_iter().map(f64::from).collect()).collect()
        };
        for (row, (policy, wdl)) in rows(HeadName::Policy).iter().zip(rows(HeadName::Result)).enumerate() {
            if let Ok(wanted) = usize::try_from(batch.policy_index[row]) {
                means.add_policy(policy, &legal_moves(batch, row, moves), wanted, masked);
            }
            means.add_value(&wdl, usize::try_from(batch.outcome[row]).expect("every game has a result"));
        }
    });
    means
}

#[test]
fn metrics_agree_with_plain_arithmetic_for_every_mask() {
    let bench = Bench::new();
    for (name, mask) in [("train", Mask::Train), ("eval", Mask::Eval), ("none", Mask::None)] {
        let mut run = bench.run(40);
        run.train.mask = mask;
        run.encoding = vec![encoding("relative_bias: {share: displacement}")];
        let dir = bench.trained(name, &run);
        let cell = finished(&dir);
        let (setup, arena) = &cell;
        let measured = evaluate(setup.subject(), &arena.frozen_views(), Split::Test, POSITIONS).expect("metrics");
        for (metric, (sum, count)) in expected(&cell).0 {
            let Some(value) = measured.metrics.get(&metric) else {
                assert!(mask == Mask::Train && UNMASKED.contains(&metric.as_str()), "{metric}");
                continue;
            };
            assert!((value - sum / count).abs() < 1e-5, "{name}: {metric} is {value}, not {}", sum / count);
        }
    }
}

#[test]
fn the_win_rates_metrics_are_plain_arithmetic() {
    let bench = Bench::new();
    let dir = bench.trained("measured", &dlshogi(&bench, 12));
    let cell = finished(&dir);
    let measured = evaluate(cell.0.subject(), &cell.1.frozen_views(), Split::Test, 1000).expect("metrics");
    // Cross-entropy, hits among decided games, hits with draws won, entropy; positions and decided ones.
    let (mut sums, mut all, mut decided) = ([0.0; 4], 0.0, 0.0);
    outputs(&cell, 1000, &mut |batch, output| {
        let logits = Vec::<f32>::try_from(output[HeadName::WinRate].shallow_clone()).expect("numbers");
        for (logit, outcome) in logits.into_iter().zip(&batch.outcome) {
            let (p, points) = (1.0 / (1.0 + (-f64::from(logit)).exp()), [1.0, 0.5, 0.0][*outcome as usize]);
            let cross = |target: f64| -target * p.ln() - (1.0 - target) * (1.0 - p).ln();
            let won = p >= 0.5;
            sums[0] += cross(points);
            sums[1] += f64::from(u8::from(points != 0.5 && won == (points == 1.0)));
            sums[2] += f64::from(u8::from(won == (points >= 0.5)));
            sums[3] += cross(p);
            all += 1.0;
            decided += f64::from(u8::from(points != 0.5));
        }
    });
    let metric = |name: &str| measured.metrics.get(name).expect(name);
    let close = |name: &str, wanted: f64| assert!((metric(name) - wanted).abs() < 1e-5, "{name}: {}", metric(name));
    assert!(decided > 0.0 && decided < all, "some games are drawn");
    close("win_rate_result_loss", sums[0] / all);
    close("win_rate_value_loss", sums[0] / all);
    close("win_rate_accuracy", sums[1] / decided);
    close("win_rate_accuracy_draws_won", sums[2] / all);
    close("win_rate_entropy", sums[3] / all);
    assert_eq!((metric("win_rate_targets"), metric("win_rate_decided")), (all, decided));
    close("dlshogi_loss", metric("policy_loss_unmasked") + sums[0] / all);
}
