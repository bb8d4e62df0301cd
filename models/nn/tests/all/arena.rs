//! The flat store: places, names, views, gradients, first values.

use crate::numbers;
use nn::layout::ALIGNMENT;
use nn::{Arena, Backend, Init, Layout, LayoutBuilder, Linear, Norm, NormKind, Part, Range, Views};
use std::sync::Arc;
use tch::{Device, Kind, Tensor};

/// A dense layer, a norm and a second dense layer, of sizes that leave padding after most parameters.
struct Small {
    layout: Arc<Layout>,
    first: Linear,
    norm: Norm,
    second: Linear,
}

impl Small {
    fn declare() -> Self {
        let mut builder = LayoutBuilder::default();
        let mut scope = builder.scope("body", Part::Trunk);
        let init = |inputs, outputs| Init::glorot_normal(inputs, outputs, 1.0);
        let first = Linear::declare(&mut scope.sub("first"), 7, 5, init(7, 5), true);
        let norm = Norm::declare(&mut scope.sub("norm"), 5, NormKind::Layer);
        let second = Linear::declare(&mut scope.sub_part("second", Part::Head), 5, 3, init(5, 3), false);
        Self { layout: Arc::new(builder.finish().expect("names differ")), first, norm, second }
    }

    fn arena(&self) -> Arena {
        Arena::initialise(Arc::clone(&self.layout), 1, "", Device::Cpu).expect("memory")
    }

    fn loss(&self, views: &Views) -> Tensor {
        let x = Tensor::arange(28, (Kind::Float, Device::Cpu)).view([4, 7]).sin();
        let y = self.norm.forward(views, &self.first.forward(views, &x).mish());
        self.second.forward(views, &y).square().sum(Kind::Float)
    }

    /// The same function of separate leaves, in order of declaration.
    fn loss_of_leaves(leaves: &[Tensor]) -> Tensor {
        let [weight, bias, gain, shift, second] = leaves else { panic!("five parameters") };
        let x = Tensor::arange(28, (Kind::Float, Device::Cpu)).view([4, 7]).sin();
        let hidden = x.linear(weight, Some(bias)).mish();
        let y = hidden.layer_norm([5], Some(gain), Some(shift), 1e-3, false);
        y.linear(second, None::<&Tensor>).square().sum(Kind::Float)
    }
}

#[test]
fn the_gradient_is_that_of_separate_leaves() {
    let small = Small::declare();
    let arena = small.arena();
    let loss = small.loss(&arena.views());
    let flat = numbers(&arena.gradient(&loss).expect("a gradient"));

    let frozen = arena.frozen_views();
    let ids = small.layout.params().iter().map(|p| small.layout.find(&p.name).expect("its name"));
    let leaves: Vec<_> = ids.map(|id| frozen[id].copy().set_requires_grad(true)).collect();
    let other = Small::loss_of_leaves(&leaves);
    assert_eq!(loss, other, "the same function");
    let gradients = Tensor::run_backward(&[other], &leaves, false, false);

    let mut outside_parameters = flat.clone();
    for (param, gradient) in small.layout.params().iter().zip(gradients) {
        let own = param.elements();
        assert_eq!(flat[own.clone()], numbers(&gradient), "{}", param.name);
        assert!(flat[own.clone()].iter().any(|g| *g != 0.0), "{} gets a gradient", param.name);
        outside_parameters[own].fill(0.0);
    }
    assert!(outside_parameters.iter().all(|g| *g == 0.0), "padding gets none");
}

#[test]
fn a_loss_that_does_not_depend_on_the_store_is_an_error() {
    let small = Small::declare();
    let unrelated = Tensor::from(1f32).set_requires_grad(true) * 2.0;
    assert!(small.arena().gradient(&unrelated).is_err());
    assert!(
        small.arena().gradient(&small.loss(&small.arena().frozen_views())).is_err(),
        "frozen views give no gradient"
    );
}

/// Matrices first, then the rest; every parameter aligned, none overlapping, nothing lost at the end.
#[test]
fn places_are_aligned_and_matrices_come_first() {
    let layout = Small::declare().layout;
    let mut by_offset: Vec<_> = layout.params().iter().collect();
    by_offset.sort_by_key(|p| p.offset);
    let mut end = 0;
    for param in &by_offset {
        assert_eq!(param.offset, end, "{} starts where the one before ends", param.name);
        assert_eq!(param.offset % ALIGNMENT, 0, "{}", param.name);
        assert_eq!(param.range == Range::Matrix, param.offset < layout.matrix_end(), "{}", param.name);
        end += param.len().div_ceil(ALIGNMENT) * ALIGNMENT;
    }
    assert_eq!(end, layout.len());
    let names: Vec<_> = by_offset.iter().map(|p| p.name.as_str()).collect();
    let matrices_then_rest =
        ["body.first.weight", "body.second.weight", "body.first.bias", "body.norm.gain", "body.norm.bias"];
    assert_eq!(names, matrices_then_rest);
}

