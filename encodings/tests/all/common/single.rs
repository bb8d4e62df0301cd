//! One encoding whose hooks are called directly, and what they return as plain numbers.

use super::{DIMS, Network};
use encodings::{Encoding, EncodingConfig, LayerContext, Logits, Queries, Tokens};
use nn::Arena;
use tch::{Device, Kind, Tensor};

/// The layer of the calls: not the first, so that a table of another layer is noticed.
pub(crate) const LAYER: usize = 1;

pub(crate) struct Single {
    pub(crate) network: Network,
    pub(crate) arena: Arena,
}

impl Single {
    pub(crate) fn random(config: EncodingConfig, tokens: &Tokens) -> Self {
        let network = Network::small(&[config], tokens);
        let arena = network.random(1, 0.5);
        Self { network, arena }
    }

    /// Zeros, except for one parameter, by its name below `encoding`.
    pub(crate) fn filled(config: EncodingConfig, tokens: &Tokens, name: &str, number: impl Fn(usize) -> f32) -> Self {
        let network = Network::small(&[config], tokens);
        let id = network.layout.find(&format!("encoding.{name}")).unwrap_or_else(|| panic!("no {name}"));
        let param = network.layout.param(id);
        let mut values = vec![0f32; network.layout.len()];
        for (place, value) in values[param.offset..param.offset + param.len()].iter_mut().enumerate() {
            *value = number(place);
        }
        let arena = Arena::from_values(network.layout.clone(), &values, Device::Cpu).expect("memory");
        Self { network, arena }
    }

    /// A parameter in f64, by its name below the encoding's.
    pub(crate) fn parameter(&self, name: &str) -> Vec<f64> {
        let id = self.network.layout.find(&format!("encoding.{name}")).unwrap_or_else(|| panic!("no {name}"));
        numbers(&self.arena.frozen_views()[id])
    }

    /// Calls hooks for an input and its packed rows.
    pub(crate) fn ask<T>(&self, x_bld: &Tensor, question: impl FnOnce(&dyn Encoding, LayerContext<'_>) -> T) -> T {
        let (views, packed) = (self.arena.frozen_views(), self.network.packed(x_bld));
        let encoding = self.network.stack.iter().next().expect("one encoding");
        question(encoding, LayerContext { views: &views, layer: LAYER, packed: &packed })
    }

    pub(crate) fn logits(&self, x: &Tensor) -> Logits {
        let size = x.size();
        let q =
            Tensor::zeros([size[0], DIMS.heads as i64, size[1], DIMS.head_width() as i64], (Kind::Float, Device::Cpu));
        self.ask(x, |encoding, at| encoding.logits(at, Queries { x_bld: x, q_bhlk: &q, k_bhlk: &q }))
    }
}

pub(crate) fn numbers(t: &Tensor) -> Vec<f64> {
    Vec::try_from(t.to_kind(Kind::Double).flatten(0, -1)).expect("numbers")
}

pub(crate) fn assert_near(found: &[f64], wanted: &[f64], what: &str) {
    assert_eq!(found.len(), wanted.len(), "{what}");
    let apart = found.iter().zip(wanted).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    let scale = wanted.iter().fold(1f64, |scale, value| scale.max(value.abs()));
    assert!(apart / scale < 1e-5, "{what}: {apart} apart");
}
