//! dlshogi's value head: its metrics against plain arithmetic, and its network resumes bit-identically.

use crate::heads::{finished, outputs};
use dataset::Split;
use models::HeadName;
use testing::{Bench, dlshogi};
use train::evaluate::evaluate;

#[test]
fn convolutions_and_attention_with_batch_norm_go_on_to_the_same_bits() {
    let bench = Bench::new();
    bench.resumed(&dlshogi(&bench, 29), 28);
}

#[test]
fn the_win_rates_metrics_are_plain_arithmetic() {
    const POSITIONS: usize = 1000;
    let bench = Bench::new();
    let dir = bench.trained("measured", &dlshogi(&bench, 12));
    let cell = finished(&dir);
    let measured = evaluate(cell.0.subject(), &cell.1.frozen_views(), Split::Test, POSITIONS).expect("metrics");
    // Cross-entropy, hits among decided games, hits with draws won, entropy; positions and decided ones.
    let (mut sums, mut all, mut decided) = ([0.0; 4], 0.0, 0.0);
    outputs(&cell, POSITIONS, &mut |batch, output| {
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
