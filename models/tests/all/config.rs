//! What experiments may write: models, presets and schedules.

use crate::common::*;
use games::{GameKind, InputName};
use models::{ModelConfig, Preset, Schedule, ScheduleError, models, presets};

#[test]
fn what_is_written_is_read_back() {
    for written in [
        r#"{"decoder":{"layers":2,"width":8,"heads":2,"ff":16,"plies":2,"mask":"prefix","outputs":{"policy":{},"result":{},"board":{}}}}"#,
        r#"{"chessformer":{"layers":4,"width":32,"heads":4,"ff":48,"norm":"pre","normalisation":"layer","activation":"gelu","qkv_bias":true,"policy":{"embedding":16,"depth":12},"value":{"embedding":3,"hidden":5,"pool":"mean"}}}"#,
    ] {
        assert_eq!(serde_json::to_string(&read::<ModelConfig>(written)).unwrap(), written);
    }
}

#[test]
fn presets_are_listed_and_can_be_declared() {
    for preset in presets() {
        let named = (Preset::named(preset.name).expect("a listed preset").model)();
        let spec = match named {
            // It reads games in words, and nothing else.
            ModelConfig::Decoder(_) => tokens_68(),
            _ => spec(GameKind::Shogi, InputName::PieceTokens),
        };
        declare_model(&named, &none(), &spec);
    }
    let cf_6m = cf_6m();
    assert_eq!((cf_6m.layers, cf_6m.width, cf_6m.heads, cf_6m.ff), (8, 256, 8, 256));
    assert!(models().iter().any(|model| model.name == "chessformer"));
}

#[test]
fn the_schedule_warms_up_and_falls() {
    let schedule: Schedule = read(r#"{"warmup": 4, "values": [1.0, 0.5, 0.1], "boundaries": [10, 20]}"#);
    let found: Vec<f64> = [0, 2, 3, 4, 9, 10, 19, 20, 1000].map(|step| schedule.at(step)).to_vec();
    assert_eq!(found, [0.25, 0.75, 1.0, 1.0, 1.0, 0.5, 0.5, 0.1, 0.1]);
    let constant: Schedule = read(r#"{"values": [0.01]}"#);
    assert_eq!((constant.at(0), constant.at(99)), (0.01, 0.01));
    let written = serde_json::to_string(&schedule).unwrap();
    assert_eq!(read::<Schedule>(&written), schedule);
    // A boundary inside the warm-up scales the rate that holds there.
    let early = Schedule::new(10, vec![1.0, 0.5], vec![5]).unwrap();
    assert_eq!((early.at(4), early.at(5)), (0.5, 0.3));
}

#[test]
fn schedules_that_are_none_are_refused() {
    let new = |values: &[f64], boundaries: &[u64]| Schedule::new(0, values.to_vec(), boundaries.to_vec());
    assert_eq!(new(&[], &[]), Err(ScheduleError::Empty));
    assert_eq!(new(&[1.0], &[5]), Err(ScheduleError::Count { values: 1, boundaries: 1 }));
    assert_eq!(new(&[1.0, 1.0, 1.0], &[5, 5]), Err(ScheduleError::Order { before: 5, after: 5 }));
    assert_eq!(new(&[-1.0], &[]), Err(ScheduleError::Value(-1.0)));
    let refused = serde_json::from_str::<Schedule>(r#"{"values": [1, 2], "boundaries": []}"#).expect_err("no boundary");
    assert!(refused.to_string().contains("2 values need 1 boundaries"), "{refused}");
    assert!(serde_json::from_str::<Schedule>(r#"{"values": [1], "warm_up": 3}"#).is_err());
}