#[test]
fn counts_leave_padding_out() {
    let layout = Small::declare().layout;
    assert_eq!(layout.count(Part::Trunk), 7 * 5 + 5 + 5 + 5);
    assert_eq!(layout.count(Part::Head), 5 * 3);
    assert_eq!((layout.count(Part::Encoding), layout.total()), (0, 65));
    assert!(layout.len() > layout.total() && !layout.is_empty());
}

#[test]
fn a_name_that_is_used_twice_is_refused() {
    let mut builder = LayoutBuilder::default();
    let mut scope = builder.scope("body", Part::Trunk);
    scope.f32_param("gain", &[3], Init::ONES);
    scope.sub("gain").f32_param("x", &[3], Init::ONES);
    scope.matrix("gain", &[2, 2], Init::ZEROS);
    let message = builder.finish().expect_err("twice").to_string();
    assert!(message.contains("two parameters are called \"body.gain\""), "{message}");
}

/// Declared without memory, and refused where it is finished: the error says which, what it takes and the limit.
#[test]
fn a_network_that_no_device_holds_is_refused() {
    let mut builder = LayoutBuilder::default();
    let mut scope = builder.scope("body", Part::Trunk);
    scope.f32_param("gain", &[1 << 20], Init::ONES);
    scope.matrix("weight", &[3 << 20, 1 << 20], Init::ONES);
    let message = builder.finish().expect_err("12 TiB").to_string();
    for part in ["\"body.weight\" of shape [3145728, 1048576]", "needs 12288 GiB", "limit is 256 GiB", "smaller sizes"]
    {
        assert!(message.contains(part), "{message}");
    }
    let mut builder = LayoutBuilder::default();
    builder.scope("body", Part::Trunk).matrix("weight", &[i64::MAX, i64::MAX], Init::ONES);
    assert!(builder.finish().is_err(), "a size that cannot be counted");
}

/// Views have the declared shapes and the store's numbers, whatever the order in memory.
#[test]
fn views_show_each_parameter_its_own_numbers() {
    let layout = Small::declare().layout;
    let values: Vec<_> = (0..layout.len()).map(|i| i as f32).collect();
    let arena = Arena::from_values(Arc::clone(&layout), &values, Device::Cpu).expect("memory");
    assert_eq!(arena.values().expect("numbers"), values);
    for views in [arena.views(), arena.frozen_views(), Views::split(&layout, &arena.flat())] {
        for param in layout.params() {
            let view = &views[layout.find(&param.name).expect("its name")];
            assert_eq!(view.size(), param.shape, "{}", param.name);
            assert_eq!(numbers(view), values[param.elements()], "{}", param.name);
        }
    }
    assert_eq!(layout.find("body.third.weight"), None);
}

#[test]
fn changing_the_flat_tensor_changes_the_parameters() {
    let small = Small::declare();
    let arena = small.arena();
    let before = small.loss(&arena.views()).double_value(&[]);
    let mut flat = arena.flat();
    let _ = flat.g_mul_scalar_(0.5);
    assert_ne!(small.loss(&arena.views()).double_value(&[]), before);
    assert_eq!(arena.values().expect("numbers"), numbers(&arena.flat()));
}

#[test]
#[should_panic(expected = "the store's contents must fit its layout")]
fn contents_of_another_layout_are_refused() {
    let layout = Small::declare().layout;
    let _ = Arena::from_values(Arc::clone(&layout), &vec![0.0; layout.len() - 1], Device::Cpu);
}

