//! Evaluation metrics against plain arithmetic in f64, row by row.

use crate::heads::{Means, finished, log_sum_exp, outputs};
use config::Mask;
use dataset::{Batch, Split};
use models::HeadName;
use nn::Arena;
use testing::{Bench, encoding};
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
