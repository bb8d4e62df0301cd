//! Averages of weights against loops in f64, and schedules against hand-computed rates.

use crate::common::*;
use models::average::SwaConfig;
use models::{Average, AverageConfig, Schedule};
use tch::Tensor;

const LEN: usize = 300;

fn weights(step: u64) -> Tensor {
    Tensor::from_slice(&(0..LEN as u64).map(|i| fraction(1000 * step + i) - 0.5).collect::<Vec<f32>>())
}

fn run(config: AverageConfig, steps: u64) -> Average {
    let mut average = Average::new(config, &weights(0)).expect("memory suffices");
    (1..=steps).for_each(|step| average.update(&weights(step), step).expect("memory suffices"));
    average
}

#[test]
fn swa_is_lc0s() {
    let config = AverageConfig::Swa(SwaConfig { every: 3, max_n: 4 });
    let mut expected = vec![0.0; LEN];
    let mut n = 0.0;
    for step in (1..=40).filter(|step| step % 3 == 0) {
        for (average, w) in expected.iter_mut().zip(numbers(&weights(step))) {
            *average = *average * n / (n + 1.0) + w / (n + 1.0);
        }
        n = f64::min(n + 1.0, 4.0);
    }
    let average = run(config, 40);
    assert_eq!(average.updates(), 13);
    assert_near(&numbers(average.flat().expect("it began")), &expected, 1e-6, "swa");
    assert!(run(config, 2).flat().is_none(), "nothing is averaged before the third step");
    assert_same_bits(run(config, 5).flat().expect("it began"), &weights(3), "the first is a copy");
    let SwaConfig { every, max_n } = SwaConfig::default();
    assert_eq!((every, max_n), (100, 10));
}

#[test]
fn a_loaded_average_resumes_bit_identically() {
    let config = AverageConfig::Swa(SwaConfig { every: 2, max_n: 3 });
    let (half, mut whole) = (run(config, 7), run(config, 7));
    let mut resumed = Average::new(config, &weights(0)).expect("memory suffices");
    resumed.load(&half.flat().expect("it began").copy(), half.updates()).expect("its own size");
    for step in 8..=13 {
        whole.update(&weights(step), step).expect("memory suffices");
        resumed.update(&weights(step), step).expect("memory suffices");
    }
    assert_eq!(resumed.updates(), whole.updates());
    assert_same_bits(resumed.flat().expect("it began"), whole.flat().expect("it began"), "resumed");
}

#[test]
fn an_average_of_zero_steps_or_weights_is_refused() {
    let refused = |written: &str| read::<AverageConfig>(written).check().expect_err("refused").to_string();
    assert!(refused(r#"{"swa": {"every": 0}}"#).contains("every: 0"));
    assert!(refused(r#"{"swa": {"max_n": 0}}"#).contains("max_n: 0"));
}

#[test]
fn the_cosine_falls_from_the_warm_up_to_the_floor() {
    let schedule: Schedule = read(r#"{"warmup": 4, "cosine": {"from": 0.8, "to": 0.2, "steps": 16}}"#);
    let found: Vec<f64> = [0, 3, 4, 8, 10, 12, 16, 500].map(|step| schedule.at(step)).to_vec();
    // A third of the way down cos is ½, half way 0, two thirds −½.
    assert_near(&found, &[0.2, 0.8, 0.8, 0.65, 0.5, 0.35, 0.2, 0.2], 1e-12, "cosine");
    assert!((4..16).all(|step| schedule.at(step + 1) < schedule.at(step)));
    let written = serde_json::to_string(&schedule).expect("writable");
    assert_eq!(read::<Schedule>(&written), schedule);
}

#[test]
fn a_cosine_without_an_end_ends_with_the_run() {
    let open: Schedule = read(r#"{"cosine": {"from": 1}}"#);
    let closed = open.clone().ending_at(10).expect("there is room");
    assert_eq!((closed.at(0), closed.at(10), closed.changes()), (1.0, 0.0, vec![10]));
    assert_eq!(closed.clone().ending_at(20).expect("unchanged"), closed);
    let refused = |written: &str| serde_json::from_str::<Schedule>(written).expect_err("refused").to_string();
    assert!(refused(r#"{"warmup": 9, "cosine": {"from": 1, "steps": 9}}"#).contains("warm-up takes 9"));
    assert!(refused(r#"{"cosine": {"from": -1}}"#).contains("invalid rate -1"));
    assert!(refused(r#"{"values": [1], "cosine": {"from": 1}}"#).contains("two schedules"));
    assert!(refused(r#"{"warmup": 3}"#).contains("there is no rate"));
}