/// The first values depend on seed, salt, name, shape and initialiser, and on nothing else that is declared.
#[test]
fn first_values_are_keyed_by_name() {
    let declare = |names: &[&str]| {
        let mut builder = LayoutBuilder::default();
        for name in names {
            builder.scope("body", Part::Trunk).matrix(name, &[9, 11], Init::Normal { std: 1.0 });
        }
        Arc::new(builder.finish().expect("names differ"))
    };
    let start = |names: &[&str], wanted: &str, seed, salt: &str| {
        let layout = declare(names);
        let id = layout.find(&format!("body.{wanted}")).expect("declared");
        let arena = Arena::initialise(layout, seed, salt, Device::Cpu).expect("memory");
        numbers(&arena.frozen_views()[id])
    };
    let alone = start(&["query"], "query", 1, "");
    assert_eq!(alone, start(&["bias", "key", "query", "value"], "query", 1, ""), "whatever else there is");
    assert_ne!(alone, start(&["key"], "key", 1, ""), "another name");
    assert_ne!(alone, start(&["query"], "query", 2, ""), "another seed");
    assert_ne!(alone, start(&["query"], "query", 1, "twin"), "another salt");
}

/// Round to nearest, ties to even, on the upper half of the bits: what bf16 is.
fn bf16(value: f32) -> f32 {
    let bits = value.to_bits();
    f32::from_bits((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF_0000)
}

#[test]
fn in_bf16_matrices_are_cast_once_and_everything_else_stays_f32() {
    let layout = Small::declare().layout;
    let values: Vec<_> = (0..layout.len()).map(|i| (i as f32 * 0.37).sin()).collect();
    let arena = Arena::from_values(Arc::clone(&layout), &values, Device::Cpu).expect("memory");
    let views = arena.views_in(Kind::BFloat16);
    assert_eq!((views.kind(), arena.views().kind()), (Kind::BFloat16, Kind::Float));
    let mut loss = Tensor::from(0f32);
    for param in layout.params() {
        let view = &views[layout.find(&param.name).expect("its name")];
        let own = &values[param.elements()];
        let (kind, expected): (_, Vec<f32>) = match param.range {
            Range::Matrix => (Kind::BFloat16, own.iter().copied().map(bf16).collect()),
            Range::Full => (Kind::Float, own.to_vec()),
        };
        assert_eq!(view.kind(), kind, "{}", param.name);
        assert_eq!(view.size(), param.shape, "{}", param.name);
        assert_eq!(numbers(&view.to_kind(Kind::Float)), expected, "{}", param.name);
        loss += view.to_kind(Kind::Float).sum(Kind::Float) * 0.75;
    }
    let gradient = arena.gradient(&loss).expect("it depends on the parameters");
    assert_eq!((gradient.kind(), gradient.numel()), (Kind::Float, layout.len()));
    let gradient = numbers(&gradient);
    let of_parameters: f32 = gradient.iter().sum();
    assert_eq!(of_parameters, 0.75 * layout.total() as f32, "0.75 each, and none on padding");
}

/// On every back end; on the fused one, all parameters that products take are cast together.
#[test]
fn a_parameter_that_products_take_is_cast_with_its_gradient() {
    let layout = Small::declare().layout;
    let values: Vec<_> = (0..layout.len()).map(|i| (i as f32 * 0.37).sin()).collect();
    let arena = Arena::from_values(Arc::clone(&layout), &values, Device::Cpu).expect("memory");
    let id = layout.find("body.first.bias").expect("declared");
    let (param, gain) = (layout.param(id), layout.find("body.norm.gain").expect("declared"));
    assert!(param.cast && !layout.param(gain).cast);
    let own = &values[param.elements()];
    for (backend, kind) in
        Backend::ALL.into_iter().flat_map(|backend| [(backend, Kind::Float), (backend, Kind::BFloat16)])
    {
        let views = backend.run(|| arena.views_in(kind));
        let round = |value: f32| if kind == Kind::Float { value } else { bf16(value) };
        for (found, factor) in [(views.cast(id), 1.0), (views.cast_times(id, 0.5), 0.5)] {
            assert_eq!((found.kind(), found.size()), (kind, param.shape.clone()), "{backend:?}");
            let expected: Vec<_> = own.iter().map(|&value| round(value) * factor).collect();
            assert_eq!(numbers(&found.to_kind(Kind::Float)), expected, "{backend:?}, times {factor}");
        }
        // Once as it is, once times a factor, once in f32: 1 + 0.5 + 0.25.
        let uses = [views.cast(id), views.cast_times(id, 0.5), &views[id] * 0.25];
        let loss = uses.iter().fold(Tensor::from(0f32), |sum, used| sum + used.to_kind(Kind::Float).sum(Kind::Float));
        let gradient = numbers(&arena.gradient(&loss).expect("it depends on the parameter"));
        for (i, &found) in gradient.iter().enumerate() {
            let expected = if param.elements().contains(&i) { 1.75 } else { 0.0 };
            assert_eq!(found, expected, "{backend:?}, {kind:?}, element {i}");
        }
    }
}
