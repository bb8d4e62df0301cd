//! What experiments may write, and what is refused.

use crate::common::*;
use encodings::EncodingConfig;
use games::{GameKind, InputName};
use models::{ModelConfig, ModelError, NormPlace, Pool, Preset, Schedule, ScheduleError, models, presets};
use nn::{Activation, NormKind};

fn model(written: &str) -> ModelConfig {
    serde_json::from_str(written).expect("a readable model")
}

#[test]
fn defaults_are_the_papers() {
    let config = model(r#"{"chessformer": {"layers": 4, "width": 32, "heads": 4, "ff": 48}}"#);
    let ModelConfig::Chessformer(config) = config else { panic!("a Chessformer") };
    assert_eq!((config.norm, config.normalisation), (NormPlace::Post, NormKind::Rms));
    assert_eq!((config.activation, config.qkv_bias), (Activation::Mish, false));
    assert_eq!((config.policy_embedding(), config.policy_depth()), (32, 32));
    assert_eq!((config.value.embedding, config.value.hidden, config.value.pool), (32, 128, Pool::Flatten));
}

#[test]
fn what_is_written_is_read_back() {
    for written in [
        r#"{"decoder":{"layers":2,"width":8,"heads":2,"ff":16,"plies":2,"mask":"prefix","outputs":{"policy":{},"result":{},"board":{}}}}"#,
        r#"{"chessformer":{"layers":4,"width":32,"heads":4,"ff":48,"norm":"pre","normalisation":"layer","activation":"gelu","qkv_bias":true,"policy":{"embedding":16,"depth":12},"value":{"embedding":3,"hidden":5,"pool":"mean"}}}"#,
    ] {
        assert_eq!(serde_json::to_string(&model(written)).unwrap(), written);
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
fn mistakes_are_refused_by_name() {
    let refused = |written: &str| serde_json::from_str::<ModelConfig>(written).expect_err(written).to_string();
    assert!(refused(r#"{"chessformer": {"layers": 4, "width": 32, "ff": 48}}"#).contains("heads"));
    assert!(
        refused(r#"{"chessformer": {"layers": 4, "width": 32, "heads": 4, "ff": 48, "depth": 1}}"#).contains("depth")
    );
    assert!(Preset::named("cf-7m").is_none());
    assert!(refused(r#"{"convnet": {}}"#).contains("chessformer"));
}

#[test]
fn heads_must_divide_the_width() {
    let written = |heads| format!(r#"{{"chessformer": {{"layers": 1, "width": 48, "heads": {heads}, "ff": 8}}}}"#);
    let refused = |heads: usize| model(&written(heads)).check().expect_err("heads do not divide the width");
    assert_eq!(
        refused(7).to_string(),
        "model: heads: 7 do not divide width: 48; nearest that fit: heads: 6 or 8, or width: 42 or 49"
    );
    let too_many =
        ModelError::HeadsDoNotDivide { width: 48, heads: 100, nearest_heads: vec![48], nearest_widths: vec![100] };
    assert_eq!(refused(100), too_many);
    assert_eq!(refused(0), ModelError::Zero { name: "heads" });
    let zero = r#"{"chessformer": {"layers": 1, "width": 48, "heads": 4, "ff": 8, "value": {"hidden": 0}}}"#;
    assert_eq!(model(zero).check(), Err(ModelError::Zero { name: "value.hidden" }));
}

/// Before any memory is asked for: every encoding and every size that a declaration multiplies.
#[test]
fn sizes_that_no_device_holds_are_refused() {
    let spec = spec(GameKind::Chess, InputName::PieceTokens);
    let refuse = |written: &str, encodings: &[EncodingConfig]| refused(&model(written), encodings, &spec).to_string();
    let wide = r#"{"chessformer": {"layers": 1, "width": 1048576, "heads": 8, "ff": 1}}"#;
    for config in EncodingConfig::examples() {
        let message = refuse(wide, &[config]);
        assert!(message.contains("the network is too large") && message.contains("the limit is 256 GiB"), "{message}");
    }
    let narrow = |model: &str, sizes: &str| format!(r#"{{"{model}": {{"width": 8, "heads": 2, {sizes}}}}}"#);
    for (model, sizes, said) in [
        ("chessformer", r#""layers": 5000, "ff": 8"#, "layers is 5000, it must be at most 4096"),
        ("chessformer", r#""layers": 1, "ff": 99999999"#, "ff is 99999999, it must be at most"),
        ("decoder", r#""layers": 1, "ff": 8, "plies": 300"#, "plies is 300, it must be at most"),
    ] {
        let message = refuse(&narrow(model, sizes), &[]);
        assert!(message.contains(said), "{message}");
    }
    let most = i64::MAX;
    for (head, options, said) in [
        ("q", format!(r#"{{"buckets": {most}}}"#), "outputs.q.buckets is"),
        ("short_term", format!(r#"{{"buckets": {most}}}"#), "outputs.short_term.buckets is"),
        ("per_square", format!(r#"{{"classes": {most}}}"#), "outputs.per_square.classes is"),
        ("further_policies", format!(r#"{{"a": {{"depth": 1}}, "b": {{"depth": {most}}}}}"#), "further_policies is"),
    ] {
        let sizes = format!(r#""layers": 1, "ff": 8, "outputs": {{"policy": {{}}, "{head}": {options}}}"#);
        let message = refuse(&narrow("chessformer", &sizes), &[]);
        assert!(message.contains(&format!("{said} {most}, it must be at most")), "{message}");
    }
    let huge = [encoding(r#"{"smolgen": {"hidden": 18446744073709551615}}"#)];
    let narrow = narrow("chessformer", r#""layers": 1, "ff": 8"#);
    assert!(refuse(&narrow, &huge).contains("hidden must be at most 16777216"));
}

#[test]
fn an_encoding_that_does_not_fit_is_refused() {
    let mut config = tiny(NormPlace::Post);
    (config.width, config.heads) = (6, 2);
    let rope = [encoding(r#"{"rope": {"layout": "axial_2d", "theta": 100}}"#)];
    let spec = spec(GameKind::Chess, InputName::PieceTokens);
    let error = refused(&chessformer(config), &rope, &spec);
    assert!(matches!(error, ModelError::Encoding(_)), "head width 3: {error}");
}

#[test]
fn the_schedule_warms_up_and_falls() {
    let schedule: Schedule =
        serde_json::from_str(r#"{"warmup": 4, "values": [1.0, 0.5, 0.1], "boundaries": [10, 20]}"#).unwrap();
    let found: Vec<f64> = [0, 2, 3, 4, 9, 10, 19, 20, 1000].map(|step| schedule.at(step)).to_vec();
    assert_eq!(found, [0.25, 0.75, 1.0, 1.0, 1.0, 0.5, 0.5, 0.1, 0.1]);
    let constant: Schedule = serde_json::from_str(r#"{"values": [0.01]}"#).unwrap();
    assert_eq!((constant.at(0), constant.at(99)), (0.01, 0.01));
    let written = serde_json::to_string(&schedule).unwrap();
    assert_eq!(serde_json::from_str::<Schedule>(&written).unwrap(), schedule);
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
