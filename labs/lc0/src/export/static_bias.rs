//! Terms of the logits that are the same for every position, as smolgen.
//!
//! Smolgen ends in a normalisation and a matrix that all layers share: the map of head h is Σ_g y_hg·W_g, where y is a layer's
//! normalised vector. With a gain of zero the normalisation returns its bias, whatever the position is. The W_g are then maps
//! over pairs of squares, and the bias of each layer holds the coefficients of its heads.

use super::parameters::Parameters;
use crate::error::NetError;
use crate::spec;
use encodings::{Encoding, EncodingConfig, InjectionPoints, LayerContext, Queries, Stack, Tokens};
use models::{ChessformerConfig, ModelError};
use nn::{Arena, LayoutBuilder, Part};
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;
use tch::{Device, Kind, Tensor};
use train::TrainError;

/// Channels per token after smolgen's compression, whose output is multiplied by zero.
const COMPRESSED: usize = 1;

/// Lc0's CUDA and SYCL backends normalise multiples of this many channels.
const CHANNELS: usize = 16;

/// The most channels that its CUDA backend normalises.
const MOST_CHANNELS: usize = 16_384;

/// Writes the sum of these encodings' terms as smolgen.
pub(super) fn write(
    network: &ChessformerConfig,
    encodings: &[EncodingConfig],
    parameters: &mut Parameters<'_>,
) -> Result<(), NetError> {
    let (heads, squares) = (network.heads, spec().input.geometry.squares());
    let basis = Basis::of(&tables(network, encodings, parameters)?);
    // Whole multiples of CHANNELS for all heads together.
    let multiple = CHANNELS >> heads.trailing_zeros().min(CHANNELS.trailing_zeros());
    let width = basis.maps.len().next_multiple_of(multiple);
    let outputs = heads * width;
    if outputs > MOST_CHANNELS {
        let what = format!("{} maps over pairs of squares for each of {heads} heads", basis.maps.len());
        return Err(NetError::no_place(what, format!("at most {MOST_CHANNELS} coefficients of maps per layer")));
    }
    for (layer, of_heads) in basis.coefficients.chunks_exact(heads).enumerate() {
        let to = format!("encoder[{layer}].mha.smolgen");
        let zeros = [
            ("compress", COMPRESSED * network.width),
            ("dense1_w", CHANNELS * COMPRESSED * squares),
            ("dense1_b", CHANNELS),
            ("ln1_gammas", CHANNELS),
            ("ln1_betas", CHANNELS),
            ("dense2_w", outputs * CHANNELS),
            ("dense2_b", outputs),
            ("ln2_gammas", outputs),
        ];
        zeros.into_iter().for_each(|(name, len)| parameters.put(format!("{to}.{name}"), vec![0.0; len]));
        let mut betas = vec![0.0; outputs];
        for (padded, coefficients) in betas.chunks_exact_mut(width).zip(of_heads) {
            padded[..coefficients.len()].copy_from_slice(coefficients);
        }
        parameters.put(format!("{to}.ln2_betas"), betas);
    }
    // As in every matrix of the format, a row for each output, which is a pair of squares.
    let mut generator = vec![0.0; squares * squares * width];
    for (column, map) in basis.maps.iter().enumerate() {
        generator.iter_mut().skip(column).step_by(width).zip(map).for_each(|(entry, number)| *entry = *number);
    }
    parameters.put("smolgen_w", generator);
    Ok(())
}

/// The terms of every layer and head, in this order, each by query and key.
fn tables(
    network: &ChessformerConfig,
    encodings: &[EncodingConfig],
    parameters: &mut Parameters<'_>,
) -> Result<Vec<Vec<f32>>, NetError> {
    let (dims, tokens) = (network.dims(), Tokens::squares_then(spec().input.geometry, &[]));
    let mut builder = LayoutBuilder::default();
    let stack = Stack::declare(encodings, &mut builder.scope("encoding", Part::Encoding), dims, &tokens);
    let stack = stack.map_err(ModelError::from).map_err(TrainError::from)?;
    let mut declared = encodings.iter().zip(stack.iter());
    if let Some((config, encoding)) = declared.find(|(_, encoding)| !encoding.guarantees().static_logits) {
        return Err(refusal(config, encoding));
    }
    let layout = builder.finish().map_err(ModelError::from).map_err(TrainError::from)?;
    let mut weights = vec![0.0; layout.len()];
    for param in layout.params() {
        weights[param.offset..][..param.len()].copy_from_slice(parameters.take(&param.name)?);
    }
    let arena = Arena::from_values(Arc::new(layout), &weights, Device::Cpu).map_err(TrainError::from)?;
    let views = arena.frozen_views();
    let [heads, length, width, head_width] =
        [dims.heads, tokens.len(), dims.width, dims.head_width()].map(|size| size as i64);
    let zeros = |size: &[i64]| Tensor::zeros(size, (Kind::Float, Device::Cpu));
    // Any position will do.
    let (x_bld, q_bhlk) = (zeros(&[1, length, width]), zeros(&[1, heads, length, head_width]));
    let packed = x_bld.select(2, 0).to_kind(Kind::Uint8);
    let mut tables = Vec::with_capacity(dims.layers * dims.heads);
    for layer in 0..dims.layers {
        let at = LayerContext { views: &views, layer, packed: &packed };
        let terms = stack.logits(at, Queries { x_bld: &x_bld, q_bhlk: &q_bhlk, k_bhlk: &q_bhlk });
        let before = terms.before_scale.map(|term| term / (head_width as f64).sqrt());
        let none = zeros(&[1, heads, length, length]);
        let sum = before.into_iter().chain(terms.after_scale).fold(none, |sum, term| sum + term);
        let by_head = Vec::<Vec<f32>>::try_from(sum.view([heads, length * length])).map_err(TrainError::from)?;
        tables.extend(by_head);
    }
    Ok(tables)
}

