//! The activations of a network, as named tensors.

use super::cell::Loaded;
use super::forward::packed;
use super::situation::Request;
use super::tensors_file::Named;
use crate::error::TrainError;
use crate::setup::declare;
use encodings::{HeadMaps, HeadObserver};
use nn::Views;
use records::UserError;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use tch::{Kind, Tensor};

pub const ACTIVATIONS_FILE: &str = "activations.safetensors";

#[derive(Debug, Clone, Default)]
struct MapRecorder(Arc<Mutex<Vec<HeadMaps>>>);

impl HeadObserver for MapRecorder {
    fn layer(&mut self, maps: HeadMaps) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(maps);
    }
}

/// The activations of some layers, or of all, on positions; f32. b positions, l tokens, d width, h heads.
///
/// | tensor | content |
/// |---|---|
/// | `stream.embedding`, `stream.layer.<n>` | the residual stream that enters the first layer, and the one after layer n, `[b,l,d]` |
/// | `attention.layer.<n>` | attention weights, `[b,h,l,l]`, query by key |
/// | `content.layer.<n>` | q·k/√k before rotation, `[b,h,l,l]` |
/// | `term.layer.<n>` | the contribution of encodings to the logits, `[b,h,l,l]`; only with such an encoding |
/// | `rotation.layer.<n>` | the change of q·k/√k by rotations, `[b,h,l,l]`; only with such an encoding |
///
/// For a network over games, b counts sequences, of which each ends with its position and padding. With `loops` streams count
/// every pass through a layer, and the other tensors are those of its last pass.
pub fn activations(cell: &Loaded, requests: &[Request], layers: Option<&[usize]>) -> Result<Vec<Named>, TrainError> {
    let (rows, _) = packed(cell, requests)?;
    let (network, _) = declare(&cell.config)?;
    let recorder = MapRecorder::default();
    let mut streams = None;
    let network = network.with_encodings(|stack| {
        let (stack, recorded) = stack.observed(Box::new(recorder.clone())).with_streams();
        streams = Some(recorded);
        stack
    });
    let views = Views::split_in(cell.layout(), &cell.arena.flat(), cell.kind);
    let _ = tch::no_grad(|| network.trunk(&views, &rows));
    let maps = std::mem::take(&mut *recorder.0.lock().unwrap_or_else(PoisonError::into_inner));
    let maps: BTreeMap<usize, HeadMaps> = maps.into_iter().map(|maps| (maps.layer, maps)).collect();
    if let Some(&missing) = layers.unwrap_or_default().iter().find(|layer| !maps.contains_key(*layer)) {
        let message = format!("the network has {} attention layers", maps.len());
        return Err(UserError::new(message, "they are numbered from 0").at(format!("--layers {missing}")).into());
    }
    let is_asked = |layer: usize| layers.is_none_or(|layers| layers.contains(&layer));
    let streams = streams.map(|streams| streams.take()).unwrap_or_default();
    let stream = |(place, stream): (usize, Tensor)| {
        let name = match place.checked_sub(1) {
            None => "stream.embedding".to_owned(),
            Some(layer) => format!("stream.layer.{layer}"),
        };
        let is_asked = place.checked_sub(1).is_none_or(is_asked);
        is_asked.then(|| Named::new(name, stream.to_kind(Kind::Float)))
    };
    let mut named: Vec<Named> = streams.into_iter().enumerate().filter_map(stream).collect();
    for maps in maps.into_values().filter(|maps| is_asked(maps.layer)) {
        let HeadMaps { layer, content, term, rotation, weights, .. } = maps;
        let parts = [("attention", Some(weights)), ("content", Some(content)), ("term", term), ("rotation", rotation)];
        let parts = parts.into_iter().filter_map(|(name, tensor)| Some((name, tensor?)));
        named.extend(parts.map(|(name, tensor)| Named::new(format!("{name}.layer.{layer}"), tensor)));
    }
    Ok(named)
}