fn refusal(config: &EncodingConfig, encoding: &dyn Encoding) -> NetError {
    let points = encoding.injection_points();
    let reason = if points == InjectionPoints::LOGITS {
        "whose terms of the logits depend on the position".to_owned()
    } else {
        format!("which acts at {points}")
    };
    NetError::no_place(
        format!("the encoding {}, {reason}", config.label()),
        "none, absolute: {at: gate}, smolgen, and terms of the logits that are the same for every position",
    )
}

/// Maps over pairs, and the coefficients with which each table is a sum of them.
struct Basis {
    maps: Vec<Vec<f32>>,
    coefficients: Vec<Vec<f32>>,
}

impl Basis {
    /// Whichever has fewer maps: one for each class of pairs that no table distinguishes, with the classes' numbers as
    /// coefficients, or each different table itself. In either case every entry of a table is one number times 1.
    fn of(tables: &[Vec<f32>]) -> Self {
        let pairs = tables.first().map_or(0, Vec::len);
        let bits = |pair: usize| tables.iter().map(|table| table[pair].to_bits()).collect::<Vec<u32>>();
        let classes = Groups::of((0..pairs).map(bits));
        let different = Groups::of(tables.iter().map(|table| table.iter().map(|x| x.to_bits()).collect::<Vec<u32>>()));
        if classes.first.len() <= different.first.len() {
            let coefficients = |table: &Vec<f32>| classes.first.iter().map(|&pair| table[pair]).collect();
            return Self { maps: classes.indicators(), coefficients: tables.iter().map(coefficients).collect() };
        }
        let mut coefficients = vec![vec![0.0; different.first.len()]; tables.len()];
        for (own, &group) in coefficients.iter_mut().zip(&different.of) {
            own[group] = 1.0;
        }
        Self { maps: different.first.iter().map(|&table| tables[table].clone()).collect(), coefficients }
    }
}

/// Which items are equal: groups, numbered by their first item.
struct Groups {
    /// The place of each group's first item.
    first: Vec<usize>,
    /// The group of each item.
    of: Vec<usize>,
}

impl Groups {
    fn of<T: Eq + Hash>(items: impl Iterator<Item = T>) -> Self {
        let (mut numbers, mut first): (HashMap<T, usize>, Vec<usize>) = (HashMap::new(), Vec::new());
        let group = |(place, item): (usize, T)| {
            *numbers.entry(item).or_insert_with(|| {
                first.push(place);
                first.len() - 1
            })
        };
        let of = items.enumerate().map(group).collect();
        Self { first, of }
    }

    /// For each group a number per item: 1 if it belongs to the group, else 0.
    fn indicators(&self) -> Vec<Vec<f32>> {
        let indicator = |group: usize| self.of.iter().map(|&own| f32::from(u8::from(own == group))).collect();
        (0..self.first.len()).map(indicator).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sums(basis: &Basis) -> Vec<Vec<f32>> {
        let entry =
            |own: &Vec<f32>, pair: usize| own.iter().zip(&basis.maps).map(|(c, map)| c * map[pair]).sum::<f32>();
        let table = |own: &Vec<f32>| (0..basis.maps[0].len()).map(|pair| entry(own, pair)).collect();
        basis.coefficients.iter().map(table).collect()
    }

    #[test]
    fn the_smaller_basis_is_taken_and_gives_the_tables_exactly() {
        // Two classes of pairs in four tables, then two different tables of four classes.
        let of_classes: Vec<Vec<f32>> = [0.1, -2.5, 7.0, 1e-8].map(|x| vec![x, 3.0 * x, x, 3.0 * x]).to_vec();
        let (one, other) = (vec![0.3, -0.1, 5.0, 0.0], vec![1.0, 2.0, -3.0, 0.7]);
        let repeated = vec![one.clone(), other.clone(), one, other];
        for tables in [of_classes, repeated] {
            let basis = Basis::of(&tables);
            assert_eq!(basis.maps.len(), 2);
            assert_eq!(sums(&basis), tables);
        }
    }

    #[test]
    fn tables_without_differences_need_one_map() {
        let basis = Basis::of(&[vec![0.0; 9], vec![0.0; 9]]);
        assert_eq!((basis.maps.len(), sums(&basis)), (1, vec![vec![0.0; 9]; 2]));
    }
}
